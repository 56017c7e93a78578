//go:build evidence

package calib

import (
	"math"
	"testing"
	"time"

	"ballast/compute/vol"
	"ballast/internal/reference"
	"ballast/marketcache"
)

// candles returns the rows of a candle file as the venue would send them, with gaps, from the first
// row that begin accepts.
func candles(t testing.TB, file string, begin func(time.Time) bool) (bars []marketcache.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, begin) {
		bars = append(bars, marketcache.Bar(row))
	}
	return bars
}

func TestEvidenceShortHistory(t *testing.T) {
	var g struct {
		Cases []struct {
			Name  string
			Input struct {
				File string
				Bars int
			}
			Output struct {
				E                [4]float64
				LR               float64
				VolatilityRegime string `json:"volatility_regime"`
				Regime           struct {
					State         string
					Confidence    float64
					Probabilities [3]float64
				}
				Tail map[string]struct {
					N           int
					U, Xi, Beta float64
				}
				Drawdown *struct {
					Max      float64 `json:"max_drawdown_pct"`
					Current  float64 `json:"current_drawdown_pct"`
					Peak     float64 `json:"peak_close"`
					Trough   float64 `json:"trough_close"`
					Duration int     `json:"drawdown_duration_hours"`
					Calmar   float64 `json:"calmar_ratio"`
					ATR      float64
				}
				MonteCarlo struct {
					Table   string
					Entries int     `json:"table_entries"`
					K2      float64 `json:"k2_1"`
					G, C    float64
					First   float64 `json:"table_first"`
					Last    float64 `json:"table_last"`
				} `json:"monte_carlo"`
			}
		}
	}
	reference.Golden(t, "short_history", &g)
	for _, c := range g.Cases {
		bars := candles(t, c.Input.File, nil)
		h := NewHistory(vol.ClassCrypto)
		for i := 0; h.Bars() < c.Input.Bars; i++ {
			if err := h.Extend(bars[i : i+1]); err != nil {
				t.Fatal(err)
			}
		}
		got, want := h.Model(0, "SOL", &Scratch{}), c.Output
		near := func(what string, a, b float64) {
			t.Helper()
			if math.Abs(a-b) > 1e-9*math.Abs(b)+1e-15 {
				t.Errorf("%s: %s %v, want %v", c.Name, what, a, b)
			}
		}
		for k := range got.E {
			near("E", got.E[k], want.E[k])
		}
		near("lr", got.LongRunVariance, want.LR)
		near("confidence", got.RegimeConfidence, want.Regime.Confidence)
		for j := range got.RegimeProb {
			near("probability", got.RegimeProb[j], want.Regime.Probabilities[j])
		}
		if got.HasExtreme != (want.Tail != nil) {
			t.Errorf("%s: extreme tail %v", c.Name, got.HasExtreme)
		}
		for side, name := range []string{"long", "short"} {
			if tail, ok := want.Tail[name]; ok {
				near("u", got.Extreme[side].U, tail.U)
				near("xi", got.Extreme[side].Xi, tail.Xi)
				near("beta", got.Extreme[side].Beta, tail.Beta)
			}
		}
		d := got.Drawdown
		if d.Known != (want.Drawdown != nil) {
			t.Errorf("%s: drawdown %v", c.Name, d.Known)
		}
		if w := want.Drawdown; w != nil {
			near("max drawdown", d.MaxPct, w.Max)
			near("current drawdown", d.CurrentPct, w.Current)
			near("peak", d.PeakClose, w.Peak)
			near("trough", d.TroughClose, w.Trough)
			near("duration", float64(d.DurationHours), float64(w.Duration))
			near("calmar", d.Calmar, w.Calmar)
			near("atr", d.ATR, w.ATR)
		}
		sim := want.MonteCarlo
		near("k2_1", got.K2Hourly, sim.K2)
		near("g", got.RangeToReturn, sim.G)
		near("c", got.MomentMatch, sim.C)
		if own := sim.Table == "own"; own != (got.Innovations != nil) || own && len(got.Innovations) != sim.Entries {
			t.Errorf("%s: %d innovations, want %s with %d", c.Name, len(got.Innovations), sim.Table, sim.Entries)
		} else if own {
			near("least innovation", got.Innovations[0], sim.First)
			near("greatest innovation", got.Innovations[sim.Entries-1], sim.Last)
		}
		if got.VolRegime.String() != want.VolatilityRegime || got.RegimeState.String() != want.Regime.State {
			t.Errorf("%s: %v, %v", c.Name, got.VolRegime, got.RegimeState)
		}
	}
}

// Fits of every class, with the hours in which the oracle rests flat or traded. The figures of package vol
// are compared there.
func TestEvidenceSeason(t *testing.T) {
	var g struct {
		Series []struct {
			Name  string
			Input struct {
				File, Class string
				FlatRests   bool `json:"flat_rests"`
				Bars        []int
			}
			Output []struct {
				LastMs     int64  `json:"last_bar_open_ms"`
				Regime     string `json:"volatility_regime"`
				Horizons   map[string]struct{ V, V_average float64 }
				MonteCarlo struct {
					K2   float64 `json:"k2_1"`
					G, C float64
				} `json:"monte_carlo"`
			}
		}
	}
	reference.Golden(t, "season", &g)
	if len(g.Series) == 0 {
		t.Fatal("no histories")
	}
	for _, c := range g.Series {
		class := vol.ClassCrypto
		for class.String() != c.Input.Class {
			class++
		}
		h := NewHistory(class)
		bars := candles(t, c.Input.File, nil)
		at := 0
		for i, n := range c.Input.Bars {
			for ; h.Bars() < n; at++ {
				b := bars[at]
				// Of the resting hours only the closes before them count.
				if c.Input.FlatRests && h.Bars() > 0 && resting(class, b.OpenMs) {
					b = marketcache.Bar(vol.FlatAfter(h.state.Last()))
				}
				if err := h.Extend([]marketcache.Bar{b}); err != nil {
					t.Fatal(err)
				}
			}
			m, want := h.Model(0, "X", &Scratch{}), c.Output[i]
			near := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
					t.Errorf("%s, %d bars: %s %v, want %v", c.Name, n, what, got, want)
				}
			}
			if m.LastHour*hourMs != want.LastMs || m.VolRegime.String() != want.Regime || m.Class.String() != c.Input.Class {
				t.Errorf("%s, %d bars: last hour %d, %v, %v", c.Name, n, m.LastHour, m.VolRegime, m.Class)
			}
			near("V", m.Variance[marketcache.H24], want.Horizons["24"].V)
			near("V0", m.AverageVariance[marketcache.H24], want.Horizons["24"].V_average)
			near("k2_1", m.K2Hourly, want.MonteCarlo.K2)
			near("g", m.RangeToReturn, want.MonteCarlo.G)
			near("c", m.MomentMatch, want.MonteCarlo.C)
		}
	}
}

// resting reports whether the oracle of a class rests in an hour, by its factor.
func resting(class vol.Class, ms int64) bool {
	rest := [vol.ClassCount]float64{vol.ClassEquity: 0.29, vol.ClassMetal: 0.31, vol.ClassEnergy: 0.31}
	return vol.Factor(class, ms/hourMs) == rest[class]
}

func TestEvidenceDrawdown(t *testing.T) {
	var g struct {
		Cases []struct {
			Asset string
			Input struct{ File, From, To string }
			Max   float64 `json:"max_drawdown"`
			Peak  float64
			Low   float64 `json:"trough"`
			Now   float64 `json:"current_drawdown"`
			Hours int     `json:"current_duration_h"`
			Ratio float64 `json:"calmar"`
			ATR   float64 `json:"atr14_4h_wilder_last"`
		}
	}
	reference.Golden(t, "drawdown", &g)
	for _, c := range g.Cases {
		from, err := time.Parse(time.DateOnly, c.Input.From)
		if err != nil {
			t.Fatal(err)
		}
		to, err := time.Parse(time.DateOnly, c.Input.To)
		if err != nil {
			t.Fatal(err)
		}
		bars := candles(t, c.Input.File, func(at time.Time) bool { return !at.Before(from) })
		for len(bars) > 0 && bars[len(bars)-1].OpenMs >= to.UnixMilli() {
			bars = bars[:len(bars)-1]
		}
		// The reference skips missing hours; the last year has none.
		d := fit(t, bars).Drawdown
		for what, x := range map[string][2]float64{
			"max": {d.MaxPct, 100 * c.Max}, "now": {d.CurrentPct, 100 * c.Now}, "peak": {d.PeakClose, c.Peak}, "trough": {d.TroughClose, c.Low},
			"hours": {float64(d.DurationHours), float64(c.Hours)}, "calmar": {d.Calmar, c.Ratio}, "atr": {d.ATR, c.ATR},
		} {
			if math.Abs(x[0]-x[1]) > 1e-10*math.Abs(x[1]) {
				t.Errorf("%s: %s %v, want %v", c.Asset, what, x[0], x[1])
			}
		}
	}
}
