package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// cable connects one replica to the bus and can be cut. While it is cut, bytes are discarded
// without closing the connection, as in a network partition.
type cable struct {
	ln  net.Listener
	cut atomic.Bool
}

func newCable(t *testing.T, to func() string) *cable {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{ln: ln}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			go c.carry(near, to())
		}
	}()
	return c
}

func (c *cable) carry(near net.Conn, to string) {
	far, err := net.Dial("tcp", to)
	if err != nil {
		near.Close()
		return
	}
	pump := func(dst, src net.Conn) {
		defer dst.Close()
		defer src.Close()
		b := make([]byte, 32<<10)
		for {
			n, err := src.Read(b)
			for c.cut.Load() {
				time.Sleep(20 * time.Millisecond)
			}
			if n > 0 {
				if _, err := dst.Write(b[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	go pump(far, near)
	pump(near, far)
}

func (c *cable) url() string { return "nats://" + c.ln.Addr().String() }

// ear is an alert subscriber that records the alerts it receives.
type ear struct {
	mu     sync.Mutex
	times  map[string]map[string]int // timestamp, then type and asset
	closed error
	ended  chan struct{}
}

// state describes what the ear has received, for failure messages.
func (e *ear) state() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprintf("%d results heard, ended by %v", len(e.times), e.closed)
}

// listen subscribes to wallet with thresholds that every monitor call breaches.
func listen(t *testing.T, r *remote, wallet string) *ear {
	t.Helper()
	ws, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(r.url, "http")+"/v1/alerts/ws", nil)
	if err != nil {
		t.Fatalf("%v %v", err, resp)
	}
	t.Cleanup(func() { ws.Close() })
	if err := ws.WriteJSON(map[string]any{"wallet": wallet, "thresholds": map[string]any{"max_risk_score": 0}}); err != nil {
		t.Fatal(err)
	}
	var confirmed map[string]string
	if err := ws.ReadJSON(&confirmed); err != nil || confirmed["subscribed"] != wallet {
		t.Fatalf("%v %v", confirmed, err)
	}
	e := &ear{times: map[string]map[string]int{}, ended: make(chan struct{})}
	go func() {
		defer close(e.ended)
		for {
			var a struct {
				Type      string `json:"alert_type"`
				Asset     *string
				Timestamp string
			}
			err := ws.ReadJSON(&a)
			e.mu.Lock()
			if err != nil {
				e.closed = err
				e.mu.Unlock()
				return
			}
			if e.times[a.Timestamp] == nil {
				e.times[a.Timestamp] = map[string]int{}
			}
			name := a.Type
			if a.Asset != nil {
				name += " " + *a.Asset
			}
			e.times[a.Timestamp][name]++
			e.mu.Unlock()
		}
	}()
	return e
}

// heard reports whether the ear has received alerts of the call made at asOf.
func (e *ear) heard(asOf string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.times[asOf]) > 0
}

// hears reports whether alerts of all calls arrive within limit.
func (e *ear) hears(calls []string, limit time.Duration) bool {
	late := time.After(limit)
	for ended := false; ; {
		if !slices.ContainsFunc(calls, func(at string) bool { return !e.heard(at) }) {
			return true
		}
		if ended {
			return false
		}
		select {
		case <-late:
			return false
		case <-e.ended:
			ended = true
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// sentAway reports whether the replica has closed the socket with 1013, because it may have missed
// results.
func (e *ear) sentAway() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return websocket.IsCloseError(e.closed, websocket.CloseTryAgainLater)
}

// made counts calls by the timestamp of their alerts. The clocks of two replicas may differ, so two
// calls sometimes have the same timestamp.
var made = map[string]int{}

// once fails the test if an alert of one call was received twice.
func (e *ear) once(t *testing.T, who string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for at, alerts := range e.times {
		for name, n := range alerts {
			if n > made[at] {
				t.Errorf("%s heard %s of %s %d times, %d calls were made then", who, name, at, n, made[at])
			}
		}
	}
}

// monitor makes a monitor call to a replica. It returns the timestamp of the call's alerts, and
// whether the other replicas have confirmed the result.
func monitor(t *testing.T, r *remote, wallet string) (asOf string, confirmed bool) {
	t.Helper()
	for range 5 { // on a busy machine the wallet's state may be over two seconds old
		asOf, confirmed, status := monitorUnless503(t, r, wallet)
		if status == 200 {
			return asOf, confirmed
		}
		time.Sleep(300 * time.Millisecond)
	}
	t.Fatal("monitor: refused five times")
	return "", false
}

// monitorUnless503 is monitor that the venue's state may be too old for: status is then 503.
func monitorUnless503(t *testing.T, r *remote, wallet string) (asOf string, confirmed bool, status int) {
	t.Helper()
	req, _ := http.NewRequest("GET", r.url+"/v1/monitor/"+wallet, nil)
	req.Header.Set("Authorization", "Bearer "+r.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	promised(t, req, resp, body)
	var answer struct {
		Meta struct {
			AsOf string `json:"as_of"`
		}
	}
	if resp.StatusCode == 503 {
		t.Logf("monitor: %s", body)
		return "", false, 503
	}
	if err := json.Unmarshal(body, &answer); err != nil || resp.StatusCode != 200 {
		t.Fatalf("monitor: %d %s", resp.StatusCode, body)
	}
	made[answer.Meta.AsOf]++
	time.Sleep(5 * time.Millisecond)
	return answer.Meta.AsOf, resp.Header.Get("X-Alert-Fanout") == "", 200
}

// TestE2EReplicas: three replicas share an external NATS server. The alerts of a monitor call to
// any replica reach the sockets of all replicas exactly once, also after a replica is killed, the
// NATS server restarts, and the network is partitioned. A replica that is cut off closes its
// sockets.
func TestE2EReplicas(t *testing.T) {
	skipShort(t)
	bus := &outsideNATS{dir: t.TempDir()}
	bus.start(t)
	t.Cleanup(bus.stop)
	busAddr := fmt.Sprintf("127.0.0.1:%d", bus.port)
	venue := start(t, "venuesim", "--listen", "127.0.0.1:0", "--assets", "12")
	venueURL := venue.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	venue.drain()

	names, dirs := []string{"a", "b", "c"}, []string{t.TempDir(), t.TempDir(), t.TempDir()}
	cables := make([]*cable, 3)
	replicas := make([]*remote, 3)
	launch := func(i int) {
		replicas[i] = serving(t, "--venue", venueURL, "--venue-budget", "0", "--feed", "shared", "--data-dir", dirs[i],
			"--nats-url", cables[i].url())
	}
	for i := range replicas {
		cables[i] = newCable(t, func() string { return busAddr })
		launch(i)
	}
	var key, spare issued
	keysCommand(t, &key, "issue", "--email", "a@example.com", "--nats-url", "nats://"+busAddr)
	keysCommand(t, &spare, "issue", "--email", "b@example.com", "--nats-url", "nats://"+busAddr)
	for _, r := range replicas {
		r.key = key.Key
		r.ready(t, 60*time.Second)
	}

	eventually(t, "one replica talks to the venue, for all", 30*time.Second, func() bool {
		feeds, ready := 0, 0
		for _, r := range replicas {
			if status(t, r.url, key.Key) != 200 {
				return false
			}
			_, answer := r.get(t, "/metrics")
			text := answer["text"].(string)
			if !strings.Contains(text, "ballast_venue_messages_total 0\n") {
				feeds++
			}
			if strings.Contains(text, "ballast_shared_feed_ready 1\n") {
				ready++
			}
		}
		return feeds == 1 && ready == 3
	})

	ears := make([]*ear, 3)
	for i, r := range replicas {
		eventually(t, "the key is known", 10*time.Second, func() bool { return status(t, r.url, key.Key) == 200 })
		ears[i] = listen(t, r, crossWallet)
	}
	// readsWallets waits until a replica reads a wallet that nobody subscribes to, so that no subscriber gets
	// its alerts.
	readsWallets := func(r *remote) {
		t.Helper()
		eventually(t, "the replica reads wallets again", 30*time.Second, func() bool {
			status, _ := r.get(t, "/v1/monitor/"+zeroWallet)
			return status == 200
		})
	}
	everyoneHears := func(what string, calls []string, who ...int) {
		t.Helper()
		for _, i := range who {
			if !ears[i].hears(calls, 20*time.Second) {
				t.Fatalf("%s: replica %s's subscriber misses calls: %v", what, names[i], ears[i].state())
			}
			ears[i].once(t, names[i])
		}
	}
	var calls []string
	for i := range 9 {
		at, confirmed := monitor(t, replicas[i%3], crossWallet)
		if !confirmed {
			t.Errorf("call %d was not confirmed", i)
		}
		calls = append(calls, at)
	}
	everyoneHears("all is well", calls, 0, 1, 2)

	keysCommand(t, &struct{ Revoked bool }{}, "revoke", spare.ID, "--nats-url", "nats://"+busAddr)
	eventually(t, "a key revoked on one is refused on all", 5*time.Second, func() bool {
		return status(t, replicas[0].url, spare.Key) == 401 && status(t, replicas[1].url, spare.Key) == 401 &&
			status(t, replicas[2].url, spare.Key) == 401
	})

	// Kill a replica, possibly the one that reads the venue for the others.
	replicas[2].cmd.Process.Kill()
	<-ears[2].ended
	calls = nil
	for i := range 6 {
		if at, confirmed := monitor(t, replicas[i%2], crossWallet); confirmed {
			calls = append(calls, at)
		}
	}
	everyoneHears("one is dead", calls, 0, 1)
	launch(2)
	replicas[2].key = key.Key
	replicas[2].ready(t, 60*time.Second)
	for _, r := range replicas { // another replica may only just have taken over the feed
		readsWallets(r)
	}
	ears[2] = listen(t, replicas[2], crossWallet)

	// The NATS server restarts while calls continue: every confirmed result must arrive. Meanwhile the replicas
	// that do not read the venue themselves refuse when their copy of the wallet is over two seconds old.
	calls = nil
	confirmedCalls := func(n int) {
		for i := range n {
			if at, confirmed, _ := monitorUnless503(t, replicas[i%3], crossWallet); confirmed {
				calls = append(calls, at)
			}
		}
	}
	confirmedCalls(6)
	bus.stop()
	confirmedCalls(3)
	bus.start(t)
	eventually(t, "calls are confirmed again", 30*time.Second, func() bool {
		before := len(calls)
		confirmedCalls(3)
		return len(calls) == before+3
	})
	everyoneHears("the server has restarted", calls, 0, 1, 2)

	// A replica is cut off: it still validates, and closes its alert sockets.
	cables[1].cut.Store(true)
	select {
	case <-ears[1].ended:
		if !websocket.IsCloseError(ears[1].closed, websocket.CloseTryAgainLater) {
			t.Error("a cut-off replica's subscriber is told:", ears[1].closed)
		}
	case <-time.After(40 * time.Second):
		t.Fatal("the sockets of a replica that is cut off stay open")
	}
	ears[1].once(t, "b")
	if _, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(replicas[1].url, "http")+"/v1/alerts/ws",
		nil); err == nil || resp == nil || resp.StatusCode != 503 {
		t.Errorf("a replica that is cut off accepts subscribers: %v", resp)
	}
	calls = nil
	confirmedHere := func(who ...int) {
		for _, i := range who {
			if at, confirmed := monitor(t, replicas[i], crossWallet); confirmed {
				calls = append(calls, at)
			}
		}
	}
	confirmedHere(0, 2, 0, 2)
	if len(calls) != 4 {
		t.Errorf("%d of 4 calls confirmed beside a replica that is cut off", len(calls))
	}
	everyoneHears("one is cut off", calls, 0, 2)
	cables[1].cut.Store(false)
	// On a busy machine the replica may fall behind again; it must then close its sockets again.
	for left := 3; ; left-- {
		eventually(t, "the replica takes subscribers again", 60*time.Second, func() bool {
			ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(replicas[1].url,
				"http")+"/v1/alerts/ws", nil)
			if err == nil {
				ws.Close()
			}
			return err == nil
		})
		replicas[1].ready(t, 60*time.Second)
		// The replica may accept subscribers before it receives the shared feed again.
		readsWallets(replicas[1])
		ears[1] = listen(t, replicas[1], crossWallet)
		calls = nil
		eventually(t, "all is confirmed again", 30*time.Second, func() bool {
			before := len(calls)
			confirmedHere(0, 1, 2)
			return len(calls) == before+3
		})
		newest := calls[len(calls)-3:]
		if left > 0 && !ears[1].hears(newest, 20*time.Second) && ears[1].sentAway() {
			continue
		}
		everyoneHears("healed", newest, 0, 1, 2)
		break
	}
	everyoneHears("healed, before as well", calls, 0, 2)
}
