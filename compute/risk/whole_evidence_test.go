//go:build evidence

package risk

import (
	"math"
	"slices"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/compute/copula"
	montecarlo "ballast/compute/mc"
	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// candlesUntil returns the bars of a candle file, as the venue would send them, from the first
// midnight in or after 2020 to the bar that opens at last.
func candlesUntil(t testing.TB, file string, last time.Time) (bars []mc.Bar) {
	t.Helper()
	midnight := func(at time.Time) bool { return at.Year() >= 2020 && at.Hour() == 0 }
	for _, row := range reference.Candles(t, file, midnight) {
		if row.OpenMs > last.UnixMilli() {
			break
		}
		bars = append(bars, mc.Bar(row))
	}
	return bars
}

// goldenPortfolio is portfolio.json, as far as it is not compared by name.
type goldenPortfolio struct {
	Assets   []string
	Files    []string
	BarOpen  string    `json:"bar_open"`
	Notional []float64 `json:"notional_usd"`
	Pairs    []struct {
		AssetA  string  `json:"asset_a"`
		AssetB  string  `json:"asset_b"`
		RhoTau  float64 `json:"rho_tau"`
		Pearson float64 `json:"pearson_rho"`
		Nu      float64
		LogLik  float64
		Lambda  float64 `json:"lambda_lower"`
	}
	CopulaNu float64     `json:"copula_nu"`
	Matrix   [][]float64 `json:"copula_matrix"`
	MC       struct {
		Mean map[string]float64
		One  map[string]float64 `json:"sd_of_one_run"`
	} `json:"copula_mc"`
}

// fits returns the fits of the assets on that day, with the code of the service, and the fits of their pairs.
func (g *goldenPortfolio) fits(t *testing.T) (fits []*mc.AssetModel, pairs *mc.PairTable) {
	last, err := time.Parse(time.DateTime, g.BarOpen)
	if err != nil {
		t.Fatal(err)
	}
	var ids []mc.AssetID
	for i, name := range g.Assets {
		m, err := calib.Fit(mc.AssetID(i), name, candlesUntil(t, g.Files[i], last))
		if err != nil {
			t.Fatal(err)
		}
		fits, ids = append(fits, m), append(ids, m.Asset)
	}
	var table []mc.TailPair
	fitter := copula.NewFitter()
	for i := range fits {
		for j := range i {
			table = append(table, copula.FitModels(fitter, fits[i], fits[j]))
		}
	}
	return fits, mc.NewPairTable(ids, table)
}

// A portfolio of five assets on a day of 2023.
func TestEvidencePortfolio(t *testing.T) {
	var g goldenPortfolio
	var want map[string]any
	reference.Golden(t, "portfolio", &g)
	reference.Golden(t, "portfolio", &want)
	fits, pairs := g.fits(t)
	btc := mc.AssetID(slices.Index(g.Assets, "BTC"))
	model := calib.Publish(fits, btc)
	s, b := bookOf(model.Asset(btc), g.Notional, model.Assets...)
	s.In.Pairs = pairs
	var sigma, kappa2, incremental, component, pct, alone []float64
	a := s.attribute(b)
	for i, p := range a.Positions {
		sigma = append(sigma, math.Sqrt(fits[i].Variance[mc.H24]))
		kappa2 = append(kappa2, fits[i].Kappa2[mc.H24])
		incremental, component = append(incremental, p.MarginalVaR), append(component, p.ComponentVaR)
		own, _ := s.aloneLoss(&b.legs[i].position)
		pct, alone = append(pct, p.ComponentPct), append(alone, own)
	}
	k := len(g.Assets)
	inNineDigits.Match(t, want, reference.Fields{
		"sqrt_V24": sigma, "kappa2": kappa2,
		"joint_fhs": reference.Fields{
			"var_99": b.var99, "es_99": b.es99, "diversification_benefit_pct": a.DiversificationPct,
			"incremental_var": incremental, "standalone_var": alone, "component_var": component, "component_pct": pct,
		},
		"correlation": reference.Fields{"matrix": slices.Collect(slices.Chunk(b.matrix, k))},
	})
	for _, want := range g.Pairs {
		p := pairs.Get(mc.AssetID(slices.Index(g.Assets, want.AssetA)), mc.AssetID(slices.Index(g.Assets, want.AssetB)))
		name := want.AssetA + "-" + want.AssetB
		same(t, name+" rho", p.RhoTau, want.RhoTau)
		same(t, name+" pearson", p.Pearson, want.Pearson)
		about(t, name+" nu", p.Nu, want.Nu, 1e-6*want.Nu)
		about(t, name+" loglik", p.LogLik, want.LogLik, 1e-6*want.LogLik)
		about(t, name+" lambda", p.Lambda, want.Lambda, 1e-6)
	}
	memory := new(simulation)
	s.view.after.counted = 1e6
	sim := simulateBook(s, memory, b, [32]byte{1})
	about(t, "copula nu", sim.Nu, g.CopulaNu, 1e-6*g.CopulaNu)
	for i, x := range slices.Concat(g.Matrix...) {
		about(t, "copula matrix", memory.matrix[i], x, 1e-9)
	}
	for name, got := range map[string]float64{"var_95": sim.VaR95, "var_99": sim.VaR99, "es_95": sim.ES95,
		"es_99": sim.ES99} {
		about(t, "simulated "+name, got, g.MC.Mean[name], 4*g.MC.One[name])
	}
	// With 1 M USD of equity the pool is liquidated in no scenario, with -1 M USD in every one.
	if sim.LiquidationProbability != 0 {
		t.Errorf("a pool of 1 M USD is liquidated: %v", sim.LiquidationProbability)
	}
	s.view.after.counted = -1e6
	if p := simulateBook(s, memory, b, [32]byte{1}).LiquidationProbability; p != 1 {
		t.Errorf("a pool without equity survives: %v", p)
	}
	if montecarlo.Draws != sim.Draws || len(sim.Positions) != k {
		t.Error("draws or positions are missing")
	}
}

// The probability that a cross pool of several positions is liquidated: with each position in turn
// as the trade's position, and for the wallet as held.
func TestEvidencePoolProbability(t *testing.T) {
	type chances struct{ Probability []float64 }
	var g struct {
		Books []struct {
			Name   string
			Input  goldenPool
			Output struct {
				Day  chances `json:"24"`
				Week chances `json:"168"`
			}
		}
	}
	reference.Golden(t, "probability", &g)
	compared := 0
	for _, b := range g.Books {
		want := [mc.ExcursionHorizons]chances{mc.Excursion24h: b.Output.Day, mc.Excursion168h: b.Output.Week}
		s, funding := b.Input.scratch(t)
		acct := &s.account
		for j, equity := range b.Input.A {
			for target := -1; target < len(acct.positions); target++ {
				acct.pools = []marginPool{{position: -1, equity: equity}}
				acct.rest.sum(acct, target)
				s.view.plan = tradePlan{kind: held, index: target}
				var own *position
				if target >= 0 {
					s.view.plan.kind, own = increases, &acct.positions[target]
				}
				s.sumReplay(&s.view.plan)
				for h := range mc.ExcursionHorizons {
					got, w := s.crossChance(h, own, equity-max(0, funding[h]), 0), want[h].Probability[j]
					if math.Abs(got-w) > 1e-9*w+1e-15 {
						t.Errorf("%s, equity %v, position %d, horizon %d: %v, want %v", b.Name, equity, target, h, got,
							w)
					}
					compared++
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d figures compared", compared)
	}
}

// goldenPool is a cross pool of probability.json.
type goldenPool struct {
	Files     []string // BTC's, then one a position
	LastMs    int64    `json:"last_bar_open_ms"`
	Bars      int
	Positions []struct {
		Notional float64 `json:"notional_usd"`
		Tiers    [][2]float64
		Bars     *int // the newest of the asset; nil: all
		// Of a balance that counts as collateral; expected funding of a day and of a week.
		Collateral bool
		Day        float64 `json:"funding_24h"`
		Week       float64 `json:"funding_168h"`
	}
	A []float64
}

// scratch returns the pool with fits made by the code of the service, and its expected funding.
func (g *goldenPool) scratch(t *testing.T) (s *Scratch, funding [mc.ExcursionHorizons]float64) {
	var fits []*mc.AssetModel
	for id, file := range g.Files {
		var bars []mc.Bar
		most := g.Bars
		if id > 0 && g.Positions[id-1].Bars != nil {
			most = *g.Positions[id-1].Bars
		}
		for _, row := range reference.Candles(t, file, nil) {
			if hours := (g.LastMs - row.OpenMs) / hourMs; hours >= 0 && hours < int64(most) {
				bars = append(bars, mc.Bar(row))
			}
		}
		m, err := calib.Fit(mc.AssetID(id), file, bars)
		if err != nil {
			t.Fatal(err)
		}
		if most == 0 {
			m.Variance = m.AverageVariance // the reference takes average hours where no bar tells the hour
		}
		fits = append(fits, m)
	}
	model := calib.Publish(fits, 0)
	s = NewScratch(4)
	s.In.Rows = model.Asset(0)
	for k, p := range g.Positions {
		in := &AssetInput{Model: model.Asset(mc.AssetID(k + 1)), Market: mc.Market{Asset: &mc.Asset{}}}
		leg := position{
			units: p.Notional, mark: 1, leverage: 1, own: -1, in: in, stress: stressRuleOf(in),
			collateral: p.Collateral, tiers: tierTable{asset: tiersOfRows(p.Tiers)},
		}
		if p.Collateral {
			s.account.collateral = append(s.account.collateral, leg)
		} else {
			s.account.positions = append(s.account.positions, leg)
		}
		funding[mc.Excursion24h] += p.Notional * p.Day
		funding[mc.Excursion168h] += p.Notional * p.Week
	}
	return s, funding
}
