package asm

import "math"

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
const (
	philoxRounds = 10
	philoxM0     = 0xD2511F53
	philoxM1     = 0xCD9E8D57
	philoxW0     = 0x9E3779B9
	philoxW1     = 0xBB67AE85
)

// Philox is one stream of random words. Each block of four words is a function of two numbers, block
// and pair, so lanes can compute blocks in any order.
type Philox struct {
	Key    [philoxRounds][2]uint32 // key words of each round
	C2, C3 uint32                  // upper half of the counter
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

// philoxPrefix holds the results of a block's first three rounds that do not depend on the pair
// number; only two of the six products depend on it. The assembly reads it by offset;
// _avo/normals.go has the same list.
type philoxPrefix struct {
	first uint32
	block [4]uint32
	key   [philoxRounds - 3][2]uint32
}

func (p *Philox) open(block uint32) (o philoxPrefix) {
	key := &p.Key
	p0, p1 := uint64(block)*philoxM0, uint64(p.C2)*philoxM1
	o.first = uint32(p1>>32) ^ key[0][0]
	second := uint64(uint32(p0>>32)^p.C3^key[0][1]) * philoxM1
	third := uint64(uint32(second>>32)^uint32(p1)^key[1][0]) * philoxM0
	o.block = [4]uint32{
		uint32(p0) ^ key[1][1],
		uint32(second) ^ key[2][0],
		uint32(third>>32) ^ key[2][1],
		uint32(third),
	}
	copy(o.key[:], key[3:])
	return o
}

// wordPairs is the maximum number of pairs that a Go loop processes at a time.
const wordPairs = 64

// words writes word i of Philox.Block to w[i][b] for the n pairs first+b, n at most wordPairs.
// Between the rounds it runs turn on x and y, which have at most n elements each: so integer and
// floating-point units work at the same time.
func (o *philoxPrefix) words(w *[4][wordPairs]uint32, first uint32, n int, x, y *boxMullerBatch) {
	p, q, e := x.a, x.b[:len(x.a)], &x.c
	r, s, f := y.a, y.b[:len(y.a)], &y.c
	key := &o.key
	for b := range min(n, wordPairs) {
		c0, c1, c2, c3 := o.join(first + uint32(b))
		// The rounds are written out, because a loop is slower.
		c0, c1, c2, c3 = round(c0, c1, c2, c3, &key[0])
		c0, c1, c2, c3 = round(c0, c1, c2, c3, &key[1])
		c0, c1, c2, c3 = round(c0, c1, c2, c3, &key[2])
		if b < len(p) {
			p[b], q[b] = cartesian(math.Sqrt(p[b]), cosine(e[b]), q[b])
		}
		c0, c1, c2, c3 = round(c0, c1, c2, c3, &key[3])
		c0, c1, c2, c3 = round(c0, c1, c2, c3, &key[4])
		c0, c1, c2, c3 = round(c0, c1, c2, c3, &key[5])
		if b < len(r) {
			r[b], s[b] = cartesian(math.Sqrt(r[b]), cosine(f[b]), s[b])
		}
		w[0][b], w[1][b], w[2][b], w[3][b] = round(c0, c1, c2, c3, &key[6])
	}
}

// join returns the words after the third round; from there on all words depend on the pair number.
func (o *philoxPrefix) join(pair uint32) (c0, c1, c2, c3 uint32) {
	p0 := uint64(pair^o.first) * philoxM0
	p1 := uint64(uint32(p0>>32)^o.block[0]) * philoxM1
	return uint32(p1>>32) ^ o.block[1], uint32(p1), uint32(p0) ^ o.block[2], o.block[3]
}

func round(c0, c1, c2, c3 uint32, key *[2]uint32) (d0, d1, d2, d3 uint32) {
	p0, p1 := uint64(c0)*philoxM0, uint64(c2)*philoxM1
	return uint32(p1>>32) ^ c1 ^ key[0], uint32(p1), uint32(p0>>32) ^ c3 ^ key[1], uint32(p0)
}
