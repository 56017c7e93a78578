package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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
	value := rapid.Map(rapid.IntRange(0, levels), func(i int) float64 { return float64(i) - 7 })
	return rapid.SliceOfN(value, n, n).Draw(t, name)
}

func TestKendallIsThePlainCount(t *testing.T) {
	var w KendallScratch
	tau := func(x, y []float64) float64 {
		var a, b Ranking
		a.Rank(x)
		b.Rank(y)
		return w.Tau(&a, &b)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		x, y := sample(t, n, "x"), sample(t, n, "y")
		got := tau(x, y)
		if want := plainTau(x, y); math.Abs(got-want) > 1e-15 {
			t.Fatalf("%v, counting gives %v", got, want)
		}
		if other := tau(y, x); other != got {
			t.Fatalf("%v one way, %v the other", got, other)
		}
		// Tau depends on ranks only, and negating one sample only changes its sign.
		rising, falling := make([]float64, n), make([]float64, n)
		for i, v := range x {
			rising[i], falling[i] = math.Ldexp(v, 3), -math.Copysign(float64(v*v), v)
		}
		if up, down := tau(rising, y), tau(falling, y); up != got || down != -got {
			t.Fatalf("%v, after a rising map %v, after a falling one %v", got, up, down)
		}
	})
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
