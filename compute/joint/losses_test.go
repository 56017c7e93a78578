package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// lossesByHand returns the joint loss of legs in every row: netted by asset, in prices, scaled.
func lossesByHand(rows int, models []*mc.AssetModel, usd []float64) []float64 {
	net := map[*mc.AssetModel]float64{}
	for i, m := range models {
		net[m] += usd[i]
	}
	loss := make([]float64, rows)
	for m, n := range net {
		c := m.Joint.Scale[mc.Long]
		if n < 0 {
			c = m.Joint.Scale[mc.Short]
		}
		for row, x := range m.Joint.PriceMoves {
			loss[row] -= n * c * x
		}
	}
	return loss
}

// addLimited adds another pool, whose loss is limited, to a book and to the losses computed by hand.
func addLimited(book *Losses, fits []*mc.AssetModel, losses []float64) {
	group, sizes := []*mc.AssetModel{fits[3], fits[0], fits[3]}, []float64{2000, -900, 500}
	book.AddLimited(group, sizes, 150)
	for row, v := range lossesByHand(len(losses), group, sizes) {
		losses[row] += min(v, 150)
	}
}

// The joint loss equals that computed by hand: with few and many legs, with legs in the same asset,
// with other pools whose loss is limited, with one more leg and with one fewer.
func TestLosses(t *testing.T) {
	fits := benchFits(41)
	r := rand.New(rand.NewPCG(9, 33))
	n := len(fits[0].Joint.PriceMoves)
	scratch := make([]float64, n)
	var book Losses
	near := func(what string, k int, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*(1000+math.Abs(want))) {
			t.Fatalf("%d legs, %s: %v, want %v", k, what, got, want)
		}
	}
	for round := range 24 {
		k := []int{1, 2, 4, 5, 9, 40}[round%6]
		book.Reset()
		var models []*mc.AssetModel
		var usd []float64
		add := func(m *mc.AssetModel, n float64) {
			book.Add(m, n)
			models, usd = append(models, m), append(usd, n)
		}
		for i := range k {
			add(fits[i], 1000*r.NormFloat64())
		}
		distinct := k
		if round%2 == 1 {
			add(fits[0], 3000*r.NormFloat64())
		}
		limited := make([]float64, n)
		if round%3 == 1 {
			addLimited(&book, fits, limited)
			addLimited(&book, fits, limited)
			distinct += 4
		}
		if book.Len() != distinct {
			t.Fatalf("%d assets, want %d", book.Len(), distinct)
		}
		book.Sum(fits[0])
		for try, own := range []*mc.AssetModel{nil, fits[40], fits[0]} {
			size := 2000 * r.NormFloat64()
			all, sizes := slices.Clone(models), slices.Clone(usd)
			if own != nil {
				all, sizes = append(all, own), append(sizes, size)
			}
			loss := lossesByHand(n, all, sizes)
			for row := range loss {
				loss[row] += limited[row]
			}
			quantile, mean := book.Tail(own, size)
			want, wantMean := stats.UpperTail(loss, Level, scratch)
			near("quantile", k, quantile, want)
			near("mean", k, mean, wantMean)
			if most := book.Bound(own, size); most < want || try == 0 && most > slices.Max(loss) {
				t.Fatalf("quantile %v, at most %v", want, most)
			}
			book.PrepareWithout()
			for i, m := range all {
				rest, restSizes := slices.Delete(slices.Clone(all), i, i+1), slices.Delete(slices.Clone(sizes), i, i+1)
				loss := lossesByHand(n, rest, restSizes)
				for row := range loss {
					loss[row] += limited[row]
				}
				near("without", k, book.Without(m, sizes[i]), stats.Quantile(loss, Level))
			}
		}
	}
}

// A book of one position has its VaR, a perfect hedge loses nothing, and without a row there is no loss.
func TestLossesOfOne(t *testing.T) {
	fits := benchFits(3)
	for side, n := range []float64{5000, -5000} {
		for _, m := range fits {
			var book Losses
			book.Sum(fits[0])
			q, mean := book.Tail(m, n)
			alone, aloneMean := Alone(m, n)
			want := 5000 * positionVaR(m, side)
			if c := m.Joint.Scale[side]; c > minScale && c < maxScale && math.Abs(q-want) > 1e-9*want {
				t.Errorf("%v: %v, want %v", n, q, want)
			}
			if math.Abs(q-alone) > 1e-9*q || math.Abs(mean-aloneMean) > 1e-9*mean || mean < q {
				t.Errorf("%v: %v and %v, alone %v and %v", n, q, mean, alone, aloneMean)
			}
			book.Add(m, -n)
			book.Sum(fits[0])
			if q, mean := book.Tail(m, n); q != 0 || mean != 0 {
				t.Errorf("a perfect hedge loses %v, %v", q, mean)
			}
		}
	}
	var empty Losses
	young := &mc.AssetModel{}
	young.Joint = Align(young, young)
	empty.Add(young, 5000)
	empty.AddLimited([]*mc.AssetModel{young}, []float64{1}, 1)
	empty.Sum(young)
	empty.PrepareWithout()
	q, mean := empty.Tail(young, 100)
	if q != 0 || mean != 0 || empty.Without(young, 5000) != 0 || empty.Bound(young, 1) != 0 {
		t.Errorf("%v, %v without a row", q, mean)
	}
	if q, mean := Alone(young, 100); q != 0 || mean != 0 {
		t.Errorf("%v, %v alone without a row", q, mean)
	}
}

func TestLossesAllocateNothing(t *testing.T) {
	fits := benchFits(10)
	var book Losses
	group, sizes := fits[7:9], []float64{100, 200}
	run := func() {
		for _, k := range []int{1, 7} {
			book.Reset()
			for _, m := range fits[:k] {
				book.Add(m, 1000)
			}
			book.AddLimited(group, sizes, 50)
			book.Sum(fits[0])
			book.Bound(fits[9], 10)
			book.Tail(fits[9], 10)
			book.PrepareWithout()
			book.Without(fits[0], 1000)
		}
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
