package calib

import (
	_ "embed"
	"encoding/json"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

var inNineDigits = reference.Tolerance{Rel: 1e-9, Abs: 1e-15}

// Compares fits of a synthetic market, from two bars to more than a year, with testdata/reference.py.
func TestAgainstReference(t *testing.T) {
	var g struct{ Cases []map[string]any }
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	for _, want := range g.Cases {
		var bars []marketcache.Bar
		for _, row := range reference.Synthetic(int(want["bars"].(float64))) {
			bars = append(bars, marketcache.Bar(row))
		}
		m := fit(t, bars)
		// variance, number of outcomes, kappa2; of the 99 % long tail: zq, zes, VaR and ES in percent
		var byHorizon [][]float64
		for h := range m.Tail {
			q := m.Tail[h][marketcache.Long][marketcache.P99]
			byHorizon = append(byHorizon, []float64{m.Variance[h], float64(m.Outcomes[h]), m.Kappa2[h], q.ZQ, q.ZES,
				q.PctVaR, q.PctES})
		}
		fields := reference.Fields{
			"bars": m.Bars, "E": m.E[:], "long_run": m.LongRunVariance, "regime": m.VolRegime,
			"entries": len(m.Innovations), "k2_hourly": m.K2Hourly, "g": m.RangeToReturn, "c": m.MomentMatch,
			"volume_7d": m.VolumeUSD7d, "volume_30d": m.VolumeUSD30d, "horizons": byHorizon, "drawdown": "",
		}
		if d := m.Drawdown; d.Known {
			fields["drawdown"] = reference.Fields{
				"max_pct": d.MaxPct, "current_pct": d.CurrentPct, "peak": d.PeakClose, "trough": d.TroughClose,
				"hours": d.DurationHours, "calmar": d.Calmar, "atr": d.ATR,
			}
		}
		inNineDigits.Match(t, want, fields)
	}
}
