package risk

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// decimal is a number that the venue writes as text.
type decimal float64

func (d *decimal) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return json.Unmarshal(b, (*float64)(d))
	}
	x, err := strconv.ParseFloat(string(b[1:len(b)-1]), 64)
	*d = decimal(x)
	return err
}

// venuePosition is a position as the venue writes it.
type venuePosition struct {
	Szi, EntryPx, PositionValue, MarginUsed, LiquidationPx decimal
	MaxLeverage                                            float64
	Leverage                                               struct {
		Type   string
		Value  float64
		RawUsd decimal
	}
}

func (p *venuePosition) position(id mc.AssetID, name string) mc.Position {
	return mc.Position{
		Asset: id, Name: name, Units: float64(p.Szi), EntryPrice: float64(p.EntryPx),
		ValueUSD: float64(p.PositionValue), MarginUsedUSD: float64(p.MarginUsed),
		LiquidationPrice: float64(p.LiquidationPx), MaxLeverage: p.MaxLeverage, Leverage: p.Leverage.Value,
		Isolated: p.Leverage.Type == "isolated", RawUSD: float64(p.Leverage.RawUsd),
	}
}

// venueAnswers are the answers of the venue about a wallet, as far as a trade needs them.
type venueAnswers struct {
	State struct {
		Cross struct {
			Value    decimal `json:"accountValue"`
			Used     decimal `json:"totalMarginUsed"`
			Notional decimal `json:"totalNtlPos"`
		} `json:"crossMarginSummary"`
		Maintenance  decimal `json:"crossMaintenanceMarginUsed"`
		Withdrawable decimal
		Positions    []struct {
			Position struct {
				Coin string
				venuePosition
			}
		} `json:"assetPositions"`
	} `json:"clearinghouseState"`
	Spot struct {
		Balances []struct {
			Coin             string
			Total, Hold, Ltv decimal
		}
		Available [][2]decimal `json:"tokenToAvailableAfterMaintenance"`
	} `json:"spotClearinghouseState"`
	Mode   string `json:"userAbstraction"`
	Active map[string]struct {
		Leverage struct {
			Type  string
			Value float64
		}
		Available *[2]decimal `json:"availableToTrade"`
	} `json:"activeAssetData"`
	Fees struct {
		Taker decimal `json:"userCrossRate"`
	} `json:"userFees"`
}

// account is the wallet that the adapter makes of the answers; marketcache/venue/hyperliquid tests that it does.
func (v *venueAnswers) account(in *Input, inputs map[string]AssetInput) *mc.Account {
	a := &mc.Account{Mode: mc.ModeDisabled, TakerRate: float64(v.Fees.Taker)}
	c := &v.State.Cross
	p := mc.Pool{EquityUSD: float64(c.Value)}
	isolated := 0.0
	for i := range v.State.Positions {
		from := &v.State.Positions[i].Position
		q := from.position(inputs[from.Coin].Market.Asset.ID, from.Coin)
		if q.Isolated {
			isolated += q.MarginUsedUSD
		}
		a.Positions, in.Held = append(a.Positions, q), append(in.Held, inputs[from.Coin])
	}
	p.HeldUSD, p.HeldMostUSD = mc.HeldStandard(float64(c.Value), float64(c.Used), float64(c.Notional),
		float64(v.State.Withdrawable))
	if v.Mode != "disabled" {
		v.pool(a, in, &p, isolated, inputs)
	}
	a.Pools = []mc.Pool{p}
	for coin, active := range v.Active {
		if inputs[coin].Market.Asset == nil {
			continue
		}
		s := mc.LeverageSetting{
			Asset: inputs[coin].Market.Asset.ID, Leverage: active.Leverage.Value,
			Isolated: active.Leverage.Type == "isolated", ModeKnown: active.Leverage.Type != "",
		}
		if active.Available != nil {
			s.HasAvailable, s.AvailableUSD = true, [2]float64{float64(active.Available[0]),
				float64(active.Available[1])}
		}
		a.Settings = append(a.Settings, s)
	}
	return a
}

// pool completes the pool of an account whose collateral is in spot balances.
func (v *venueAnswers) pool(a *mc.Account, in *Input, p *mc.Pool, isolated float64, inputs map[string]AssetInput) {
	p.Dex, a.Mode = mc.Everywhere, mc.ModeUnified
	for _, b := range v.Spot.Balances {
		if b.Coin == "USDC" {
			p.EquityUSD = float64(b.Total) - isolated
			p.HeldUSD, p.HeldMostUSD = mc.HeldPooled(float64(b.Hold), isolated, float64(v.State.Cross.Used),
				float64(v.State.Maintenance))
		} else if b.Ltv > 0 {
			a.Collateral = append(a.Collateral, mc.Collateral{
				Asset: inputs[b.Coin].Market.Asset.ID, Name: b.Coin, Units: float64(b.Total) * (1 + float64(b.Ltv)) /
					2,
				Mark: inputs[b.Coin].Market.Context.MarkPrice,
			})
			in.Backing = append(in.Backing, inputs[b.Coin])
		}
	}
	if v.Mode != "portfolioMargin" {
		return
	}
	a.Mode, p.CashUSD, p.Unreadable = mc.ModePortfolioMargin, p.EquityUSD, len(v.Spot.Available) == 0
	if !p.Unreadable {
		p.EquityUSD = float64(v.Spot.Available[0][1]) + float64(v.State.Maintenance)
	}
}

// inputsOf returns the markets of a case by their names.
func inputsOf(markets []caseMarket) map[string]AssetInput {
	inputs := map[string]AssetInput{}
	for i := range markets {
		inputs[markets[i].Asset] = markets[i].input(mc.AssetID(i))
	}
	return inputs
}

// TestGoldenTruth assesses trades of wallets as the venue's answers describe them.
func TestGoldenTruth(t *testing.T) {
	var file struct {
		Trades golden[struct {
			Markets []caseMarket
			Answers venueAnswers
			Request caseRequest
			Tif     string
			Limits  [][2]decimal `json:"maxMarketOrderNtls"`
			Notice  string       `json:"specialStatuses"`
		}]
	}
	reference.Golden(t, "account_truth", &file)
	e := NewEngine(DefaultAges())
	for _, c := range file.Trades {
		if c.Input.Tif != "" {
			continue // every order is assessed as one that takes from the book at once
		}
		t.Run(c.Name, func(t *testing.T) {
			for i := range c.Input.Markets {
				c.Input.Markets[i].OIUSD, c.Input.Markets[i].V24 = 1e9, 1e9
			}
			inputs := inputsOf(c.Input.Markets)
			s := NewScratch(4)
			in := &s.In
			in.Target, in.Notice = inputs[c.Input.Request.Asset], c.Input.Notice
			in.Rows = in.Target.Model
			in.Account = c.Input.Answers.account(in, inputs)
			in.Trade = c.Input.Request.trade(in.Target.Market.Asset.ID)
			in.Rules = &mc.VenueRules{}
			for _, l := range c.Input.Limits {
				in.Rules.MarketOrders = append(in.Rules.MarketOrders, mc.OrderLimit{Leverage: float64(l[0]),
					USD: float64(l[1])})
			}
			e.Assess(s)
			wantSound(t, &s.Out)
			inNineDigits.Match(t, c.Output, truthFields(s))
		})
	}
}

// truthFields are the figures of account_truth.json, without the issues that it leaves out.
func truthFields(s *Scratch) reference.Fields {
	plan, after, a := &s.view.plan, &s.view.after, &s.Out.Admissibility
	issues := []reference.Fields{}
	for _, i := range a.Issues[:a.Count] {
		switch i.Code {
		case IssueMinNotional, IssueTierLeverage, IssueOICap:
			continue
		}
		fields := reference.Fields{"code": i.Code, "field": i.Code.Field(), "fix_deposit_usd": i.FixDepositUSD}
		if fields["got"] = i.Got; i.Text != "" {
			fields["got"] = i.Text
		}
		if fields["limit"] = i.Limit; i.NoLimit {
			fields["limit"] = math.NaN()
		}
		if i.Code != IssueInsufficientMargin { // its largest size is left out
			fields["fix"] = orNaN(i.Fix)
		}
		issues = append(issues, fields)
	}
	return reference.Fields{
		"mode": plan.mode, "margin_mode_differs": plan.differs, "margin_mode_kept": plan.kept,
		"H3_margin_short": after.marginShort, "L": plan.leverage, "units": math.Abs(plan.units), "q1": plan.after,
		"Q_inc": plan.increaseUSD, "A": after.equity, "price": s.Out.Liquidation.Price,
		"distance_pct": s.Out.Liquidation.DistancePct, "free_margin": s.account.freeMargin, "held_usd": s.account.held,
		"delta_initial_usd":   s.Out.Margin.DeltaInitialUSD,
		"position_after_coin": s.Out.Position.After.SizeCoin * s.Out.Position.After.Side,
		"admissibility": reference.Fields{"verdict": a.Verdict, "issues": issues, "order_size_coin": a.OrderSizeCoin,
			"order_size_usd": a.OrderSizeUSD},
	}
}

// TestGoldenCustomStress applies moves of one's own.
func TestGoldenCustomStress(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Cases   golden[struct {
			caseInput
			Trade  json.RawMessage
			Shocks map[string]float64
		}]
	}
	reference.Golden(t, "stress_custom", &file)
	e := NewEngine(DefaultAges())
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Input.Trade != nil {
				if err := json.Unmarshal(c.Input.Trade, &c.Input.Request); err != nil {
					t.Fatal(err)
				}
			}
			s := NewScratch(4)
			s.In = *c.Input.snapshot(t, file.Markets)
			s.In.AsHeld = c.Input.Trade == nil
			var shocks []CustomShock
			for name, pct := range c.Input.Shocks {
				if name != "*" {
					at, _ := findShock(shocks, name)
					shocks = append(shocks[:at:at], append([]CustomShock{{name, pct}}, shocks[at:]...)...)
				}
			}
			var r ShockReport
			e.Shock(s, shocks, c.Input.Shocks["*"], &r)
			applied, pools, positions := reference.Fields{}, []reference.Fields{}, []reference.Fields{}
			for _, a := range r.Applied {
				applied[a.Asset] = a.Pct
			}
			for _, p := range r.Pools {
				pools = append(pools, reference.Fields{
					"mode": p.Mode, "asset": p.Asset, "survives": p.Survives,
					"positions_liquidated": p.PositionsLiquidated, "equity_usd": p.EquityUSD,
					"maintenance_usd": p.MaintenanceUSD, "maintenance_ratio_pct": p.MaintenanceRatioPct,
					"pnl_usd": p.PnLUSD,
				})
			}
			for _, p := range r.Positions {
				positions = append(positions, reference.Fields{
					"asset": p.Asset, "liquidated": p.Liquidated, "collateral": p.Collateral,
					"notional_usd": p.NotionalUSD, "shock_pct": p.ShockPct, "pnl_usd": p.PnLUSD,
				})
			}
			inNineDigits.Match(t, c.Output, reference.Fields{
				"pnl_usd": r.PnLUSD, "account_value_usd": r.AccountValueUSD, "account_survives": r.AccountSurvives,
				"shocks": applied, "unused": r.Unused, "pools": pools, "positions": positions,
			})
			if n := len(c.Output["shocks"].(map[string]any)); len(applied) != n {
				t.Errorf("%d moves applied, want %d", len(applied), n)
			}
		})
	}
}

// venueOrder is a resting order as the venue writes it.
type venueOrder struct {
	Coin, Side, OrderType  string
	LimitPx, Sz, TriggerPx decimal
	IsTrigger, ReduceOnly  bool
	Whole                  bool `json:"isPositionTpsl"`
	Children               []venueOrder
}

// appendOrders appends orders with their children, as the adapter does: spot is left out.
func appendOrders(
	dst []mc.OpenOrder, list []venueOrder, child bool, inputs map[string]AssetInput,
) []mc.OpenOrder {
	for _, o := range list {
		if strings.HasPrefix(o.Coin, "@") {
			continue
		}
		dst = append(dst, mc.OpenOrder{
			Asset: inputs[o.Coin].Market.Asset.ID, Buy: o.Side == "B", Units: float64(o.Sz),
			LimitPrice: float64(o.LimitPx), Trigger: o.IsTrigger, TriggerPrice: float64(o.TriggerPx),
			Stop: strings.HasPrefix(o.OrderType, "Stop"), StopLimit: o.OrderType == "Stop Limit",
			ReduceOnly: o.ReduceOnly, Whole: o.Whole, Child: child,
		})
		dst = appendOrders(dst, o.Children, true, inputs)
	}
	return dst
}

// TestGoldenOrders reads the resting orders of wallets.
func TestGoldenOrders(t *testing.T) {
	var file struct {
		Orders golden[struct {
			Markets []caseMarket
			Answers venueAnswers
			Orders  []venueOrder `json:"frontendOpenOrders"`
		}]
	}
	reference.Golden(t, "account_truth", &file)
	filled := func(x *OrdersFilled) reference.Fields {
		return reference.Fields{
			"orders": x.Orders, "notional_usd": x.NotionalUSD, "gross_notional_usd": x.GrossNotionalUSD,
			"net_notional_usd": x.NetNotionalUSD, "pool_equity_usd": x.PoolEquityUSD, "initial_usd": x.InitialUSD,
			"maintenance_ratio_pct": x.MaintenanceRatioPct, "funded": x.Funded,
		}
	}
	for _, c := range file.Orders {
		t.Run(c.Name, func(t *testing.T) {
			inputs := inputsOf(c.Input.Markets)
			s := NewScratch(4)
			in := &s.In
			in.Target, in.AsHeld, in.Trade.Asset = inputs["BTC"], true, noTarget
			acct := c.Input.Answers.account(in, inputs)
			in.Account, acct.MakerRate, acct.Orders = acct, 0.00015, &mc.OpenOrders{Read: 1}
			acct.Received = 1
			acct.Orders.Orders = appendOrders(nil, c.Input.Orders, false, inputs)
			for name, a := range inputs {
				if acct.PositionIn(a.Market.Asset.ID) < 0 {
					in.Ordered = append(in.Ordered, inputs[name])
				}
			}
			s.account.read(in)
			var got OpenOrders
			s.ordersOf(&got, s.account.held, s.account.heldMost)
			positions := []reference.Fields{}
			for _, p := range got.Positions {
				positions = append(positions, reference.Fields{
					"asset": p.Asset, "covered_pct": p.CoveredPct, "stop_price": orNaN(p.StopPrice),
					"stop_limit": p.StopLimit, "beyond_liquidation": p.BeyondLiquidation, "protected": p.Protected,
				})
			}
			if !got.Read {
				t.Error("not read")
			}
			inNineDigits.Match(t, c.Output, reference.Fields{
				"count": got.Count, "held_usd": got.HeldUSD, "exact": got.Exact, "if_all_buys_fill": filled(&got.Buys),
				"if_all_sells_fill": filled(&got.Sells), "positions": positions,
			})
		})
	}
}
