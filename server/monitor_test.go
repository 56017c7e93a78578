package server

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// near reports whether a figure is within 1e-6 of what it should be.
func near(got any, want float64) bool {
	v, ok := got.(float64)
	return ok && math.Abs(v-want) <= 1e-6
}

func TestMonitor(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/v1/monitor/" + wallet[:2] + strings.ToUpper(wallet[2:])).ok()
	if f.loadCount() != 1 {
		t.Error("the wallet was not read")
	}
	positions := r.tree["positions"].([]any)
	if len(positions) != 2 || r.tree["wallet"] != wallet || r.tree["portfolio_risk"] == nil ||
		r.tree["portfolio_stress"] == nil {
		t.Fatalf("%s", r.body)
	}
	p := positions[1].(map[string]any)
	if p["asset"] != "ETH" || len(p) != 18 {
		t.Errorf("%d fields: %v", len(p), p)
	}
	for _, key := range []string{
		"risk_score", "recommendation", "flags", "liquidation_price", "liquidation_distance_pct",
		"funding_drag_24h_pct", "probability_24h", "probability_7d", "regime", "var",
	} {
		if _, there := p[key]; !there {
			t.Errorf("no %s", key)
		}
	}
	const value, held, used = 100000, 67123.5 + 34567.8, 6712.35 + 3456.78
	for _, block := range []struct {
		got  map[string]any
		want map[string]float64
	}{
		{r.tree, map[string]float64{"account_value": value, "total_margin_used": used}},
		{r.tree["margin"].(map[string]any), map[string]float64{
			"account_value": value, "initial": used, "free": value - used,
			"maintenance": held / 80, "maintenance_ratio_pct": held / 80 / 1000,
		}},
		{p, map[string]float64{
			"size": -10, "entry_price": 3400, "mark_price": 3456.78,
			"unrealized_pnl": -567.8, "unrealized_pnl_pct": -100 * 567.8 / 3456.78,
		}},
	} {
		for key, want := range block.want {
			if !near(block.got[key], want) {
				t.Errorf("%s %v, want %v", key, block.got[key], want)
			}
		}
	}
	for _, key := range []string{"probability_24h", "probability_7d"} {
		if v, ok := p[key].(float64); !ok || v < 0 || v > 1 {
			t.Errorf("%s %v", key, p[key])
		}
	}
	meta := r.tree["meta"].(map[string]any)
	if meta["venue"] != "simulated" || meta["request_id"] != r.header.Get("X-Request-Id") || meta["as_of"] == nil ||
		meta["wallet_age_ms"] == nil {
		t.Errorf("meta %v", meta)
	}
}

// The query sets what each action brings its pool to.
func TestMonitorTarget(t *testing.T) {
	f := newFixture(t, nil)
	path := "/v1/monitor/" + wallet
	action := func(query string) map[string]any {
		return f.get(path + query).ok().tree["positions"].([]any)[0].(map[string]any)["action"].(map[string]any)
	}
	until := func(chance float64, survive bool) map[string]any {
		return map[string]any{"max_probability_24h": chance, "survive": survive}
	}
	hold := map[string]any{"pool": "main", "kind": "hold", "reduce_pct": nil, "reduce_usd": nil, "reduce_orders": nil,
		"add_margin_usd": nil,
		"assets":         nil, "until": until(0.05, true)}
	if got := action(""); !reflect.DeepEqual(got, hold) {
		t.Errorf("%v", got)
	}
	hold["until"] = until(1, false)
	if got := action("?survive=false&max_probability_24h=1"); !reflect.DeepEqual(got, hold) {
		t.Errorf("%v", got)
	}
	got := action("?max_probability_24h=0")
	if got["kind"] != "reduce" || !(got["reduce_pct"].(float64) > 0 && got["reduce_usd"].(float64) > 0) ||
		got["reduce_orders"] != 2.0 ||
		!reflect.DeepEqual(got["assets"], []any{"BTC", "ETH"}) || !reflect.DeepEqual(got["until"], until(0, true)) {
		t.Errorf("%v", got)
	}
	short := f.get(path + "?max_probability_24h=0&view=compact").ok().tree
	if text := fmt.Sprint(short["summary"]); !strings.HasPrefix(text, "main: reduce by ") {
		t.Error(text)
	}
}

func TestMonitorErrors(t *testing.T) {
	f := newFixture(t, nil)
	// A copy older than two seconds must not be used, even if the venue returns it again.
	old := *testAccount(walletOf(wallet))
	old.Received = marketcache.Now().Add(-3 * time.Second)
	f.cache.StoreAccount(&old)
	f.venueGives(&old, nil)
	f.get("/v1/monitor/"+wallet).want(503, "stale_market_data", "the wallet is 3")
	f.venueGives(nil, errors.New("down"))
	f.get("/v1/monitor/"+wallet).want(502, "")
	const other = "0x00000000000000000000000000000000000000bb"
	f.venueGives(&marketcache.Account{
		Wallet: walletOf(other), Mode: marketcache.ModeDisabled, CrossAccountValueUSD: 5, Received: marketcache.Now(),
	}, nil)
	empty := f.get("/v1/monitor/" + other).ok()
	if _, there := empty.tree["portfolio_risk"]; there || len(empty.tree["positions"].([]any)) != 0 ||
		empty.tree["total_margin_used"] != 0.0 {
		t.Errorf("%s", empty.body)
	}
	for _, bad := range []string{"0x12", wallet + "0", "0X" + wallet[2:], "%30x" + wallet[2:], wallet + "/x"} {
		f.get("/v1/monitor/"+bad).want(400, "validation_error", `"detail":"invalid wallet address: `)
	}
	f.get("/v1/monitor/").want(404, "")
	f.raw("GET /v1/monitor/"+wallet+" HTTP/1.1\r\nHost: x\r\n\r\n").want(401, "")
	f.raw(f.request("POST", "/v1/monitor/"+wallet, "{}")).want(405, "")
}

func TestMarket(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/v1/market/BTC").ok().holds("asset", "BTC", "mark_price", 67123.5)
	mids, _ := r.tree["mids"].([]any)
	if r.tree["regime"] == nil || len(mids) != 1 {
		t.Fatalf("%s", r.body)
	}
	if mid := mids[0].(map[string]any); mid["mid_price"] != 67123.5 || mid["at_ms"].(float64) < 1.7e12 {
		t.Errorf("%v", mid)
	}
	f.get("/v1/market/%42TC").ok(`"asset":"BTC"`)
	// Only the context and book of FRESH are loaded.
	f.get("/v1/market/FRESH").ok().holds("regime", nil, "mark_price", 2.0)
	for path, suggestion := range map[string]string{"btc": "BTC", "OLD": "all are listed by GET /v1/assets",
		"%zz": "all are listed by GET /v1/assets", "a/b": "all are listed by GET /v1/assets"} {
		f.get("/v1/market/"+path).want(404, "not_found").holds("suggestion", suggestion)
	}
}
