package vol

// tape is a growing series whose newest keep values can be read. Values never change once written,
// and a returned slice stays valid forever: the writer only appends, and moves to a new buffer when
// the old one is full. Therefore a fit can publish its outcomes without copying them.
type tape struct {
	keep int
	n    int // total number of values appended
	buf  []float64
}

// append adds a value. A full buffer gives way to one with the readable values and little spare room: a
// service holds hundreds of histories, each of which grows by one value an hour.
func (p *tape) append(v float64) {
	if len(p.buf) == cap(p.buf) {
		p.buf = append(make([]float64, 0, p.len()+p.len()/32+64), p.newest(p.keep)...)
	}
	p.buf = append(p.buf, v)
	p.n++
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
