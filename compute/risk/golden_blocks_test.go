package risk

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

func TestGoldenStress(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Cases   []struct {
			Name   string
			Input  caseInput
			Output struct {
				Pool   float64 `json:"cross_pool_after"`
				Stress []struct {
					Scenario  string
					PnLPct    float64 `json:"pnl_pct"`
					PnLUSD    float64 `json:"pnl_usd"`
					Funding   float64 `json:"funding_cost_pct"`
					Liquidity float64 `json:"liquidity_cost_pct"`
					Distance  float64 `json:"liquidation_distance_pct"`
					Survives  bool
				}
			}
		}
	}
	type bookResult struct {
		Scenario   string
		PnL        float64 `json:"total_pnl_usd"`
		Pct        float64 `json:"total_pnl_pct"`
		Funding    float64 `json:"total_funding_cost_pct"`
		Survives   bool    `json:"account_survives"`
		Liquidated int     `json:"positions_liquidated"`
		Net        float64 `json:"unfloored_pnl_less_funding_usd"`
	}
	var books struct {
		Markets   map[string]json.RawMessage
		Portfolio []struct {
			Name   string
			Input  caseInput
			Output struct {
				AV        float64
				Scenarios []bookResult
				Reported  struct {
					bookResult
					Failed []string `json:"failed_scenarios"`
				}
				Own *struct {
					Survives bool
					Worst    float64 `json:"worst_pnl_usd"`
					Load     float64
					Loss     float64
					H8       float64 `json:"h8_load"`
				} `json:"own_pool"`
			}
		}
	}
	reference.Golden(t, "stress", &file)
	reference.Golden(t, "stress", &books)
	e := NewEngine(DefaultAges())
	for _, c := range books.Portfolio {
		t.Run(c.Name, func(t *testing.T) {
			s := NewScratch(4)
			s.In = *c.Input.snapshot(t, books.Markets)
			e.Assess(s)
			v := &s.view
			same(t, "AV", s.account.value, c.Output.AV)
			check := func(got PortfolioStress, want bookResult) {
				t.Helper()
				same(t, want.Scenario+" pnl", got.TotalPnLUSD, want.PnL)
				same(t, want.Scenario+" pct", got.TotalPnLPct, want.Pct)
				same(t, want.Scenario+" funding", got.FundingCostPct, want.Funding)
				if got.AccountSurvives != want.Survives || got.PositionsLiquidated != want.Liquidated {
					t.Errorf("%s: survives %v, %d liquidated", want.Scenario, got.AccountSurvives,
						got.PositionsLiquidated)
				}
			}
			w := s.stressOf(&v.outcome)
			for i, want := range c.Output.Scenarios {
				total := w.at(i)
				var sum walletShock
				w.wallet(&sum, i, &total)
				one := stressed{equity: w.equity}
				if w.positions > 0 && sum.fails(w.equity) {
					one.worst.Failed = 1
				}
				one.report(&sum, w.gross)
				check(one.worst, want)
				same(t, want.Scenario+" net", sum.net, want.Net)
			}
			want := c.Output.Reported
			want.Survives = len(want.Failed) == 0
			check(s.Out.PortfolioStress, want.bookResult)
			var failed []string
			for i := range Scenarios {
				if s.Out.PortfolioStress.Failed>>i&1 == 1 {
					failed = append(failed, Scenarios[i].ID)
				}
			}
			if !slices.Equal(failed, want.Failed) {
				t.Errorf("failed %v, want %v", failed, want.Failed)
			}
			if own := c.Output.Own; own != nil {
				st := v.stressed.cross
				if v.plan.mode == Isolated {
					st = v.stressed.own
				}
				if st.fails == own.Survives {
					t.Errorf("own pool fails: %v", st.fails)
				}
				same(t, "own pool's worst", st.worst, own.Worst)
				same(t, "load", v.stressed.load, own.Load)
				same(t, "loss", v.stressed.loss, own.Loss)
				if v.plan.increaseUSD > 0 {
					same(t, "H8's load", v.stressLoad(), own.H8)
				}
			}
			if id := Scenarios[s.Out.PortfolioStress.Scenario].ID; id != c.Output.Reported.Scenario {
				t.Errorf("reported %s", id)
			}
		})
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			s := NewScratch(4)
			s.In = *c.Input.snapshot(t, file.Markets)
			e.Assess(s)
			for i, want := range c.Output.Stress {
				got := s.Out.Stress[i]
				if Scenarios[i].ID != want.Scenario {
					t.Fatalf("scenario %d is %s, want %s", i, Scenarios[i].ID, want.Scenario)
				}
				same(t, want.Scenario+" pnl_pct", got.PnLPct, want.PnLPct)
				same(t, want.Scenario+" pnl_usd", got.PnLUSD, want.PnLUSD)
				same(t, want.Scenario+" funding", got.FundingCostPct, want.Funding)
				same(t, want.Scenario+" liquidity", got.LiquidityCostPct, want.Liquidity)
				same(t, want.Scenario+" distance", got.LiquidationDistancePct, want.Distance)
				if got.Survives != want.Survives {
					t.Errorf("%s survives %v", want.Scenario, got.Survives)
				}
			}
			checkInvariants(t, &s.Out)
		})
	}
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
		var lower, lev []float64
		for _, tier := range c.Tiers {
			lower, lev = append(lower, tier[0]), append(lev, tier[1])
		}
		tiers := tierTable{asset: mc.NewTiers(lower, lev)}
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

// checkInvariants checks that all numbers of an assessment are finite and within their documented
// bounds.
func checkInvariants(t *testing.T, a *Assessment) {
	t.Helper()
	finite := *a
	for _, x := range []*float64{&finite.Margin.Move.DownPct, &finite.Margin.Move.UpPct} {
		if math.IsNaN(*x) { // no such move
			*x = 0
		}
	}
	if math.IsInf(a.Margin.HeldMostUSD, 1) { // no bound
		finite.Margin.HeldMostUSD, finite.OpenOrders.HeldMostUSD = 0, 0
	}
	for i := range finite.Admissibility.Issues {
		if x := &finite.Admissibility.Issues[i].FixDepositProbability24h; math.IsNaN(*x) { // not known
			*x = 0
		}
	}
	b, err := json.Marshal(finite) // fails for NaN and infinities anywhere
	if err != nil {
		t.Fatalf("assessment holds a number that is not finite: %v\n%s", err, b)
	}
	in := func(what string, x, lo, hi float64) {
		t.Helper()
		if !(x >= lo && x <= hi) {
			t.Errorf("%s = %v outside [%v, %v]", what, x, lo, hi)
		}
	}
	in("risk score", a.RiskScore, 0, 100)
	in("slippage", a.Slippage.Bps, 0, maxSlippageBps)
	in("imbalance", a.Slippage.Imbalance, -1, 1)
	in("distance", a.Liquidation.DistancePct, 0, 100)
	in("margin used", a.Liquidation.MarginUsedPct, 0, maxMarginUsedPct)
	in("effective leverage", a.Liquidation.EffectiveLeverage, 0, maxEffectiveLeverage)
	in("utilization", a.OpenInterest.UtilizationPct, 0, 100)
	in("cost score", a.Cost.Score, 0, 1)
	in("max safe", a.Sizing.MaxSafeUSD, 0, MaxSizeUSD)
	in("suggested", a.Sizing.SuggestedUSD, 0, a.Sizing.MaxSafeUSD)
	in("es 95", a.VaR.ES95_24h, a.VaR.Pct95_24h, 1e4)
	in("es 99", a.VaR.ES99_24h, a.VaR.Pct99_24h, 1e4)
	in("evt order", a.EVT.ES999, a.EVT.VaR999, 500)
	if a.EVT.Known {
		in("evt", a.EVT.VaR999, a.VaR.Pct99_24h, 500)
	}
	in("portfolio es", a.PortfolioRisk.ES99, a.PortfolioRisk.VaR99, math.MaxFloat64)
	in("diversification", a.Attribution.DiversificationPct, 0, 100)
	sum := 0.0
	for _, p := range a.Attribution.Positions {
		sum += p.ComponentVaR
	}
	if len(a.Attribution.Positions) > 0 && sum != 0 {
		in("components less total", sum-a.Attribution.TotalVaR99, -1e-9*a.Attribution.TotalVaR99,
			1e-9*a.Attribution.TotalVaR99)
	}
	in("touch probability", a.Greeks.TouchProbability, 0, 1)
	in("regime confidence", a.Regime.Confidence, 0, 1)
	if a.Drawdown.Known {
		in("trailing stop", a.Drawdown.TrailingStopPct, 0, maxTrailingPct)
		in("stop", a.Drawdown.StopLossPct, 0, 1e4)
		in("max drawdown", a.Drawdown.MaxPct, a.Drawdown.CurrentPct, 100)
	}
	if m := &a.MonteCarlo; m.Known {
		in("mc es 95", m.ES95, m.VaR95, 1e6)
		in("mc es 99", m.ES99, m.VaR99, 1e6)
		in("mc order", m.Worst, -1e6, m.Lower)
		in("mc median", m.Median, m.Lower, m.Upper)
	}
	if p := &a.PortfolioRisk.Simulation; p.Known {
		in("simulated es 99", p.ES99, p.VaR99, math.MaxFloat64)
		in("simulated es 95", p.ES95, p.VaR95, math.MaxFloat64)
		in("liquidation probability", p.LiquidationProbability, 0, 1)
	}
	in("var order", a.VaR.Pct99_24h, a.VaR.Pct95_24h, 1e4)
}
