package mc

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"

	"ballast/compute/vol"
	"ballast/marketcache"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// Compares a model of a synthetic asset with testdata/reference.py: the table and the moment matching
// agree up to rounding, the figures of a run within their sampling error.
func TestAgainstReference(t *testing.T) {
	var g struct {
		Outcomes   []float64
		E          [4]float64
		LongRun    float64 `json:"long_run"`
		Hours      [Steps]float64
		G, K2      float64
		TableFirst float64 `json:"table_first"`
		TableLast  float64 `json:"table_last"`
		Cases      []struct {
			Side       float64
			FundingPct float64 `json:"funding_pct"`
			Target     float64
			Barrier    *float64 // ln(price/mark)
			LossPct    float64  `json:"loss_pct"`
			C          float64
			Mean       map[string]float64
			SD         map[string]float64 `json:"sd_of_one_run"`
		}
	}
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	p := &Path{
		E: g.E, LongRun: g.LongRun, Coefficients: vol.Coefficients[marketcache.H1], Decay: vol.Decay,
		Hours: g.Hours, G: g.G,
	}
	p.Innovations, p.K2 = InnovationTable(nil, g.Outcomes)
	n := len(p.Innovations)
	if n != len(g.Outcomes) || !within(p.K2, g.K2, 1e-13) || !within(p.Innovations[0], g.TableFirst, 1e-13) ||
		!within(p.Innovations[n-1], g.TableLast, 1e-13) {
		t.Errorf("table of %d from %v to %v, k2 %v", n, p.Innovations[0], p.Innovations[n-1], p.K2)
	}
	for i, c := range g.Cases {
		p.C = MomentMatch(p.E, p.LongRun, p.K2, p.G, c.Target, p.Coefficients, p.Decay, p.Hours)
		if !within(p.C, c.C, 1e-12) {
			t.Errorf("case %d: c %v, want %v", i, p.C, c.C)
		}
		p.Side, p.FundingPct, p.LossPct, p.HasBarrier, p.Barrier = c.Side, c.FundingPct, c.LossPct, c.Barrier != nil, 0
		if p.HasBarrier {
			p.Barrier = *c.Barrier
		}
		p.Seed = [32]byte{byte(i)}
		pnl, liquidated := simulate(p, Paths)
		s := Summarise(pnl, make([]float64, Paths))
		for name, got := range map[string]float64{
			"var_95": s.VaR95, "var_99": s.VaR99, "es_95": s.ES95, "es_99": s.ES99,
			"median": s.Median, "lower": s.Lower, "upper": s.Upper, "liquidated_share": float64(liquidated) / Paths,
		} {
			if !(math.Abs(got-c.Mean[name]) <= 4*c.SD[name]+1e-9) {
				t.Errorf("case %d: %s %v, want %v, deviation of one run %v", i, name, got, c.Mean[name], c.SD[name])
			}
		}
	}
}
