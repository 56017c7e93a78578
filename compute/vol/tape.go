package vol

// tape is a growing series of which the newest keep values can be read. Values
// already written never change, and a slice handed out stays as it is for ever:
// the writer only writes behind its end, and moves to a fresh buffer when the old
// one is full. So a fit publishes its outcomes without copying them.
type tape struct {
	keep int
	n    int // values ever appended
	buf  []float64
}

func (p *tape) append(v float64) {
	if len(p.buf) == cap(p.buf) {
		kept := p.buf[max(0, len(p.buf)-p.keep):]
		grown := make([]float64, len(kept), min(2*len(kept)+64, p.keep+p.keep/8+1))
		copy(grown, kept)
		p.buf = grown
	}
	p.buf = append(p.buf, v)
	p.n++
}

// len returns how many values can be read.
func (p *tape) len() int { return min(len(p.buf), p.keep) }

// newest returns the newest n values, oldest first; all of them when there are
// fewer. The caller must not write to it.
func (p *tape) newest(n int) []float64 {
	n = min(n, p.len())
	return p.buf[len(p.buf)-n : len(p.buf) : len(p.buf)]
}

// from returns the values from index i, counted over all ever appended, to j
// (excluded). They must still be held.
func (p *tape) from(i, j int) []float64 {
	shift := p.n - len(p.buf)
	return p.buf[i-shift : j-shift]
}
