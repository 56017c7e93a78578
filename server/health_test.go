package server

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

func TestHealth(t *testing.T) {
	const other = "0x00000000000000000000000000000000000000bb"
	f := newFixture(t, func(c *Config) {
		c.DemoWallets = []DemoWallet{{wallet, "a", "one"}, {other, "b", "two"}}
		c.Feed = func() FeedStatus {
			return FeedStatus{Leader: "b", Weight: &marketcache.VenueWeight{
				Wallets: 40, Live: 2, Tables: 20, Histories: 300, Clients: 7, Limit: 600}}
		}
	})
	for range 3 {
		defer f.subscribe(t, wallet).Close()
	}
	f.cache.Venue.Reconnects.Store(2)
	f.cache.Venue.WalletStreams.Store(&marketcache.WalletStreams{
		Followed: 2, Limit: 8, Refused: 1, GapP50: 5 * time.Second, GapP90: -1, Confirmed: 7, Differed: 3,
	})
	f.cache.SetRules(&marketcache.VenueRules{Notice: "Post-only.", NoticeRead: marketcache.Now()})
	f.post(trade("BTC")).ok()
	f.s.metrics.errors[api.CodeStaleMarketData].Add(1)
	r := f.raw("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
	want := map[string]any{
		"status": "ok", "ready": true, "version": "test", "engine_version": risk.EngineVersion,
		"venue": map[string]any{"name": "synthetic", "kind": "simulated", "connected": true, "clock_skew_ms": 0.0,
			"notice": "Post-only.", "last_error": nil, "reconnects": 2.0, "wallet_streams": map[string]any{
				"followed": 2.0, "limit": 8.0, "refused": 1.0, "gap_ms": map[string]any{"p50": 5000.0, "p90": nil},
				"confirmed": 7.0, "differed": 3.0,
			}},
		"assets": map[string]any{"listed": 4.0, "fresh": 4.0, "calibrated": 3.0, "with_history": 3.0},
		"feed": map[string]any{"leader": "b", "here": false, "weight_per_minute": map[string]any{
			"wallets": 40.0, "live": 2.0, "tables": 20.0, "histories": 300.0, "clients": 7.0, "limit": 600.0}},
		"kill_switch": map[string]any{"on": false, "since": nil},
		"policies":    map[string]any{"count": 0.0, "revision": 0.0, "trouble": nil},
		"accuracy":    nil,
		"journal": map[string]any{"mode": "off", "strict": false, "recorded": 0.0, "dropped": 0.0,
			"unreadable_blocks": 0.0, "oldest": nil, "bytes": 0.0, "last_error": nil},
		"answers": map[string]any{"assessed": 1.0, "overloaded": 0.0, "stale": 1.0,
			"last_minute": map[string]any{"validations": 0.0, "p99_us": nil}},
		"alerts": map[string]any{"connections": 3.0, "subscriptions": 3.0},
		"watches": map[string]any{"count": 0.0, "here": true, "failing": 0.0, "waiting": 0.0, "dead": 0.0,
			"trouble": false},
		"demo_wallets": []any{map[string]any{"wallet": wallet, "name": "a", "about": "one"},
			map[string]any{"wallet": other, "name": "b", "about": "two"}},
		"warmup": map[string]any{"open_interest_share": 0.9996667777407531, "ready_in_s": 0.0,
			"share_with_history": 0.9996667777407531, "complete_in_s": nil},
	}
	if _, ok := r.tree["uptime_s"].(float64); !ok {
		t.Error("no uptime_s")
	}
	delete(r.tree, "uptime_s")
	if _, ok := r.tree["venue"].(map[string]any)["last_message_age_ms"].(float64); !ok {
		t.Error("no last_message_age_ms")
	}
	delete(r.tree["venue"].(map[string]any), "last_message_age_ms")
	delete(r.tree, "ages") // TestHealthAges
	got, _ := json.Marshal(r.tree)
	expected, _ := json.Marshal(want)
	if r.status != 200 || !bytes.Equal(got, expected) {
		t.Errorf("%d %s, want %s", r.status, got, expected)
	}
	says := func(f *fixture, code int, status string, ready bool) {
		t.Helper()
		if r := f.get("/health").holds("status", status, "ready", ready); r.status != code {
			t.Errorf("%d, want %d", r.status, code)
		}
	}
	f.cache.Venue.Clock.Set(time.Now().UnixNano()-3e9, marketcache.Now())
	says(f, 200, "degraded", true)
	f.cache.Venue.Clock.Set(time.Now().UnixNano(), marketcache.Now())
	broken := newFixture(t, func(c *Config) { c.Degraded = func() bool { return true } })
	says(broken, 200, "degraded", true)
	f.keys.TrustUntil(time.Now().Add(-time.Second)) // a load balancer must send requests to another replica
	f.get("/readyz").want(503, "not_ready", "not ready: degraded, keys cannot be checked; ")
	f.keys.TrustUntil(time.Now().Add(time.Hour))
	f.get("/readyz").ok()
	f.cache.SetModel(&marketcache.Model{Name: "none"})
	says(f, 503, "degraded", false)
	f.get("/readyz").want(503, "not_ready", "not ready: degraded; live prices of ")
	f3 := newFixture(t, func(c *Config) { c.Cache = marketcache.New(marketcache.Limits{Assets: 1}) })
	says(f3, 503, "starting", false)
	f3.get("/readyz").want(503, "starting", "not ready: starting, no connection to the venue since ")
	f3.get("/livez").ok("ok")
}

// The oldest best price counts on while the venue is silent; minutes without a look are null, and none is kept for
// more than an hour.
func TestHealthAges(t *testing.T) {
	f := newFixture(t, nil)
	ages := func() (oldest, limit any, hour []any) {
		t.Helper()
		tree := f.get("/health").tree["ages"].(map[string]any)
		hour = tree["last_hour"].([]any)
		if len(hour) != ageMinutes {
			t.Fatalf("%d minutes", len(hour))
		}
		return tree["oldest_s"], tree["limit_s"], hour
	}
	oldest, limit, hour := ages()
	if s, ok := oldest.(float64); !ok || s > 30 || limit != 5.0 || hour[ageMinutes-1] == nil || hour[0] != nil {
		t.Errorf("%v s, limit %v s, minutes %v", oldest, limit, hour)
	}
	now := marketcache.Now()
	for minute, age := range map[int]time.Duration{3: 90 * time.Second, 59: 7 * time.Second, 60: time.Hour} {
		f.s.ages.see(age, now.Add(-time.Duration(minute)*time.Minute))
	}
	_, _, hour = ages()
	if hour[ageMinutes-1-3] != 90.0 || hour[0] != 7.0 && hour[0] != nil { // null: a minute has begun meanwhile
		t.Errorf("minutes %v", hour)
	}
	for _, a := range f.cache.Universe().Assets {
		book, _, _ := f.cache.Books(a.ID).Latest(marketcache.Now(), marketcache.Forever)
		dated := **book
		dated.Cadence = 500 * time.Millisecond
		f.cache.Books(a.ID).Publish(&dated, marketcache.Now().Add(-time.Minute))
	}
	if oldest, limit, _ := ages(); oldest.(float64) < 60 || limit != 1.45 {
		t.Errorf("after a silence %v s, limit %v s", oldest, limit)
	}
	f = newFixture(t, func(c *Config) { c.Cache = marketcache.New(marketcache.Limits{Assets: 1}) })
	if oldest, limit, hour := ages(); oldest != nil || limit != nil || hour[ageMinutes-1] != nil {
		t.Errorf("without a price %v s, limit %v s, minutes %v", oldest, limit, hour)
	}
}

// Validations count for a minute; their quantile is interpolated in the histogram.
func TestHealthLastMinute(t *testing.T) {
	f := newFixture(t, nil)
	says := func(validations, p99 any) {
		t.Helper()
		minute := f.get("/health").tree["answers"].(map[string]any)["last_minute"].(map[string]any)
		if minute["validations"] != validations || minute["p99_us"] != p99 {
			t.Errorf("%v, want %v in %v us", minute, validations, p99)
		}
	}
	says(0.0, nil)
	tally := f.s.metrics.nextTally()
	for range 98 {
		tally.count(routeValidate, 200, 20*time.Microsecond)
	}
	tally.count(routeValidate, 503, time.Second)
	tally.count(routeMetrics, 200, time.Second)
	says(98.0, 32.0) // the bucket from 16 to 32 us, up to rank 97.02
	for range 2 {
		tally.count(routeValidate, 200, 3*time.Millisecond)
	}
	says(100.0, 3072.0) // rank 99 is halfway between 2.048 and 4.096 ms
	now := marketcache.Now()
	f.s.minute.see(f.s.metrics.counted(routeValidate), now.Add(30*time.Second))
	tally.count(routeValidate, 200, time.Hour)
	counts := f.s.metrics.counted(routeValidate)
	for after, want := range map[time.Duration]uint64{45: 101, 80: 1, 200: 0} { // seconds
		minute := f.s.minute.see(counts, now.Add(after*time.Second))
		if _, n := minute.quantile(0.99); n != want {
			t.Errorf("after %d s %d answers, want %d", after, n, want)
		}
	}
	slow := latencyCounts{bucketCount - 1: 1}
	if s, _ := slow.quantile(0.5); s != 16.777216 {
		t.Errorf("%v s for an answer slower than all bounds", s)
	}
}

// The oldest wallet behind an answer is told for a minute.
func TestHealthWalletAges(t *testing.T) {
	f := newFixture(t, nil)
	soft := f.s.cfg.Engine.Ages().WalletSoft.Seconds()
	says := func(want any) {
		t.Helper()
		w := f.get("/health").tree["ages"].(map[string]any)["wallets"].(map[string]any)
		if w["oldest_s"] != want || w["limit_s"] != soft {
			t.Errorf("%v, want %v s, limit %v s", w, want, soft)
		}
	}
	says(nil)
	now := marketcache.Now()
	f.s.wallets.see(time.Hour, now.Add(-71*time.Second))
	says(nil)
	f.s.wallets.see(1500*time.Millisecond, now.Add(-50*time.Second))
	f.s.wallets.see(700*time.Millisecond, now)
	f.s.wallets.see(200*time.Millisecond, now)
	says(1.5)
	if got := f.s.wallets.oldest(now.Add(30 * time.Second)); got != 700*time.Millisecond {
		t.Errorf("%v after the older one", got)
	}
	f = newFixture(t, nil)
	f.get("/v1/monitor/" + wallet).ok()
	w := f.get("/health").tree["ages"].(map[string]any)["wallets"].(map[string]any)
	if s, ok := w["oldest_s"].(float64); !ok || s < 0 || s > 60 {
		t.Errorf("after an answer %v", w)
	}
}

// Callers are told since when there is no connection, and why.
func TestVenueTrouble(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Cache = marketcache.New(marketcache.Limits{Assets: 1}) })
	f.cache = f.s.cfg.Cache
	f.cache.Venue.Failed("socket: no such host example.org")
	const trouble = "no connection to the venue since 0 s: socket: no such host example.org"
	f.post(trade("BTC")).want(503, "starting", "the venue's assets have not been read yet: "+trouble)
	f.get("/readyz").want(503, "starting", "not ready: starting, "+trouble+"; ")
	last := f.get("/health").tree["venue"].(map[string]any)["last_error"].(map[string]any)
	at, err := time.Parse(time.RFC3339, last["at"].(string))
	if last["text"] != "socket: no such host example.org" || err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("%v, %v", last, err)
	}
	f.cache.Venue.Connected.Store(true)
	f.cache.Venue.BreakerOpen.Store(true)
	const failing = "the venue keeps failing: socket: no such host example.org"
	if got := f.cache.Venue.Trouble(marketcache.Now()); got != failing {
		t.Error(got)
	}
	f.cache.Venue.BreakerOpen.Store(false)
	if got := f.cache.Venue.Trouble(marketcache.Now()); got != "" {
		t.Error(got)
	}
}
