package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/server/watches"
)

// watching returns a fixture that watches in memory and posts to private addresses too.
func watching(t testing.TB, change func(*Config)) *fixture {
	f := warmFixture(t, func(c *Config) {
		c.Watches = watches.New(watches.Config{Store: &watches.Memory{}, AllowPrivate: true, Log: c.Log,
			Revoked: c.Keys.Revoked})
		if change != nil {
			change(c)
		}
	})
	return f
}

func (f *fixture) watch(body string) *reply {
	f.t.Helper()
	return f.raw(f.request("PUT", "/v1/watch/"+wallet, body))
}

// answersOfWatches gets every answer about watches.
func (f *fixture) answersOfWatches() {
	f.watch(`{"webhook":{"url":"https://1.1.1.1/hook"}}`)
	id := watches.ID{Key: f.keyID, Wallet: wallet}
	state, _ := f.s.cfg.Watches.Get(id)
	full := *state.Record
	at := time.Now()
	full.Dead = []watches.Event{{ID: "msg_1", Type: watches.Began, Asset: "BTC", QueuedAt: at, GaveUpAt: at,
		Error: "down"}}
	full.Standing = []watches.Condition{{Asset: "BTC", SinceMs: at.UnixMilli()}}
	f.s.cfg.Watches.Set(id, &full)
	f.get("/v1/watch")
	f.get("/v1/watch/" + wallet)
	f.raw(f.request("DELETE", "/v1/watch/"+wallet, ""))
	f.raw(f.request("DELETE", "/v1/watch/"+wallet, "")).want(404, "not_found", "does not watch")
}

// TestWatch: a watch is set, read, changed, listed and removed; its secret is shown once.
func TestWatch(t *testing.T) {
	f := watching(t, nil)
	const url = `"url":"http://127.0.0.1:9/hook?token=x"`
	made := f.watch(`{"every_s":30,"thresholds":{"max_risk_score":60},"webhook":{` + url + `}}`)
	made.ok(`"wallet":"`+wallet+`","key":"`+f.keyID+`"`, `"every_s":30`,
		`"thresholds":{"max_risk_score":60,"min_liquidation_distance_pct":5,"max_portfolio_var_pct":50,`+
			`"max_funding_drag_daily_pct":1}`, url+`,"secret_set":true,"secret":"whsec_`)
	hook, _ := made.tree["webhook"].(map[string]any)
	secret, _ := hook["secret"].(string)
	silent := func(r *reply) {
		t.Helper()
		if text := string(r.ok(`"secret_set":true`).body); strings.Contains(text, "whsec_") {
			t.Errorf("%s: the secret is given back: %s", r.line, text)
		}
	}
	silent(f.get("/v1/watch/" + wallet))
	silent(f.get("/v1/watch"))
	silent(f.watch(`{"webhook":{"url":"http://127.0.0.1:9/"}}`))
	silent(f.watch(`{"webhook":{"url":"http://127.0.0.1:9/","secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}}`))
	f.get("/v1/watch/"+strings.ToUpper(wallet[2:])).want(400, "validation_error")
	f.get("/v1/watch/0x" + strings.ToUpper(wallet[2:])).ok(`"every_s":10`)
	f.watch(`{}`).ok(`"webhook":null`, `"every_s":10`, `"deliveries":{"posted":0`)
	f.get("/health").ok(`"watches":{"count":1,"here":true`)
	f.get("/metrics").ok("ballast_watches 1", "ballast_webhooks_dead_total 0")
	f.raw(f.request("DELETE", "/v1/watch/"+wallet, "")).ok(`{"wallet":"` + wallet + `","removed":true}`)
	f.get("/v1/watch").ok(`"watches":[]`)
	f.get("/v1/watch/"+wallet).want(404, "not_found")
	if logs := f.logs.String(); strings.Contains(logs, secret) || strings.Contains(logs, "token=x") {
		t.Error("a secret is in the log")
	}
}

// TestWatchesAreTheirKeys: a key sees and changes its own watches alone; an operator sees all.
func TestWatchesAreTheirKeys(t *testing.T) {
	f := watching(t, nil)
	f.watch(`{"every_s":60}`).ok()
	id, other := f.issue(t)
	other.get("/v1/watch").ok(`"watches":[]`)
	other.get("/v1/watch/"+wallet).want(404, "not_found")
	other.call("DELETE /v1/watch/"+wallet, "").want(404, "not_found")
	other.call("PUT /v1/watch/"+wallet, `{"every_s":20}`).ok(`"key":"` + id + `"`)
	f.get("/v1/watch/" + wallet).ok(`"every_s":60`)
	f.operator()("GET", "/v1/watch", "").ok(f.keyID, id)
	f.operator()("GET", "/v1/watch/"+wallet, "").want(404, "not_found")
	f.raw("GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n").want(401, "")
}

// TestWatchBodies: a body that is no watch is refused with what mends it, and nothing is set.
func TestWatchBodies(t *testing.T) {
	f := warmFixture(t, nil)
	for _, row := range []struct{ body, code, field, says string }{
		{`{`, "invalid_json", "", ""},
		{`[]`, "invalid_json", "", ""},
		{`{"every_s":10,"every_s":20}`, "invalid_json", "every_s", ""},
		{`{} {}`, "invalid_json", "", ""},
		{`{"every_s":9}`, "validation_error", "every_s", `"suggestion":10`},
		{`{"every_s":9.5}`, "validation_error", "every_s", "integer"},
		{`{"every_s":10.5}`, "validation_error", "every_s", `"got":10.5`},
		{`{"every_s":86401}`, "validation_error", "every_s", `"suggestion":86400`},
		{`{"every_s":1e300}`, "validation_error", "every_s", ""},
		{`{"every_s":-10}`, "validation_error", "every_s", ""},
		{`{"every_s":"10"}`, "validation_error", "every_s", `"got":"10","allowed":{"type":"integer",` +
			`"min":10,"max":86400},"suggestion":10`},
		{`{"evry_s":10}`, "validation_error", "evry_s", `"suggestion":"every_s"`},
		{`{"thresholds":[]}`, "validation_error", "thresholds", "object"},
		{`{"thresholds":{"max_risk_score":300}}`, "validation_error", "thresholds.max_risk_score", "0 to 255"},
		{`{"thresholds":{"max_risk_scor":3}}`, "validation_error", "thresholds.max_risk_scor", "max_risk_score"},
		{`{"thresholds":{"max_portfolio_var_pct":"5"}}`, "validation_error", "thresholds.max_portfolio_var_pct",
			`"got":"5","allowed":{"type":"number"},"suggestion":5`},
		{`{"thresholds":{"max_risk_score":"40"}}`, "validation_error", "thresholds.max_risk_score", `"suggestion":40`},
		{`{"webhook":"https://example.com"}`, "validation_error", "webhook", `"suggestion":"an object, as ` +
			`{\"url\":\"https://example.com\"}"`},
		{`{"webhook":{}}`, "validation_error", "webhook.url", "missing"},
		{`{"webhook":{"url":null}}`, "validation_error", "webhook.url", "missing"},
		{`{"webhook":{"url":7}}`, "validation_error", "webhook.url", "text"},
		{`{"webhook":{"url":""}}`, "validation_error", "webhook.url", "text"},
		{`{"webhook":{"uri":"https://1.1.1.1"}}`, "validation_error", "webhook.uri", "webhook.url"},
		{`{"webhook":{"url":"http://1.1.1.1"}}`, "validation_error", "webhook.url", "https://"},
		{`{"webhook":{"url":"https://127.0.0.1/"}}`, "validation_error", "webhook.url", "--webhook-allow-private"},
		{`{"webhook":{"url":"https://localhost/"}}`, "validation_error", "webhook.url", "--webhook-allow-private"},
		{`{"webhook":{"url":"https://[::ffff:10.0.0.1]/"}}`, "validation_error", "webhook.url", "public"},
		{`{"webhook":{"url":"https://a:b@1.1.1.1/"}}`, "validation_error", "webhook.url", "password"},
		{`{"webhook":{"url":"https://1.1.1.1/","secret":"short"}}`, "validation_error", "webhook.secret", "whsec_"},
		{`{"webhook":{"url":"https://1.1.1.1/","secret":7}}`, "validation_error", "webhook.secret", "text"},
	} {
		f.watch(row.body).want(400, row.code, row.says).holds("field", row.field)
	}
	f.get("/v1/watch").ok(`"watches":[]`)
	f.watch(`{"every_s":null,"thresholds":null,"webhook":null}`).ok()
	f.raw(strings.Replace(f.request("PUT", "/v1/watch/"+wallet, `{}`), "application/json", "text/plain", 1)).
		want(415, "unsupported_media_type")
	f.raw(f.request("PUT", "/v1/watch/0x12", `{}`)).want(400, "validation_error", "invalid wallet address")
	for _, method := range []string{"POST", "PATCH"} {
		f.raw(f.request(method, "/v1/watch/"+wallet, `{}`)).want(405, "method_not_allowed")
	}
	f.raw(f.request("PUT", "/v1/watch", `{}`)).want(405, "method_not_allowed")
}

// TestWatchOfAPIWallet: the address of a key is refused, with its account; a wallet of which that cannot be found out
// is taken.
func TestWatchOfAPIWallet(t *testing.T) {
	f := watching(t, nil)
	f.know(agent(walletOf(wallet)))
	f.watch(`{}`).want(400, "api_wallet", ownerWallet)
	f.cache.StoreAccount(&marketcache.Account{Wallet: walletOf(wallet), Received: marketcache.Now().Add(-time.Hour)})
	f.venueGives(agent(walletOf(wallet)), nil)
	f.watch(`{}`).want(400, "api_wallet", ownerWallet)
	f.venueGives(nil, marketcache.ErrVenue)
	f.watch(`{}`).ok()
}

// TestWatchCalls: the service makes the monitor call by itself; a socket of the wallet hears it, and the webhook gets
// what begins, signed.
func TestWatchCalls(t *testing.T) {
	var mu sync.Mutex
	var got []map[string]any
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event map[string]any
		if json.Unmarshal(body, &event) != nil || r.Header.Get("webhook-signature") == "" {
			t.Errorf("%s", body)
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, event)
	}))
	defer receiver.Close()
	f := watching(t, nil)
	f.know(ruinous(walletOf(wallet)))
	ws := f.subscribe(t, wallet)
	defer ws.Close()
	f.watch(`{"webhook":{"url":"` + receiver.URL + `"}}`).ok()
	if _, text, err := ws.ReadMessage(); err != nil || !strings.Contains(string(text), wallet) {
		t.Fatalf("the socket hears nothing: %s %v, %s", text, err, f.get("/v1/watch").body)
	}
	until(t, "the webhook is told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(got) > 0
	})
	mu.Lock()
	data, _ := got[0]["data"].(map[string]any)
	if got[0]["type"] != watches.Began || data["wallet"] != wallet || data["alert_type"] == "" || data["since"] == nil {
		t.Errorf("%v", got[0])
	}
	mu.Unlock()
	until(t, "it is noted", func() bool {
		r := f.get("/v1/watch/" + wallet)
		return figure(r.tree, "deliveries", "posted") > 0 && figure(r.tree, "deliveries", "waiting") == 0 &&
			figure(r.tree, "calls", "failures") == 0
	})
	f.get("/v1/watch/"+wallet).ok(`"standing":[{"alert_type":"`, `"succeeded_at":"`)
	f.revoke(f.keyID)
	until(t, "the watch of a revoked key ends", func() bool { return len(f.s.cfg.Watches.Of("")) == 0 })
}

// TestWatchReads: a wallet is read on behalf of the key that watches it, at first with weight that nobody else needs;
// a call that fails shows why.
func TestWatchReads(t *testing.T) {
	f := newFixture(t, nil)
	callers := make(chan marketcache.Caller, 100)
	f.setLoad(func(ctx context.Context, _ marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		callers <- marketcache.CallerOf(ctx)
		return nil, marketcache.ErrVenue
	})
	for _, spare := range []bool{true, false} {
		if r, err := f.s.watchWallet(wallet, f.keyID, spare); r != nil || err == nil ||
			!strings.HasPrefix(err.Error(), "venue_error: ") {
			t.Errorf("%v %v", r, err)
		}
		if c := <-callers; c.ID != f.keyID || c.Ahead != spare {
			t.Errorf("%+v", c)
		}
	}
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		panic("broken")
	})
	if r, err := f.s.watchWallet(wallet, f.keyID, false); r != nil || err == nil {
		t.Errorf("%v %v", r, err)
	}
	f.warm()
	r, err := f.s.watchWallet(wallet, f.keyID, true)
	if err != nil || r == nil || r.Wallet != wallet || len(r.Positions) == 0 {
		t.Errorf("%v %v", r, err)
	}
}
