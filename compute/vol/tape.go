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
		p.grow(min(len(p.buf), p.keep)/32 + 64)
	}
	p.buf = append(p.buf, v)
	p.n++
}

// reserve makes room for n values more, and little more than that: a service holds hundreds
// of histories, which come whole and then grow by a value an hour.
func (p *tape) reserve(n int) {
	if len(p.buf)+n > cap(p.buf) {
		p.grow(n + (min(len(p.buf), p.keep)+n)/32)
	}
}

// grow moves what can still be read to a buffer with room for n more values, or for an
// eighth of keep where that is less: by then the oldest can be dropped.
func (p *tape) grow(n int) {
	kept := p.buf[max(0, len(p.buf)-p.keep):]
	grown := make([]float64, len(kept), max(len(kept)+1, min(len(kept)+n, p.keep+p.keep/8+1)))
	copy(grown, kept)
	p.buf = grown
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
