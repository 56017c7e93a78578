package server

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// batchOf returns the body of a batch for the fixture's wallet.
func batchOf(trades ...string) string {
	return `{"wallet":"` + wallet + `","trades":[` + strings.Join(trades, ",") + `]}`
}

func (f *fixture) postBatch(body string, headers ...string) *reply {
	return f.raw(f.request("POST", "/v1/validate/batch", body, headers...))
}

// results returns the elements of a batch's answer.
func (r *reply) results(t *testing.T) []map[string]any {
	t.Helper()
	list, ok := r.tree["results"].([]any)
	if !ok || r.status != 200 || len(r.tree) != 1 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	out := make([]map[string]any, len(list))
	for i, e := range list {
		out[i] = e.(map[string]any)
	}
	return out
}

const btcLong = `{"asset":"BTC","action":"long","size":50000,"leverage":10}`

func TestBatchOfOneIsValidate(t *testing.T) {
	f := newFixture(t, nil)
	a := testAccount(walletOf(wallet)) // stays fresh during the test
	a.Received = a.Received.Add(time.Hour)
	f.cache.StoreAccount(a)
	for _, c := range []string{`"action":"long"`, `"action":"short"`, `"action":"close"`,
		`"action":"long","mode":"isolated"`, `"action":"long","monte_carlo":true`} {
		one := f.post(`{"asset":"BTC",` + c + `,"size":50000,"leverage":10,"wallet":"` + wallet + `"}`)
		many := f.postBatch(batchOf(`{"asset":"BTC",` + c + `,"size":50000,"leverage":10}`))
		got := many.results(t)
		if one.status != 200 || len(got) != 1 {
			t.Fatalf("%s: %d %s", c, one.status, one.body)
		}
		// Equal byte for byte, except for meta.
		strip := func(text string) string {
			from, to := strings.Index(text, `,"meta":`), strings.Index(text, `,"model_version":`)
			return text[:from] + text[to:]
		}
		if x, y := strip(string(one.body)), strip(string(many.body)); `{"results":[`+x+`]}` != y {
			t.Errorf("%s:\n%s\n%s", c, x, y)
		}
		for _, key := range []string{"asset", "mark_price", "max_leverage"} {
			if x, y := one.tree["meta"].(map[string]any)[key], got[0]["meta"].(map[string]any)[key]; x != y {
				t.Errorf("%s: meta.%s %v, %v", c, key, x, y)
			}
		}
	}
}

func TestBatchInSequence(t *testing.T) {
	f := warmFixture(t, nil)
	isolatedETH := `{"asset":"ISO","action":"short","size":2000,"leverage":3,"mode":"isolated"}`
	got := f.postBatch(batchOf(btcLong, btcLong, `{"asset":"NOPE","action":"long","size":1}`, isolatedETH,
		`{"asset":"BTC","action":"close","size":1e8}`, `{"asset":"BTC","action":"close","size":1000}`),
		"X-Request-Id: plan-7").results(t)
	if len(got) != 6 {
		t.Fatalf("%d results", len(got))
	}
	number := func(i int, path ...string) float64 { return figure(got[i], path...) }
	if a, b := number(0, "slippage", "fill_price"), number(1, "slippage", "fill_price"); b <= a {
		t.Errorf("the second fill at %v is no worse than the first at %v", b, a)
	}
	if a, b := number(0, "slippage", "depth_100bps"), number(1, "slippage", "depth_100bps"); b >= a {
		t.Errorf("depth %v after %v", b, a)
	}
	if a, b := number(0, "oi", "current"), number(1, "oi", "current"); b-a < 49_000 || b-a > 51_000 {
		t.Errorf("open interest grew by %v", b-a)
	}
	if a, b := number(0, "liquidation", "effective_leverage"), number(1, "liquidation", "effective_leverage"); b <= a {
		t.Errorf("effective leverage %v after %v", b, a)
	}
	if n := number(3, "portfolio_risk", "position_count"); n != 2 {
		t.Errorf("%v positions before the fourth", n)
	}
	flags := func(i int) string { return fmt.Sprint(got[i]["flags"]) }
	if !strings.Contains(flags(4), "size_exceeds_position") || !strings.Contains(flags(5), "no_open_position") {
		t.Errorf("the last trade leaves a position: %s, %s", flags(4), flags(5))
	}
	ids := map[any]bool{}
	for i := range got {
		ids[got[i]["meta"].(map[string]any)["request_id"]] = true
	}
	if len(ids) != 1 || !ids["plan-7"] {
		t.Errorf("request ids %v", ids)
	}
	checkRejected(t, got[2], "NOPE", "invalid asset: NOPE")
	// The invalid trade has no effect on the trades after it.
	without := f.postBatch(batchOf(btcLong, btcLong, isolatedETH)).results(t)
	for _, key := range []string{"risk_score", "flags", "slippage", "liquidation", "portfolio_attribution", "sizing",
		"stress"} {
		if !reflect.DeepEqual(got[3][key], without[2][key]) {
			t.Errorf("%s: %v\n%v", key, got[3][key], without[2][key])
		}
	}
	f.calm()
}

// checkRejected checks the element of a trade that breaks a rule.
func checkRejected(t *testing.T, r map[string]any, asset, detail string) {
	t.Helper()
	meta := r["meta"].(map[string]any)
	if meta["error"] != detail || meta["asset"] != asset || meta["mark_price"] != 0.0 || meta["max_leverage"] != 0.0 ||
		meta["request_id"] == "" || meta["as_of"] == "" {
		t.Errorf("meta %v, want %q", meta, detail)
	}
	if r["risk_score"] != 100.0 || r["recommendation"] != "abort" || len(r["flags"].([]any)) != 0 {
		t.Errorf("verdict %v %v %v", r["risk_score"], r["recommendation"], r["flags"])
	}
	blocks := []string{"slippage", "liquidation", "funding", "impact", "var", "oi", "fees", "cost_analysis", "margin"}
	for _, block := range append(blocks, "stress", "model_version") {
		if r[block] == nil {
			t.Errorf("no %s", block)
		}
	}
	zeros := map[string]any{"account_value": 0.0, "initial": 0.0, "maintenance": 0.0, "free": 0.0,
		"maintenance_ratio_pct": 0.0}
	for block, want := range map[string]any{
		"position": map[string]any{"before": nil, "after": nil},
		"margin": map[string]any{
			"before": zeros, "after": zeros, "delta_initial_usd": 0.0, "held_usd": 0.0, "held_most_usd": 0.0,
			"market_move": map[string]any{"down_pct": nil, "up_pct": nil},
		},
		"admissibility": map[string]any{"verdict": "unknown", "order_size_coin": 0.0, "order_size_usd": 0.0,
			"issues": []any{}},
	} {
		if !reflect.DeepEqual(r[block], want) {
			t.Errorf("%s = %v", block, r[block])
		}
	}
	if l := r["liquidation"].(map[string]any); l["probability_24h"] != nil || l["probability_7d"] != nil ||
		l["pool_equity_usd"] != nil || l["loss_at_usd"] != nil || l["loss_after_usd"] != nil || len(l) != 10 {
		t.Errorf("liquidation %v", l)
	}
	for _, name := range []string{"sizing", "pools", "book_before", "portfolio_stress"} {
		if _, there := r[name]; there {
			t.Errorf("%s in an error", name)
		}
	}
	if role, there := meta["wallet_role"]; !there || role != nil || meta["venue"] != "simulated" ||
		r["open_orders"] != nil || r["var"].(map[string]any)["session"] != nil {
		t.Errorf("%v", r)
	}
	for _, block := range blocks {
		for key, v := range r[block].(map[string]any) {
			if x, ok := v.(float64); ok && x != 0 {
				t.Errorf("%s.%s = %v", block, key, x)
			}
		}
	}
}

const noObject = `each trade must be an object, as {"asset":"BTC","action":"long","size":50000}`

func TestBatchErrors(t *testing.T) {
	f := warmFixture(t, nil)
	many := make([]string, 51)
	for i := range many {
		many[i] = btcLong
	}
	for _, row := range []struct{ name, body, code, detail string }{
		{"no JSON", "hello", "invalid_json", ""},
		{"no object", "[]", "invalid_json", ""},
		{"broken inside a trade", batchOf(`{"asset":"BTC","asset":"BTC"}`), "invalid_json", ""},
		{"trailing", batchOf(btcLong) + "x", "invalid_json", ""},
		{"too deep", batchOf(strings.Repeat("[", 20) + strings.Repeat("]", 20)), "invalid_json", ""},
		{"none", batchOf(), "validation_error", "trades array is empty"},
		{"51", batchOf(many...), "batch_too_large", "max 50 trades per batch"},
		{"no trades", `{"wallet":"` + wallet + `"}`, "validation_error", "missing field: trades"},
		{"trades null", `{"wallet":"` + wallet + `","trades":null}`, "validation_error", "missing field: trades"},
		{"trades an object", `{"wallet":"` + wallet + `","trades":{}}`, "validation_error",
			"field trades must be an array"},
		{"no wallet", `{"trades":[` + btcLong + `]}`, "validation_error", "missing field: wallet"},
		{"wallet a number", `{"wallet":1,"trades":[` + btcLong + `]}`, "validation_error",
			"field wallet must be a string"},
		{"bad wallet", `{"wallet":"0x1","trades":[` + btcLong + `]}`, "validation_error",
			"invalid wallet address: 0x1"},
		{"unknown field", `{"wallet":"` + wallet + `","x":1,"trades":[` + btcLong + `]}`, "validation_error",
			"unknown field: x"},
	} {
		r := f.postBatch(row.body).want(400, row.code)
		if row.detail != "" {
			r.holds("detail", row.detail)
		}
	}
	if r := f.postBatch(batchOf(many[:50]...)); len(r.results(t)) != 50 {
		t.Errorf("%d results of 50", len(r.results(t)))
	}

	for _, row := range []struct{ trade, asset, detail string }{
		{`{"asset":"BTC","action":"long","size":-1}`, "BTC", "size must be positive, got -1"},
		{`{"asset":"OLD","action":"long","size":1}`, "OLD", "asset OLD is delisted and cannot be traded"},
		{`{"asset":"ISO","action":"long","size":1}`, "ISO", "asset ISO only supports isolated margin mode"},
		{`{"asset":"BTC","action":"long","size":1,"extra":true}`, "BTC", "unknown field: extra"},
		{`{"asset":"BTC","action":"long","size":1,"wallet":"` + wallet + `"}`, "BTC", "unknown field: wallet"},
		{`{"asset":"BTC","action":"long","size":"1"}`, "BTC", "field size must be a number"},
		{`{"action":"long","size":1}`, "", "missing field: asset"},
		{`{}`, "", "missing field: size"},
		{`17`, "", noObject},
		{`null`, "", noObject},
		{`{"asset":"\u0000<b>","action":"long","size":1}`, "?<b>", "invalid asset: ?<b>"},
	} {
		r := f.postBatch(batchOf(row.trade, btcLong)).results(t)
		checkRejected(t, r[0], row.asset, row.detail)
		if r[1]["meta"].(map[string]any)["error"] != nil || r[1]["sizing"] == nil {
			t.Errorf("%s stops the batch: %v", row.trade, r[1])
		}
	}

	// With no trade to assess, the wallet is not requested from the venue.
	before := f.loadCount()
	checkRejected(t, f.postBatch(strings.Replace(batchOf(`{}`), wallet, wallet[:40]+"ff", 1)).results(t)[0], "",
		"missing field: size")
	if f.loadCount() != before {
		t.Error("the wallet was read although no trade is valid")
	}
}

// An asset without data rejects the whole batch, because later trades would be assessed in a wrong
// state.
func TestBatchNeedsEveryAsset(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.StartingWait = 50 * time.Millisecond })
	f.postBatch(batchOf(btcLong, `{"asset":"FRESH","action":"long","size":10}`)).want(503, "starting", "FRESH")
}

func TestBatchBodySize(t *testing.T) {
	f := warmFixture(t, nil)
	pad := func(n int) string { return batchOf(btcLong) + strings.Repeat(" ", n) }
	f.postBatch(pad(400 << 10)).ok()
	f.postBatch(pad(512<<10)).want(413, "body_too_large", "524288")
	f.post(trade("BTC")+strings.Repeat(" ", 64<<10)).want(413, "", "65536")
}

// While the wallet's marks differ from those of the market, a batch that only reduces positions is
// answered, and one that increases a position after the trades before is refused.
func TestBatchInconsistentData(t *testing.T) {
	f := newFixture(t, nil)
	odd := testAccount(walletOf(wallet))
	odd.Positions = []marketcache.Position{{Asset: btc, Name: "BTC", Units: 0.1, EntryPrice: 60000,
		ValueUSD: 6712.35 * 1.06, Leverage: 5, MaxLeverage: 40}}
	f.venueGives(odd, nil)
	sell := func(usd string) string { return `{"asset":"BTC","action":"short","size":` + usd + `,"leverage":5}` }
	f.cache.StoreAccount(odd)
	f.post(`{"asset":"BTC","action":"short","size":4000,"leverage":5,"wallet":"` + wallet + `"}`).ok()
	for _, c := range []struct {
		trades []string
		status int
	}{
		{[]string{sell("4000")}, 200},
		{[]string{sell("4000"), sell("2000"), `{"asset":"BTC","action":"close","size":1e8}`}, 200},
		{[]string{sell("4000"), sell("4000")}, 503}, // the second sells more than is left
		{[]string{sell("8000")}, 503},
		{[]string{btcLong}, 503},
	} {
		f.cache.StoreAccount(odd)
		r := f.postBatch(batchOf(c.trades...))
		if r.status != c.status {
			t.Errorf("%v: %d %.300s", c.trades, r.status, r.body)
			continue
		}
		if r.status == 503 {
			r.want(503, "inconsistent_market_data", "wallet")
			continue
		}
		for i, one := range r.results(t) {
			if flags, _ := one["flags"].([]any); len(flags) == 0 || flags[0] != "price_divergence" ||
				one["recommendation"] != "proceed" {
				t.Errorf("%v, trade %d: %v, flags %v", c.trades, i, one["recommendation"], one["flags"])
			}
		}
	}
}
