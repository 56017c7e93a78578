package hyperliquid

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ballast/marketcache"
)

// randomState returns a valid state of a wallet with cross and isolated positions, by the venue's formulas.
func randomState(r *rand.Rand) map[string]any {
	usd := func(x float64) string { return fmt.Sprintf("%.6f", x) }
	type sums struct{ notional, used, signed, maintenance, equity float64 }
	var whole, cross sums
	var list []any
	for i, coin := range []string{"A", "B", "C", "D"} {
		units, mark := math.Round((r.Float64()*20-10)*100)/100+0.005, math.Round(100+r.Float64()*9900)/10
		entry := math.Round(mark*(0.8+0.4*r.Float64())*1e4) / 1e4
		leverage := float64(2 + r.IntN(8))
		value := math.Abs(units) * mark
		profit, used := units*(mark-entry), value/leverage
		setting := map[string]any{"type": "cross", "value": leverage}
		if i == 3 {
			used = value / leverage * 1.1
			setting = map[string]any{"type": "isolated", "value": leverage, "rawUsd": usd(used - units*mark)}
		} else {
			cross = sums{cross.notional + value, cross.used + used, cross.signed + units*mark,
				cross.maintenance + value/20, 0}
		}
		whole = sums{whole.notional + value, whole.used + used, whole.signed + units*mark, 0, whole.equity}
		if i == 3 {
			whole.equity = used
		}
		list = append(list, map[string]any{"position": map[string]any{"coin": coin, "szi": fmt.Sprint(units),
			"leverage": setting, "entryPx": fmt.Sprint(entry), "positionValue": usd(value),
			"unrealizedPnl": usd(profit), "marginUsed": usd(used), "maxLeverage": 10,
			"returnOnEquity": fmt.Sprintf("%.10f", profit/(math.Abs(units)*entry/leverage))}})
	}
	cross.equity = 2*cross.used + 1e4*r.Float64()
	whole.equity += cross.equity
	encode := func(s sums) any {
		return map[string]any{"accountValue": usd(s.equity), "totalNtlPos": usd(s.notional),
			"totalRawUsd": usd(s.equity - s.signed), "totalMarginUsed": usd(s.used)}
	}
	return map[string]any{"marginSummary": encode(whole), "crossMarginSummary": encode(cross),
		"crossMaintenanceMarginUsed": usd(cross.maintenance), "assetPositions": list}
}

// eachNumber calls fn with every number of an answer, and a function that replaces it; nil removes its key.
func eachNumber(path string, v any, set func(any), fn func(path string, x float64, set func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			eachNumber(path+"."+name, of, func(x any) {
				if v[name] = x; x == nil {
					delete(v, name)
				}
			}, fn)
		}
	case []any:
		for i, of := range v {
			eachNumber(fmt.Sprintf("%s.%d", path, i), of, func(x any) { v[i] = x }, fn)
		}
	case string, float64:
		if x, ok := parseDecimal([]byte(fmt.Sprint(v))); ok {
			fn(path, x, set)
		}
	}
}

func listedABCD(t *testing.T) *marketcache.Universe {
	cache := marketcache.New(smallCache)
	m, _, ok := parseMetaAndContexts([]byte(metaJSON("A", "B", "C", "D")), nil)
	if _, _, err := (&universe{cache: cache}).apply(m); !ok || err != nil {
		t.Fatal(err)
	}
	return cache.Universe()
}

// TestSaidTwice: no number of a wallet's answer can change alone, and no position can be missing, without a
// contradiction. Numbers that are valid together have none.
func TestSaidTwice(t *testing.T) {
	takesLong(t)
	u, r := listedABCD(t), rand.New(rand.NewPCG(1, 2))
	read := func(state any) string {
		b, _ := json.Marshal(state)
		return accountOf(b, u, new(marketcache.Account))
	}
	seen := map[string]int{}
	for range 200 {
		state := randomState(r)
		if what := read(state); what != "" {
			b, _ := json.Marshal(state)
			t.Fatalf("%s in a valid answer: %s", what, b)
		}
		eachNumber("", state, nil, func(path string, x float64, set func(any)) {
			for _, factor := range []float64{0, -1, 0.001, 0.97, 1.05, 1000} {
				if path[len(path)-1] == 'l' && math.Abs(x) < 100 && factor > 0.9 && factor < 1.1 {
					continue // a profit whose change is less than the rounding of the entry price
				}
				changed := x * factor
				if changed == x || factor == 0 && path[len(path)-11:] == "totalRawUsd" { // not stated
					continue
				}
				set(fmt.Sprintf("%.10f", changed))
				if read(state) == "" {
					t.Errorf("%s: %v in place of %v is taken", path, changed, x)
				}
				seen[path]++
			}
			set(fmt.Sprint(x))
		})
		list := state["assetPositions"].([]any)
		lost := r.IntN(len(list))
		state["assetPositions"] = append(list[:lost:lost], list[lost+1:]...)
		if read(state) == "" {
			t.Errorf("without position %d: taken", lost)
		}
	}
	if len(seen) != 2*4+1+4*7+1 {
		t.Errorf("%d numbers: %v", len(seen), seen)
	}
}

// TestRecordedSaysTheSame: a recording of the venue contradicts itself nowhere.
func TestRecordedSaysTheSame(t *testing.T) {
	u := recordedFeed(t).cache.Universe()
	if _, what, differs := parseAccount(recorded(t, "clearinghouseState-2026-06-22.json"), u,
		new(marketcache.Account)); what+differs != "" {
		t.Error(what, differs)
	}
}

// TestContradictoryWallet: a wallet whose answer contradicts itself is read once more and then refused with a
// word; one good answer is enough. So is an answer about a dex with a coin of another, and what a standard
// account could withdraw beyond its equity. A liquidation price that does not follow is told.
func TestContradictoryWallet(t *testing.T) {
	play(t, twoDexes, func(s scene) {
		time.Sleep(time.Minute)
		good := accountJSON("A", 2, 200)
		lacks := richJSON("A", 0.002, 0.2, 1000)
		var main, other string
		bad, asked := 0, 0
		s.v.tells("clearinghouseState", func(q infoRequest) string {
			if asked++; q.Dex != "" {
				return stamped(other, s.v.now())
			}
			if asked > bad {
				return stamped(good, s.v.now())
			}
			return stamped(main, s.v.now())
		})
		n := byte(50)
		load := func(state, dex string, answers int) (*marketcache.Account, error) {
			s.v.script(func() { main, other, bad, asked = state, dex, answers, 0 })
			n++
			return s.f.LoadAccount(s.Context(), wallet(n), marketcache.NoAsset)
		}
		const forever = 1 << 30
		thousandth := good[:len(good)/3] + lacks[len(lacks)/3:] // its totals are the good ones
		empty := `{"marginSummary":{"totalNtlPos":"66344.0","accountValue":"9"},"crossMarginSummary":` +
			`{"accountValue":"9"},"assetPositions":[]}`
		for what, state := range map[string]string{
			"no positions": empty, "a thousandth": thousandth, "another dex's coin": accountJSON("xyz:D", 2, 200),
			"withdrawable":      replaceOne(s.T, good, `"withdrawable":"960"`, `"withdrawable":"970"`),
			"less than nothing": replaceOne(s.T, good, `"withdrawable":"960"`, `"withdrawable":"-1"`),
		} {
			if a, err := load(state, emptyAccountJSON, forever); !errors.Is(err, marketcache.ErrContradiction) {
				s.Errorf("%s: %+v, %v", what, a, err)
			}
		}
		if a, err := load(empty, emptyAccountJSON, 1); err != nil || len(a.Positions) != 1 {
			s.Errorf("once: %+v, %v", a, err)
		}
		if a, err := load(good, accountJSON("A", 2, 200), 0); !errors.Is(err, marketcache.ErrContradiction) {
			s.Errorf("a coin of the main dex on another: %+v, %v", a, err)
		}
		if a, err := load(good, emptyAccountJSON, 0); err != nil || a.Misquoted {
			s.Errorf("valid: %+v, %v", a, err)
		}
		unlisted := replaceOne(s.T, good, `"coin":"A"`, `"coin":"NEW"`)
		if a, err := load(unlisted, emptyAccountJSON, forever); err != nil || a.NotFollowed != 1 {
			s.Errorf("an asset that is not listed: %+v, %v", a, err)
		}
		quoted := replaceOne(s.T, good, `"liquidationPx":null`, `"liquidationPx":"95"`)
		if a, err := load(quoted, emptyAccountJSON, forever); err != nil || !a.Misquoted {
			s.Errorf("liquidation price: %+v, %v", a, err)
		}
	})
}

// TestSettingSaidTwice: none of the figures of a leverage setting can change alone, and all can together.
func TestSettingSaidTwice(t *testing.T) {
	asset := &marketcache.Asset{Name: "A", SizeDigits: 2,
		Tiers: []marketcache.Tier{{}, {LowerBoundUSD: 1e6}}}
	set := func(leverage, size, available, mark float64) bool {
		text := fmt.Appendf(nil, `{"coin":"A","leverage":{"type":"cross","value":%v},"maxTradeSzs":["%v","%v"],`+
			`"availableToTrade":["%v","%v"],"markPx":"%v"}`, leverage, size, size, available, available, mark)
		_, ok := parseSetting(text, asset)
		return ok
	}
	for _, good := range [][4]float64{{10, 72.42, 680.955673, 94.017}, {20, 144.85, 680.955673, 94.017},
		{10, 0, 680.955673, 94.017}, {10, 0, 0, 94.017}, {10, 0.01, 0.0995, 94.017}, {10, 20000, 680955, 94.017}} {
		if !set(good[0], good[1], good[2], good[3]) {
			t.Errorf("%v is refused", good)
		}
	}
	for _, odd := range [][4]float64{{20, 72.42, 680.955673, 94.017}, {10, 72.42, 0, 94.017},
		{10, 72.42, -680.9, 94.017}, {10, 72.42, 0.68, 94.017}, {10, 72.42, 694.6, 94.017},
		{10, 72.42, 680.955673, 96}, {10, 0, -680.9, 94.017}} {
		if set(odd[0], odd[1], odd[2], odd[3]) {
			t.Errorf("%v is taken", odd)
		}
	}
}

// TestFeesSaidTwice: a taker's rate that no tier of its schedule gives is doubted.
func TestFeesSaidTwice(t *testing.T) {
	for _, c := range []struct {
		rate, staking string
		doubted       bool
	}{
		{"0.00045", "0.0", false}, {"0.0004", "0.0", false}, {"0.000315", "0.3", false}, {"0.00028", "0.3", false},
		{"0.00044", "0.0", true}, {"0.00045", "0.3", true}, {"0.0", "0.0", true}, {"0.0009", "0.0", true},
	} {
		schedule := `"feeSchedule":{"cross":"0.00045","tiers":{"vip":[{"ntlCutoff":"5000000.0","cross":"0.0004"}]}}`
		body := `{"userCrossRate":"` + c.rate + `","activeStakingDiscount":{"discount":"` + c.staking + `"}`
		if _, _, doubted, ok := parseFees([]byte(body + "," + schedule + "}")); !ok || doubted != c.doubted {
			t.Errorf("%s with %s: doubted %v, ok %v", c.rate, c.staking, doubted, ok)
		}
		if _, _, doubted, ok := parseFees([]byte(body + "}")); !ok || doubted {
			t.Errorf("%s without a schedule: doubted %v, ok %v", c.rate, doubted, ok)
		}
	}
}

// TestHeldUnknown: an account that does not tell what is held of it, or more than there is.
func TestHeldUnknown(t *testing.T) {
	for _, c := range []struct {
		mode                              marketcache.AccountMode
		withdrawable, equity, hold, total float64
		unknown                           bool
	}{
		{marketcache.ModeDisabled, 5, 10, 0, 0, false}, {marketcache.ModeDisabled, math.NaN(), 10, 0, 0, true},
		{marketcache.ModeDisabled, math.NaN(), 0, 0, 0, false}, {marketcache.ModeUnified, math.NaN(), 10, 9, 10, false},
		{marketcache.ModeUnified, 5, 10, 12, 10, true}, {marketcache.ModeUnified, 5, 10, -1, 10, true},
		{marketcache.ModeUnified, 0, 0, 0, 0, false}, {marketcache.ModePortfolioMargin, 5, 10, 12, 10, false},
	} {
		a := &marketcache.Account{Mode: c.mode, Pools: []marketcache.Pool{{EquityUSD: c.equity}}}
		sums := []poolMargins{{margins: margins{withdrawable: c.withdrawable}}}
		spot := &spotState{hold: map[int64]float64{0: c.hold}, total: map[int64]float64{0: c.total}}
		if got := heldUnknown(a, sums, spot); got != c.unknown {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestHeldMarginAndOrders: margin that is held for resting orders although the list has none, and none held for an
// order that must hold some, are told. Spot orders hold margin of a pooled account.
func TestHeldMarginAndOrders(t *testing.T) {
	u := listedABCD(t)
	account := func(dex string, held float64, spot bool, orders ...marketcache.OpenOrder) *marketcache.Account {
		return &marketcache.Account{
			Pools:     []marketcache.Pool{{Dex: dex, EquityUSD: 1000, HeldUSD: held, HeldMostUSD: held}},
			Positions: []marketcache.Position{{Asset: 1, Name: "B", Units: 1, ValueUSD: 100, MarginUsedUSD: 10}},
			Received:  5, Orders: &marketcache.OpenOrders{Read: 5, Orders: orders, Spot: spot},
		}
	}
	buys := marketcache.OpenOrder{Asset: 0, Buy: true, Units: 1, LimitPrice: 50}
	reduces := marketcache.OpenOrder{Asset: 1, Units: 1, LimitPrice: 50, ReduceOnly: true}
	adds := marketcache.OpenOrder{Asset: 1, Buy: true, Units: 1, LimitPrice: 50}
	for what, c := range map[string]struct {
		a    *marketcache.Account
		told bool
	}{
		"none":                     {account("", 0, false), false},
		"one":                      {account("", 50, false, buys), false},
		"reducing":                 {account("", 0, false, reduces), false},
		"in an asset with one":     {account("", 0, false, adds), false},
		"held for none":            {account("", 50, false), true},
		"held for reducing":        {account("", 50, false, reduces), true},
		"none held":                {account("", 0, false, buys), true},
		"spot":                     {account(marketcache.Everywhere, 50, true), false},
		"spot, of another account": {account("", 50, true), true},
		"pooled, held for none":    {account(marketcache.Everywhere, 50, false), true},
	} {
		if heldForNothing(u, c.a) != c.told {
			t.Errorf("%s: not %v", what, c.told)
		}
		c.a.Orders.Reason = marketcache.OrdersTimeout
		if heldForNothing(u, c.a) {
			t.Errorf("%s: told without a list", what)
		}
	}
}
