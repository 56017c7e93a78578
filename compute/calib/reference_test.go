package calib

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// syntheticCase is what the reference gives of the first bars of a synthetic market.
type syntheticCase struct {
	Bars      int
	E         [4]float64
	LongRun   float64 `json:"long_run"`
	Regime    string
	Entries   int
	K2Hourly  float64 `json:"k2_hourly"`
	G, C      float64
	Volume7d  float64 `json:"volume_7d"`
	Volume30d float64 `json:"volume_30d"`
	// variance, number of outcomes, kappa2; of the 99 % long tail: zq, zes, VaR and ES in percent
	Horizons [4][7]float64
	Drawdown *struct {
		Max     float64 `json:"max_pct"`
		Current float64 `json:"current_pct"`
		Peak    float64
		Trough  float64
		Hours   int
		Calmar  float64
		ATR     float64
	}
}

// Compares fits of a synthetic market, from two bars to more than a year, with testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	var g struct{ Cases []syntheticCase }
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	for _, want := range g.Cases {
		var bars []marketcache.Bar
		for _, row := range reference.Synthetic(want.Bars) {
			bars = append(bars, marketcache.Bar(row))
		}
		got := fit(t, bars)
		near := func(what string, a, b float64) {
			t.Helper()
			if !(math.Abs(a-b) <= 1e-10*math.Abs(b)+1e-15) {
				t.Errorf("%d bars: %s %v, want %v", want.Bars, what, a, b)
			}
		}
		near("bars", float64(got.Bars), float64(want.Bars))
		for k := range got.E {
			near("E", got.E[k], want.E[k])
		}
		near("long run", got.LongRunVariance, want.LongRun)
		near("k2", got.K2Hourly, want.K2Hourly)
		near("g", got.RangeToReturn, want.G)
		near("c", got.MomentMatch, want.C)
		near("innovations", float64(len(got.Innovations)), float64(want.Entries))
		near("volume of 7 days", got.VolumeUSD7d, want.Volume7d)
		near("volume of 30 days", got.VolumeUSD30d, want.Volume30d)
		if got.VolRegime.String() != want.Regime {
			t.Errorf("%d bars: volatility regime %v, want %s", want.Bars, got.VolRegime, want.Regime)
		}
		for h, w := range want.Horizons {
			tail := got.Tail[h][marketcache.Long][marketcache.P99]
			near("variance", got.Variance[h], w[0])
			near("outcomes", float64(got.Outcomes[h]), w[1])
			near("kappa2", got.Kappa2[h], w[2])
			near("zq", tail.ZQ, w[3])
			near("zes", tail.ZES, w[4])
			near("VaR", tail.PctVaR, w[5])
			near("ES", tail.PctES, w[6])
		}
		d := got.Drawdown
		if d.Known != (want.Drawdown != nil) {
			t.Errorf("%d bars: drawdown %+v", want.Bars, d)
		}
		if w := want.Drawdown; w != nil {
			near("max drawdown", d.MaxPct, w.Max)
			near("current drawdown", d.CurrentPct, w.Current)
			near("peak", d.PeakClose, w.Peak)
			near("trough", d.TroughClose, w.Trough)
			near("duration", float64(d.DurationHours), float64(w.Hours))
			near("calmar", d.Calmar, w.Calmar)
			near("atr", d.ATR, w.ATR)
		}
	}
}
