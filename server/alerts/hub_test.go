package alerts

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"pgregory.net/rapid"

	"ballast/marketcache"
	"ballast/server/api"
)

func silent() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// risky returns a result with one alert; its timestamp identifies i.
func risky(i int) *Result {
	return &Result{Wallet: testWallet, AtMs: int64(i),
		Positions: []Position{{Asset: "BTC", RiskScore: 80, LiquidationDistancePct: 50}}}
}

// riskyText returns the frame that a subscriber with the default thresholds gets for risky(i).
func riskyText(i int) string { return serverFrame{opText, riskyJSON(i)}.String() }

func riskyJSON(i int) string {
	th := DefaultThresholds()
	a := Judge(nil, risky(i), &th)
	return string(a[0].AppendJSON(nil))
}

// sink is a connection that accepts all writes at once and never sends anything.
type sink struct {
	net.Conn // an end of a pipe into which nobody writes
	mu       sync.Mutex
	taken    bytes.Buffer
	keep     bool
}

func newSink(keep bool) *sink {
	conn, _ := net.Pipe()
	return &sink{Conn: conn, keep: keep}
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keep {
		s.taken.Write(p)
	}
	return len(p), nil
}

// modelSocket holds the frames that a socket should have been sent.
type modelSocket struct {
	s    *socket
	sink *sink
	subs map[string]Thresholds
	sent []string
}

// For every order of connecting, subscribing, replacing, delivering and leaving, each socket gets
// exactly the alerts of its own wallets by its thresholds at that time, in order, and the index has
// no leftover entries.
func TestModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, checkModel) // hides the method Deadline, which fails in a synctest bubble
	})
}

func checkModel(t *rapid.T) {
	h := NewHub(silent(), noneRevoked, noneOwned)
	defer h.Shutdown(t.Context())
	wallets := []string{
		"0x0000000000000000000000000000000000000001",
		"0x00000000000000000000000000000000000000c1", // same shard
		"0x0000000000000000000000000000000000000002",
	}
	var sockets []*modelSocket
	pick := func(t *rapid.T) *modelSocket {
		if len(sockets) == 0 {
			t.Skip("no socket")
		}
		return rapid.SampledFrom(sockets).Draw(t, "socket")
	}
	time := int64(0)
	t.Repeat(map[string]func(*rapid.T){
		"connect": func(t *rapid.T) {
			sink := newSink(true)
			m := &modelSocket{s: newSocket(h, testClient, sink, nil), sink: sink, subs: map[string]Thresholds{}}
			h.admit(m.s)
			sockets = append(sockets, m)
		},
		"subscribe": func(t *rapid.T) {
			m := pick(t)
			wallet := rapid.SampledFrom(wallets).Draw(t, "wallet")
			th := DefaultThresholds()
			// As many different thresholds as there is room for.
			th.MaxRiskScore = uint8(10 * rapid.IntRange(0, maxGroups/2-1).Draw(t, "score"))
			th.MinLiquidationDistancePct = float64(rapid.IntRange(1, 2).Draw(t, "distance"))
			w, _ := marketcache.ParseWallet([]byte(wallet))
			if !h.subscribe(m.s, AlertConfig{Wallet: w, Thresholds: th}) {
				t.Fatal("refused")
			}
			m.subs[wallet] = th
			m.sent = append(m.sent, `{"subscribed":"`+wallet+`"}`)
		},
		"deliver": func(t *rapid.T) {
			time++
			r := drawResult(t, time, rapid.SampledFrom(wallets).Draw(t, "wallet"))
			h.Deliver(r)
			for _, m := range sockets {
				if th, ok := m.subs[r.Wallet]; ok {
					for _, a := range Judge(nil, r, &th) {
						m.sent = append(m.sent, string(a.AppendJSON(nil)))
					}
				}
			}
		},
		"leave": func(t *rapid.T) {
			m := pick(t)
			m.sink.Close()
			synctest.Wait()
			sockets = slices.DeleteFunc(sockets, func(other *modelSocket) bool { return other == m })
		},
		"": func(t *rapid.T) {
			synctest.Wait()
			subs := 0
			for _, m := range sockets {
				subs += len(m.subs)
				m.check(t)
			}
			if n, k := h.Counts(); n != len(sockets) || k != subs {
				t.Fatalf("%d sockets and %d subscriptions, want %d and %d", n, k, len(sockets), subs)
			}
			checkIndex(t, h, subs)
		},
	})
}

func drawResult(t *rapid.T, at int64, wallet string) *Result {
	r := &Result{AtMs: at, Wallet: wallet, PortfolioVaRPct: 51}
	for i := range rapid.IntRange(0, 3).Draw(t, "positions") {
		r.Positions = append(r.Positions, Position{Asset: fmt.Sprint("A", i),
			RiskScore:              float64(rapid.IntRange(0, 100).Draw(t, "score")),
			LiquidationDistancePct: float64(rapid.IntRange(0, 3).Draw(t, "distance"))})
	}
	r.HasPortfolio = len(r.Positions) > 0
	return r
}

// check compares the frames sent to a socket with the expected ones.
func (m *modelSocket) check(t *rapid.T) {
	m.sink.mu.Lock()
	defer m.sink.mu.Unlock()
	r := bytes.NewReader(m.sink.taken.Bytes())
	for i, want := range m.sent {
		f, err := readFrame(r)
		if err != nil || f.op != opText || f.payload != want {
			t.Fatalf("message %d: got %v %v, want %s", i, f, err, want)
		}
	}
	if f, err := readFrame(r); err != io.EOF {
		t.Fatalf("got %v more", f)
	}
	m.sink.taken.Reset()
	m.sent = m.sent[:0]
}

// checkIndex checks that all references between hub, wallets and sockets agree, and that nothing
// remains of closed sockets.
func checkIndex(t *rapid.T, h *Hub, subs int) {
	for i := range h.shards {
		for w, a := range h.shards[i].audiences {
			if a.wallet != w || len(a.groups) == 0 {
				t.Fatalf("audience of %s: %+v", w, a)
			}
			for at, g := range a.groups {
				if len(g.members) == 0 {
					t.Fatalf("group %d: %+v", at, g)
				}
				for k, sub := range g.members {
					if sub.at != k || sub.group != g || sub.audience != a || sub.socket.find(w) != sub {
						t.Fatalf("member %d: %+v", k, sub)
					}
					subs--
				}
			}
		}
	}
	if subs != 0 {
		t.Fatalf("%d subscriptions are not in the index", subs)
	}
}

// dial opens a socket with the library's client and subscribes.
func dial(t testing.TB, url string, config string) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	ws, _, err := d.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	_ = ws.SetReadDeadline(time.Now().Add(time.Minute))
	if err := ws.WriteMessage(websocket.TextMessage, []byte(config)); err != nil {
		t.Fatal(err)
	}
	_, got, err := ws.ReadMessage()
	if err != nil || string(got) != `{"subscribed":"`+testWallet+`"}` {
		t.Fatalf("%s %v", got, err)
	}
	return ws
}

// Sockets connect, subscribe, replace and leave while results are delivered: once confirmed, a
// subscriber gets each following result exactly once and in order.
func TestSubscribeWhileDelivering(t *testing.T) {
	h := newTestHub(t)
	url := "ws://" + serve(t, h) + "/v1/alerts/ws"
	var sent atomic.Int64
	stop := make(chan struct{})
	var delivering sync.WaitGroup
	delivering.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			h.Deliver(risky(i))
			sent.Store(int64(i) + 1) // one more result may already be delivered when this value is read
			time.Sleep(200 * time.Microsecond)
		}
	})
	number := func(text []byte) int64 {
		_, rest, _ := strings.Cut(string(text), `"timestamp":"`)
		at, err := time.Parse(time.RFC3339, rest[:24])
		if err != nil {
			t.Errorf("%s", text)
		}
		return at.UnixMilli()
	}
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 5 {
				ws := dial(t, url, goodConfig)
				confirmed := sent.Load()
				previous := int64(-1)
				for k := range 60 {
					if k == 20 { // replaced by the same configuration: nothing is lost or repeated
						_ = ws.WriteMessage(websocket.TextMessage, []byte(goodConfig))
					}
					_, text, err := ws.ReadMessage()
					if err != nil {
						t.Error(err)
						return
					}
					if bytes.HasPrefix(text, []byte(`{"subscribed"`)) {
						continue
					}
					n := number(text)
					if previous < 0 && n > confirmed+1 || previous >= 0 && n != previous+1 {
						t.Errorf("result %d behind %d, %d were out when confirmed", n, previous, confirmed)
					}
					previous = n
				}
				ws.Close()
			}
		})
	}
	clients.Wait()
	close(stop)
	delivering.Wait()
	waitFor(t, "all to be forgotten", func() bool {
		n, subs := h.Counts()
		return n == 0 && subs == 0
	})
}

func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// fanOut delivers results to several sockets. One client, deaf, does not read. The other clients get
// every result in order while deaf is still connected; then deaf is closed with 1013 or dropped.
func fanOut(t *testing.T, h *Hub, url string) {
	const clients, rounds = 4, 500
	deaf := dial(t, url, goodConfig)
	var reading sync.WaitGroup
	got := make([]atomic.Int64, clients)
	for k := range clients {
		ws := dial(t, url, goodConfig)
		reading.Go(func() {
			for i := range rounds {
				_, text, err := ws.ReadMessage()
				if err != nil || string(text) != bigText(i) {
					t.Errorf("client %d, round %d: %.200s %v", k, i, text, err)
					return
				}
				got[k].Add(1)
			}
		})
	}
	for i := range rounds {
		h.Deliver(bigRisky(i))
		// Waits for the reading clients, so that their queues do not fill up; does not wait for deaf.
		waitFor(t, "the other clients", func() bool {
			for k := range got {
				if int64(i)-got[k].Load() > maxQueue/4 {
					return t.Failed()
				}
			}
			return true
		})
	}
	reading.Wait()
	waitFor(t, "the deaf client to be closed", func() bool { return h.Stats().SlowConsumers.Load() >= 1 })
	for i := 0; ; i++ {
		_, text, err := deaf.ReadMessage()
		if err != nil {
			if websocket.IsCloseError(err, websocket.CloseTryAgainLater) || !websocket.IsCloseError(err, 1000, 1001,
				1008) {
				break
			}
			t.Fatalf("after %d alerts: %v", i, err)
		}
		if string(text) != bigText(i) {
			t.Fatalf("the stream of the client that does not read has a gap at %d", i)
		}
	}
}

// bigRisky returns a result with an alert of 64 KB, which fills the kernel's buffers quickly.
func bigRisky(i int) *Result {
	r := risky(i)
	r.Positions[0].Asset = bigAsset
	return r
}

var bigAsset = strings.Repeat("x", 32<<10)

// bigText returns the frame for bigRisky(i); frames differ only in the timestamp.
func bigText(i int) string { return strings.Replace(bigOf0(), timeText(0), timeText(i), 1) }

var bigOf0 = sync.OnceValue(func() string {
	th := DefaultThresholds()
	a := Judge(nil, bigRisky(0), &th)
	return string(a[0].AppendJSON(nil))
})

func timeText(i int) string { return string(api.AppendTime(nil, int64(i))) }

func TestFanOutWithDeafClient(t *testing.T) {
	h := newTestHub(t)
	fanOut(t, h, "ws://"+serve(t, h)+"/v1/alerts/ws")
}

// On a TLS connection a write cannot be attempted without blocking; the same guarantees must hold.
func TestFanOutThroughTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("130 MB through TLS")
	}
	h := newTestHub(t)
	fanOut(t, h, "wss://"+serveTLS(t, h)+"/v1/alerts/ws")
}

// TLS sockets are closed properly too.
func TestDrainThroughTLS(t *testing.T) {
	h := newTestHub(t)
	ws := dial(t, "wss://"+serveTLS(t, h)+"/v1/alerts/ws", goodConfig)
	h.Deliver(risky(7))
	go h.Shutdown(t.Context())
	if _, text, err := ws.ReadMessage(); err != nil || string(text) != riskyJSON(7) {
		t.Errorf("%s %v", text, err)
	}
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("%v", err)
	}
	waitFor(t, "the hub to be empty", func() bool { n, _ := h.Counts(); return n == 0 })
}

// testCertificate returns the certificate of the standard library's test servers.
func testCertificate() tls.Certificate {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.TLS.Certificates[0]
}
