package vol

// tape is a growing series whose newest keep values can be read. Values never change once written,
// and a returned slice stays valid forever: the writer only appends, and moves to a new buffer when
// the old one is full. Therefore a fit can publish its outcomes without copying them.
type tape struct {
	keep int
	n    int // total number of values appended
	buf  []float64
}

func (p *tape) append(v float64) {
	if len(p.buf) == cap(p.buf) {
		p.grow(min(len(p.buf), p.keep)/32 + 64)
	}
	p.buf = append(p.buf, v)
	p.n++
}

// reserve makes room for n more values and little spare room: a service holds hundreds of histories,
// each of which is loaded at once and then grows by one value per hour.
func (p *tape) reserve(n int) {
	if len(p.buf)+n > cap(p.buf) {
		p.grow(n + (min(len(p.buf), p.keep)+n)/32)
	}
}

// grow copies the readable values to a buffer with room for n more values, but for at most keep +
// keep/8 + 1 in total: when these are full, the next grow drops the oldest values.
func (p *tape) grow(n int) {
	kept := p.buf[max(0, len(p.buf)-p.keep):]
	grown := make([]float64, len(kept), max(len(kept)+1, min(len(kept)+n, p.keep+p.keep/8+1)))
	copy(grown, kept)
	p.buf = grown
}

// len returns the number of readable values.
func (p *tape) len() int { return min(len(p.buf), p.keep) }

// newest returns the newest n values, oldest first, or all when there are fewer. The caller
// must not modify them.
func (p *tape) newest(n int) []float64 {
	n = min(n, p.len())
	return p.buf[len(p.buf)-n : len(p.buf) : len(p.buf)]
}

// from returns the values with indexes i to j-1, counted over all appended values. They must
// still be readable.
func (p *tape) from(i, j int) []float64 {
	shift := p.n - len(p.buf)
	return p.buf[i-shift : j-shift]
}
