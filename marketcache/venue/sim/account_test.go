package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

func num(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// near compares two amounts up to the rounding of their printed form.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Every printed account is consistent by the venue's formulas, computed from the printed numbers
// alone.
func TestAccountsAddUp(t *testing.T) {
	m := newMarket(64, 24, 2, 1, testStart.UnixMilli())
	for _, hours := range []int64{0, 1, 24} {
		m.step(testStart.UnixMilli() + hours*hourMs)
		for _, w := range Wallets {
			t.Run(fmt.Sprintf("%s after %d h", w.Name, hours), func(t *testing.T) {
				checkWallet(t, m, m.accounts[w.Address])
			})
		}
	}
}

// checkWallet checks a wallet's accounts on all dexes and, for a unified account, its spot state:
// sums of the printed numbers agree to the last digit.
func checkWallet(t *testing.T, m *market, acc *account) {
	f, _ := parseFaults("")
	spot := read[spotIn](t, acc.spotState())
	states := map[string]stateIn{}
	held, isolated, needed := 0.0, 0.0, 0.0
	for _, d := range m.dexes {
		s := read[stateIn](t, m.clearinghouse(acc, d.name, f))
		states[d.name] = s
		if d.token != 0 {
			continue
		}
		held += num(t, s.MarginSummary.AccountValue)
		needed += num(t, s.CrossMaintenanceMarginUsed)
		for _, ap := range s.AssetPositions {
			if ap.Position.Leverage.Type == "isolated" {
				isolated += num(t, ap.Position.MarginUsed)
			}
		}
	}
	if pooled := spot.TokenToAvailable != nil; pooled != acc.pooled {
		t.Fatalf("tokenToAvailableAfterMaintenance %v", spot.TokenToAvailable)
	}
	if !acc.pooled {
		for dex, s := range states {
			pool := num(t, s.CrossMarginSummary.AccountValue)
			checkAccount(t, m, s, pool, num(t, s.CrossMaintenanceMarginUsed))
			if len(s.AssetPositions) == 0 && acc.pools[dex] == nil && s.MarginSummary.AccountValue != "0.0" {
				t.Errorf("%q has %s", dex, s.MarginSummary.AccountValue)
			}
		}
		return
	}
	pool := num(t, spot.Balances[0].Total) - isolated
	if acc.mode == "portfolioMargin" {
		hype := spot.Balances[1]
		pool += roundUSD(num(t, hype.Total) * m.byName["HYPE"].markUSD() * (0.5 + 0.5*num(t, hype.LTV)))
	}
	const digit = 1e-7 // the printed numbers have six decimals
	near(t, "hold", num(t, spot.Balances[0].Hold), held+acc.held(everyDex), digit)
	near(t, "available after maintenance", num(t, spot.TokenToAvailable[0].second), pool-needed, digit)
	for _, s := range states {
		if len(s.AssetPositions) > 0 && num(t, s.CrossMarginSummary.AccountValue) >= pool {
			t.Error("one dex's accountValue shows all of a pooled wallet's collateral")
		}
		checkAccount(t, m, s, pool, needed)
	}
	if acc.mode == "portfolioMargin" {
		near(t, "ratio", num(t, spot.PortfolioMarginRatio), (20+needed)/pool, 1e-9)
	}
}

// checkAccount checks the printed account of one dex. pool and required are the collateral of the
// cross positions and their maintenance margin, over all dexes that share the collateral.
func checkAccount(t *testing.T, m *market, s stateIn, pool, required float64) {
	const cent = 2e-5 // tolerance for sums of up to 60 numbers of six decimals
	var cross, all, needed float64
	var crossNotional, allNotional, crossMargin, allMargin float64
	for _, ap := range s.AssetPositions {
		p := ap.Position
		mark := m.byName[p.Coin].markUSD()
		q, value := num(t, p.Szi), num(t, p.PositionValue)
		near(t, p.Coin+" positionValue", value, math.Abs(q)*mark, 1e-6)
		_, decimals, _ := strings.Cut(p.EntryPx, ".") // of the printed entry, which is rounded
		near(t, p.Coin+" unrealizedPnl", num(t, p.UnrealizedPnl), q*(mark-num(t, p.EntryPx)),
			math.Max(1e-4*math.Max(1, value*1e-3), math.Abs(q)*math.Pow(10, -float64(len(decimals)))))
		margin := num(t, p.MarginUsed)
		all, allNotional, allMargin = all+q*mark, allNotional+value, allMargin+margin
		if p.Leverage.Type == "isolated" {
			near(t, p.Coin+" isolated equity", margin, num(t, p.Leverage.RawUsd)+q*mark, 2e-6)
			continue
		}
		near(t, p.Coin+" marginUsed", margin, value/float64(p.Leverage.Value), 1e-6)
		cross, crossNotional, crossMargin = cross+q*mark, crossNotional+value, crossMargin+margin
		needed += maintenance(marginsOf(m, p), value)
	}
	for _, row := range []struct {
		name              string
		s                 summaryIn
		ntl, signed, used float64
	}{{"cross", s.CrossMarginSummary, crossNotional, cross, crossMargin}, {"all", s.MarginSummary, allNotional, all,
		allMargin}} {
		near(t, row.name+" accountValue", num(t, row.s.AccountValue), num(t, row.s.TotalRawUsd)+row.signed, cent)
		near(t, row.name+" totalNtlPos", num(t, row.s.TotalNtlPos), row.ntl, cent)
		near(t, row.name+" totalMarginUsed", num(t, row.s.TotalMarginUsed), row.used, cent)
	}
	near(t, "crossMaintenanceMarginUsed", num(t, s.CrossMaintenanceMarginUsed), needed, cent)
	checkLiquidation(t, m, s, pool, required)
}

// marginsOf returns the margin tiers of a printed position. A position may have its own maximum
// leverage; it then has a single tier.
func marginsOf(m *market, p positionIn) []margin {
	a := m.byName[p.Coin]
	if p.MaxLeverage != a.maxLeverage {
		return margins([]tier{{0, p.MaxLeverage}})
	}
	return margins(a.tiers)
}

// At the printed liquidation price, equity equals maintenance margin.
func checkLiquidation(t *testing.T, m *market, s stateIn, pool, needed float64) {
	for _, ap := range s.AssetPositions {
		p := ap.Position
		q, mark := num(t, p.Szi), m.byName[p.Coin].markUSD()
		ms := marginsOf(m, p)
		equity, others := pool, needed-maintenance(ms, math.Abs(q)*mark)
		if p.Leverage.Type == "isolated" {
			equity, others = num(t, p.MarginUsed), 0
		}
		if p.LiquidationPx == nil {
			if x, has := liquidationPrice(ms, q, mark, equity, others); has && x > 1e-8 {
				t.Errorf("%s: no liquidation price, want %v", p.Coin, x)
			}
			continue
		}
		x := num(t, *p.LiquidationPx)
		left := equity + q*(x-mark)
		right := others + maintenance(ms, math.Abs(q)*x)
		// The price is printed with an accuracy of 1e-10, the collateral of 1e-6 USD.
		near(t, p.Coin+" equity at the liquidation price", left, right, 1e-5+1e-9*math.Abs(q*x)+math.Abs(q)*2e-10)
	}
}

func TestWalletsAreWhatTheySay(t *testing.T) {
	m := newMarket(270, 24, 2, 1, testStart.UnixMilli())
	state := func(name string) (*account, stateIn) {
		for _, w := range Wallets {
			if w.Name == name {
				acc := m.accounts[w.Address]
				return acc, read[stateIn](t, acc.clearinghouse("", 0, m.nowMs))
			}
		}
		t.Fatalf("no wallet %s", name)
		return nil, stateIn{}
	}
	if _, s := state("crowded"); len(s.AssetPositions) < 200 {
		t.Errorf("crowded holds %d positions", len(s.AssetPositions))
	}
	acc, s := state("near-liquidation")
	if r := num(t, s.CrossMarginSummary.AccountValue) / num(t, s.CrossMaintenanceMarginUsed); r < 1.1 || r > 1.2 {
		t.Errorf("near-liquidation stands at %.2f times its maintenance margin", r)
	}
	if acc.abstraction() != "disabled" {
		t.Error("wrong userAbstraction")
	}
	if _, s = state("underwater"); num(t, s.CrossMarginSummary.AccountValue) != -1500 {
		t.Errorf("underwater has %s", s.CrossMarginSummary.AccountValue)
	}
	large, s := state("large")
	differs := 0
	for i, ap := range s.AssetPositions {
		p := ap.Position
		if p.LiquidationPx == nil {
			continue
		}
		ms := large.positions[i].margins
		now, then := num(t, p.PositionValue), math.Abs(num(t, p.Szi))*num(t, *p.LiquidationPx)
		if len(ms) > 1 && now < ms[1].lower && then > ms[1].lower {
			differs++
		}
	}
	if differs < 2 {
		t.Errorf("%d positions of the large account change tier on the way to liquidation", differs)
	}
	if _, s = state("delisted"); s.AssetPositions[0].Position.Coin != "FTM" {
		t.Error("no position in a delisted asset")
	}
	empty := read[stateIn](t, nobody.clearinghouse("", 0, 5))
	if empty.MarginSummary.AccountValue != "0.0" || empty.AssetPositions == nil || len(empty.AssetPositions) != 0 {
		t.Errorf("an unknown wallet has %+v", empty)
	}
}

// Examples from the venue's documentation, computed by the simulator's solver: the expected values
// are the venue's.
func TestLiquidationPriceAgainstTheVenue(t *testing.T) {
	// small-2026-06-22: BTC with tiers from 40x, HYPE and PUMP with table 52, collateral from the
	// venue's documentation.
	const collateral = 847438.4404
	btc, ten := margins(findTable("", 56).tiers), margins(findTable("", 52).tiers)
	rows := []struct {
		name            string
		ms              []margin
		q, value, venue float64
	}{
		{"BTC", btc, -56.27938, 3652194.0857199999, 78924.0010794823},
		{"HYPE", ten, -592, 40381.504, 1354.3602612291},
		{"PUMP", ten, -3900000, 5943.6, 0.1967547104},
	}
	needed := 0.0
	for _, r := range rows {
		needed += maintenance(r.ms, r.value)
	}
	near(t, "maintenance", needed, 47968.681271, 2e-6)
	for _, r := range rows {
		x, has := liquidationPrice(r.ms, r.q, r.value/-r.q, collateral, needed-maintenance(r.ms, r.value))
		if !has || math.Abs(x/r.venue-1) > 1e-9 {
			t.Errorf("%s: %v, venue %v", r.name, x, r.venue)
		}
	}
	if _, has := liquidationPrice(ten, 100, 10, 5000, 0); has {
		t.Error("a long with five times its value as collateral has a liquidation price")
	}
}

// Resting orders take their margin out of what can be withdrawn and traded with.
func TestRestingOrdersHoldMargin(t *testing.T) {
	m := newMarket(64, 24, 2, 1, testStart.UnixMilli())
	var acc *account
	for _, w := range Wallets {
		if w.Name == "resting" {
			acc = m.accounts[w.Address]
		}
	}
	held := 0.0
	rows := acc.openOrderRows("")
	leverages := map[string]float64{"BTC": 5, "ETH": 4, "SOL": 5}
	for _, row := range rows {
		if row["isTrigger"] == false {
			held += num(t, row["sz"].(string)) * num(t, row["limitPx"].(string)) / leverages[row["coin"].(string)]
		}
	}
	s := read[stateIn](t, acc.clearinghouse("", 0, m.nowMs))
	free := num(t, s.CrossMarginSummary.AccountValue) - num(t, s.CrossMarginSummary.TotalMarginUsed)
	near(t, "withdrawable", num(t, s.Withdrawable), free-held, 1e-5)
	sol := acc.assetData(m, acc.Address, m.byName["SOL"])
	near(t, "availableToTrade", num(t, sol["availableToTrade"].([2]string)[0]), free-held, 1e-5)
	if set := sol["leverage"].(object); set["type"] != "isolated" || set["value"] != 5 {
		t.Errorf("setting %v", set)
	}
	if len(rows) != 5 || len(acc.openOrderRows("xyz")) != 1 || held < 10_000 {
		t.Errorf("%d orders hold %v: %v", len(rows), held, rows)
	}
}
