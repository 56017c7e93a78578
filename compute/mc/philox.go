package mc

import "encoding/binary"

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011).
const (
	philoxRounds = 10
	philoxM0     = 0xD2511F53
	philoxM1     = 0xCD9E8D57
	philoxW0     = 0x9E3779B9
	philoxW1     = 0xBB67AE85
)

// Streams keep the uses of one seed apart.
const (
	streamPaths   = 1 // blocks 0-5: steps 4b..4b+3 of a pair; block 6: its bridges
	streamNormals = 2 // block b: the normals of assets 4b..4b+3 in a pair of draws
	streamMixing  = 3 // block a: attempt a at the mixing variable of a pair
)

// generator is one stream of a seed. Its block of four words is a function of two
// counters:
//
//	key      seed[0:4], seed[4:8]
//	counter  block number, number of the pair, stream, seed[8:12]
//
// little-endian; the rest of the seed is not used.
type generator struct {
	key    [philoxRounds][2]uint32 // by round
	c2, c3 uint32
}

func (g *generator) seed(seed *[32]byte, stream uint32) {
	g.c2, g.c3 = stream, binary.LittleEndian.Uint32(seed[8:])
	g.schedule(binary.LittleEndian.Uint32(seed[0:]), binary.LittleEndian.Uint32(seed[4:]))
}

func (g *generator) schedule(k0, k1 uint32) {
	for r := range g.key {
		g.key[r] = [2]uint32{k0, k1}
		k0, k1 = k0+philoxW0, k1+philoxW1
	}
}

// block returns the four words of a block of a pair.
func (g *generator) block(block, pair uint32) (c0, c1, c2, c3 uint32) {
	c0, c1, c2, c3 = block, pair, g.c2, g.c3
	for r := range &g.key {
		p0, p1 := uint64(c0)*philoxM0, uint64(c2)*philoxM1
		c0, c2 = uint32(p1>>32)^c1^g.key[r][0], uint32(p0>>32)^c3^g.key[r][1]
		c1, c3 = uint32(p1), uint32(p0)
	}
	return c0, c1, c2, c3
}

// uniform returns a number in [0, 1) with 52 random bits of two words: the highest
// ones become the mantissa of a number in [1, 2).
func uniform(high, low uint32) float64 {
	return fromBits(exponentOne|(uint64(high)<<32|uint64(low))>>12) - 1
}
