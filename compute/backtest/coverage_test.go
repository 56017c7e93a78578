package backtest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ballast/compute/calib"
	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// market returns n hours of a random market with changing volatility, from 00:00 UTC, with about
// one hour in fifty missing.
func market(seed uint64, n int) []marketcache.Bar {
	rng := rand.New(rand.NewPCG(seed, 11))
	price, calm := 100.0, 0.0
	var bars []marketcache.Bar
	for i := range n {
		calm = 0.995*calm + 0.05*rng.NormFloat64()
		sd := 0.006 * math.Exp(calm)
		b := marketcache.Bar{OpenMs: (450_000 + int64(i)) * hourMs, Open: price, Volume: 1e4}
		b.Close = price * math.Exp(sd*rng.NormFloat64())
		b.High = max(price, b.Close) * math.Exp(sd*rng.Float64())
		b.Low = min(price, b.Close) * math.Exp(-sd*rng.Float64())
		price = b.Close
		if i == 0 || i == n-1 || rng.IntN(50) > 0 {
			bars = append(bars, b)
		}
	}
	return bars
}

// coverageFrom computes CoverageOf from a given hour in the simplest way, with a sort for each day.
func coverageFrom(z marketcache.HourlySeries, firstHour, from int64) (c Coverage) {
	var hits [marketcache.SideCount][marketcache.LevelCount]tally
	for i, outcome := range z.Values {
		hour := z.FirstHour + int64(i)
		if hour < from || hour%24 != 0 || math.IsNaN(outcome) {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(z.Values[max(0, i-24-8760):max(0, i-23)]), math.IsNaN)
		for side := range hits {
			signed := slices.Clone(known)
			for j := range signed {
				signed[j] *= sign[side]
			}
			for level := range hits[side] {
				p := []float64{0.05, 0.01}[level]
				own := stats.Quantile(slices.Clone(signed), p)
				q := vol.MixedQuantile(marketcache.H24, len(known), own, side, level)
				hits[side][level].add(sign[side]*outcome < q)
				if sign[side]*outcome < q {
					c.HitHours[side][level] = append(c.HitHours[side][level], hour)
				}
			}
		}
	}
	for side := range hits {
		for level := range hits[side] {
			t := hits[side][level]
			p := []float64{0.05, 0.01}[level]
			c.Rows[side][level] = CoverageRow{t.n, t.hits, t.rate(), chiSquare1(t.kupiec(p)),
				chiSquare1(t.christoffersen())}
		}
	}
	return c
}

func TestCoverageAgreesWithRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	checkCoverage(t, "made up", market(1, MinBars+9000))
}

// Compares every day from the first outcome on with the quantile that the model had at that time. On
// early days this quantile is a default, or a mixture of a default and the asset's own quantile.
func TestCoverageOfYoungAsset(t *testing.T) {
	bars := full(market(2, 4000))
	h, w := calib.NewHistory(marketcache.ClassCrypto), &vol.Scratch{}
	asked := map[int64]vol.Forecast{}
	for i := range bars {
		if err := h.Extend(bars[i : i+1]); err != nil {
			t.Fatal(err)
		}
		asked[h.State().Last().Hour()] = h.State().Forecast(marketcache.H24, w)
	}
	fit := h.Model(0, "", &calib.Scratch{})
	c := CoverageOf(fit.Z24, fit.FirstHour)
	if c.FromHour != fit.FirstHour+vol.FirstOutcome || c.ToHour != roundUp(fit.LastHour-24-23) ||
		c.Rows[0][0].N != int(c.ToHour-c.FromHour)/24+1 {
		t.Fatalf("%+v of %d to %d", c, fit.FirstHour, fit.LastHour)
	}
	for side := range Sides {
		for level := range Levels {
			hits, days := 0, 0
			for hour := c.FromHour; hour <= c.ToHour; hour += 24 {
				f, asked := asked[hour]
				if !asked {
					t.Fatal("no forecast at hour", hour)
				}
				z, _ := fit.Z24.At(hour)
				if sign[side]*z < f.Tail[side][level].ZQ {
					hits++
				}
				days++
			}
			if c.Rows[side][level].Hits != hits || c.Rows[side][level].N != days {
				t.Errorf("%s %v: %+v, want %d hits in %d", Sides[side], Levels[level], c.Rows[side][level], hits, days)
			}
		}
	}
}

// Hours without an outcome are neither judged nor known to later forecasts, and equal outcomes are several.
func TestCoverageOfSilentHours(t *testing.T) {
	z := noise(12_000)
	for i := range z.Values {
		if i%3 > 0 {
			z.Values[i] = math.Round(4*z.Values[i]) / 4
		}
		if i > 2000 && i < 2500 || i > 11_000 && i < 11_100 {
			z.Values[i] = math.NaN()
		}
	}
	c := CoverageOf(z, z.FirstHour-vol.FirstOutcome)
	plain := coverageFrom(z, z.FirstHour-vol.FirstOutcome, c.FromHour)
	if c.Rows != plain.Rows || c.Rows[0][0].N < 470 || c.Rows[0][0].N > 480 {
		t.Errorf("%+v, by sorting every day %+v", c.Rows, plain.Rows)
	}
}

func TestCoverageOfNothing(t *testing.T) {
	want := CoverageRow{KupiecP: 1, ChristoffersenP: 1}
	for _, n := range []int{0, 1, 5} {
		c := CoverageOf(marketcache.HourlySeries{FirstHour: 721, Values: make([]float64, n)}, 1)
		if c.FromHour != 0 || c.ToHour != 0 || c.Rows[0][0] != want {
			t.Errorf("%d outcomes: %+v", n, c)
		}
	}
	// A frozen price never breaches the VaR.
	c := CoverageOf(marketcache.HourlySeries{FirstHour: 721, Values: make([]float64, 3000)}, 1)
	if r := c.Rows[marketcache.Short][marketcache.P99]; r.N != 125 || r.Hits != 0 {
		t.Errorf("frozen: %+v", r)
	}
}

func noise(n int) marketcache.HourlySeries {
	rng := rand.New(rand.NewPCG(4, 4))
	z := marketcache.HourlySeries{FirstHour: 450_000}
	for range n {
		z.Values = append(z.Values, rng.NormFloat64())
	}
	return z
}

// checkCoverage compares CoverageOf with Run on a history that begins at 00:00 UTC, and on the
// beginning of that history, which is short enough to keep all its outcomes.
func checkCoverage(t *testing.T, name string, bars []marketcache.Bar) {
	t.Helper()
	for _, n := range slices.Compact([]int{len(bars), min(len(bars), MinBars+5000)}) {
		fit, err := calib.Fit(0, name, bars[:n])
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(bars[:n], Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := CoverageOf(fit.Z24, fit.FirstHour)
		dropped := fit.Z24.FirstHour-fit.FirstHour > vol.FirstOutcome
		if !dropped && c.FromHour != roundUp(fit.FirstHour+vol.FirstOutcome) {
			t.Errorf("%s: begins at hour %d of a history from %d", name, c.FromHour, fit.FirstHour)
		}
		if c.ToHour != r.ToMs/hourMs {
			t.Errorf("%s: ends at hour %d, the backtest at %d", name, c.ToHour, r.ToMs/hourMs)
		}
		if plain := coverageFrom(fit.Z24, fit.FirstHour, c.FromHour); c.Rows != plain.Rows ||
			!reflect.DeepEqual(c.HitHours, plain.HitHours) {
			t.Errorf("%s: %+v, by sorting every day %+v", name, c.Rows, plain.Rows)
		}
		// Compare from the first day that both cover.
		from := max(c.FromHour, r.FromMs/hourMs)
		for side := range Sides {
			for level, p := range Levels {
				var judged []Day
				for _, d := range r.Days[side][level] {
					if d.TimeMs/hourMs >= from {
						judged = append(judged, d)
					}
				}
				want := Evaluate(judged, p)
				if want.N < 150 {
					t.Fatalf("%s: only %d days to compare", name, want.N)
				}
				got := coverageFrom(fit.Z24, fit.FirstHour, from).Rows[side][level]
				if got != (CoverageRow{want.N, want.Hits, want.Rate, want.KupiecP, want.ChristoffersenP}) {
					t.Errorf("%s %s %v: coverage %+v, backtest %+v", name, Sides[side], p, got, want)
				}
			}
		}
	}
}

func roundUp(hour int64) int64 { return (hour + 23) / 24 * 24 }
