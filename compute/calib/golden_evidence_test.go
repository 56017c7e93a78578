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

// comparer returns a function that compares two numbers of a case.
func comparer(t *testing.T, name string) func(what string, got, want float64) {
	return func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)+1e-15) {
			t.Errorf("%s: %s %v, want %v", name, what, got, want)
		}
	}
}

type goldenTail struct {
	ZQ     float64 `json:"z_q"`
	ZES    float64 `json:"z_es"`
	PctVaR float64 `json:"pct_var"`
	PctES  float64 `json:"pct_es"`
}

// shortHistory is what the reference file gives of a young asset.
type shortHistory struct {
	E        [4]float64
	LR       float64
	Sigma    float64 `json:"long_run_sigma"`
	Horizons map[string]struct {
		Variance, Kappa2, Sigma float64
		N                       int        `json:"n_z"`
		Weight                  float64    `json:"weight_of_own_z"`
		Long95                  goldenTail `json:"long_95"`
		Long99                  goldenTail `json:"long_99"`
		Short95                 goldenTail `json:"short_95"`
		Short99                 goldenTail `json:"short_99"`
	}
	VolatilityRegime string `json:"volatility_regime"`
	Regime           struct {
		State         string
		Confidence    float64
		Probabilities [3]float64
	}
	Tail map[string]struct {
		N           int
		U, Xi, Beta float64
		VaR         float64 `json:"var_99_9"`
		ES          float64 `json:"es_99_9"`
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

func TestEvidenceShortHistory(t *testing.T) {
	var g struct {
		Cases []struct {
			Name  string
			Input struct {
				File string
				Bars int
			}
			Output shortHistory
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
		got, want, near := h.Model(0, "SOL", &Scratch{}), &c.Output, comparer(t, c.Name)
		for k := range got.E {
			near("E", got.E[k], want.E[k])
		}
		near("lr", got.LongRunVariance, want.LR)
		near("long run sigma", got.LongRunSigma, want.Sigma)
		near("confidence", got.RegimeConfidence, want.Regime.Confidence)
		for j := range got.RegimeProb {
			near("probability", got.RegimeProb[j], want.Regime.Probabilities[j])
		}
		if got.VolRegime.String() != want.VolatilityRegime || got.RegimeState.String() != want.Regime.State {
			t.Errorf("%s: %v, %v", c.Name, got.VolRegime, got.RegimeState)
		}
		want.compareTails(t, c.Name, got)
		want.comparePaths(t, c.Name, got)
	}
}

func (want *shortHistory) compareTails(t *testing.T, name string, got *marketcache.AssetModel) {
	near := comparer(t, name)
	for h, hours := range []string{"1", "4", "24", "168"} {
		w := want.Horizons[hours]
		near("variance", got.Variance[h], w.Variance)
		near("n_z", float64(got.Outcomes[h]), float64(w.N))
		near("own weight", vol.OwnWeight(got.Outcomes[h]), w.Weight)
		near("kappa2", got.Kappa2[h], w.Kappa2)
		near("sigma", got.Sigma[h], w.Sigma)
		for side, levels := range [][]goldenTail{{w.Long95, w.Long99}, {w.Short95, w.Short99}} {
			for level, w := range levels {
				tail := got.Tail[h][side][level]
				near("z_q", tail.ZQ, w.ZQ)
				near("z_es", tail.ZES, w.ZES)
				near("pct_var", tail.PctVaR, w.PctVaR)
				near("pct_es", tail.PctES, w.PctES)
			}
		}
	}
	if got.HasExtreme != (want.Tail != nil) {
		t.Errorf("%s: extreme tail %v", name, got.HasExtreme)
	}
	for side, sideName := range []string{"long", "short"} {
		if w, ok := want.Tail[sideName]; ok {
			tail := got.Extreme[side]
			near("n", float64(tail.N), float64(w.N))
			near("u", tail.U, w.U)
			near("xi", tail.Xi, w.Xi)
			near("beta", tail.Beta, w.Beta)
			near("var_99_9", got.ExtremePct[side].VaR, w.VaR)
			near("es_99_9", got.ExtremePct[side].ES, w.ES)
		}
	}
}

// comparePaths compares what drawdowns and simulations use.
func (want *shortHistory) comparePaths(t *testing.T, name string, got *marketcache.AssetModel) {
	near := comparer(t, name)
	d := got.Drawdown
	if d.Known != (want.Drawdown != nil) {
		t.Errorf("%s: drawdown %v", name, d.Known)
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
		t.Errorf("%s: %d innovations, want %s with %d", name, len(got.Innovations), sim.Table, sim.Entries)
	} else if own {
		near("least innovation", got.Innovations[0], sim.First)
		near("greatest innovation", got.Innovations[sim.Entries-1], sim.Last)
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
			Output []season
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
			c.Output[i].compare(t, c.Name, h)
		}
	}
}

// season is what the reference file gives of a history.
type season struct {
	LastMs   int64   `json:"last_bar_open_ms"`
	Factor   float64 `json:"factor_of_last_bar"`
	E        [4]float64
	LR       float64
	Regime   string `json:"volatility_regime"`
	Horizons map[string]struct {
		V, Kappa2 float64
		Average   float64 `json:"V_average"`
		Long99    struct {
			Q, ES  float64
			PctVaR float64 `json:"pct_var"`
			PctES  float64 `json:"pct_es"`
		} `json:"long_99"`
	}
	MonteCarlo struct {
		K2   float64 `json:"k2_1"`
		G, C float64
	} `json:"monte_carlo"`
}

func (want *season) compare(t *testing.T, name string, h *History) {
	m, near := h.Model(0, "X", &Scratch{}), comparer(t, name)
	if m.LastHour*hourMs != want.LastMs || m.VolRegime.String() != want.Regime {
		t.Errorf("%s, %d bars: last hour %d, %v", name, m.Bars, m.LastHour, m.VolRegime)
	}
	near("factor", vol.Factor(vol.Class(m.Class), m.LastHour), want.Factor)
	for k, e := range h.state.RawMemories() {
		near("E", e, want.E[k])
	}
	near("lr", m.LongRunVariance, want.LR)
	for i, hours := range []string{"1", "4", "24", "168"} {
		w, tail := want.Horizons[hours], m.Tail[i][marketcache.Long][marketcache.P99]
		near("V", m.Variance[i], w.V)
		near("V0", m.AverageVariance[i], w.Average)
		near("kappa2", m.Kappa2[i], w.Kappa2)
		near("q", tail.ZQ, w.Long99.Q)
		near("es", tail.ZES, w.Long99.ES)
		near("pct_var", tail.PctVaR, w.Long99.PctVaR)
		near("pct_es", tail.PctES, w.Long99.PctES)
	}
	near("k2_1", m.K2Hourly, want.MonteCarlo.K2)
	near("g", m.RangeToReturn, want.MonteCarlo.G)
	near("c", m.MomentMatch, want.MonteCarlo.C)
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
