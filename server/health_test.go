package server

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

func TestHealth(t *testing.T) {
	const other = "0x00000000000000000000000000000000000000bb"
	f := newFixture(t, func(c *Config) { c.DemoWallets = []DemoWallet{{wallet, "a", "one"}, {other, "b", "two"}} })
	for range 3 {
		defer f.subscribe(t, wallet).Close()
	}
	f.cache.Venue.WalletStreams.Store(&marketcache.WalletStreams{
		Followed: 2, Limit: 8, Refused: 1, GapP50: 5 * time.Second, GapP90: -1, Confirmed: 7, Differed: 3,
	})
	f.cache.SetRules(&marketcache.VenueRules{Notice: "Post-only.", NoticeRead: marketcache.Now()})
	r := f.raw("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
	want := map[string]any{
		"status": "ok", "ready": true, "version": "test", "engine_version": risk.EngineVersion,
		"venue": map[string]any{"name": "synthetic", "kind": "simulated", "connected": true, "clock_skew_ms": 0.0,
			"notice": "Post-only.", "wallet_streams": map[string]any{
				"followed": 2.0, "limit": 8.0, "refused": 1.0, "gap_ms": map[string]any{"p50": 5000.0, "p90": nil},
				"confirmed": 7.0, "differed": 3.0,
			}},
		"assets": map[string]any{"listed": 4.0, "fresh": 4.0, "calibrated": 3.0},
		"alerts": map[string]any{"connections": 3.0, "subscriptions": 3.0},
		"demo_wallets": []any{map[string]any{"wallet": wallet, "name": "a", "about": "one"},
			map[string]any{"wallet": other, "name": "b", "about": "two"}},
		"warmup": map[string]any{"open_interest_share": 0.9996667777407531, "ready_in_s": 0.0, "complete_in_s": nil},
	}
	if _, ok := r.tree["uptime_s"].(float64); !ok {
		t.Error("no uptime_s")
	}
	delete(r.tree, "uptime_s")
	if _, ok := r.tree["venue"].(map[string]any)["last_message_age_ms"].(float64); !ok {
		t.Error("no last_message_age_ms")
	}
	delete(r.tree["venue"].(map[string]any), "last_message_age_ms")
	got, _ := json.Marshal(r.tree)
	expected, _ := json.Marshal(want)
	if r.status != 200 || !bytes.Equal(got, expected) {
		t.Errorf("%d %s, want %s", r.status, got, expected)
	}
	says := func(f *fixture, code int, status string, ready bool) {
		t.Helper()
		if r := f.get("/health"); r.status != code || r.tree["status"] != status || r.tree["ready"] != ready {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	f.cache.Venue.Clock.Set(time.Now().UnixNano()-3e9, marketcache.Now())
	says(f, 200, "degraded", true)
	f.cache.Venue.Clock.Set(time.Now().UnixNano(), marketcache.Now())
	broken := newFixture(t, func(c *Config) { c.Degraded = func() bool { return true } })
	says(broken, 200, "degraded", true)
	f.keys.TrustUntil(time.Now().Add(-time.Second)) // a load balancer must send requests to another replica
	f.get("/readyz").want(503, "not_ready", "not ready: degraded, keys cannot be checked; ")
	f.keys.TrustForever()
	f.get("/readyz").ok()
	f.cache.SetModel(&marketcache.Model{Name: "none"})
	says(f, 503, "degraded", false)
	f.get("/readyz").want(503, "not_ready", "not ready: degraded; live prices of ")
	f3 := newFixture(t, func(c *Config) { c.Cache = marketcache.New(marketcache.Limits{Assets: 1}) })
	says(f3, 503, "starting", false)
	f3.get("/readyz").want(503, "starting", "not ready: starting; ")
	f3.get("/livez").ok("ok")
}
