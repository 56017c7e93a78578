package server

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
	"ballast/server/alerts"
)

// subscribe opens an alert socket for wallets and waits for the confirmations.
func (f *fixture) subscribe(t testing.TB, wallets ...string) *websocket.Conn {
	t.Helper()
	return f.subscribeAs(t, "", nil, wallets...)
}

// subscribeAs is subscribe with a query and headers of the handshake.
func (f *fixture) subscribeAs(t testing.TB, query string, header http.Header, wallets ...string) *websocket.Conn {
	t.Helper()
	ws, upgraded, err := websocket.DefaultDialer.Dial("ws://"+f.addr+"/v1/alerts/ws"+query, header)
	if err != nil {
		t.Fatal(err)
	}
	if f.contract != nil {
		if err := f.contract.Check("GET", "/v1/alerts/ws", upgraded.StatusCode, upgraded.Header, nil); err != nil {
			t.Error(err)
		}
	}
	ws.SetReadDeadline(time.Now().Add(15 * time.Second))
	for _, w := range wallets {
		if confirmed := f.ask(ws, `{"wallet":"`+w+`"}`); len(confirmed) != 1 || confirmed["subscribed"] != w {
			t.Fatalf("%v", confirmed)
		}
	}
	return ws
}

// ask sends a message on an alert socket and returns the next message.
func (f *fixture) ask(ws *websocket.Conn, message string) map[string]any {
	f.t.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		f.t.Fatal(err)
	}
	return f.readAlert(f.t, ws)
}

// The socket's address says whether alerts have details; every other parameter is ignored.
func TestAlertDetails(t *testing.T) {
	f := newFixture(t, nil)
	keys := func(query string) (members int, alert map[string]any) {
		ws, _, err := websocket.DefaultDialer.Dial("ws://"+f.addr+"/v1/alerts/ws"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		ws.SetReadDeadline(time.Now().Add(15 * time.Second))
		f.ask(ws, `{"wallet":"`+wallet+`","thresholds":{"min_liquidation_distance_pct":101}}`)
		f.get("/v1/monitor/" + wallet).ok()
		alert = f.readAlert(t, ws)
		return len(alert), alert
	}
	for _, query := range []string{"", "?details=false", "?x=y", "?details="} {
		if n, alert := keys(query); n != 8 {
			t.Errorf("%q: %v", query, alert)
		}
	}
	n, alert := keys("?details=true")
	if n != 10 || alert["count"] != 1.0 || alert["since"] != alert["timestamp"] {
		t.Errorf("%v", alert)
	}
	f.get("/v1/alerts/ws?details=yes").want(400, "validation_error", "query parameter details must be true or false")
}

// Alert sockets send no requests, so they do not count as request connections.
func TestAlertSocketIsNoConnectionOfRequests(t *testing.T) {
	f := newFixture(t, nil)
	defer f.dial().Close()
	ws := f.subscribe(t, wallet)
	defer ws.Close()
	until(t, "one of two connections is listed", func() bool {
		return f.s.transport.Open() == 2 && f.s.transport.Listed() == 1
	})
}

// ruinous returns a wallet whose positions breach every threshold.
func ruinous(w marketcache.Wallet) *marketcache.Account {
	a := testAccount(w)
	a.CrossAccountValueUSD = 2000
	return a
}

func (f *fixture) readAlert(t testing.TB, ws *websocket.Conn) map[string]any {
	t.Helper()
	_, text, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return f.hear(text)
}

func TestMonitorAlerts(t *testing.T) {
	f := newFixture(t, nil)
	f.know(ruinous(walletOf(wallet)))
	ws := f.subscribe(t, wallet)
	defer ws.Close()
	r := f.get("/v1/monitor/"+wallet).ok().holds("X-Alert-Fanout", "")
	positions := r.tree["positions"].([]any)
	want := map[string]float64{}
	for _, p := range positions {
		p := p.(map[string]any)
		if score := p["risk_score"].(float64); score > 70 {
			want["high_risk_score "+p["asset"].(string)] = score
		}
		if d := p["liquidation_distance_pct"].(float64); d < 5 {
			want["liquidation_proximity "+p["asset"].(string)] = d
		}
	}
	loss := r.tree["portfolio_risk"].(map[string]any)["portfolio_var_99_24h"].(float64)
	want["portfolio_var_breach "] = 100 * loss / r.tree["account_value"].(float64)
	if len(want) != 5 {
		t.Fatalf("the wallet is not as bad as this test wants it: %v\n%s", want, r.body)
	}
	for range 5 {
		a := f.readAlert(t, ws)
		asset, _ := a["asset"].(string)
		key := a["alert_type"].(string) + " " + asset
		if got, ok := want[key]; !ok || math.Abs(a["current_value"].(float64)/got-1) > 1e-9 {
			t.Errorf("%v, want %v of %v", a, got, want)
		}
		delete(want, key)
		if a["wallet"] != wallet || len(a) != 8 {
			t.Errorf("%v", a)
		}
	}
	// A socket gets no alerts of other wallets, and none without a monitor call.
	other := f.subscribe(t, "0x00000000000000000000000000000000000000bb")
	defer other.Close()
	f.get("/v1/monitor/" + wallet)
	f.readAlert(t, ws)
	other.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, text, err := other.ReadMessage(); err == nil {
		t.Errorf("%s for another wallet", text)
	}
}

// recordingWatch stands for the other replicas and records what is sent to them.
type recordingWatch struct {
	mu        sync.Mutex
	previous  map[string]uint8
	published []*alerts.Result
	err       error
}

func (w *recordingWatch) Remember(_ context.Context, r *alerts.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range r.Positions {
		r.Positions[i].PreviousRegime = w.previous[r.Positions[i].Asset]
	}
}

func (w *recordingWatch) Publish(_ context.Context, r *alerts.Result) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.published = append(w.published, r)
	return w.err
}

func TestMonitorReachesOtherReplicas(t *testing.T) {
	w := &recordingWatch{previous: map[string]uint8{"ETH": 2}}
	f := newFixture(t, func(c *Config) { c.Watch = w })
	ws := f.subscribe(t, wallet)
	defer ws.Close()
	model := *f.cache.Model()
	model.Assets = slices.Clone(model.Assets)
	for _, id := range []marketcache.AssetID{btc, eth} {
		fit := *model.Assets[id]
		fit.RegimeState = marketcache.RegimeStressed
		model.Assets[id] = &fit
	}
	f.cache.SetModel(&model)
	r := f.get("/v1/monitor/"+wallet).ok().holds("X-Alert-Fanout", "")
	if len(w.published) != 1 {
		t.Fatalf("%d messages: %s", len(w.published), r.body)
	}
	got := w.published[0]
	if got.Wallet != wallet || len(got.Positions) != 2 || !got.HasPortfolio || got.AtMs == 0 {
		t.Errorf("%+v", got)
	}
	for _, want := range []struct {
		asset string
		from  float64
	}{{"BTC", 0}, {"ETH", 2}} { // a shift back to a calmer regime counts too
		a := f.readAlert(t, ws)
		if a["alert_type"] != "regime_shift" || a["asset"] != want.asset || a["current_value"] != 1.0 ||
			a["threshold"] != want.from || a["severity"] != "warning" {
			t.Errorf("%v", a)
		}
	}

	w.mu.Lock()
	w.err = errors.New("nobody is there")
	w.mu.Unlock()
	f.get("/v1/monitor/"+wallet).ok().holds("X-Alert-Fanout", "local")
	f.readAlert(t, ws) // the subscriber on this replica still gets the alert
}

// silentWatch stands for other replicas that answer only when the test says so.
type silentWatch struct{ asked, answer chan struct{} }

func (w *silentWatch) Remember(context.Context, *alerts.Result) {
	w.asked <- struct{}{}
	<-w.answer
}

func (w *silentWatch) Publish(context.Context, *alerts.Result) error { return nil }

// A monitor call that waits for other replicas does not count as in the system.
func TestMonitorWaitsOutsideAdmission(t *testing.T) {
	w := &silentWatch{make(chan struct{}), make(chan struct{})}
	f := newFixture(t, func(c *Config) { c.Watch, c.MaxInFlight = w, 1 })
	told := make(chan *reply)
	go func() { told <- f.get("/v1/monitor/" + wallet) }()
	<-w.asked
	f.post(trade("BTC")).ok()
	close(w.answer)
	(<-told).ok()
}

func TestAlertSocketHandshake(t *testing.T) {
	f := newFixture(t, nil)
	for _, text := range []string{
		"GET /v1/alerts/ws HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /v1/alerts/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n",
	} {
		r := f.raw(text).want(400, "bad_request").holds("Sec-WebSocket-Version", "13")
		if r.detail() == "" || r.header.Get("X-Request-Id") == "" {
			t.Errorf("%v %s", r.header, r.body)
		}
	}
	f.s.hub.SetAccepting(false)
	f.get("/v1/alerts/ws").want(503, "overloaded").holds("Retry-After", "1")
	f.s.hub.SetAccepting(true)
	if bad, refused := f.s.metrics.errors["bad_request"].Load(), f.s.metrics.errors["overloaded"].Load(); bad != 2 ||
		refused != 1 {
		t.Errorf("%d and %d counted", bad, refused)
	}
	f.raw("POST /v1/alerts/ws HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").want(405, "")
	ws, resp, err := websocket.DefaultDialer.Dial("ws://"+f.addr+"/v1/alerts/ws",
		http.Header{"Origin": {"https://elsewhere.example"}})
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("X-Request-Id") == "" {
		t.Fatalf("%v %v", resp, err)
	}
	ws.Close()
}

// A revoked key loses its alert sockets, after the alerts that are queued. Other sockets stay open.
func TestRevocationClosesAlertSockets(t *testing.T) {
	f := newFixture(t, nil)
	f.know(ruinous(walletOf(wallet)))
	_, otherKey := f.issue(t)
	revoked := f.subscribeAs(t, "", http.Header{"Authorization": {"Bearer " + f.key}}, wallet)
	defer revoked.Close()
	other := f.subscribeAs(t, "", http.Header{"Authorization": {"Bearer " + otherKey.key}}, wallet)
	defer other.Close()
	keyless := f.subscribe(t, wallet)
	defer keyless.Close()
	f.get("/v1/monitor/" + wallet)
	f.revoke(f.keyID)
	for range 5 {
		f.readAlert(t, revoked)
	}
	var end *websocket.CloseError
	if _, text, err := revoked.ReadMessage(); !errors.As(err, &end) || end.Code != websocket.ClosePolicyViolation ||
		end.Text != "the API key was revoked" {
		t.Errorf("%s %v", text, err)
	}
	for _, ws := range []*websocket.Conn{other, keyless} {
		for range 5 {
			f.readAlert(t, ws)
		}
		if m := f.ask(ws, `{"wallet":"`+wallet+`"}`); m["subscribed"] != wallet {
			t.Errorf("%v", m)
		}
	}
}

// A key that is sent must be valid: otherwise its holder would take the socket for one of the key.
func TestAlertSocketRefusesWrongKeys(t *testing.T) {
	f := newFixture(t, nil)
	for _, header := range []string{"Bearer blst_wrong", "Bearer", "Basic eDp5", "", f.key} {
		_, resp, err := websocket.DefaultDialer.Dial("ws://"+f.addr+"/v1/alerts/ws",
			http.Header{"Authorization": {header}})
		if err == nil || resp.StatusCode != 401 || resp.Header.Get("Www-Authenticate") == "" {
			t.Errorf("%q: %v %v", header, resp, err)
		}
	}
	f.revoke(f.keyID)
	_, resp, err := websocket.DefaultDialer.Dial("ws://"+f.addr+"/v1/alerts/ws",
		http.Header{"Authorization": {"Bearer " + f.key}})
	if err == nil || resp.StatusCode != 401 {
		t.Errorf("a revoked key: %v %v", resp, err)
	}
	f.subscribe(t, wallet).Close() // none is needed
}

// On shutdown queued alerts are sent before the sockets are closed.
func TestDrainClosesAlertSockets(t *testing.T) {
	f := newFixture(t, nil)
	f.know(ruinous(walletOf(wallet)))
	ws := f.subscribe(t, wallet)
	defer ws.Close()
	f.get("/v1/monitor/" + wallet)
	if err := f.s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	heard := 0
	for {
		_, text, err := ws.ReadMessage()
		if err != nil {
			if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
				t.Error(err)
			}
			break
		}
		f.hear(text)
		heard++
	}
	if heard != 5 {
		t.Errorf("%d alerts before the end", heard)
	}
	if n := f.s.transport.Open(); n != 0 {
		t.Errorf("%d connections counted after the end", n)
	}
}
