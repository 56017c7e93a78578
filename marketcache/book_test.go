package marketcache

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func close9(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

type ls = []Level

// handMade are books merged by hand.
var handMade = []struct {
	name         string
	bids, asks   [][]Level
	wantB, wantA ls
	mid, spread  float64
}{
	{"one precision is itself, sorted best first", [][]Level{{{98, 2}, {99, 1}}},
		[][]Level{{{103, 1}, {101, 3}, {102, 2}}}, ls{{99, 1}, {98, 2}}, ls{{101, 3}, {102, 2}, {103, 1}}, 100, 200},
	// The asks are in buckets of 5: the bucket up to 105 holds 10 units, 6 of which the fine book shows.
	{"a coarse level adds what the fine book does not show", nil,
		[][]Level{{{101, 1}, {102, 2}, {103, 3}}, {{105, 10}, {110, 4}}}, nil,
		ls{{101, 1}, {102, 2}, {103, 3}, {105, 4}, {110, 4}}, 0, 0},
	// The bucket up to 110 has 11 units; the merged book below has 6 of them.
	{"a coarse level inside the fine book adds nothing but counts towards the rest", nil,
		[][]Level{{{101, 1}, {106, 5}}, {{105, 2}, {110, 9}}}, nil, ls{{101, 1}, {106, 5}, {110, 5}}, 0, 0},
	{"a coarse level that shows no more than the fine book adds nothing",
		[][]Level{{{99, 5}, {98, 5}}, {{90, 10}, {80, 1}}}, nil, ls{{99, 5}, {98, 5}, {80, 1}}, nil, 0, 0},
	{"three precisions", [][]Level{{{99, 1}}, {{95, 3}, {90, 2}}, {{80, 9}}}, nil,
		ls{{99, 1}, {95, 2}, {90, 2}, {80, 4}}, nil, 0, 0},
	{"the fine book is empty on a side: the coarse book sets the best price", [][]Level{{{99, 1}}, {{95, 3}}},
		[][]Level{{}, {{105, 2}}}, ls{{99, 1}, {95, 2}}, ls{{105, 2}}, 102, 6 / 102.0 * 1e4},
	{"impossible levels are dropped", [][]Level{{{99, 1}, {math.NaN(), 1}, {98, math.Inf(1)}, {97, -1}, {-96, 1},
		{95, 0}, {0, 5}, {math.Inf(1), 1}, {1e300, 1e300}, {94, 5e-324}}}, nil, ls{{99, 1}}, nil, 0, 0},
	{name: "nothing at all"},
	{"crossed: no mid of its own", [][]Level{{{102, 1}}}, [][]Level{{{101, 1}}}, ls{{102, 1}}, ls{{101, 1}}, 0, 0},
	{"locked: no mid of its own", [][]Level{{{101, 1}}}, [][]Level{{{101, 1}}}, ls{{101, 1}}, ls{{101, 1}}, 0, 0},
}

func TestMergeBooksByHand(t *testing.T) {
	levels := func(s *Side) (all ls) {
		for i, p := range s.Price {
			all = append(all, Level{p, s.Units[i]})
		}
		return all
	}
	same := func(a, b Level) bool { return a.Price == b.Price && close9(a.Units, b.Units) }
	for _, r := range handMade {
		b := MergeBooks(r.bids, r.asks, 42)
		if bids, asks := levels(&b.Bids), levels(&b.Asks); !slices.EqualFunc(bids, r.wantB, same) ||
			!slices.EqualFunc(asks, r.wantA, same) {
			t.Errorf("%s: bids %v, want %v; asks %v, want %v", r.name, bids, r.wantB, asks, r.wantA)
		}
		if !close9(b.MidPrice, r.mid) || !close9(b.SpreadBps, r.spread) || b.TwoSided() != (r.mid > 0) ||
			b.VenueMs != 42 {
			t.Errorf("%s: %+v, want mid %v, spread %v", r.name, b, r.mid, r.spread)
		}
	}
}

// drawSide draws a plausible side, and the coarser views of it that a venue would publish: prices
// rounded away from mid to a bucket, sizes summed.
func drawSide(t *rapid.T, dir float64) [][]Level {
	n := rapid.IntRange(0, 60).Draw(t, "levels")
	var full []Level
	price := 1000.0
	for range n {
		price += dir * rapid.Float64Range(0.01, 5).Draw(t, "step")
		full = append(full, Level{price, rapid.Float64Range(0.001, 100).Draw(t, "units")})
	}
	books := [][]Level{slices.Clone(full[:min(n, maxBookLevels)])}
	for _, bucket := range []float64{1, 10, 100} {
		var coarse []Level
		for _, l := range full {
			p := math.Ceil(dir*l.Price/bucket) * bucket * dir
			if k := len(coarse); k > 0 && coarse[k-1].Price == p {
				coarse[k-1].Units += l.Units
			} else {
				coarse = append(coarse, Level{p, l.Units})
			}
		}
		books = append(books, coarse[:min(len(coarse), maxBookLevels)])
	}
	return books
}

// total returns the units of a book up to a price, from the best level on.
func total(book []Level, dir, price float64) float64 {
	sum := 0.0
	for _, l := range book {
		if dir*(l.Price-price) <= 0 {
			sum += l.Units
		}
	}
	return sum
}

func TestMergeBooksProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, dir := range []float64{-1, +1} {
			books := drawSide(t, dir)
			given := make([][]Level, len(books))
			for i := range books {
				given[i] = slices.Clone(books[i])
			}
			var s Side
			if dir < 0 {
				s = MergeBooks(given, nil, 0).Bids
			} else {
				s = MergeBooks(nil, given, 0).Asks
			}
			checkSide(t, &s, dir)
			if s.Len() > MaxSideLevels {
				t.Fatalf("%d levels", s.Len())
			}
			largest := 0.0
			for _, book := range books {
				sum := 0.0
				for _, l := range book {
					sum += l.Units
				}
				largest = max(largest, sum)
			}
			n := s.Len()
			if n == 0 {
				if largest > 0 {
					t.Fatal("the levels of a side were lost")
				}
				continue
			}
			// The merged side shows exactly as many units as the input book that shows most:
			// nothing is counted twice.
			if !close9(s.CumUnits[n-1], largest) {
				t.Fatalf("merged %v units, the largest book shows %v", s.CumUnits[n-1], largest)
			}
			for i, l := range books[0] { // the levels of the finest book are kept unchanged
				if s.Price[i] != l.Price || s.Units[i] != l.Units {
					t.Fatalf("level %d is %v at %v, want %v", i, s.Units[i], s.Price[i], l)
				}
			}
			for i := range n { // at every merged price at least the units of the finest book
				if fine := total(books[0], dir, s.Price[i]); s.CumUnits[i] < fine-1e-9*fine {
					t.Fatalf("%v units up to %v, the fine book shows %v", s.CumUnits[i], s.Price[i], fine)
				}
			}
		}
	})
}

// checkSide checks a side's order and prefix sums.
func checkSide(t *rapid.T, s *Side, dir float64) {
	t.Helper()
	units, usd := 0.0, 0.0
	for i := range s.Price {
		if i > 0 && dir*(s.Price[i]-s.Price[i-1]) < 0 {
			t.Fatalf("level %d at %v after %v", i, s.Price[i], s.Price[i-1])
		}
		if !(s.Units[i] > 0) || !(s.Price[i] > 0) {
			t.Fatalf("level %d: %v at %v", i, s.Units[i], s.Price[i])
		}
		units += s.Units[i]
		usd += s.Price[i] * s.Units[i]
		if s.CumUnits[i] != units || s.CumUSD[i] != usd {
			t.Fatalf("prefix sums %v %v at level %d, want %v %v", s.CumUnits[i], s.CumUSD[i], i, units, usd)
		}
		if math.IsInf(usd, 0) || math.IsNaN(usd) {
			t.Fatalf("sum %v at level %d", usd, i)
		}
	}
	if len(s.Units) != s.Len() || len(s.CumUnits) != s.Len() || len(s.CumUSD) != s.Len() {
		t.Fatal("slices of different lengths")
	}
}

// anyFloat draws random bit patterns and plausible numbers equally often.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(0.5, 2),
		rapid.Map(rapid.Uint64(), math.Float64frombits),
		rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e308, 1e-30, 1e30}),
	)
}

// For every input: no panic, and the merged book is sorted, positive and finite.
func TestMergeBooksGarbage(t *testing.T) {
	side := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Level {
		return Level{anyFloat().Draw(t, "price"), anyFloat().Draw(t, "units")}
	}), 0, 120), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		b := MergeBooks(side.Draw(t, "bids"), side.Draw(t, "asks"), 0)
		checkSide(t, &b.Bids, -1)
		checkSide(t, &b.Asks, +1)
		for _, x := range []float64{b.MidPrice, b.SpreadBps} {
			if !(x >= 0) || math.IsInf(x, 0) {
				t.Fatalf("mid %v, spread %v", b.MidPrice, b.SpreadBps)
			}
		}
		mid := max(b.MidPrice, 1)
		for _, s := range []*Side{&b.Bids, &b.Asks} {
			if d := s.DepthUSD(mid, 50); !(d >= 0) || math.IsInf(d, 0) {
				t.Fatalf("depth %v", d)
			}
		}
	})
}

func TestDepthUSD(t *testing.T) {
	// 100 bps of 100 is 1: the level at 101 counts although 100*0.01 is rounded.
	b := MergeBooks([][]Level{{{99.9, 1}, {99.5, 1}, {99, 2}}}, [][]Level{{{100.1, 2}, {101, 3}}}, 0)
	for bps, want := range map[float64]float64{5: 0, 20: 99.9, 50: 199.4, 99.99: 199.4, 100: 397.4} {
		if got := b.Bids.DepthUSD(100, bps); !close9(got, want) {
			t.Errorf("%v bps: %v, want %v", bps, got, want)
		}
	}
	if b.Bids.Depth50USD != b.Bids.DepthUSD(100, 50) || b.Asks.Depth100USD != b.Asks.DepthUSD(100, 100) {
		t.Errorf("the book says %+v", b)
	}
	if got := b.Asks.DepthUSD(101, 100); got != 503.2 {
		t.Errorf("levels on both sides of the mid: %v", got)
	}
}
