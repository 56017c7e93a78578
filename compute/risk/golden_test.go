package risk

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

func TestGoldenBook(t *testing.T) {
	type level struct{ Px, Sz string }
	var file struct {
		Cases []struct {
			Name  string
			Input struct {
				Mark  float64
				Books map[string]struct{ Bids, Asks []level }
				Walks []struct {
					Side  string
					Units float64
				}
			}
			Output struct {
				Merged struct{ Bids, Asks [][2]float64 }
				Mid    float64
				Spread float64 `json:"spread_bps"`
				D50    float64 `json:"depth_50bps"`
				D100   float64 `json:"depth_100bps"`
				Bid100 float64 `json:"bid_depth_100bps"`
				Ask100 float64 `json:"ask_depth_100bps"`
				Imb    float64 `json:"bid_ask_imbalance"`
				Walks  []struct {
					Fill float64 `json:"fill_price"`
					Bps  float64
					Thin bool `json:"thin_book"`
				}
			}
		}
	}
	reference.Golden(t, "book", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var bids, asks [][]mc.Level
			for _, name := range []string{"full", "nSigFigs4", "nSigFigs3", "nSigFigs2"} {
				b, ok := c.Input.Books[name]
				if !ok {
					continue
				}
				read := func(ls []level) (out []mc.Level) {
					for _, l := range ls {
						out = append(out, mc.Level{Price: number(t, l.Px), Units: number(t, l.Sz)})
					}
					return out
				}
				bids, asks = append(bids, read(b.Bids)), append(asks, read(b.Asks))
			}
			in := AssetInput{Market: mc.Market{
				Asset:   &mc.Asset{},
				Book:    mc.MergeBooks(bids, asks, 0),
				Context: &mc.Context{MarkPrice: c.Input.Mark},
			}}
			mk := viewOf(&in)
			for _, side := range []struct {
				got  *mc.Side
				want [][2]float64
			}{{&mk.book.Bids, c.Output.Merged.Bids}, {&mk.book.Asks, c.Output.Merged.Asks}} {
				if side.got.Len() != len(side.want) {
					t.Fatalf("merged %d levels, want %d", side.got.Len(), len(side.want))
				}
				for i, l := range side.want {
					same(t, "price", side.got.Price[i], l[0])
					same(t, "units", side.got.Units[i], l[1])
				}
			}
			same(t, "mid", mk.mid, c.Output.Mid)
			same(t, "spread", mk.spreadBps, c.Output.Spread)
			s := mk.slippage(&tradePlan{}, mk.mid)
			same(t, "depth_50bps", s.Depth50Bps, c.Output.D50)
			same(t, "depth_100bps", s.Depth100Bps, c.Output.D100)
			same(t, "imbalance", s.Imbalance, c.Output.Imb)
			bid, ask := mk.depth(100)
			same(t, "bid depth", bid, c.Output.Bid100)
			same(t, "ask depth", ask, c.Output.Ask100)
			for i, w := range c.Input.Walks {
				d := 1.0
				if w.Side == "sell" {
					d = -1
				}
				plan := tradePlan{direction: d, units: d * w.Units, notional: w.Units * mk.mark}
				s := mk.slippage(&plan, mk.fillPrice(&plan))
				same(t, "fill", s.FillPrice, c.Output.Walks[i].Fill)
				same(t, "bps", s.Bps, c.Output.Walks[i].Bps)
				depth := bid
				if d > 0 {
					depth = ask
				}
				if thin := s.BeyondVisible || plan.notional > thinDepthShare*depth; thin != c.Output.Walks[i].Thin {
					t.Errorf("thin_book of %v = %v", w, thin)
				}
			}
		})
	}
}

func TestGoldenAccountReading(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Reading []struct {
			Name  string
			Input struct {
				Markets   []string
				Mode      string `json:"userAbstraction"`
				Value     string `json:"crossMarginSummary.accountValue"`
				Spot      string `json:"spot_usdc_total"`
				Positions []struct {
					Asset, Szi, EntryPx, PositionValue string
					LiquidationPx                      *string
					MaxLeverage                        float64
					Leverage                           struct {
						Type   string
						Value  float64
						RawUsd string
					}
				}
			}
			Output struct {
				ABefore   float64 `json:"A_before"`
				AV        float64
				Free      float64 `json:"free_margin"`
				Estimated bool    `json:"account_mode_estimated"`
			}
		}
	}
	reference.Golden(t, "account", &file)
	modes := map[string]mc.AccountMode{
		"disabled": mc.ModeDisabled, "default": mc.ModeDefault,
		"unifiedAccount": mc.ModeUnified, "portfolioMargin": mc.ModePortfolioMargin,
		"dexAbstraction": mc.ModeDexAbstraction,
	}
	for _, c := range file.Reading {
		t.Run(c.Name, func(t *testing.T) {
			in := (&caseInput{Markets: c.Input.Markets}).snapshot(t, file.Markets)
			mode, known := modes[c.Input.Mode]
			in.Account.Mode, in.Account.ModeUncertain, in.Account.Pools = mode, !known, nil
			in.Account.CrossAccountValueUSD = number(t, c.Input.Value)
			if c.Input.Spot != "" {
				in.Account.SpotUSDC = number(t, c.Input.Spot)
			}
			in.Trade.Asset = mc.NoAsset
			for _, p := range c.Input.Positions {
				pos := mc.Position{
					Name: p.Asset, Units: number(t, p.Szi), EntryPrice: number(t, p.EntryPx),
					ValueUSD: number(t, p.PositionValue), Leverage: p.Leverage.Value,
					Isolated: p.Leverage.Type == "isolated", MaxLeverage: p.MaxLeverage,
				}
				if pos.Isolated {
					pos.RawUSD = number(t, p.Leverage.RawUsd)
				}
				if p.LiquidationPx != nil {
					pos.LiquidationPrice = number(t, *p.LiquidationPx)
				}
				var m caseMarket
				if err := json.Unmarshal(file.Markets[p.Asset], &m); err != nil {
					t.Fatal(err)
				}
				in.Account.Positions = append(in.Account.Positions, pos)
				in.Held = append(in.Held, m.input(0))
			}
			var a account
			a.read(in)
			same(t, "A_before", a.crossEquity, c.Output.ABefore)
			same(t, "AV", a.value, c.Output.AV)
			same(t, "free_margin", a.freeMargin, c.Output.Free)
			if a.estimated != c.Output.Estimated {
				t.Errorf("estimated = %v", a.estimated)
			}
		})
	}
}

func TestGoldenAccount(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Cases   []struct {
			Name   string
			Input  caseInput
			Output struct {
				Side         string
				Units, Q1, N float64
				Q            float64 `json:"Q"`
				QInc         float64 `json:"Q_inc"`
				L            float64
				Mode         string
				Fill         float64 `json:"fill_price"`
				Fee          float64 `json:"fee_usd"`
				AV           float64
				Free         float64 `json:"free_margin"`
				A            float64
				MOther       float64 `json:"M_other"`
				Price        float64
				Distance     float64 `json:"distance_pct"`
				MarginUsed   float64 `json:"margin_used_pct"`
				Effective    float64 `json:"effective_leverage"`
				H3           bool    `json:"H3_margin_short"`
				NoEquity     bool    `json:"no_account_equity"`
				Negative     bool    `json:"negative_account_equity"`
				Margin       struct {
					Before, After marginWanted
					Delta         float64 `json:"delta_initial_usd"`
					Held          float64 `json:"held_usd"`
					Move          struct {
						Down *float64 `json:"down_pct"`
						Up   *float64 `json:"up_pct"`
					} `json:"market_move"`
				}
				Differs bool    `json:"margin_mode_differs"`
				NotRead bool    `json:"setting_not_read"`
				Deposit float64 `json:"fix_deposit_usd"`
				Pools   []struct {
					Dex, Mode, Asset *string
					Equity           float64 `json:"equity_usd"`
					Ratio            float64 `json:"maintenance_ratio_pct"`
				} `json:"pools_after"`
				Entry    *float64 `json:"entry_price_after"`
				Tier     bool     `json:"tier_leverage_exceeded"`
				Backstop bool     `json:"near_backstop"`
				Pool     float64  `json:"cross_pool_after"`
			}
		}
	}
	reference.Golden(t, "account", &file)
	e := NewEngine(DefaultAges())
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			in := c.Input.snapshot(t, file.Markets)
			want := &c.Output
			s := NewScratch(4)
			s.In = *in
			s.begin()
			s.assessPosition(nil)
			o := &s.view.outcome
			a, p, pos, liq := &s.account, &o.plan, &o.after, &o.liquidation
			side := map[float64]string{1: "buy", -1: "sell", 0: "none"}[p.direction]
			if side != want.Side {
				t.Errorf("side %s, want %s", side, want.Side)
			}
			same(t, "units", math.Abs(p.units), want.Units)
			same(t, "q1", p.after, want.Q1)
			same(t, "N", p.valueAfter, want.N)
			same(t, "Q", p.notional, want.Q)
			same(t, "Q_inc", p.increaseUSD, want.QInc)
			same(t, "L", p.leverage, want.L)
			if p.mode.String() != want.Mode {
				t.Errorf("mode %s, want %s", p.mode, want.Mode)
			}
			same(t, "fill", s.view.market.fillPrice(p), want.Fill)
			same(t, "fee", pos.feeUSD, want.Fee)
			same(t, "AV", a.value, want.AV)
			same(t, "free", a.freeMargin, want.Free)
			same(t, "A", pos.equity, want.A)
			same(t, "M_other", pos.otherMaintenance, want.MOther)
			same(t, "price", liq.Price, want.Price)
			same(t, "distance", liq.DistancePct, want.Distance)
			same(t, "margin used", liq.MarginUsedPct, want.MarginUsed)
			same(t, "effective leverage", liq.EffectiveLeverage, want.Effective)
			same(t, "cross pool", pos.counted, want.Pool)
			m := a.marginAfter(o)
			m.Move = s.moveAfter(o)
			want.Margin.Before.check(t, "before", &m.Before)
			want.Margin.After.check(t, "after", &m.After)
			same(t, "delta initial", m.DeltaInitialUSD, want.Margin.Delta)
			same(t, "held", m.HeldUSD, want.Margin.Held)
			sameOrNull(t, "fall", m.Move.DownPct, want.Margin.Move.Down)
			sameOrNull(t, "rise", m.Move.UpPct, want.Margin.Move.Up)
			entry := p.entryAfter(s.Out.Slippage.FillPrice)
			if want.Entry != nil {
				same(t, "entry", entry, *want.Entry)
			} else if entry != 0 {
				t.Errorf("entry %v, want none", entry)
			}
			if pos.marginShort != want.H3 || a.empty != want.NoEquity || a.negative != want.Negative ||
				liq.NearBackstop != want.Backstop {
				t.Errorf("H3 %v, empty %v, negative %v, backstop %v", pos.marginShort, a.empty, a.negative, liq.NearBackstop)
			}
			if exceeded := p.asked > p.tierMax && p.increaseUSD > 0; exceeded != want.Tier {
				t.Errorf("tier exceeded %v", exceeded)
			}
			if p.differs != want.Differs || p.notRead != want.NotRead {
				t.Errorf("mode differs %v, setting not read %v", p.differs, p.notRead)
			}
			s.poolsAfter(o)
			if len(s.pools) != len(want.Pools) {
				t.Fatalf("pools %+v, want %+v", s.pools, want.Pools)
			}
			for i, w := range want.Pools {
				got := &s.pools[i]
				if got.Mode.String() != *w.Mode || w.Dex != nil && got.Dex != *w.Dex || w.Asset != nil && got.Asset != *w.Asset {
					t.Errorf("pool %+v, want %s", got, *w.Mode)
				}
				same(t, "pool's equity", got.EquityUSD, w.Equity)
				same(t, "pool's ratio", got.MaintenanceRatioPct, w.Ratio)
			}
			s.sumReplay(p)
			s.admissibility(&s.Out.Admissibility)
			deposit := 0.0
			for _, issue := range s.Out.Admissibility.Issues[:s.Out.Admissibility.Count] {
				if issue.Code == IssueInsufficientMargin {
					deposit = issue.FixDepositUSD
				}
			}
			if over := deposit - want.Deposit; want.H3 && !(over > -1e-9 && over < 0.01) {
				t.Errorf("deposit %v, want %v in whole cents", deposit, want.Deposit)
			}
			checkWhole(t, e, in)
		})
	}
}

// sameOrNull fails the test unless got is within 1e-9 of want, or NaN where want is null.
func sameOrNull(t *testing.T, what string, got float64, want *float64) {
	t.Helper()
	switch {
	case want != nil:
		same(t, what, got, *want)
	case !math.IsNaN(got):
		t.Errorf("%s = %v, want none", what, got)
	}
}

type marginWanted struct {
	Value       float64 `json:"account_value"`
	Initial     float64
	Maintenance float64
	Free        float64
	Ratio       float64 `json:"maintenance_ratio_pct"`
}

func (w *marginWanted) check(t *testing.T, when string, got *MarginState) {
	t.Helper()
	same(t, when+" account value", got.AccountValue, w.Value)
	same(t, when+" initial", got.Initial, w.Initial)
	same(t, when+" maintenance", got.Maintenance, w.Maintenance)
	same(t, when+" free", got.Free, w.Free)
	same(t, when+" maintenance ratio", got.MaintenanceRatioPct, w.Ratio)
}

// checkWhole runs the whole assessment of a case and checks the invariants of every answer.
func checkWhole(t *testing.T, e *Engine, in *Input) {
	t.Helper()
	s := NewScratch(4)
	s.In = *in
	e.Assess(s)
	checkInvariants(t, &s.Out)
}

func TestGoldenSizing(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Cases   []struct {
			Name   string
			Input  caseInput
			Output struct {
				Max         float64 `json:"max_safe_size_usd"`
				Suggested   float64 `json:"suggested_size_usd"`
				Reason      string  `json:"size_limit_reason"`
				Score       float64 `json:"score_at_suggested"`
				Constraints map[string]float64
			}
		}
	}
	reference.Golden(t, "sizing", &file)
	e := NewEngine(DefaultAges())
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			s := NewScratch(4)
			s.In = *c.Input.snapshot(t, file.Markets)
			e.Assess(s)
			got := s.Out.Sizing
			same(t, "max_safe", got.MaxSafeUSD, c.Output.Max)
			same(t, "suggested", got.SuggestedUSD, c.Output.Suggested)
			if got.Limit.String() != c.Output.Reason {
				t.Errorf("reason %s, want %s", got.Limit, c.Output.Reason)
			}
			for name, want := range c.Output.Constraints {
				got := map[string]float64{
					"book_depth": got.BookDepth, "oi_capacity": got.OICapacity,
					"margin_headroom": got.MarginHeadroom, "market_impact": got.MarketImpact,
				}[name]
				if got = min(got, MaxSizeUSD); name == "margin_headroom" && got >= c.Output.Max*(1-1e-9) && got < want {
					continue // the margin search ended beyond the limit of another constraint
				}
				same(t, name, got, want)
			}
			if got.SuggestedUSD > 0 {
				s.In.Trade.SizeUSD = got.SuggestedUSD
				e.Assess(s)
				score := math.Floor(max(s.Out.Explanation.overall(), s.Out.Explanation.Floor)*1e4+0.5) / 1e4
				if s.view.plan.increaseUSD == 0 {
					score = s.Out.RiskScore
				}
				if math.Abs(score-c.Output.Score) > 1e-4 || s.Out.Recommendation != Proceed { // the reference knows no hedges
					t.Errorf("score at the suggested size %v, want %v: %+v", s.Out.RiskScore, c.Output.Score, s.Out.Explanation)
				}
			}
			checkInvariants(t, &s.Out)
		})
	}
}

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
					t.Errorf("%s: survives %v, %d liquidated", want.Scenario, got.AccountSurvives, got.PositionsLiquidated)
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
