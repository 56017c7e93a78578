//go:build evidence

package mc

import (
	"math"
	"testing"
	"time"

	"ballast/compute/vol"
	"ballast/internal/reference"
	"ballast/marketcache"
)

// stateAt returns the state of an asset from the hourly bars of a file up to the bar that opens at until.
func stateAt(t *testing.T, file string, until time.Time) *vol.State {
	t.Helper()
	s := vol.NewState(marketcache.ClassCrypto)
	var filled []marketcache.Bar
	for _, row := range reference.Candles(t, file, nil) {
		before := len(filled)
		var err error
		if filled, err = vol.AppendFilled(filled, marketcache.Bar(row)); err != nil {
			t.Fatal(err)
		}
		for _, bar := range filled[before:] {
			if err := s.Push(bar); err != nil {
				t.Fatal(err)
			}
			if bar.OpenMs == until.UnixMilli() {
				return s
			}
		}
	}
	t.Fatalf("%s does not reach %v", file, until)
	return nil
}

func TestEvidenceMonteCarlo(t *testing.T) {
	var g struct {
		Tolerance struct {
			Sigmas float64 `json:"mc_sigmas"`
			State  float64 `json:"state_rel"`
			C      float64 `json:"c_rel"`
		}
		Cases []struct {
			Asset, Side string
			BarOpen     string   `json:"bar_open"`
			Move        *float64 `json:"barrier_move_pct"`
			Rate        float64  `json:"maintenance_rate"`
			Funding     float64
			K2          float64 `json:"k2_1"`
			G, C        float64
			Target      float64            `json:"target_var_24h"`
			Mean        map[string]float64 `json:"mean"`
			SD          map[string]float64 `json:"sd_of_one_run"`
		}
	}
	reference.Golden(t, "monte_carlo", &g)
	files := map[string]string{"BTC": "BTC-1h-2020-2024.csv.gz", "SOL": "SOL-1h-2020-2026.csv.gz"}
	states := map[string]*vol.State{}
	var squares, count float64
	for i, c := range g.Cases {
		key := c.Asset + c.BarOpen
		if states[key] == nil {
			until, err := time.Parse("2006-01-02 15:04", c.BarOpen)
			if err != nil {
				t.Fatal(err)
			}
			states[key] = stateAt(t, files[c.Asset], until)
		}
		p, target := pathOf(states[key])
		if !within(p.K2, c.K2, g.Tolerance.State) || !within(p.G, c.G, g.Tolerance.State) ||
			!within(target, c.Target, g.Tolerance.State) || !within(p.C, c.C, g.Tolerance.C) {
			t.Errorf("case %d: k2 %v, g %v, c %v, target %v", i, p.K2, p.G, p.C, target)
		}
		if c.Side == "short" {
			p.Side = -1
		}
		if c.Move != nil {
			p.HasBarrier, p.Barrier = true, math.Log1p(*c.Move/100)
			p.LossPct = math.Abs(*c.Move) + 100*c.Rate
		}
		p.FundingPct = 100 * p.Side * c.Funding
		p.Seed[0] = byte(i)
		pnl, liquidated := simulate(p, Paths)
		s := Summarise(pnl, make([]float64, Paths))
		for name, got := range map[string]float64{
			"var_95": s.VaR95, "var_99": s.VaR99, "expected_shortfall_95": s.ES95, "expected_shortfall_99": s.ES99,
			"median_return": s.Median, "ci_lower": s.Lower, "ci_upper": s.Upper,
			"liquidated_share": float64(liquidated) / Paths,
		} {
			off := (got - c.Mean[name]) / max(c.SD[name], 1e-3)
			if math.Abs(off) > g.Tolerance.Sigmas {
				t.Errorf("case %d, %s %s %s: %s %v, want %v: %.1f deviations",
					i, c.Asset, c.BarOpen, c.Side, name, got, c.Mean[name], off)
			}
			if c.SD[name] > 1e-3 {
				squares, count = squares+off*off, count+1
			}
		}
	}
	// Each case is one run. If its figures have the reference's standard deviations, the root mean
	// square of the deviations in these units is about one, neither much smaller nor much larger.
	if rms := math.Sqrt(squares / count); rms < 0.5 || rms > 1.6 {
		t.Errorf("%.0f figures are off by %.2f deviations (root mean square)", count, rms)
	}
}

// pathOf returns a path of an asset's state, and the variance over 24 hours to which the path was
// matched.
func pathOf(s *vol.State) (p *Path, target float64) {
	p = &Path{
		E: s.Memories(), LongRun: s.LongRunVariance(),
		Coefficients: vol.Coefficients[marketcache.H1], Decay: vol.Decay,
		G: s.RangeToReturn(), Side: 1,
	}
	vol.Factors(p.Hours[:], s.Class(), s.NextHour())
	_, u := s.HourlyOutcomes(8760)
	p.Innovations, p.K2 = InnovationTable(nil, vol.AppendOutcomes(nil, u))
	if len(u) < OwnTable {
		hour := s.Forecast(marketcache.H1, &vol.Scratch{})
		p.K2 = hour.Kappa2
	}
	day := s.Forecast(marketcache.H24, &vol.Scratch{})
	target = day.Variance * day.Kappa2
	p.C = MomentMatch(p.E, p.LongRun, p.K2, p.G, target, p.Coefficients, p.Decay, p.Hours)
	return p, target
}
