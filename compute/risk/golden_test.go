package risk

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

var inNineDigits = reference.Tolerance{Rel: 1e-9, Abs: 1e-9}

// golden is a list of cases of a golden file.
type golden[Input any] []struct {
	Name   string
	Input  Input
	Output map[string]any
}

// eachSnapshot runs the cases of a list of a golden file that describe snapshots: figures are those of the scratch
// by their names in the file.
func eachSnapshot(
	t *testing.T, file, list string, figures func(t *testing.T, s *Scratch, want map[string]any) reference.Fields,
) {
	t.Helper()
	var parts map[string]json.RawMessage
	reference.Golden(t, file, &parts)
	var markets map[string]json.RawMessage
	var cases golden[caseInput]
	if err := errors.Join(json.Unmarshal(parts["markets"], &markets), json.Unmarshal(parts[list], &cases)); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := NewScratch(4)
			s.In = *c.Input.snapshot(t, markets)
			inNineDigits.Match(t, c.Output, figures(t, s, c.Output))
		})
	}
}

// orNaN returns NaN for 0: a figure that does not exist, null in a golden file.
func orNaN(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return x
}

// pairs returns the levels of a side of a book with the units that are left of them after a batch took units.
func pairs(s *mc.Side, taken float64) (out [][]float64) {
	for i, price := range s.Price {
		if units := min(s.Units[i], s.CumUnits[i]-taken); units > 0 {
			out = append(out, []float64{price, units})
		}
	}
	return out
}

func TestGoldenBook(t *testing.T) {
	type level struct{ Px, Sz string }
	var file struct {
		Cases golden[struct {
			Mark  float64
			Books map[string]struct{ Bids, Asks []level }
			Walks []struct {
				Side  string
				Units float64
			}
		}]
	}
	reference.Golden(t, "book", &file)
	read := func(ls []level) (out []mc.Level) {
		for _, l := range ls {
			out = append(out, mc.Level{Price: number(l.Px), Units: number(l.Sz)})
		}
		return out
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var bids, asks [][]mc.Level
			for _, name := range []string{"full", "nSigFigs4", "nSigFigs3", "nSigFigs2"} {
				if b, ok := c.Input.Books[name]; ok {
					bids, asks = append(bids, read(b.Bids)), append(asks, read(b.Asks))
				}
			}
			in := AssetInput{Market: mc.Market{
				Asset:   &mc.Asset{},
				Book:    mc.MergeBooks(bids, asks, 0),
				Context: &mc.Context{MarkPrice: c.Input.Mark},
			}}
			mk := viewOf(&in)
			s := mk.slippage(&tradePlan{}, mk.mid)
			bid, ask := mk.depth(100)
			var walks []reference.Fields
			for _, w := range c.Input.Walks {
				d, depth := 1.0, ask
				if w.Side == "sell" {
					d, depth = -1, bid
				}
				plan := tradePlan{direction: d, units: d * w.Units, notional: w.Units * mk.mark}
				s := mk.slippage(&plan, mk.fillPrice(&plan))
				walks = append(walks, reference.Fields{
					"fill_price": s.FillPrice, "bps": s.Bps,
					"thin_book": s.BeyondVisible || plan.notional > thinDepthShare*depth,
				})
			}
			inNineDigits.Match(t, c.Output, reference.Fields{
				"merged": reference.Fields{"bids": pairs(&mk.book.Bids, 0), "asks": pairs(&mk.book.Asks, 0)},
				"mid":    mk.mid, "spread_bps": mk.spreadBps, "depth_50bps": s.Depth50Bps,
				"depth_100bps": s.Depth100Bps, "bid_ask_imbalance": s.Imbalance,
				"bid_depth_100bps": bid, "ask_depth_100bps": ask, "walks": walks,
			})
		})
	}
}

func TestGoldenAccountReading(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Reading golden[struct {
			Markets   []string
			Mode      string  `json:"userAbstraction"`
			Value     decimal `json:"crossMarginSummary.accountValue"`
			Spot      decimal `json:"spot_usdc_total"`
			Positions []struct {
				Asset string
				venuePosition
			}
		}]
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
			in.Account.CrossAccountValueUSD, in.Account.SpotUSDC = float64(c.Input.Value), float64(c.Input.Spot)
			in.Trade.Asset = mc.NoAsset
			for _, p := range c.Input.Positions {
				var m caseMarket
				if err := json.Unmarshal(file.Markets[p.Asset], &m); err != nil {
					t.Fatal(err)
				}
				in.Account.Positions = append(in.Account.Positions, p.position(mc.AssetID(0), p.Asset))
				in.Held = append(in.Held, m.input(0))
			}
			var a account
			a.read(in)
			inNineDigits.Match(t, c.Output, reference.Fields{
				"A_before": a.crossEquity, "AV": a.value, "free_margin": a.freeMargin,
				"account_mode_estimated": a.estimated,
			})
		})
	}
}

// marginFields are the figures of a margin state by their names in the files.
func marginFields(m *MarginState) reference.Fields {
	return reference.Fields{
		"account_value": m.AccountValue, "initial": m.Initial, "maintenance": m.Maintenance, "free": m.Free,
		"maintenance_ratio_pct": m.MaintenanceRatioPct,
	}
}

func TestGoldenAccount(t *testing.T) {
	e := NewEngine(DefaultAges())
	eachSnapshot(t, "account", "cases", func(t *testing.T, s *Scratch, output map[string]any) reference.Fields {
		s.begin()
		s.assessPosition(nil)
		fields := accountFields(s)
		s.sumReplay(&s.view.plan)
		s.admissibility(&s.Out.Admissibility)
		deposit := 0.0
		for _, issue := range s.Out.Admissibility.Issues[:s.Out.Admissibility.Count] {
			if issue.Code == IssueInsufficientMargin {
				deposit = issue.FixDepositUSD
			}
		}
		want := output["fix_deposit_usd"].(float64)
		if over := deposit - want; s.view.after.marginShort && !(over > -1e-9 && over < 0.01) {
			t.Errorf("deposit %v, want %v in whole cents", deposit, want)
		}
		e.Assess(s)
		wantSound(t, &s.Out)
		return fields
	})
}

// accountFields are the figures of account.json after the position is assessed.
func accountFields(s *Scratch) reference.Fields {
	o := &s.view.outcome
	a, p, pos, liq := &s.account, &o.plan, &o.after, &o.liquidation
	m := a.marginAfter(o)
	m.Move = s.moveAfter(o)
	s.poolsAfter(o)
	var pools []reference.Fields
	for _, x := range s.pools {
		dex := x.Dex
		if dex == mc.Everywhere {
			dex = ""
		}
		pools = append(pools, reference.Fields{
			"dex": dex, "mode": x.Mode, "asset": x.Asset, "equity_usd": x.EquityUSD,
			"maintenance_ratio_pct": x.MaintenanceRatioPct,
		})
	}
	return reference.Fields{
		"side": map[float64]string{1: "buy", -1: "sell", 0: "none"}[p.direction], "mode": p.mode,
		"units": math.Abs(p.units), "q1": p.after, "N": p.valueAfter, "Q": p.notional, "Q_inc": p.increaseUSD,
		"L": p.leverage, "fill_price": s.view.market.fillPrice(p), "fee_usd": pos.feeUSD, "AV": a.value,
		"free_margin": a.freeMargin, "A": pos.equity, "M_other": pos.otherMaintenance, "price": liq.Price,
		"distance_pct": liq.DistancePct, "margin_used_pct": liq.MarginUsedPct,
		"effective_leverage": liq.EffectiveLeverage, "near_backstop": liq.NearBackstop, "cross_pool_after": pos.counted,
		"H3_margin_short": pos.marginShort, "no_account_equity": a.empty, "negative_account_equity": a.negative,
		"tier_leverage_exceeded": p.asked > p.tierMax && p.increaseUSD > 0,
		"margin_mode_differs":    p.differs, "setting_not_read": p.notRead,
		"entry_price_after": p.entryAfter(s.Out.Slippage.FillPrice), "pools_after": pools,
		"margin": reference.Fields{
			"before": marginFields(&m.Before), "after": marginFields(&m.After),
			"delta_initial_usd": m.DeltaInitialUSD, "held_usd": m.HeldUSD,
			"market_move": reference.Fields{"down_pct": m.Move.DownPct, "up_pct": m.Move.UpPct},
		},
	}
}

func TestGoldenSizing(t *testing.T) {
	e := NewEngine(DefaultAges())
	eachSnapshot(t, "sizing", "cases", func(t *testing.T, s *Scratch, output map[string]any) reference.Fields {
		e.Assess(s)
		got := s.Out.Sizing
		want, most := output["constraints"].(map[string]any), output["max_safe_size_usd"].(float64)
		constraints := reference.Fields{}
		for name, x := range map[string]float64{
			"book_depth": got.BookDepth, "oi_capacity": got.OICapacity, "margin_headroom": got.MarginHeadroom,
			"market_impact": got.MarketImpact,
		} {
			limit, ok := want[name].(float64)
			if x = min(x, MaxSizeUSD); name == "margin_headroom" && x >= most*(1-1e-9) && x < limit {
				continue // the margin search ended beyond the limit of another constraint
			}
			if ok {
				constraints[name] = x
			}
		}
		if got.SuggestedUSD > 0 {
			s.In.Trade.SizeUSD = got.SuggestedUSD
			e.Assess(s)
			score := math.Floor(max(s.Out.Explanation.overall(), s.Out.Explanation.Floor)*1e4+0.5) / 1e4
			if s.view.plan.increaseUSD == 0 {
				score = s.Out.RiskScore
			}
			// the reference knows no hedges
			if want := output["score_at_suggested"].(float64); math.Abs(score-want) > 1e-4 ||
				s.Out.Recommendation != Proceed {
				t.Errorf("score at the suggested size %v, want %v: %+v", s.Out.RiskScore, want, s.Out.Explanation)
			}
		}
		wantSound(t, &s.Out)
		return reference.Fields{
			"max_safe_size_usd": got.MaxSafeUSD, "suggested_size_usd": got.SuggestedUSD,
			"size_limit_reason": got.Limit, "constraints": constraints,
		}
	})
}
