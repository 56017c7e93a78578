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

// chiSquare returns the chi-square statistic of equally likely cells, less its mean and divided by
// its standard deviation.
func chiSquare(cells []int) float64 {
	total := 0
	for _, n := range cells {
		total += n
	}
	mean, s := float64(total)/float64(len(cells)), 0.0
	for _, n := range cells {
		s += (float64(n) - mean) * (float64(n) - mean) / mean
	}
	df := float64(len(cells) - 1)
	return (s - df) / math.Sqrt(2*df)
}

// Random words are independent: the top bits, and the lowest bits, of two words from neighbouring
// lanes, blocks or pairs fill the cells of a square evenly.
func TestWordsAreIndependent(t *testing.T) {
	g := Philox{C2: 1, C3: 9}
	g.Schedule(0x04030201, 0x08070605)
	n := uint32(1 << 15)
	if testing.Short() {
		n = 1 << 12
	}
	const side = 16
	boards := map[string]*[side * side]int{}
	at := func(name string, a, b uint32) {
		if boards[name] == nil {
			boards[name] = new([side * side]int)
		}
		boards[name][a%side*side+b%side]++
	}
	var before, lastPair [4]uint32
	for pair := range n {
		for block := range uint32(7) {
			var w [4]uint32
			w[0], w[1], w[2], w[3] = g.Block(block, pair)
			at("high, low", w[0]>>28, w[0])
			for lane := range 3 {
				at("next lane", w[lane]>>28, w[lane+1]>>28)
			}
			at("first and last lane", w[0]>>28, w[3]>>28)
			at("next block", before[0]>>28, w[0]>>28)
			at("next block, low bits", before[0], w[0])
			if block == 0 {
				at("next pair", lastPair[2]>>28, w[2]>>28)
				lastPair = w
			}
			before = w
		}
	}
	for name, cells := range boards {
		if s := chiSquare(cells[:]); math.Abs(s) > 5 {
			t.Errorf("%s: chi-square %.1f standard deviations from its mean", name, s)
		}
	}
}
