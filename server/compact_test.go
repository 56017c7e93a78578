package server

import (
	"math"
	"strings"
	"testing"

	"ballast/server/api"
)

// compactTrades are requests with different kinds of compact views.
var compactTrades = []string{
	trade("BTC"),
	ordered(`{"type":"limit","price":60000.5,"stop_loss_price":50000,"take_profit_price":80000}`),
	ordered(`{"type":"limit","price":60000,"tif":"ioc","stop_loss_price":1,"reduce_only":false}`),
	ordered(`{"type":"limit","price":70000}`),
	ordered(`{"stop_loss_price":50000,"take_profit_price":80000}`),
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
	f.get("/v1/monitor/" + wallet + "?view=compact&max_probability_24h=0")
}

// Where no size is acceptable, the compact view names the rule in the way, also in a batch and without
// explain=true.
func TestCompactViewSaysWhyNoSize(t *testing.T) {
	f := newFixture(t, nil)
	a := testAccount(walletOf(wallet))
	a.CrossAccountValueUSD = 20_000
	f.know(a)
	const want = "No size is suggested: a stress scenario ends the pool (H8)."
	f.call(single+"?view=compact", trade("BTC")).ok(want)
	f.call(batches+"?view=compact", batchOf(btcLong)).ok(want)
}

func TestCompactView(t *testing.T) {
	f := newFixture(t, nil)
	f.tellAll()
	f.warm()
	for _, body := range compactTrades {
		f.warm()
		full, small := f.post(body), f.raw(f.request("POST", "/v1/validate?explain=true&view=compact", body))
		if full.status != 200 || small.status != 200 || len(small.body) > api.MaxCompact &&
			!strings.Contains(string(small.body), `"severity":"critical","text":`) {
			t.Fatalf("%d, %d with %d bytes: %s", full.status, small.status, len(small.body), small.body)
		}
		if got, want := small.tree["recommendation"], full.tree["recommendation"]; got != want {
			t.Errorf("recommendation %v, in full %v", got, want)
		}
		for name, path := range map[string][]string{
			"risk_score": {"risk_score"}, "probability_24h": {"liquidation", "probability_24h"},
			"liquidation_distance_pct": {"liquidation", "distance_pct"},
			"var_99_24h_usd":           {"var", "dollar_99_24h"},
			"entry_cost_bps":           {"cost_analysis", "total_entry_cost_bps"},
			"suggested_size_usd":       {"sizing", "suggested_size_usd"},
			"max_safe_size_usd":        {"sizing", "max_safe_size_usd"}, "liquidation_price": {"liquidation", "price"},
		} {
			got, want := figure(small.tree, name), figure(full.tree, path...)
			if math.Abs(got-want) > 1e-5*math.Abs(want)+1e-9 {
				t.Errorf("%s: %v, in full %v", name, got, want)
			}
		}
		// Funding in USD from the funding drag, which is a percentage of the margin, notional
		// divided by leverage.
		after, _ := full.tree["position"].(map[string]any)["after"].(map[string]any)
		if after != nil {
			drag := figure(full.tree, "cost_analysis", "funding_drag_24h_pct")
			want := drag / 100 * figure(after, "notional_usd") / figure(after, "leverage")
			if got := figure(small.tree, "funding_24h_usd"); math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("funding %v, want %v", got, want)
			}
		}
		if s, _ := small.tree["summary"].(string); len(s) < 20 || !strings.HasSuffix(s, ".") {
			t.Errorf("summary %q", s)
		}
		flags, told := full.tree["flags"].([]any), small.tree["flags"].([]any)
		if len(told)+int(figure(small.tree, "more_flags")) != len(flags) {
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
	r = f.get("/v1/monitor/"+wallet+"?view=compact").ok().holds("wallet", wallet)
	if positions, _ := r.tree["positions"].([]any); len(positions) != 2 || r.tree["worst_stress"] == nil {
		t.Errorf("%s", r.body)
	}
}
