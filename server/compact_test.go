package server

import (
	"context"
	"math"
	"strings"
	"testing"

	"ballast/marketcache"
	"ballast/server/api"
)

// compactTrades are requests with different kinds of compact views.
var compactTrades = []string{
	trade("BTC"),
	strings.Replace(trade("BTC"), "long", "close", 1),
	strings.Replace(trade("ETH"), "50000", "90000000", 1),
	`{"asset":"ISO","action":"short","size":5,"leverage":10,"mode":"isolated","wallet":"` + wallet + `"}`,
}

// compactAnswers requests every kind of compact view.
func (f *fixture) compactAnswers() {
	for _, body := range compactTrades {
		f.raw(f.request("POST", "/v1/validate?view=compact", body, `X-Request-Id: `+strings.Repeat(`"`, 64)))
	}
	f.raw(f.request("POST", "/v1/validate/batch?view=compact", batchOf(btcLong,
		`{"asset":"NOPE","action":"long","size":1}`)))
	f.get("/v1/monitor/" + wallet + "?view=compact")
}

// Where no size is acceptable, the compact view names the rule in the way, also in a batch and without
// explain=true.
func TestCompactViewSaysWhyNoSize(t *testing.T) {
	f := newFixture(t, nil)
	a := testAccount(walletOf(wallet))
	a.CrossAccountValueUSD = 20_000
	f.load = func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		f.cache.StoreAccount(a)
		return a, nil
	}
	const want = "No size is suggested: a stress scenario ends the pool (H8)."
	one := f.raw(f.request("POST", "/v1/validate?view=compact", trade("BTC")))
	batch := f.raw(f.request("POST", "/v1/validate/batch?view=compact", batchOf(btcLong)))
	for _, r := range []*reply{one, batch} {
		if r.status != 200 || !strings.Contains(string(r.body), want) {
			t.Errorf("%d without %q: %s", r.status, want, r.body)
		}
	}
}

func TestCompactView(t *testing.T) {
	f := newFixture(t, nil)
	f.tellAll()
	f.warm()
	number := func(tree map[string]any, path ...string) float64 {
		for _, name := range path[:len(path)-1] {
			tree, _ = tree[name].(map[string]any)
		}
		x, _ := tree[path[len(path)-1]].(float64)
		return x
	}
	for _, body := range compactTrades {
		f.warm()
		full, small := f.post(body), f.raw(f.request("POST", "/v1/validate?explain=true&view=compact", body))
		if full.status != 200 || small.status != 200 || len(small.body) > api.MaxCompact &&
			!strings.Contains(string(small.body), `"severity":"critical","text":`) {
			t.Fatalf("%d, %d with %d bytes: %s", full.status, small.status, len(small.body), small.body)
		}
		for _, name := range []string{"recommendation"} {
			if small.tree[name] != full.tree[name] {
				t.Errorf("%s: %v, in full %v", name, small.tree[name], full.tree[name])
			}
		}
		for name, path := range map[string][]string{
			"risk_score": {"risk_score"}, "probability_24h": {"liquidation", "probability_24h"},
			"liquidation_distance_pct": {"liquidation", "distance_pct"},
			"var_99_24h_usd":           {"var", "dollar_99_24h"}, "entry_cost_bps": {"cost_analysis",
				"total_entry_cost_bps"},
			"suggested_size_usd": {"sizing", "suggested_size_usd"},
			"max_safe_size_usd":  {"sizing", "max_safe_size_usd"}, "liquidation_price": {"liquidation", "price"},
		} {
			if got, want := number(small.tree, name), number(full.tree, path...); math.Abs(got-want) > 1e-5*math.Abs(want)+1e-9 {
				t.Errorf("%s: %v, in full %v", name, got, want)
			}
		}
		// Funding in USD from the funding drag, which is a percentage of the margin, notional
		// divided by leverage.
		after, _ := full.tree["position"].(map[string]any)["after"].(map[string]any)
		if after != nil {
			drag := number(full.tree, "cost_analysis", "funding_drag_24h_pct")
			want := drag / 100 * number(after, "notional_usd") / number(after, "leverage")
			if got := number(small.tree, "funding_24h_usd"); math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("funding %v, want %v", got, want)
			}
		}
		if s, _ := small.tree["summary"].(string); len(s) < 20 || !strings.HasSuffix(s, ".") {
			t.Errorf("summary %q", s)
		}
		flags, told := full.tree["flags"].([]any), small.tree["flags"].([]any)
		if len(told)+int(number(small.tree, "more_flags")) != len(flags) {
			t.Errorf("%d flags and %v more of %d: %s", len(told), small.tree["more_flags"], len(flags), small.body)
		}
		for i, flag := range told {
			if flag.(map[string]any)["name"] != flags[i] {
				t.Errorf("flag %d: %v, want %v", i, flag, flags[i])
			}
		}
	}
	r := f.raw(f.request("POST", "/v1/validate/batch?view=compact",
		batchOf(btcLong, `{"asset":"NOPE","action":"long","size":1}`)))
	results := r.results(t)
	if len(results) != 2 || results[0]["summary"] == "" || results[1]["error"] != "invalid asset: NOPE" ||
		results[1]["recommendation"] != "abort" {
		t.Errorf("%s", r.body)
	}
	r = f.get("/v1/monitor/" + wallet + "?view=compact")
	if positions, _ := r.tree["positions"].([]any); r.status != 200 || len(positions) != 2 ||
		r.tree["wallet"] != wallet || r.tree["worst_stress"] == nil {
		t.Errorf("%d %s", r.status, r.body)
	}
}
