package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// Without outcomes of BTC, nothing is aligned.
func TestAlignWithoutRows(t *testing.T) {
	m := model(rand.New(rand.NewPCG(1, 1)), 0, 3000, testHour, make([]float64, correlationRows))
	if len(Align(nil, m).Z) > 0 || len(Align(&marketcache.AssetModel{}, m).Z) > 0 {
		t.Error("rows without an outcome of BTC")
	}
}

// Every value of the replay, computed as docs/model.md describes.
func TestAlign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	market := make([]float64, correlationRows)
	btc := model(r, 0, 12000, testHour, market)
	without := &marketcache.AssetModel{Asset: 4, Variance: [4]float64{1e-4, 1e-4, 2e-3, 1e-2}}
	bare := model(r, 5, 9000, testHour, market)
	bare.Low24, bare.High24 = marketcache.HourlySeries{}, marketcache.HourlySeries{}
	for name, own := range map[string]*marketcache.AssetModel{
		"BTC": btc, "older": model(r, 1, 19000, testHour, market), "younger": model(r, 2, 2000, testHour, market),
		"an hour behind": model(r, 3, 19000, testHour-1, market), "without outcomes": without, "without excursions": bare,
	} {
		j := Align(btc, own)
		z := btc.Z24.Values[len(btc.Z24.Values)-Rows:]
		first := btc.Z24.FirstHour + int64(len(btc.Z24.Values)-Rows)
		if len(j.Z) != Rows {
			t.Fatalf("%s: %d rows", name, len(j.Z))
		}
		for i, got := range j.Z {
			hour := first + int64(i)
			want, ok := own.Z24.At(hour)
			if n := int64(len(own.Z24.Values)); !ok && n > 0 {
				want = 0.6*z[i] + 0.8*own.Z24.Values[hour*7919%n]
			} else if !ok {
				p := (float64(hour*7919%1009) + 0.5) / 1009
				want = 0.6*z[i] + 0.8*stats.StudentQuantile(p, 4)/math.Sqrt2
			}
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s: row %d is %v, want %v", name, i, got, want)
			}
		}
		for h, horizon := range []int{marketcache.H24, marketcache.H168} {
			sd := math.Sqrt(own.Variance[horizon])
			for state := range marketcache.StateCount {
				moves := j.Moves[h][state]
				if len(moves) != 2921 {
					t.Fatalf("%s: %d moves", name, len(moves))
				}
				for k, got := range moves {
					i := Rows - 1 - 3*(len(moves)-1-k)
					hour := first + int64(i)
					var x float64
					switch state {
					case marketcache.StateLow:
						x = -excursionByHand(&btc.Low24, &own.Low24, hour, marketcache.Long)
					case marketcache.StateHigh:
						x = excursionByHand(&btc.High24, &own.High24, hour, marketcache.Short)
					default:
						x = j.Z[i]
					}
					if want := math.Expm1(sd * x); math.Abs(got-want) > 1e-12 {
						t.Fatalf("%s: horizon %d, state %d, row %d is %v, want %v", name, h, state, k, got, want)
					}
					step, coarse := j.Step[h], j.Coarse[h][state*len(moves)+k]
					if rest := got - step*float64(coarse); !(math.Abs(rest) <= step*(0.5+1e-9)) || step == 0 {
						t.Fatalf("%s: horizon %d, state %d, row %d is %v, coarse %d times %v", name, h, state, k, got, coarse, step)
					}
				}
			}
			if n := len(j.Coarse[h]); n%32 != 0 || n-3*2921 < 0 || n-3*2921 >= 32 || slices.Max(j.Coarse[h][3*2921:]) != 0 {
				t.Fatalf("%s: %d coarse moves", name, n)
			}
		}
		for i, z := range j.Z {
			if rest := z - j.StepZ*float64(j.CoarseZ[i]); !(math.Abs(rest) <= j.StepZ*(0.5+1e-9)) || j.StepZ == 0 || len(j.CoarseZ)%32 != 0 {
				t.Fatalf("%s: outcome %d is %v, coarse %d times %v", name, i, z, j.CoarseZ[i], j.StepZ)
			}
		}
		for side, s := range []float64{1, -1} {
			loss := make([]float64, Rows)
			for i, z := range j.Z {
				loss[i] = -s * z
			}
			q := stats.Quantile(slices.Clone(loss), 0.99)
			if j.Quantile[side] != q || math.Abs(j.Shortfall[side]-stats.UpperTailMean(loss, q)) > 1e-12 {
				t.Errorf("%s: side %d: %v, %v", name, side, j.Quantile[side], j.Shortfall[side])
			}
			sorted := slices.Sorted(slices.Values(loss))
			for i, row := range j.Best[side] {
				if loss[row] != sorted[i] {
					t.Fatalf("%s: side %d: row %d is not the %d-th best", name, side, row, i)
				}
			}
			if len(j.Best[side]) != bestRows {
				t.Errorf("%s: %d best rows", name, len(j.Best[side]))
			}
		}
	}
}

// excursionByHand computes the excursion of a row as docs/model.md describes.
func excursionByHand(btc, own *marketcache.HourlySeries, hour int64, side int) float64 {
	if v, ok := own.At(hour); ok {
		return v
	}
	base, _ := btc.At(hour)
	if n := int64(len(own.Values)); n > 0 {
		return 0.6*base + 0.8*own.Values[hour*7919%n]
	}
	// The excursion that is exceeded with probability 1-u, found by bisection; constant beyond the
	// last knot.
	knots := &vol.PooledExcursions[vol.Excursion24h][side]
	share := 1 - (float64(hour*7919%1009)+0.5)/1009
	low, high := 0.0, knots[len(knots)-1]
	for range 200 {
		if mid := (low + high) / 2; vol.TouchProbability(knots, mid) > share {
			low = mid
		} else {
			high = mid
		}
	}
	return 0.6*base + 0.8*high
}

// Fits without excursions, including BTC's, are aligned with finite moves; BTC's moves then come
// from the pooled table.
func TestAlignWithoutExcursions(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	market := make([]float64, correlationRows)
	btc, other := model(r, 0, 2000, testHour, market), model(r, 1, 2000, testHour, market)
	for _, m := range []*marketcache.AssetModel{btc, other} {
		m.Low24, m.High24 = marketcache.HourlySeries{}, marketcache.HourlySeries{}
	}
	sd := math.Sqrt(btc.Variance[marketcache.H24])
	last := vol.PooledExcursions[vol.Excursion24h][marketcache.Long][vol.ExcursionKnots-1]
	j := Align(btc, btc)
	lowest := slices.Min(j.Moves[marketcache.Excursion24h][marketcache.StateLow])
	if lowest < math.Expm1(-sd*last)-1e-12 || lowest > math.Expm1(-sd*5) {
		t.Errorf("BTC's deepest low %v", lowest)
	}
	for _, moves := range Align(btc, other).Moves[marketcache.Excursion24h] {
		for _, x := range moves {
			if math.IsNaN(x) || x <= -1 || len(moves) != (len(j.Z)-1)/3+1 {
				t.Fatalf("move %v of %d", x, len(moves))
			}
		}
	}
}

// A series that covers all hours is shared, not copied, and never modified.
func TestAlignShares(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	market := make([]float64, correlationRows)
	btc, own := model(r, 0, 12000, testHour, market), model(r, 1, 19000, testHour, market)
	before := slices.Clone(own.Z24.Values)
	j := Align(btc, own)
	if &j.Z[Rows-1] != &own.Z24.Values[len(own.Z24.Values)-1] || !slices.Equal(before, own.Z24.Values) {
		t.Error("a series that covers all hours was copied or modified")
	}
}

func BenchmarkAlign(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 1))
	market := make([]float64, correlationRows)
	btc := model(r, 0, 19000, testHour, market)
	for name, own := range map[string]*marketcache.AssetModel{"old": model(r, 1, 19000, testHour, market), "young": model(r, 1, 3000, testHour, market)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Align(btc, own)
			}
		})
	}
}
