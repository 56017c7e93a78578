//go:build evidence

package risk

import (
	"encoding/json"
	"fmt"
	"math"
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

// A portfolio of five assets on a day of 2023, fitted with the code of the service.
func TestEvidencePortfolio(t *testing.T) {
	var g struct {
		Assets   []string
		Files    []string
		BarOpen  string    `json:"bar_open"`
		Notional []float64 `json:"notional_usd"`
		SqrtV24  []float64 `json:"sqrt_V24"`
		Kappa2   []float64
		Joint    struct {
			VaR         float64   `json:"var_99"`
			ES          float64   `json:"es_99"`
			Incremental []float64 `json:"incremental_var"`
			Alone       []float64 `json:"standalone_var"`
			Benefit     float64   `json:"diversification_benefit_pct"`
			Component   []float64 `json:"component_var"`
			Pct         []float64 `json:"component_pct"`
		} `json:"joint_fhs"`
		Correlation struct{ Matrix [][]float64 }
		Pairs       []struct {
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
	reference.Golden(t, "portfolio", &g)
	last, err := time.Parse(time.DateTime, g.BarOpen)
	if err != nil {
		t.Fatal(err)
	}
	k := len(g.Assets)
	s := NewScratch(k)
	s.account.target = -1
	fits, ids := make([]*mc.AssetModel, k), make([]mc.AssetID, k)
	byName := map[string]mc.AssetID{}
	for i, name := range g.Assets {
		m, err := calib.Fit(mc.AssetID(i), name, candlesUntil(t, g.Files[i], last))
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+" sqrt(V24)", math.Sqrt(m.Variance[mc.H24]), g.SqrtV24[i])
		same(t, name+" kappa2", m.Kappa2[mc.H24], g.Kappa2[i])
		fits[i], ids[i], byName[name] = m, mc.AssetID(i), mc.AssetID(i)
	}
	var pairs []mc.TailPair
	fitter := copula.NewFitter()
	for i := range fits {
		for j := range i {
			pairs = append(pairs, copula.FitModels(fitter, fits[i], fits[j]))
		}
	}
	model := calib.Publish("golden", ConstantsDigest(), fits, byName["BTC"])
	s.In.Rows, s.In.Correlations = model.Asset(byName["BTC"]), model.Correlations
	s.In.Pairs = mc.NewPairTable(ids, pairs)
	for i, name := range g.Assets {
		s.account.positions = append(s.account.positions, position{
			id: ids[i], name: name, units: g.Notional[i], mark: 1, leverage: 10,
			in:    &AssetInput{Model: model.Asset(ids[i])},
			tiers: tierTable{asset: mc.NewTiers([]float64{0}, []float64{20})},
		})
	}
	b := &s.portfolio
	var none position
	s.account.pools = []marginPool{{position: -1}}
	s.view.plan = tradePlan{kind: held, index: -1}
	s.sumReplay(&s.view.plan)
	s.listLegs(b, &none)
	b.var99, b.es99 = s.portfolioLoss(&none)
	s.correlate(b)
	same(t, "VaR", b.var99, g.Joint.VaR)
	same(t, "ES", b.es99, g.Joint.ES)
	a := s.attribute(b)
	same(t, "total", a.TotalVaR99, g.Joint.VaR)
	same(t, "diversification", a.DiversificationPct, g.Joint.Benefit)
	for i, p := range a.Positions {
		same(t, p.Asset+" marginal", p.MarginalVaR, g.Joint.Incremental[i])
		same(t, p.Asset+" component", p.ComponentVaR, g.Joint.Component[i])
		same(t, p.Asset+" percent", p.ComponentPct, g.Joint.Pct[i])
		own, _ := s.aloneLoss(&b.legs[i].position)
		same(t, p.Asset+" alone", own, g.Joint.Alone[i])
	}
	for i := range k {
		for j := range k {
			same(t, fmt.Sprint("correlation ", i, j), b.matrix[i*k+j], g.Correlation.Matrix[i][j])
		}
	}
	for _, want := range g.Pairs {
		p := s.In.Pairs.Get(byName[want.AssetA], byName[want.AssetB])
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
	for i := range k {
		for j := range k {
			about(t, "copula matrix", memory.matrix[i*k+j], g.Matrix[i][j], 1e-9)
		}
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
			Name  string
			Input struct {
				Files     []string
				LastMs    int64 `json:"last_bar_open_ms"`
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
			Output map[string]json.RawMessage // by horizon in hours; and the number of rows
		}
	}
	reference.Golden(t, "probability", &g)
	compared := 0
	for _, b := range g.Books {
		var want [mc.ExcursionHorizons]chances
		for h, key := range []string{mc.Excursion24h: "24", mc.Excursion168h: "168"} {
			if err := json.Unmarshal(b.Output[key], &want[h]); err != nil {
				t.Fatal(err)
			}
		}
		var fits []*mc.AssetModel
		for id, file := range b.Input.Files {
			var bars []mc.Bar
			most := b.Input.Bars
			if id > 0 && b.Input.Positions[id-1].Bars != nil {
				most = *b.Input.Positions[id-1].Bars
			}
			for _, row := range reference.Candles(t, file, nil) {
				if hours := (b.Input.LastMs - row.OpenMs) / hourMs; hours >= 0 && hours < int64(most) {
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
		model := calib.Publish("pool", ConstantsDigest(), fits, 0)
		s := NewScratch(4)
		var funding [mc.ExcursionHorizons]float64
		for k, p := range b.Input.Positions {
			var bounds, leverages []float64
			for _, tier := range p.Tiers {
				bounds, leverages = append(bounds, tier[0]), append(leverages, tier[1])
			}
			in := &AssetInput{Model: model.Asset(mc.AssetID(k + 1)), Market: mc.Market{Asset: &mc.Asset{}}}
			leg := position{
				units: p.Notional, mark: 1, leverage: 1, own: -1, in: in, stress: stressRuleOf(in),
				collateral: p.Collateral,
				tiers:      tierTable{asset: mc.NewTiers(bounds, leverages)},
			}
			if p.Collateral {
				s.account.collateral = append(s.account.collateral, leg)
			} else {
				s.account.positions = append(s.account.positions, leg)
			}
			funding[mc.Excursion24h] += p.Notional * p.Day
			funding[mc.Excursion168h] += p.Notional * p.Week
		}
		s.In.Rows = model.Asset(0)
		for j, equity := range b.Input.A {
			for target := -1; target < len(s.account.positions); target++ {
				acct := &s.account
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
