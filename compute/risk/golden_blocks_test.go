package risk

import (
	"math"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// stressFields are the figures of a wallet under a scenario.
func stressFields(x *PortfolioStress) reference.Fields {
	return reference.Fields{
		"scenario": Scenarios[x.Scenario].ID, "total_pnl_usd": x.TotalPnLUSD, "total_pnl_pct": x.TotalPnLPct,
		"total_funding_cost_pct": x.FundingCostPct, "positions_liquidated": x.PositionsLiquidated,
	}
}

func TestGoldenPortfolioStress(t *testing.T) {
	e := NewEngine(DefaultAges())
	eachSnapshot(t, "stress", "portfolio", func(t *testing.T, s *Scratch, want map[string]any) reference.Fields {
		e.Assess(s)
		v := &s.view
		w := s.stressOf(&v.outcome)
		var scenarios []reference.Fields
		for i := range Scenarios {
			total := w.at(i)
			var sum walletShock
			w.wallet(&sum, i, &total)
			one := stressed{equity: w.equity}
			if w.positions > 0 && sum.fails(w.equity) {
				one.worst.Failed = 1
			}
			one.worst.Scenario = i
			one.report(&sum, w.gross)
			fields := stressFields(&one.worst)
			fields["account_survives"] = one.worst.AccountSurvives
			fields["unfloored_pnl_less_funding_usd"] = sum.net
			scenarios = append(scenarios, fields)
		}
		reported := stressFields(&s.Out.PortfolioStress)
		failed := []string{}
		for i := range Scenarios {
			if s.Out.PortfolioStress.Failed>>i&1 == 1 {
				failed = append(failed, Scenarios[i].ID)
			}
		}
		reported["failed_scenarios"] = failed
		if s.Out.PortfolioStress.AccountSurvives != (len(failed) == 0) {
			t.Errorf("survives, and fails in %v", failed)
		}
		got := reference.Fields{"AV": s.account.value, "scenarios": scenarios, "reported": reported}
		if want["own_pool"] != nil {
			st := v.stressed.cross
			if v.plan.mode == Isolated {
				st = v.stressed.own
			}
			own := reference.Fields{"survives": st.failed == 0, "worst_pnl_usd": st.worst, "load": v.stressed.load,
				"loss": v.stressed.loss}
			if v.plan.increaseUSD > 0 {
				own["h8_load"] = v.stressLoad()
			}
			got["own_pool"] = own
		}
		return got
	})
}

func TestGoldenStress(t *testing.T) {
	e := NewEngine(DefaultAges())
	eachSnapshot(t, "stress", "cases", func(t *testing.T, s *Scratch, _ map[string]any) reference.Fields {
		e.Assess(s)
		wantSound(t, &s.Out)
		var got []reference.Fields
		for i, x := range s.Out.Stress {
			got = append(got, reference.Fields{
				"scenario": Scenarios[i].ID, "pnl_pct": x.PnLPct, "pnl_usd": x.PnLUSD,
				"funding_cost_pct": x.FundingCostPct, "liquidity_cost_pct": x.LiquidityCostPct,
				"liquidation_distance_pct": x.LiquidationDistancePct, "survives": x.Survives,
			})
		}
		return reference.Fields{"stress": got}
	})
}

func TestGoldenRequest(t *testing.T) {
	var file struct {
		Liquidation []struct {
			Name               string
			A, Q, Mark, MOther float64
			Other              float64 `json:"M_other"`
			Tiers              [][2]float64
			Price              float64
			Distance           float64 `json:"distance_pct"`
		}
		Funding []struct {
			F, Fbar, S, Leverage float64
			F24, F168            float64
		}
		Impact []struct {
			Q, V     float64
			Sigma    float64 `json:"sigma_d"`
			Expected float64 `json:"expected_bps"`
		}
	}
	reference.Golden(t, "request", &file)
	for _, c := range file.Liquidation {
		tiers := tierTable{asset: tiersOfRows(c.Tiers)}
		price, distance, _ := tiers.distance(c.A, c.Other, c.Q, c.Mark)
		same(t, c.Name, price, c.Price)
		same(t, c.Name, distance, c.Distance)
	}
	for _, c := range file.Funding {
		a := AssetInput{Market: mc.Market{
			Context: &mc.Context{FundingRateHourly: c.F, HasFunding: true},
			Funding: &mc.FundingStats{Rows: 720, MeanHourly168: c.Fbar},
		}}
		same(t, "F24", a.expectedFunding(mc.Excursion24h), c.F24)
		same(t, "F168", a.expectedFunding(mc.Excursion168h), c.F168)
	}
	for _, c := range file.Impact {
		model := &mc.AssetModel{}
		model.AverageVariance[mc.H24], model.Kappa2[mc.H24] = c.Sigma*c.Sigma, 1
		mk := marketView{model: model, in: &AssetInput{Market: mc.Market{Context: &mc.Context{DayVolumeUSD: c.V}}}}
		same(t, "impact", mk.impactBps(c.Q), c.Expected)
	}
}

// Tests the digital option that models liquidation: its probability and derivatives.
func TestGoldenGreeks(t *testing.T) {
	var file struct {
		Greeks []struct {
			Q, S, B, Sigma, Rate float64
			Exit                 float64 `json:"exit_bps"`
			H, K                 float64
			Delta, Gamma, Vega   float64
			LiquidationGamma     float64 `json:"liquidation_gamma"`
		}
	}
	reference.Golden(t, "request", &file)
	for _, c := range file.Greeks {
		units := math.Abs(c.Q)
		loss := units * c.B * (c.Rate + c.Exit/1e4)
		same(t, "K", loss, c.K)
		g := Greeks{Delta: c.Q}
		g.stopAt(c.B, c.S, sign(c.Q), c.Sigma*math.Sqrt(1.0/365), loss)
		same(t, "H", g.TouchProbability, c.H)
		// The reference differentiates numerically, the code in closed form.
		about(t, "delta", g.Delta-c.Q, c.Delta-c.Q, 1e-4*math.Abs(c.Delta-c.Q))
		about(t, "gamma", g.Gamma, c.Gamma, 1e-4*math.Abs(c.Gamma))
		about(t, "vega", g.Vega, c.Vega, 1e-4*math.Abs(c.Vega))
		same(t, "liquidation gamma", g.LiquidationGamma, c.LiquidationGamma)
	}
	var barrier struct {
		Cases []struct {
			S, L, Sigma float64
			T           float64 `json:"T_years"`
			H           float64 `json:"hit_probability"`
			DS          float64 `json:"dH_dS"`
			D2S         float64 `json:"d2H_dS2"`
			DSigma      float64 `json:"dH_dsigma"`
		}
	}
	reference.Golden(t, "barrier", &barrier)
	for _, c := range barrier.Cases {
		p := firstPassage(c.S, c.L, sign(c.S-c.L), c.Sigma*math.Sqrt(c.T))
		about(t, "H", p.probability, c.H, 1e-10)
		about(t, "dH/dS", p.dPrice, c.DS, 1e-4*math.Abs(c.DS))
		about(t, "d2H/dS2", p.d2Price, c.D2S, 1e-4*math.Abs(c.D2S))
		about(t, "dH/dsigma", p.dSigma*math.Sqrt(c.T), c.DSigma, 1e-4*math.Abs(c.DSigma))
	}
}

// The shares of the VaR of an elliptical portfolio by Euler's rule, against reference values.
func TestGoldenEuler(t *testing.T) {
	var g struct {
		Cov       [][]float64 `json:"cov_24h"`
		Notional  []float64   `json:"notional_usd"`
		Total     float64     `json:"total_var"`
		Component []float64   `json:"component_var"`
		Pct       []float64   `json:"component_pct"`
	}
	reference.Golden(t, "euler", &g)
	k := len(g.Notional)
	b := portfolio{models: make([]*mc.AssetModel, k), matrix: make([]float64, k*k)}
	for i := range k {
		m := &mc.AssetModel{DailySigma: math.Sqrt(g.Cov[i][i])}
		p := position{units: g.Notional[i], mark: 1, in: &AssetInput{Model: m}}
		b.legs = append(b.legs, leg{position: p, asset: i})
		for j := range k {
			b.matrix[i*k+j] = g.Cov[i][j] / math.Sqrt(g.Cov[i][i]*g.Cov[j][j])
		}
	}
	b.shareOut()
	for i := range k {
		same(t, "component", g.Total*b.legs[i].share, g.Component[i])
		same(t, "percent", 100*b.legs[i].share, g.Pct[i])
	}
}
