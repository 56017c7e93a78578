package hyperliquid

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ballast/marketcache"
)

// eachMember calls fn with every member of the objects in an answer.
func eachMember(path string, v any, fn func(path string, of map[string]any, name string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			fn(path+"."+name, v, name)
			eachMember(path+"."+name, of, fn)
		}
	case []any:
		for _, of := range v {
			eachMember(path, of, fn)
		}
	}
}

// TestMissingFigure: whatever member of a wallet's answer is missing, or is not what it should be, the wallet reads as
// if it were there, or is refused. The leverage of an isolated position follows from nothing: it is then not known.
// Injects the fault missing-figure of docs/faults.md.
func TestMissingFigure(t *testing.T) {
	u, r := listedABCD(t), rand.New(rand.NewPCG(3, 4))
	read := func(state any) (a marketcache.Account, m margins, problem string) {
		b, _ := json.Marshal(state)
		m, what, differs := parseAccount(b, u, &a)
		return a, m, what + differs
	}
	answered, refused := map[string]bool{}, map[string]bool{}
	for range 20 {
		state := randomState(r)
		want, margins, problem := read(state)
		if problem != "" {
			t.Fatal(problem)
		}
		eachMember("", state, func(path string, of map[string]any, name string) {
			was := of[name]
			if name == "coin" { // any other word is another coin
				return
			}
			for _, odd := range []any{nil, "NaN", "", "1e999", "one", true, []any{}, map[string]any{}, "missing"} {
				if of[name] = odd; odd == "missing" {
					delete(of, name)
				}
				got, m, problem := read(state)
				if problem != "" {
					refused[path] = true
					continue
				}
				answered[path] = true
				if what := apart(&want, &got, &margins, &m, strings.Contains(path, "leverage")); what != "" {
					t.Errorf("%s: %v in place of %v: %s", path, odd, was, what)
				}
			}
			of[name] = was
		})
	}
	for _, path := range []string{".marginSummary", ".crossMarginSummary", ".crossMarginSummary.accountValue",
		".crossMaintenanceMarginUsed", ".assetPositions.position.positionValue", ".assetPositions.position.leverage",
		".assetPositions.position.leverage.type", ".assetPositions.position.leverage.value",
		".assetPositions.position.leverage.rawUsd", ".assetPositions.position.entryPx",
		".assetPositions.position.unrealizedPnl", ".assetPositions.position.returnOnEquity",
		".assetPositions.position.marginUsed", ".assetPositions.position.maxLeverage"} {
		if !answered[path] || refused[path] {
			t.Errorf("%s: a wallet without it is refused", path)
		}
	}
	for _, path := range []string{".assetPositions", ".assetPositions.position", ".assetPositions.position.szi"} {
		if answered[path] {
			t.Errorf("%s: a wallet without it is taken", path)
		}
	}
}

// apart returns what differs between two accounts beside rounding; free: the leverage of an isolated position may
// not be known.
func apart(a, b *marketcache.Account, m, n *margins, free bool) string {
	far := func(x, y float64) bool { return !(math.Abs(x-y) <= 0.001+1e-6*math.Abs(x)) }
	if far(a.CrossAccountValueUSD, b.CrossAccountValueUSD) || far(m.maintenance, n.maintenance) ||
		far(m.initial, n.initial) || far(m.notional, n.notional) || len(a.Positions) != len(b.Positions) {
		return fmt.Sprintf("%+v %+v", b, n)
	}
	for i := range a.Positions {
		p, q := a.Positions[i], b.Positions[i]
		if p.Isolated && free && q.Leverage == 0 {
			q.Leverage = p.Leverage
		}
		if p.Name != q.Name || p.Units != q.Units || p.Isolated != q.Isolated || p.MaxLeverage != q.MaxLeverage ||
			p.Leverage != q.Leverage || far(p.ValueUSD, q.ValueUSD) || far(p.MarginUsedUSD, q.MarginUsedUSD) ||
			far(p.RawUSD, q.RawUSD) || q.EntryPrice != 0 && math.Abs(p.EntryPrice-q.EntryPrice) > 1e-3*p.EntryPrice {
			return fmt.Sprintf("%+v, was %+v", q, p)
		}
	}
	return ""
}

// TestMissingBalance: what is missing in the spot balances of a unified account is told, or the balances are refused.
func TestMissingBalance(t *testing.T) {
	f := bareFeed()
	f.learn([]byte(metaJSON("A")))
	load := func(balances, rest string) (a *marketcache.Account, mixed, ok bool) {
		spot, ok := parseSpot([]byte(`{"balances":[` + balances + `]` + rest + `}`))
		a = &marketcache.Account{Mode: marketcache.ModeUnified}
		takeSpot(a, &spot)
		return a, newAccountLoader(f).pools(a, []dexState{{margins: margins{maintenance: 10}}}, &spot), ok
	}
	const usdc, left = `{"coin":"USDC","token":0,"total":"700.0","hold":"50.0"}`,
		`,"tokenToAvailableAfterMaintenance":[[0,"690.0"]]`
	for _, c := range []struct {
		balances, rest string
		refused, told  bool
	}{
		{usdc, left, false, false},
		{usdc + `,{"coin":"HYPE","token":150,"total":"3","hold":"0"}`, left, false, false},
		{strings.Replace(usdc, `"USDC"`, "null", 1), left, false, false},
		{strings.Replace(usdc, `:0`, ":null", 1), left, false, false},
		{strings.Replace(usdc, `"700.0"`, `"NaN"`, 1), left, true, false},
		{strings.Replace(usdc, `"50.0"`, "null", 1), left, false, true},
		{strings.Replace(usdc, `,"hold":"50.0"`, "", 1), left, false, true},
		{usdc + `,{"coin":"HYPE","token":150,"total":null,"hold":"0"}`, left, false, true},
		{usdc + `,5`, left, false, true},
		{usdc, "", false, true},
		{usdc, `,"tokenToAvailableAfterMaintenance":[[0,null]]`, false, true},
		{usdc, left + `,"portfolioMarginRatio":"none"`, false, false},
	} {
		a, mixed, ok := load(c.balances, c.rest)
		switch {
		case ok == c.refused:
			t.Errorf("%s%s: refused %v", c.balances, c.rest, !ok)
		case ok && (mixed || len(a.Pools) != 1 || a.Pools[0].EquityUSD != 700):
			t.Errorf("%s%s: %+v", c.balances, c.rest, a)
		case ok && (a.Misquoted || a.ModeUncertain) != c.told:
			t.Errorf("%s%s: told %v", c.balances, c.rest, !c.told)
		}
	}
}
