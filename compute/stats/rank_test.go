package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAverageRanks(t *testing.T) {
	x := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	got := make([]float64, len(x))
	AverageRanks(got, x, make([]int, len(x)))
	if want := []float64{4.5, 1.5, 6, 1.5, 8, 11, 3, 10, 8, 4.5, 8}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// plainTau computes tau-b from every pair.
func plainTau(x, y []float64) float64 {
	sign := func(a, b float64) int {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	var balance, inX, inY int
	for i := range x {
		for j := range i {
			a, b := sign(x[i], x[j]), sign(y[i], y[j])
			balance += a * b
			inX += a * a
			inY += b * b
		}
	}
	if inX == 0 || inY == 0 {
		return 0
	}
	return float64(balance) / math.Sqrt(float64(inX)) / math.Sqrt(float64(inY))
}

// sample draws values with many, few or no ties.
func sample(t *rapid.T, n int, name string) []float64 {
	levels := rapid.SampledFrom([]int{1, 2, 10, 1 << 40}).Draw(t, name+" levels")
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, levels), func(i int) float64 { return float64(i) - 7 }), n, n).Draw(t, name)
}

func TestKendallIsThePlainCount(t *testing.T) {
	var w KendallScratch
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		x, y := sample(t, n, "x"), sample(t, n, "y")
		got := KendallTau(x, y, &w)
		if want := plainTau(x, y); math.Abs(got-want) > 1e-15 {
			t.Fatalf("%v, counting gives %v", got, want)
		}
		if other := KendallTau(y, x, &w); other != got {
			t.Fatalf("%v one way, %v the other", got, other)
		}
		// Tau depends on ranks only, and negating one sample only changes its sign.
		rising, falling := make([]float64, n), make([]float64, n)
		for i, v := range x {
			rising[i], falling[i] = math.Ldexp(v, 3), -math.Copysign(float64(v*v), v)
		}
		if up, down := KendallTau(rising, y, &w), KendallTau(falling, y, &w); up != got || down != -got {
			t.Fatalf("%v, after a rising map %v, after a falling one %v", got, up, down)
		}
	})
}

func TestKendallByHand(t *testing.T) {
	var w KendallScratch
	f := func(x, y []float64, want float64) {
		t.Helper()
		if got := KendallTau(x, y, &w); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	f(nil, nil, 0)
	f([]float64{1}, []float64{2}, 0)
	f([]float64{1, 2, 3}, []float64{5, 6, 7}, 1)
	f([]float64{1, 2, 3}, []float64{7, 6, 5}, -1)
	f([]float64{1, 2, 3}, []float64{4, 4, 4}, 0)
	f([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 4.0/6)            // one pair of six out of order
	f([]float64{1, 1, 2, 3}, []float64{1, 2, 3, 4}, 5/math.Sqrt(5*6)) // one tie
}

func TestRankSuffixIsRankOfSuffix(t *testing.T) {
	var got Ranking
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 150).Draw(t, "n")
		x := sample(t, n, "x")
		skip := rapid.IntRange(0, n).Draw(t, "skip")
		var full, want Ranking
		full.Rank(x)
		got.RankSuffix(&full, skip)
		want.Rank(x[skip:])
		ranks := make([]float64, n-skip)
		AverageRanks(ranks, x[skip:], make([]int, n))
		if !slices.Equal(got.Low, want.Low) || !slices.Equal(got.High, want.High) || got.TiedPairs != want.TiedPairs {
			t.Fatalf("%+v, want %+v", got, want)
		}
		for i, r := range ranks {
			if int(got.Order[got.Position[i]]) != i || r != 0.5*float64(got.Low[i]+1+got.High[i]) {
				t.Fatalf("element %d of %+v, average rank %v", i, got, r)
			}
		}
	})
}

func TestKendallAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y := fill(500, func(int) float64 { return r.NormFloat64() }), fill(500, func(int) float64 { return r.NormFloat64() })
	dst, work := make([]float64, 500), make([]int, 500)
	var w KendallScratch
	if n := testing.AllocsPerRun(10, func() {
		KendallTau(x, y, &w)
		AverageRanks(dst, x, work)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkKendallTau(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y := fill(2160, func(int) float64 { return r.NormFloat64() }), fill(2160, func(int) float64 { return r.NormFloat64() })
	var w KendallScratch
	b.Run("from values", func(b *testing.B) {
		for b.Loop() {
			KendallTau(x, y, &w)
		}
	})
	var rx, ry Ranking
	rx.Rank(x)
	ry.Rank(y)
	b.Run("from rankings", func(b *testing.B) {
		for b.Loop() {
			w.Tau(&rx, &ry)
		}
	})
}
