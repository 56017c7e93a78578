package risk

import (
	"encoding/json"
	"math"
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
				t.Errorf("H3 %v, empty %v, negative %v, backstop %v", pos.marginShort, a.empty, a.negative,
					liq.NearBackstop)
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
				if got.Mode.String() != *w.Mode || w.Dex != nil && got.Dex != *w.Dex || w.Asset != nil &&
					got.Asset != *w.Asset {
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
				if got = min(got, MaxSizeUSD); name == "margin_headroom" && got >= c.Output.Max*(1-1e-9) &&
					got < want {
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
				// the reference knows no hedges
				if math.Abs(score-c.Output.Score) > 1e-4 || s.Out.Recommendation != Proceed {
					t.Errorf("score at the suggested size %v, want %v: %+v", s.Out.RiskScore, c.Output.Score,
						s.Out.Explanation)
				}
			}
			checkInvariants(t, &s.Out)
		})
	}
}
