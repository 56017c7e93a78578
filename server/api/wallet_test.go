package api

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// randomWallet sets what an assessment says about the whole wallet.
func randomWallet(a *risk.Assessment, rng *rand.Rand) {
	unknown := rng.IntN(2) == 0
	if unknown {
		a.Margin.HeldMostUSD, a.Margin.Move = math.Inf(1), risk.MarketMove{DownPct: math.NaN(), UpPct: math.NaN()}
	}
	a.PortfolioStress.Failed, a.Explanation.Failed = rng.Uint32()>>(32-risk.ScenarioCount), 1
	a.VaR.Session = risk.Session{Known: !unknown, Class: marketcache.ClassMetal, Resting: true,
		RestsAtMs: 1795289825689, ReopensAtMs: 1795462625689}
	a.Attribution.Positions[1].Collateral = true
	a.Meta.VenueNotice, a.Meta.WalletRole = []string{"", `post "only"`}[rng.IntN(2)], []string{"", "user"}[rng.IntN(2)]
	a.Pools = []risk.PoolState{
		{Mode: risk.PoolCross, EquityUSD: rng.Float64(), HasProbability: true, Probability24h: rng.Float64(),
			Failed: 0b101},
		{Mode: risk.PoolUnified, Dex: "not told", WorstPnLUSD: -rng.Float64()},
		{Dex: "xyz", Mode: risk.PoolIsolated, Asset: "xyz:TSLA", MaintenanceRatioPct: rng.Float64()},
	}
	b := &a.BookBefore
	b.Known, b.PoolKnown, b.HasProbability = true, rng.IntN(2) == 0, rng.IntN(2) == 0
	o := &a.OpenOrders
	o.Known, o.Read, o.Exact, o.Count = rng.IntN(3) > 0, unknown, true, 7
	o.Reason = []string{"", "budget"}[rng.IntN(2)]
	o.Buys.Orders, o.Sells.Funded = 3, true
	o.Positions = []risk.Protection{{Asset: "BTC", CoveredPct: rng.Float64(), StopPrice: 12345.678901, StopLimit: true,
		BeyondLiquidation: 2}, {Asset: "ETH"}}
	for i := range a.Admissibility.Issues {
		issue := &a.Admissibility.Issues[i]
		issue.NoGot, issue.NoLimit = rng.IntN(3) == 0, rng.IntN(3) == 0
		if issue.Code == risk.IssueVenueNotice {
			issue.Text = `maintenance "soon"`
		}
		if rng.IntN(2) == 0 {
			issue.FixDepositProbability24h = math.NaN()
		}
	}
}

// ifKnown is null for what is not known.
func ifKnown(value any, known bool) any {
	if known {
		return value
	}
	return nil
}

func expectedIssue(i *risk.Issue) m {
	issue := m{
		"code": i.Code.String(), "field": i.Code.Field(), "got": ifKnown(about(i.Got), !i.NoGot),
		"limit": ifKnown(about(i.Limit), !i.NoLimit), "fix": aboutOrNull(i.Fix),
	}
	switch i.Code {
	case risk.IssueVenueNotice:
		issue["got"] = i.Text
	case risk.IssueInsufficientMargin:
		issue["fix_leverage"], issue["fix_deposit_usd"] = aboutOrNull(i.FixLeverage), aboutOrNull(i.FixDepositUSD)
		issue["fix_deposit_probability_24h"] = ifKnown(about(i.FixDepositProbability24h),
			!math.IsNaN(i.FixDepositProbability24h))
	case risk.IssueLeverageNotWhole:
		issue["allowed"] = []any{about(i.Fix), about(i.Fix + 1)}
	}
	return issue
}

func expectedSession(s *risk.Session) any {
	return ifKnown(m{"class": "metal", "resting": true, "rests_at": 1795289825689.0,
		"reopens_at": 1795462625689.0}, s.Known)
}

func expectedMove(move *risk.MarketMove) m {
	return m{"down_pct": ifKnown(about(move.DownPct), move.DownPct == move.DownPct),
		"up_pct": ifKnown(about(move.UpPct), move.UpPct == move.UpPct)}
}

func expectedFailed(bits uint32) []any {
	list := []any{}
	for i := range risk.Scenarios {
		if bits&(1<<i) != 0 {
			list = append(list, risk.Scenarios[i].ID)
		}
	}
	return list
}

func expectedPools(pools []risk.PoolState) (list []any) {
	for i := range pools {
		p := &pools[i]
		list = append(list, m{
			"dex": ifKnown(p.Dex, p.Mode != risk.PoolUnified), "mode": p.Mode.String(),
			"asset":      ifKnown(p.Asset, p.Asset != ""),
			"equity_usd": about(p.EquityUSD), "maintenance_ratio_pct": about(p.MaintenanceRatioPct),
			"probability_24h": ifKnown(about(p.Probability24h), p.HasProbability),
			"survives":        p.Failed == 0, "failed_scenarios": expectedFailed(p.Failed),
			"worst_pnl_usd": about(p.WorstPnLUSD),
		})
	}
	return list
}

func expectedAction(a *risk.PoolAction) any {
	if !a.Known {
		return nil
	}
	var assets any
	if a.Kind != risk.Hold {
		list := []any{}
		for _, name := range a.Assets {
			list = append(list, name)
		}
		assets = list
	}
	return m{
		"pool": a.Pool, "kind": a.Kind.String(), "assets": assets,
		"reduce_pct":     ifKnown(about(a.ReducePct), a.ReducePct > 0),
		"reduce_usd":     ifKnown(about(a.ReduceUSD), a.ReduceUSD > 0),
		"add_margin_usd": ifKnown(about(a.AddMarginUSD), a.AddMarginUSD > 0),
		"until":          m{"max_probability_24h": a.Until.MaxProbability24h, "survive": a.Until.Survive},
	}
}

func expectedBook(b *risk.BookBefore) m {
	return m{
		"probability_24h":      ifKnown(about(b.Probability24h), b.PoolKnown && b.HasProbability),
		"probability_7d":       ifKnown(about(b.Probability7d), b.PoolKnown && b.HasProbability),
		"pool_var_99_usd":      ifKnown(about(b.PoolVaR99USD), b.PoolKnown),
		"stress_loss_usd":      ifKnown(about(b.StressLossUSD), b.PoolKnown),
		"portfolio_var_99_usd": about(b.PortfolioVaR99USD),
	}
}

func expectedOrders(o *risk.OpenOrders) any {
	if !o.Known {
		return nil
	}
	block := m{"source": "derived", "held_usd": about(o.HeldUSD), "held_most_usd": about(o.HeldMostUSD),
		"exact": o.Exact}
	if !o.Read {
		if o.Reason != "" {
			block["reason"] = o.Reason
		}
		return block
	}
	filled := func(f *risk.OrdersFilled) m {
		return m{
			"orders": float64(f.Orders), "notional_usd": about(f.NotionalUSD),
			"gross_notional_usd": about(f.GrossNotionalUSD),
			"net_notional_usd":   about(f.NetNotionalUSD),
			"pool_equity_usd":    about(f.PoolEquityUSD), "initial_usd": about(f.InitialUSD),
			"maintenance_ratio_pct": about(f.MaintenanceRatioPct), "funded": f.Funded,
		}
	}
	positions := []any{}
	for _, p := range o.Positions {
		positions = append(positions, m{
			"asset": p.Asset, "covered_pct": about(p.CoveredPct), "stop_price": ifKnown(p.StopPrice, p.StopPrice != 0),
			"stop_limit":         p.StopLimit,
			"beyond_liquidation": float64(p.BeyondLiquidation), "protected": p.Protected,
		})
	}
	block["source"], block["age_ms"], block["count"] = "read", about(o.AgeMs), float64(o.Count)
	block["if_all_buys_fill"], block["if_all_sells_fill"], block["positions"] = filled(&o.Buys), filled(&o.Sells),
		positions
	return block
}

func TestMonitorOfAWallet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 20 {
		var a risk.Assessment
		a.Attribution.Positions = make([]risk.PositionVaR, 2)
		randomWallet(&a, rng)
		r := &risk.WalletReport{
			HeldUSD: 5, HeldMostUSD: math.Inf(1), Move: a.Margin.Move, Pools: a.Pools, OpenOrders: a.OpenOrders,
			Meta:      a.Meta,
			Positions: make([]risk.HeldPosition, 2),
		}
		r.Positions[0].EntryPrice, r.Positions[0].UnrealizedUSD, r.Positions[0].UnrealizedPct = 10, 2, 3
		r.Positions[1].UnrealizedUSD = 600 // of nothing
		until := risk.Target{MaxProbability24h: 0.01, Survive: rng.IntN(2) == 0}
		r.Actions = []risk.PoolAction{{Known: true, Pool: "main", Until: until}, {Pool: "portfolio"}, {Known: true,
			Pool: `a"b`, Kind: risk.Reduce, ReducePct: 12.3456789, AddMarginUSD: 850.13, Assets: []string{"BTC",
				`a"b`}}}
		r.Positions[0].Action = r.Actions[2]
		text, err := AppendMonitor(nil, "0x", r, &Envelope{Started: time.Now(), Venue: "custom"})
		var tree m
		if err != nil || json.Unmarshal(text, &tree) != nil {
			t.Fatalf("%v: %s", err, text)
		}
		margin := tree["margin"].(m)
		if margin["held_usd"] != 5.0 || margin["held_most_usd"] != nil {
			t.Errorf("margin %v", margin)
		}
		compare(t, "move", margin["market_move"], expectedMove(&r.Move))
		pools := expectedPools(r.Pools)
		for i := range pools {
			pools[i].(m)["action"] = expectedAction(&r.Actions[i])
		}
		compare(t, "pools", tree["pools"], pools)
		compare(t, "open_orders", tree["open_orders"], expectedOrders(&r.OpenOrders))
		compare(t, "action", tree["positions"].([]any)[0].(m)["action"], expectedAction(&r.Actions[2]))
		for i, want := range []m{{"entry_price": 10.0, "unrealized_pnl": 2.0, "unrealized_pnl_pct": 3.0},
			{"entry_price": nil, "unrealized_pnl": nil, "unrealized_pnl_pct": nil}} {
			p := tree["positions"].([]any)[i].(m)
			for name, value := range want {
				if got, there := p[name]; !there || got != value {
					t.Errorf("position %d: %s is %v, want %v", i, name, got, value)
				}
			}
		}
	}
}

func TestNumbersInTexts(t *testing.T) {
	for _, row := range []struct {
		text  string
		words []string
		want  float64 // 0: none
	}{
		{"50000", nil, 50000}, {" 50000.5 ", nil, 50000.5}, {"5e4", nil, 50000}, {"50,000", nil, 50000},
		{"1,234,567.5", nil, 1234567.5}, {"50 000", nil, 50000}, {"50_000", nil, 50000},
		{"50k", nil, 50000}, {"1.5K", nil, 1500}, {"$50,000", usdWords, 50000}, {"50000 USD", usdWords, 50000},
		{"usdc 50k", usdWords, 50000}, {"-5", nil, -5},
		{"10x", leverageWords, 10}, {"10 X", leverageWords, 10}, {"x10", leverageWords, 10},
		{"1,5", nil, 0}, {"50,00", nil, 0}, {"5,0000", nil, 0}, {"15 BTC", usdWords, 0}, {"10x", usdWords, 0},
		{"1m", nil, 0}, {"", nil, 0}, {"k", nil, 0}, {"$", usdWords, 0},
		{"NaN", nil, 0}, {"Inf", nil, 0}, {"1e999", nil, 0}, {"0x10", leverageWords, 0}, {"1e308k", nil, 0},
		{"10:1", leverageWords, 10}, {"1:10", leverageWords, 10}, {"1:1", leverageWords, 1},
		{"0.5 BTC", []string{"BTC"}, 0.5}, {"5", []string{""}, 5},
	} {
		if x, ok := numberIn(row.text, row.words); ok != (row.want != 0) || ok && x != row.want {
			t.Errorf("%q: %v %v, want %v", row.text, x, ok, row.want)
		}
	}
}

func TestSuggestedAssets(t *testing.T) {
	var assets []*marketcache.Asset
	for i, name := range []string{"BTC", "FARTCOIN", "TON", "LTC", "TIA", "ADA", "POL", "kPEPE", "xyz:TSLA", "xyz:NVDA",
		"flx:TSLA", "xyz:COIN"} {
		assets = append(assets, &marketcache.Asset{ID: marketcache.AssetID(i), Name: name,
			Tiers: marketcache.NewTiers([]float64{0}, []float64{10})})
	}
	universe := marketcache.NewUniverse(assets)
	const all = "all are listed by GET /v1/assets"
	for name, want := range map[string]string{
		"btc": "BTC", "BTC-PERP": "BTC", "Bitcoin": "BTC", "XBT": "BTC", "xyz:BTC": "BTC", "NVDA": "xyz:NVDA",
		"nvda": "xyz:NVDA", "NVDA-USD": "xyz:NVDA",
		"TSLA": "xyz:TSLA or flx:TSLA", "MATIC": "POL", "GOLD": all, "PEPE": "nearest names: kPEPE; " + all,
		" BTC ": "BTC", "BTC perpetual": "BTC", "TONN": "nearest names: TON; " + all, "": all,
	} {
		if got := suggestAsset(name, universe); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Actions, modes and targets are found in the words of other services, where they mean one alone.
func TestWordsOfOthers(t *testing.T) {
	for text, want := range map[string]string{
		"buy": "long", "SELL": "short", "open_long": "long", "close_long": "close", "Sell to close": "close",
		"reduce": "close", "B": "long", "open": "", "long/short": "", "buy-sell": "", "alongside": "", "": "",
	} {
		if got := actionNamed(text); got != want {
			t.Errorf("action %q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"Isolated": "isolated", "isolated_margin": "isolated", "CROSSED": "cross",
		"iso or cross": "", "both": ""} {
		if got := modeNamed(text); got != want {
			t.Errorf("mode %q: %q, want %q", text, got, want)
		}
	}
	for name, want := range map[string]string{"score": "max_score", "maxScore": "max_score", "p": "",
		"max_probability": "max_probability_24h", "max_loss_pct": "max_loss_99_pct_of_account"} {
		if got := targetNamed(name); got != want {
			t.Errorf("target %q: %q, want %q", name, got, want)
		}
	}
}

// No suggestion for a field changes the unit of its value.
func TestSuggestedFieldsKeepTheUnit(t *testing.T) {
	const inCoins = "size_coin for a number of coins; size for USD (coins times mark price)"
	for _, word := range append(slices.Clone(coinWords), "SZ", "Qty") {
		if m := mendUnknown(word, tradeFields); m.Suggestion == nil || m.Suggestion == "size" {
			t.Errorf("%s: %v", word, m.Suggestion)
		}
	}
	for word, want := range map[string]any{
		"price": "put it into order, an object, as price, beside type limit", "client_id": nil,
		"order_type": "put it into order, an object, as type",
		"stop_loss":  "put it into order, an object, as stop_loss_price",
		"usd":        "size", "side": "action", "sizes": "size",
		"leverag": "leverage", "size_coins": "size_coin", "walletAddress": "wallet", "trading_symbol": "asset",
		"sizeUsd": "size", "usd_size": "size", "position_size": inCoins, "order_qty": inCoins, "coinSize": inCoins,
		"trade_side": "action", "market_price": nil, "asset_wallet": nil,
		"tif": "put it into order, an object, as tif, " +
			"beside type limit and a price; or leave it out",
	} {
		if m := mendUnknown(word, tradeFields); m.Suggestion != want {
			t.Errorf("%s: %v, want %v", word, m.Suggestion, want)
		}
	}
}
