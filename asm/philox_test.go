package asm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Known answers from Random123, the distribution of the generator's authors.
func TestPhiloxKnownAnswers(t *testing.T) {
	const all = 0xFFFFFFFF
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{all, all, all, all}, [2]uint32{all, all}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
			0x6d5451fd}},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		g := Philox{C2: c.counter[2], C3: c.counter[3]}
		g.Schedule(c.key[0], c.key[1])
		w0, w1, w2, w3 := g.Block(c.counter[0], c.counter[1])
		if got := [4]uint32{w0, w1, w2, w3}; got != c.want {
			t.Errorf("counter %x, key %x: %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

func TestUniformBounds(t *testing.T) {
	const all = 0xFFFFFFFF
	for _, c := range []struct {
		high, low uint32
		want      float64
	}{
		{0, 0, 0},
		{0, 1<<12 - 1, 0},
		{0, 1 << 12, math.Ldexp(1, -52)},
		{1 << 31, 0, 0.5},
		{all, all, 1 - math.Ldexp(1, -52)},
	} {
		if got := Uniform(c.high, c.low); got != c.want {
			t.Errorf("Uniform(%x, %x) = %v, want %v", c.high, c.low, got, c.want)
		}
	}
}

// A draw takes table entry floor(U*K) with U = (w+1/2)/2^32; its antithetic partner takes entry
// floor((1-U)*K). In exact arithmetic the partner is as far from the end of the table as the entry
// is from the start, for every K and w.
func TestPartnerIsMirrored(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	floor := func(numerator, k uint64) uint64 { // floor returns the integer part of numerator*k/2^33
		n := new(big.Int).Mul(new(big.Int).SetUint64(numerator), new(big.Int).SetUint64(k))
		return n.Rsh(n, 33).Uint64()
	}
	for i := range 20_000 {
		k, w := uint64(1+r.IntN(70_000)), r.Uint32()
		switch i {
		case 0:
			k, w = 1<<16, 0
		case 1:
			k, w = 1<<16, math.MaxUint32
		case 2:
			k, w = 8760, math.MaxUint32
		case 3:
			k, w = 1, 5
		}
		at := (uint64(w)*k + k>>1) >> 32
		if want := floor(2*uint64(w)+1, k); at != want {
			t.Fatalf("K %d, w %d: entry %d, want %d", k, w, at, want)
		}
		if partner := floor(1<<33-2*uint64(w)-1, k); partner != k-1-at {
			t.Fatalf("K %d, w %d: partner %d of %d", k, w, partner, at)
		}
	}
}
