package vol

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// excursionCase is a case of probability.json.
type excursionCase struct {
	Name  string
	Input struct {
		File        string
		Bars        int
		Constant    *struct{ Bars, Price float64 }
		MovesEvery  int                             `json:"moves_every"`
		PriceRatios struct{ Long, Short []float64 } `json:"price_ratios"`
	}
	Output map[string]any
}

// bars returns the bars of a case, none for one that needs a candle file where candles is nil, and the other way
// round.
func (c *excursionCase) bars(candles func(file string) []mc.Bar) []mc.Bar {
	switch still := c.Input.Constant; {
	case candles == nil && still != nil:
		end := int64(c.Output["last_bar_open_ms"].(float64))
		return stillBars(end-int64(still.Bars-1)*hourMs, int(still.Bars), still.Price)
	case candles == nil || still != nil:
		return nil
	}
	bars := candles(c.Input.File)[:c.Input.Bars]
	if every := c.Input.MovesEvery; every > 0 {
		for i := range bars[1:] {
			if (i+1)%every != 0 {
				bars[i+1] = FlatAfter(bars[i])
			}
		}
	}
	return bars
}

// fields are the figures of a state by their names in the file.
func (c *excursionCase) fields(s *State) reference.Fields {
	w := &Scratch{}
	fields := reference.Fields{"last_bar_open_ms": s.Last().OpenMs, "moving_share": s.moving.share()}
	knots := s.Excursions(w)
	for i, h := range excursionHorizons {
		f := s.Forecast(h, w)
		sd := math.Sqrt(f.Variance)
		_, long, short := s.ExcursionOutcomes(i)
		n := min(len(AppendOutcomes(nil, long)), len(AppendOutcomes(nil, short)))
		byHorizon := reference.Fields{"outcomes": n, "sd": sd, "weight_of_own": OwnWeight(n)}
		for side, ratios := range [mc.SideCount][]float64{c.Input.PriceRatios.Long, c.Input.PriceRatios.Short} {
			var chances []float64
			for _, ratio := range ratios {
				chances = append(chances, TouchProbability(&knots[i][side], math.Abs(math.Log(ratio))/sd))
			}
			byHorizon[sideNames[side]] = reference.Fields{"table": knots[i][side][:], "probability": chances}
			q := f.Tail[side][mc.P99]
			byHorizon["tail_"+sideNames[side]+"_99"] = reference.Fields{"q": q.ZQ, "es": q.ZES,
				"pct_var": q.PctVaR, "pct_es": q.PctES}
		}
		fields[horizonNames[h]] = byHorizon
	}
	return fields
}

// The cases of the same reference file that need candle files are in TestEvidenceExcursions.
func TestGoldenExcursions(t *testing.T) { goldenExcursions(t, nil) }

// goldenExcursions checks the cases for which candles returns bars. If candles is nil, these are
// the cases that need no candle file.
func goldenExcursions(t *testing.T, candles func(file string) []mc.Bar) {
	t.Helper()
	var g struct {
		Tolerance reference.Tolerance
		Cases     []excursionCase
	}
	reference.Golden(t, "probability", &g)
	compared := 0
	for _, c := range g.Cases {
		if bars := c.bars(candles); bars != nil {
			compared++
			t.Run(c.Name, func(t *testing.T) {
				g.Tolerance.Match(t, c.Output, c.fields(pushAll(t, NewState(mc.ClassCrypto), bars)))
			})
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}

// stillBars returns n bars at a constant price.
func stillBars(firstMs int64, n int, price float64) []mc.Bar {
	bars := []mc.Bar{{OpenMs: firstMs, Open: price, High: price, Low: price, Close: price}}
	for len(bars) < n {
		bars = append(bars, FlatAfter(bars[len(bars)-1]))
	}
	return bars
}

// Excursions at every bar against their definition: the extremes of the following bars, limited by
// the range measure, found by a plain loop.
func TestExcursionsByDefinition(t *testing.T) {
	bars := syntheticBars(t, 2600) // bar 1801 has an invalid low
	s := NewState(mc.ClassCrypto)
	lo, hi := make([]float64, len(bars)), make([]float64, len(bars))
	var sd [][mc.HorizonCount]float64
	capped := false
	for i, b := range bars {
		pushAll(t, s, bars[i:i+1])
		sd = append(sd, [mc.HorizonCount]float64{})
		for h, v := range s.variance {
			sd[i][h] = math.Sqrt(v)
		}
		if i > seedBars {
			before, end := math.Log(bars[i-1].Close), math.Log(b.Close)
			x := Factor(mc.ClassCrypto, b.Hour()) * s.ranges.newest(1)[0]
			w := math.Sqrt(4 * math.Ln2 * x)
			lo[i] = max(math.Log(b.Low), min(before, end)-w)
			hi[i] = min(math.Log(b.High), max(before, end)+w)
			if within(x, parkinson(b), 1e-15, 0) {
				if !within(lo[i], math.Log(b.Low), 0, 1e-14) || !within(hi[i], math.Log(b.High), 0, 1e-14) {
					t.Fatalf("bar %d: extremes %v, %v of %+v", i, lo[i], hi[i], b)
				}
			} else if lo[i] > math.Log(b.Low)+1 {
				capped = true
			}
		}
		if i%50 > 0 && i != len(bars)-1 {
			continue
		}
		for e, h := range excursionHorizons {
			first, long, short := s.ExcursionOutcomes(e)
			n := max(0, i-mc.Horizons[h]-seedBars+1)
			if len(long) != n || len(short) != n || n > 0 && first != seedBars {
				t.Fatalf("%d bars, %d h: %d and %d outcomes from %d", i+1, mc.Horizons[h], len(long), len(short), first)
			}
			for j := range long {
				k := first + j
				from := math.Log(bars[k].Close)
				wantLong := max(0, from-slices.Min(lo[k+1:k+mc.Horizons[h]+1])) / sd[k][h]
				wantShort := max(0, slices.Max(hi[k+1:k+mc.Horizons[h]+1])-from) / sd[k][h]
				if long[j] != wantLong || short[j] != wantShort {
					t.Fatalf("%d h, k %d: %v, %v, want %v, %v", mc.Horizons[h], k, long[j], short[j],
						wantLong, wantShort)
				}
			}
		}
	}
	if !capped {
		t.Error("the bars contain no invalid low")
	}
}

func TestExcursionWindow(t *testing.T) {
	s := pushAll(t, NewState(mc.ClassCrypto), syntheticBars(t, seedBars+17_521+168+40))
	for e, h := range excursionHorizons {
		first, long, short := s.ExcursionOutcomes(e)
		if n := TailWindow(h); len(long) != n || len(short) != n || first+n != s.Bars()-mc.Horizons[h] {
			t.Errorf("%d h: %d and %d outcomes from %d", mc.Horizons[h], len(long), len(short), first)
		}
	}
}

// The knots of any outcomes never decrease, and those of a market that does not move are not below
// the pooled knots.
func TestKnotsNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(0, 3000).Draw(t, "outcomes")
		scale := rapid.Float64Range(0, 3).Draw(t, "scale")
		m := make([]float64, n)
		for i := range m {
			m[i] = max(0, scale*r.NormFloat64())
		}
		slices.Sort(m)
		still := rapid.Bool().Draw(t, "still")
		h, side := rapid.IntRange(0, 1).Draw(t, "horizon"), rapid.IntRange(0, 1).Draw(t, "side")
		def := &PooledExcursions[h][side]
		knots := mixedKnots(m, mc.Horizons[excursionHorizons[h]], def, still)
		for j, d := range knots {
			if !(d >= 0) || j > 0 && d < knots[j-1] || still && d < def[j] {
				t.Fatalf("knot %d of %v", j, knots)
			}
		}
		if n < minOutcomes && knots != *def {
			t.Fatalf("%d outcomes count: %v", n, knots)
		}
	})
}

func TestTouchProbability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var knots mc.Excursions
		at := 0.0
		for j := range knots {
			at += rapid.SampledFrom([]float64{0, 0, 1e-12, 0.01, 0.3, 5}).Draw(t, "step")
			knots[j] = at
		}
		far := append([]float64{1e-300, 1e-9, at + 1e-9, at + 0.05, at + 1, at + 1e3, 1e6}, knots[:]...)
		for range 50 {
			far = append(far, rapid.Float64Range(0, at+2).Draw(t, "d"))
		}
		slices.Sort(far)
		last := 1.0
		for _, d := range far {
			p := TouchProbability(&knots, d)
			if !(p > 0) || p > 1 || p > last*(1+1e-12) {
				t.Fatalf("%v at %v, %v before; knots %v", p, d, last, knots)
			}
			last = p
		}
	})
	knots := &PooledExcursions[mc.Excursion24h][mc.Long]
	for j, share := range ExcursionShares {
		if p := TouchProbability(knots, knots[j]); !within(p, share, 1e-14, 0) {
			t.Errorf("%v at knot %d, want %v", p, j, share)
		}
	}
	// Halfway to the first knot the probability is the square root of the first share, 0.9. From
	// 0.1 % to 0.01 % the tail extends 10^xi times the distance from 1 % to 0.1 %.
	if p := TouchProbability(knots, knots[0]/2); !within(p, math.Sqrt(0.9), 1e-14, 0) {
		t.Errorf("%v half way to the first knot", p)
	}
	step := (knots[knot01Pct] - knots[knot1Pct]) * math.Pow(10, excursionXi)
	if p := TouchProbability(knots, knots[knot01Pct]+step); !within(p, 1e-4, 1e-12, 0) {
		t.Errorf("%v one more decade out, want 1e-4", p)
	}
	for _, d := range []float64{0, math.Copysign(0, -1), -1, math.Inf(-1)} {
		if p := TouchProbability(knots, d); p != 1 {
			t.Errorf("%v at %v", p, d)
		}
	}
	if n := testing.AllocsPerRun(100, func() { TouchProbability(knots, 20) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
