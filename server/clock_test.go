package server

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
	"unsafe"

	"ballast/marketcache"
)

// stepped returns t as time.Now would after the wall clock has stepped by d: the monotonic reading is
// the same. It adds to the seconds in the first word of a time.Time.
func stepped(t time.Time, d time.Duration) time.Time {
	s := t
	*(*uint64)(unsafe.Pointer(&s)) += uint64(d/time.Second) << 30
	if s.Sub(t) != 0 || s.UnixNano()-t.UnixNano() != int64(d) {
		panic("BUG: time.Time has another layout")
	}
	return s
}

// A step of the wall clock changes neither times nor ages in answers, and no rate limit.
func TestWallClockSteps(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.RateLimit, c.AuthFailureLimit = 1000, 1000 })
	const ahead = 3 * time.Minute // of the venue's clock
	f.cache.Venue.Clock.Set(time.Now().Add(ahead).UnixNano(), marketcache.Now())
	asOf := func(d time.Duration, meta any) {
		t.Helper()
		at, err := time.Parse(time.RFC3339, meta.(map[string]any)["as_of"].(string))
		if err != nil || time.Until(at.Add(-ahead)).Abs() > time.Minute {
			t.Errorf("step of %v: as_of %v, %v", d, at, err)
		}
	}
	for _, d := range []time.Duration{0, -time.Hour, 3 * time.Hour, 400 * 24 * time.Hour, -10 * 365 * 24 * time.Hour} {
		f.warm()
		ask := func(request string, status int) (tree map[string]any) {
			t.Helper()
			p := newInProcess(f.s, request)
			p.serveAt(t, stepped(time.Now(), d), status)
			if err := json.Unmarshal(p.ctx.Response.Body(), &tree); err != nil {
				t.Fatalf("step of %v: %v", d, err)
			}
			return tree
		}
		trade := ask(f.request("POST", "/v1/validate", trade("BTC")), 200)
		if flags := trade["flags"].([]any); slices.Contains(flags, any("stale_market_data")) {
			t.Errorf("step of %v: %v", d, flags)
		}
		asOf(d, trade["meta"])
		asOf(d, ask(f.request("GET", "/v1/monitor/"+wallet, ""), 200)["meta"])
		batch := ask(f.request("POST", "/v1/validate/batch",
			`{"wallet":"`+wallet+`","trades":[{"asset":"BTC","action":"long","size":-1}]}`), 200)
		asOf(d, batch["results"].([]any)[0].(map[string]any)["meta"])
		if fit := ask(f.request("GET", "/v1/market/BTC", ""),
			200)["ages"].(map[string]any)["fit_ms"].(float64); fit > 2*3600e3 || fit < 0 {
			t.Errorf("step of %v: fit_ms %v", d, fit)
		}
		ask("GET /v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n", 401)
	}
}
