package asm

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011).
const (
	philoxRounds = 10
	philoxM0     = 0xD2511F53
	philoxM1     = 0xCD9E8D57
	philoxW0     = 0x9E3779B9
	philoxW1     = 0xBB67AE85
)

// Philox is one stream of random words. A block of four is a function of two counters,
// so that any lane can make any of them.
type Philox struct {
	Key    [philoxRounds][2]uint32 // by round
	C2, C3 uint32                  // the upper half of the counter
}

// Schedule sets the key of every round from the generator's two key words.
func (p *Philox) Schedule(k0, k1 uint32) {
	for r := range p.Key {
		p.Key[r] = [2]uint32{k0, k1}
		k0, k1 = k0+philoxW0, k1+philoxW1
	}
}

// Block returns the four words of the counter (block, pair, C2, C3).
func (p *Philox) Block(block, pair uint32) (c0, c1, c2, c3 uint32) {
	c0, c1, c2, c3 = block, pair, p.C2, p.C3
	for r := range &p.Key {
		p0, p1 := uint64(c0)*philoxM0, uint64(c2)*philoxM1
		c0, c2 = uint32(p1>>32)^c1^p.Key[r][0], uint32(p0>>32)^c3^p.Key[r][1]
		c1, c3 = uint32(p1), uint32(p0)
	}
	return c0, c1, c2, c3
}
