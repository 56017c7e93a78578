//go:build linux

package load

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// alarm is a test service with monitor calls and alert sockets. Each monitor call sends every
// socket the alerts of two positions; the function send may leave alerts out or repeat them.
type alarm struct {
	t       *testing.T
	mu      sync.Mutex
	sockets []*websocket.Conn
	calls   int
	// send returns how many times the alert of an asset is sent to a socket.
	send func(call, socket int, asset string) int
}

func (a *alarm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/ws") {
		a.join(w, r)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at := time.UnixMilli(int64(a.calls)).UTC().Format("2006-01-02T15:04:05.000Z")
	wallet := strings.ToLower(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	text := func(kind, asset string) []byte {
		return fmt.Appendf(nil,
			`{"alert_type":%q,"wallet":%q,"asset":%q,"severity":"warning","message":"m","timestamp":%q,`+
				`"current_value":1,"threshold":101}`, kind, wallet, asset, at)
	}
	for i, ws := range a.sockets {
		for _, asset := range []string{"BTC", "xyz:TSLA"} {
			for range a.send(a.calls, i, asset) {
				ws.WriteMessage(websocket.TextMessage, text("liquidation_proximity", asset))
			}
		}
		ws.WriteMessage(websocket.TextMessage, text("regime_shift", "BTC"))
	}
	a.calls++
	fmt.Fprintf(w, `{"wallet":%q,"positions":[{"asset":"BTC"},{"asset":"xyz:TSLA"}],"meta":{"as_of":%q}}`, wallet, at)
}

func (a *alarm) join(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		a.t.Error(err)
		return
	}
	_, text, err := ws.ReadMessage()
	if err != nil || !strings.Contains(string(text), `"min_liquidation_distance_pct":101`) {
		a.t.Errorf("first message on the socket: error %v, %s", err, text)
	}
	a.mu.Lock()
	ws.WriteMessage(websocket.TextMessage, []byte(`{"subscribed":"x"}`))
	a.sockets = append(a.sockets, ws)
	a.mu.Unlock()
	ws.ReadMessage() // blocks until the client closes the socket
	ws.Close()
}

func TestAlerts(t *testing.T) {
	a := &alarm{t: t, send: func(call, socket int, asset string) int {
		switch {
		case call == 3 && socket == 1 && asset == "BTC":
			return 0 // one missing alert
		case call == 5 && socket == 0:
			return 3 // two surplus alerts for each of two assets
		}
		return 1
	}}
	s := httptest.NewServer(a)
	defer s.Close()
	r, err := Run(t.Context(), Config{
		URL: s.URL, Rate: 50, Duration: time.Second, Connections: 1, Mix: Mix{Monitor: 1},
		Wallets: []string{"0xBA11a57000000000000000000000000000000001"}, Alerts: 3, AlertWait: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	g := r.Alerts
	if g.Calls != 50 || g.Expected != 50*3*2 || g.Missing != 1 || g.Duplicate != 4 || g.Received != g.Expected-1 ||
		g.Others != 150 || g.Unclaimed != 0 || g.Ended != 0 {
		t.Errorf("counts of alerts: %+v", *g)
	}
	if g.Latency.Count != g.Received+g.Duplicate || g.Latency.MaxUs > 10e6 || g.Early == 0 {
		t.Errorf("latency of alerts: %+v", *g)
	}
}

// Sockets that the server closes are counted as ended, and alerts not received on them as missing.
func TestAlertSocketEnds(t *testing.T) {
	a := &alarm{t: t}
	a.send = func(call, socket int, asset string) int {
		if call == 5 && socket == 0 && asset == "BTC" {
			a.sockets[0].Close()
		}
		return 1
	}
	s := httptest.NewServer(a)
	defer s.Close()
	r, err := Run(t.Context(), Config{URL: s.URL, Rate: 40, Duration: 500 * time.Millisecond, Connections: 1,
		Mix: Mix{Monitor: 1}, Wallets: DefaultWallets[:1], Alerts: 2, AlertWait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if g := r.Alerts; g.Ended != 1 || g.Missing != 15*2 || g.Expected != 20*2*2 {
		t.Errorf("counts after socket 0 ended in call 5: %+v", *g)
	}
}

func TestNoAlertSocket(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}") }))
	defer s.Close()
	if _, err := Run(t.Context(), Config{URL: s.URL, Rate: 40, Duration: time.Second, Mix: Mix{Monitor: 1},
		Alerts: 2}); err == nil || !strings.Contains(err.Error(), "alert socket") {
		t.Errorf("server without alert sockets: error %v", err)
	}
}

// The alert sockets show the key: without one the service allows an address 64 sockets only.
func TestAlertSocketsShowTheKey(t *testing.T) {
	shown := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = r.Header.Get("Authorization")
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer s.Close()
	if _, err := subscribe(t.Context(), target{host: s.Listener.Addr().String(), key: "blst_x"}, nil); err == nil ||
		shown != "Bearer blst_x" {
		t.Errorf("shown %q, error %v", shown, err)
	}
}
