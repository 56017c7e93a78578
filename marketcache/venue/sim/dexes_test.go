package sim

import (
	"encoding/json"
	"strings"
	"testing"
)

// At full size the market has as many listed assets as the venue, and about as many live ones.
func TestFullSize(t *testing.T) {
	m := newMarket(234, dexAssetsMax, 1, 1, testStart.UnixMilli())
	listing := map[string][2]int{}
	seen := map[string]bool{}
	for _, d := range m.dexes {
		live := 0
		for _, a := range d.assets {
			if seen[a.name] || a.dex != d.name || a.tiers == nil || a.maxLeverage != a.tiers[0].maxLeverage {
				t.Errorf("%s: duplicate name, wrong dex, or leverage %d does not fit table %d", a.name, a.maxLeverage,
					a.table)
			}
			seen[a.name] = true
			if a.life != delisted {
				live++
			}
			if bid, ask := a.best(); a.life != delisted && (bid <= 0 || ask <= bid) {
				t.Errorf("%s: best bid %d, ask %d", a.name, bid, ask)
			}
		}
		listing[d.name] = [2]int{len(d.assets), live}
	}
	want := map[string][2]int{"": {234, 178}, "xyz": {124, 109}, "para": {36, 27}, "mkts": {24, 4}, "io": {10, 8},
		"flx": {14, 0}, "vntl": {18, 0}, "hyna": {24, 0}, "km": {20, 0}, "abcd": {1, 0}, "cash": {20, 0}}
	for dex, n := range want {
		if got := listing[dex]; got[0] != n[0] || got[1] < n[1]-2 || got[1] > n[1]+2 {
			t.Errorf("%q: %v, want %v", dex, listing[dex], n)
		}
	}
}

func TestDexes(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true})
	var dexs []*struct{ Name string }
	r.info(`{"type":"perpDexs"}`, &dexs)
	if len(dexs) != 11 || dexs[0] != nil {
		t.Fatalf("%d dexes", len(dexs))
	}
	modes := map[string]bool{}
	for _, d := range dexs[1:] {
		var both tuple2[metaIn, []assetContext]
		r.info(`{"type":"metaAndAssetCtxs","dex":"`+d.Name+`"}`, &both)
		meta := both.first
		if len(both.second) != len(meta.Universe) {
			t.Errorf("%s: %d contexts of %d assets", d.Name, len(both.second), len(meta.Universe))
		}
		for j, u := range meta.Universe {
			if !strings.HasPrefix(u.Name, d.Name+":") || u.DeployerFeeScale == "" ||
				u.OnlyIsolated != (u.MarginMode != "") {
				t.Errorf("%s: %+v", d.Name, u)
			}
			if c := both.second[j]; u.IsDelisted != (c.MidPx == nil) || c.MarkPx == "" || c.OraclePx == "" {
				t.Errorf("%s: delisted %v, %+v", u.Name, u.IsDelisted, c)
			}
			modes[u.MarginMode+u.GrowthMode] = true
		}
		if d.Name == "flx" && meta.CollateralToken != 360 || d.Name == "xyz" && meta.CollateralToken != 0 {
			t.Errorf("%s: collateral %d", d.Name, meta.CollateralToken)
		}
	}
	for _, m := range []string{"enabled", "noCross", "noCrossenabled", "strictIsolatedenabled"} {
		if !modes[m] {
			t.Errorf("no asset of mode %q", m)
		}
	}
}

// Requests for the book, candles and funding of a coin also work for coins of other dexes.
func TestDexCoins(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true})
	var b wireBook
	r.info(`{"type":"l2Book","coin":"xyz:TSLA"}`, &b)
	var candles []wireCandle
	r.info(`{"type":"candleSnapshot","req":{"coin":"xyz:TSLA","interval":"1h","startTime":0,"endTime":null}}`, &candles)
	if len(b.Levels[0]) != 20 || len(candles) != 5000 {
		t.Errorf("%d levels, %d candles", len(b.Levels[0]), len(candles))
	}
	for _, coin := range []string{"BTC", "xyz:TSLA"} { // the venue's rule, with the printed premium P
		var rows []struct{ FundingRate, Premium string }
		r.info(`{"type":"fundingHistory","coin":"`+coin+`","startTime":0}`, &rows)
		if len(rows) != 500 {
			t.Fatalf("%s: %d rows", coin, len(rows))
		}
		outside := 0
		for _, row := range rows {
			p := num(t, row.Premium)
			pull := min(max(0.0001-p, -0.0005), 0.0005)
			if pull != 0.0001-p {
				outside++
			}
			near(t, coin, num(t, row.FundingRate), (p+pull)/8, 2e-10)
		}
		if outside == 0 {
			t.Errorf("%s never leaves the clamp", coin)
		}
	}
}

// The account streams name every dex and agree with REST.
func TestAccountsOfAllDexes(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 24, Manual: true})
	user := "0xba11a5700000000000000000000000000000000e"
	s := r.dial()
	s.send(subscribe(`{"type":"allDexsClearinghouseState","user":"` + user + `"}`))
	var all struct {
		States []tuple2[string, json.RawMessage] `json:"clearinghouseStates"`
	}
	if err := json.Unmarshal(s.until("allDexsClearinghouseState").Data, &all); err != nil || len(all.States) != 11 {
		t.Fatalf("%v, %d dexes", err, len(all.States))
	}
	cross := 0
	for _, d := range all.States {
		var one json.RawMessage
		r.info(`{"type":"clearinghouseState","user":"`+user+`","dex":"`+d.first+`"}`, &one)
		if string(one) != string(d.second) {
			t.Errorf("%q differs", d.first)
		}
		if read[stateIn](t, one).CrossMaintenanceMarginUsed != "0.0" {
			cross++
		}
	}
	if cross != 3 {
		t.Errorf("cross positions on %d dexes", cross)
	}
	var spot spotIn
	r.info(`{"type":"spotClearinghouseState","user":"`+user+`"}`, &spot)
	if n := len(spot.Balances); n != 3 || spot.Balances[2].Token != nil || *spot.Balances[1].Token != 150 {
		t.Errorf("%+v", spot.Balances)
	}
}
