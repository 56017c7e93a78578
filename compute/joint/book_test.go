package joint

import (
	"math"
	"math/rand/v2"
	"testing"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// A book of many positions is first replayed with rounded outcomes. Its losses equal those of an
// exact replay bit by bit: with one more position, with one fewer, with none, and with one position
// that dominates.
func TestBookIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 8))
	const last, n = 480_000, 9600
	market := normals(r, n)
	bitcoin := model(r, 0, n, last, market)
	rows := Align(bitcoin, bitcoin)
	var joints []*marketcache.Joint
	for i := range 41 {
		joints = append(joints, Align(bitcoin, model(r, marketcache.AssetID(i+1), n, last, market)))
	}
	var book Book
	scratch := make([]float64, len(rows.Z))
	for round := range 24 {
		k := []int{1, 4, 5, 6, 9, 40}[round%6]
		book.Reset()
		base := make([]float64, len(rows.Z))
		weights := make([]float64, k)
		for i := range weights {
			weights[i] = -0.03 * 1000 * (0.2 + r.Float64())
			if r.Float64() < 0.3 {
				weights[i] *= -1
			}
			if i == 1 && round%4 == 0 {
				weights[i] *= 100
			}
			if i == 2 && round%8 == 1 {
				weights[i] = 0
			}
			book.Add(joints[i], weights[i])
			for row, z := range joints[i].Z {
				base[row] += float64(weights[i] * z)
			}
		}
		book.Sum(rows)
		if (book.slack > 0) != (k > 4) {
			t.Fatalf("%d positions: slack %v", k, book.slack)
		}
		for row, v := range base {
			if math.Abs(v-book.sums[row]) > book.slack {
				t.Fatalf("%d positions: the sum of row %d is off by %v, more than the bound %v", k, row, v-book.sums[row], book.slack)
			}
			if v > book.MaxLoss() {
				t.Fatalf("%d positions: row %d loses more than the largest loss", k, row)
			}
		}
		for try := range 3 {
			own, weight := joints[40], 40*r.NormFloat64()
			if try == 1 {
				own, weight = nil, 0
			}
			loss := append([]float64(nil), base...)
			if own != nil {
				for row, z := range own.Z {
					loss[row] += float64(weight * z)
				}
			}
			quantile, mean := book.Tail(own, weight)
			if want, wantMean := stats.UpperTail(loss, Level, scratch); quantile != want || mean != wantMean {
				t.Fatalf("%d positions: %v and %v, want %v and %v", k, quantile, mean, want, wantMean)
			}
			book.PrepareWithout()
			for i := range weights {
				side := marketcache.Long
				if weights[i] > 0 {
					side = marketcache.Short
				}
				rest := make([]float64, len(loss))
				for row, z := range joints[i].Z {
					rest[row] = loss[row] + float64(-weights[i]*z)
				}
				if got, want := book.Without(joints[i], weights[i], side), stats.Quantile(rest, Level); got != want {
					t.Fatalf("%d positions without %d: %v, want %v", k, i, got, want)
				}
			}
		}
	}
}

// When a weight is too large for the coarse sums, the result comes from exact sums.
func TestBookOfExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	bitcoin := model(r, 0, 3000, 480_000, normals(r, 3000))
	rows := Align(bitcoin, bitcoin)
	for _, weight := range []float64{0, 1e-300, 1e300, math.Inf(1)} {
		var book Book
		for range 6 {
			book.Add(rows, weight)
		}
		book.Sum(rows)
		if book.slack != 0 {
			t.Errorf("of %v: slack %v", weight, book.slack)
		}
	}
}
