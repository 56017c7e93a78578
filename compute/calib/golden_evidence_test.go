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

// horizons are the names of the horizons in the files, in hours.
var horizons = []string{"1", "4", "24", "168"}

// tailFields are the figures of a tail by their names in the files.
func tailFields(q marketcache.TailQuantile) reference.Fields {
	return reference.Fields{"z_q": q.ZQ, "z_es": q.ZES, "pct_var": q.PctVaR, "pct_es": q.PctES}
}

// shortFields are the figures of a young asset by their names in the file.
func shortFields(m *marketcache.AssetModel) reference.Fields {
	byHorizon, tail := reference.Fields{}, reference.Fields{}
	for h, name := range horizons {
		long, short := m.Tail[h][marketcache.Long], m.Tail[h][marketcache.Short]
		byHorizon[name] = reference.Fields{
			"variance": m.Variance[h], "n_z": m.Outcomes[h], "weight_of_own_z": vol.OwnWeight(m.Outcomes[h]),
			"kappa2": m.Kappa2[h], "sigma": m.Sigma[h],
			"long_95": tailFields(long[marketcache.P95]), "long_99": tailFields(long[marketcache.P99]),
			"short_95": tailFields(short[marketcache.P95]), "short_99": tailFields(short[marketcache.P99]),
		}
	}
	for side, name := range []string{"long", "short"} {
		x, pct := m.Extreme[side], m.ExtremePct[side]
		tail[name] = reference.Fields{
			"n": x.N, "u": x.U, "xi": x.Xi, "beta": x.Beta, "var_99_9": pct.VaR, "es_99_9": pct.ES,
		}
	}
	paths := reference.Fields{"k2_1": m.K2Hourly, "g": m.RangeToReturn, "c": m.MomentMatch}
	if n := len(m.Innovations); n > 0 {
		paths["table"], paths["table_entries"] = "own", n
		paths["table_first"], paths["table_last"] = m.Innovations[0], m.Innovations[n-1]
	} else {
		paths["table"] = "student_t"
	}
	fields := reference.Fields{
		"E": m.E[:], "lr": m.LongRunVariance, "long_run_sigma": m.LongRunSigma, "horizons": byHorizon,
		"volatility_regime": m.VolRegime, "monte_carlo": paths, "tail": "", "drawdown": "",
		"regime": reference.Fields{"state": m.RegimeState, "confidence": m.RegimeConfidence,
			"probabilities": m.RegimeProb[:]},
	}
	if m.HasExtreme {
		fields["tail"] = tail
	}
	if d := m.Drawdown; d.Known {
		fields["drawdown"] = reference.Fields{
			"max_drawdown_pct": d.MaxPct, "current_drawdown_pct": d.CurrentPct, "peak_close": d.PeakClose,
			"trough_close": d.TroughClose, "drawdown_duration_hours": d.DurationHours, "calmar_ratio": d.Calmar,
			"atr": d.ATR,
		}
	}
	return fields
}

func TestEvidenceShortHistory(t *testing.T) {
	var g struct {
		Cases []struct {
			Name  string
			Input struct {
				File string
				Bars int
			}
			Output map[string]any
		}
	}
	reference.Golden(t, "short_history", &g)
	for _, c := range g.Cases {
		t.Run(c.Name, func(t *testing.T) {
			bars := candles(t, c.Input.File, nil)
			h := NewHistory(marketcache.ClassCrypto)
			for i := 0; h.Bars() < c.Input.Bars; i++ {
				if err := h.Extend(bars[i : i+1]); err != nil {
					t.Fatal(err)
				}
			}
			inNineDigits.Match(t, c.Output, shortFields(h.Model(0, "SOL", &Scratch{})))
		})
	}
}

// Fits of every class, with the hours in which the oracle rests flat or traded.
func TestEvidenceSeason(t *testing.T) {
	var g struct {
		Series []struct {
			Name  string
			Input struct {
				File, Class string
				FlatRests   bool `json:"flat_rests"`
				Bars        []int
			}
			Output []map[string]any
		}
	}
	reference.Golden(t, "season", &g)
	if len(g.Series) == 0 {
		t.Fatal("no histories")
	}
	for _, c := range g.Series {
		class := marketcache.ClassCrypto
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
					b = vol.FlatAfter(h.state.Last())
				}
				if err := h.Extend([]marketcache.Bar{b}); err != nil {
					t.Fatal(err)
				}
			}
			inNineDigits.Match(t, c.Output[i], seasonFields(h))
		}
	}
}

// seasonFields are the figures of a history by their names in the file.
func seasonFields(h *History) reference.Fields {
	m, byHorizon, memories := h.Model(0, "X", &Scratch{}), reference.Fields{}, h.state.RawMemories()
	for i, name := range horizons {
		q := m.Tail[i][marketcache.Long][marketcache.P99]
		byHorizon[name] = reference.Fields{
			"V": m.Variance[i], "V_average": m.AverageVariance[i], "kappa2": m.Kappa2[i],
			"long_99": reference.Fields{"q": q.ZQ, "es": q.ZES, "pct_var": q.PctVaR, "pct_es": q.PctES},
		}
	}
	return reference.Fields{
		"last_bar_open_ms": m.LastHour * hourMs, "factor_of_last_bar": vol.Factor(m.Class, m.LastHour),
		"E": memories[:], "lr": m.LongRunVariance, "volatility_regime": m.VolRegime, "horizons": byHorizon,
		"monte_carlo": reference.Fields{"k2_1": m.K2Hourly, "g": m.RangeToReturn, "c": m.MomentMatch},
	}
}

// resting reports whether the oracle of a class rests in an hour, by its factor.
func resting(class marketcache.Class, ms int64) bool {
	rest := [marketcache.ClassCount]float64{
		marketcache.ClassEquity: 0.29, marketcache.ClassMetal: 0.31, marketcache.ClassEnergy: 0.31,
	}
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
			"max": {d.MaxPct, 100 * c.Max}, "now": {d.CurrentPct, 100 * c.Now}, "peak": {d.PeakClose,
				c.Peak}, "trough": {d.TroughClose, c.Low},
			"hours": {float64(d.DurationHours), float64(c.Hours)}, "calmar": {d.Calmar, c.Ratio},
			"atr": {d.ATR, c.ATR},
		} {
			if math.Abs(x[0]-x[1]) > 1e-10*math.Abs(x[1]) {
				t.Errorf("%s: %s %v, want %v", c.Asset, what, x[0], x[1])
			}
		}
	}
}
