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
	thresholds := map[string]any{"max_risk_score": 0}
	if err := ws.WriteJSON(map[string]any{"wallet": wallet, "thresholds": thresholds}); err != nil {
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
		req := r.request("GET", "/v1/monitor/"+wallet, "")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		promised(t, req, resp, body)
		if resp.StatusCode == 503 {
			t.Logf("monitor: %s", body)
			time.Sleep(300 * time.Millisecond)
			continue
		}
		var answer struct {
			Meta struct {
				AsOf string `json:"as_of"`
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil || resp.StatusCode != 200 {
			t.Fatalf("monitor: %d %s", resp.StatusCode, body)
		}
		made[answer.Meta.AsOf]++
		time.Sleep(5 * time.Millisecond)
		return answer.Meta.AsOf, resp.Header.Get("X-Alert-Fanout") == ""
	}
	t.Fatal("monitor: refused five times")
	return "", false
}

// trio is three replicas that share an external NATS server and a venue.
type trio struct {
	bus      *outsideNATS
	venue    string
	dirs     [3]string
	cables   [3]*cable
	replicas [3]*remote
	ears     [3]*ear // a subscriber of each
	key      string
}

var trioNames = [3]string{"a", "b", "c"}

func startTrio(t *testing.T) *trio {
	t.Helper()
	c := &trio{bus: startNATS(t), venue: startVenue(t, "--assets", "12")}
	for i := range c.replicas {
		c.dirs[i], c.cables[i] = t.TempDir(), newCable(t, c.bus.address)
		c.launch(t, i)
	}
	key := issue(t, "a@example.com", "--nats-url", c.bus.url())
	c.key = key.Key
	for _, r := range c.replicas {
		r.key = c.key
		r.ready(t, 60*time.Second)
	}
	return c
}

func (c *trio) launch(t *testing.T, i int) {
	t.Helper()
	c.replicas[i] = serving(t, "--venue", c.venue, "--venue-budget", "0", "--feed", "shared", "--data-dir", c.dirs[i],
		"--nats-url", c.cables[i].url())
	c.replicas[i].key = c.key
}

// readsWallets waits until a replica reads a wallet that nobody subscribes to, so that no subscriber gets
// its alerts.
func (c *trio) readsWallets(t *testing.T, i int) {
	t.Helper()
	eventually(t, "the replica reads wallets again", 30*time.Second, func() bool {
		status, _ := c.replicas[i].get(t, "/v1/monitor/"+zeroWallet)
		return status == 200
	})
}

// hear checks that the subscribers of replicas hear each call once.
func (c *trio) hear(t *testing.T, what string, calls []string, who ...int) {
	t.Helper()
	for _, i := range who {
		if !c.ears[i].hears(calls, 20*time.Second) {
			t.Fatalf("%s: replica %s's subscriber misses calls: %v", what, trioNames[i], c.ears[i].state())
		}
		c.ears[i].once(t, trioNames[i])
	}
}

// confirmed makes a monitor call to each of some replicas and returns those that were confirmed.
func (c *trio) confirmed(t *testing.T, who ...int) (calls []string) {
	t.Helper()
	for _, i := range who {
		if at, confirmed := monitor(t, c.replicas[i], crossWallet); confirmed {
			calls = append(calls, at)
		}
	}
	return calls
}

// subscribes tries to subscribe at a replica.
func (c *trio) subscribes(i int) (*http.Response, error) {
	ws, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(c.replicas[i].url, "http")+"/v1/alerts/ws",
		nil)
	if err == nil {
		ws.Close()
	}
	return resp, err
}

// TestE2EReplicas: three replicas share an external NATS server. The alerts of a monitor call to
// any replica reach the sockets of all replicas exactly once, also after a replica is killed and
// the network is partitioned. A replica that is cut off closes its sockets. Shorter faults of NATS: server/replicas.
func TestE2EReplicas(t *testing.T) {
	c := startTrio(t)
	c.shareAll(t)
	c.loseOne(t)
	c.cutOff(t)
	c.heal(t)
}

// shareAll: one replica reads the venue, and all hear every call.
func (c *trio) shareAll(t *testing.T) {
	eventually(t, "one replica talks to the venue, for all", 30*time.Second, func() bool {
		feeds, ready := 0, 0
		for _, r := range c.replicas {
			if status(t, r.url, c.key) != 200 {
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
	for i, r := range c.replicas {
		c.ears[i] = listen(t, r, crossWallet)
	}
	calls := c.confirmed(t, 0, 1, 2, 0, 1, 2, 0, 1, 2)
	if len(calls) != 9 {
		t.Errorf("%d of 9 calls were confirmed", len(calls))
	}
	c.hear(t, "all is well", calls, 0, 1, 2)
}

// loseOne kills a replica, possibly the one that reads the venue for the others, and starts it again.
func (c *trio) loseOne(t *testing.T) {
	c.replicas[2].cmd.Process.Kill()
	<-c.ears[2].ended
	c.hear(t, "one is dead", c.confirmed(t, 0, 1, 0, 1, 0, 1), 0, 1)
	c.launch(t, 2)
	c.replicas[2].ready(t, 60*time.Second)
	for i := range c.replicas { // another replica may only just have taken over the feed
		c.readsWallets(t, i)
	}
	c.ears[2] = listen(t, c.replicas[2], crossWallet)
}

// cutOff cuts a replica off: it still validates, and closes its alert sockets.
func (c *trio) cutOff(t *testing.T) {
	c.cables[1].cut.Store(true)
	select {
	case <-c.ears[1].ended:
		if !c.ears[1].sentAway() {
			t.Error("a cut-off replica's subscriber is told:", c.ears[1].closed)
		}
	case <-time.After(40 * time.Second):
		t.Fatal("the sockets of a replica that is cut off stay open")
	}
	c.ears[1].once(t, "b")
	if resp, err := c.subscribes(1); err == nil || resp == nil || resp.StatusCode != 503 {
		t.Errorf("a replica that is cut off accepts subscribers: %v", resp)
	}
	calls := c.confirmed(t, 0, 2, 0, 2)
	if len(calls) != 4 {
		t.Errorf("%d of 4 calls confirmed beside a replica that is cut off", len(calls))
	}
	c.hear(t, "one is cut off", calls, 0, 2)
}

// heal connects the replica again. On a busy machine it may fall behind again; it must then close its sockets
// again.
func (c *trio) heal(t *testing.T) {
	c.cables[1].cut.Store(false)
	for left := 3; ; left-- {
		eventually(t, "the replica takes subscribers again", 60*time.Second, func() bool {
			_, err := c.subscribes(1)
			return err == nil
		})
		c.replicas[1].ready(t, 60*time.Second)
		c.readsWallets(t, 1) // it may accept subscribers before it receives the shared feed again
		c.ears[1] = listen(t, c.replicas[1], crossWallet)
		var newest, calls []string
		eventually(t, "all is confirmed again", 30*time.Second, func() bool {
			newest = c.confirmed(t, 0, 1, 2)
			calls = append(calls, newest...)
			return len(newest) == 3
		})
		if left > 0 && !c.ears[1].hears(newest, 20*time.Second) && c.ears[1].sentAway() {
			continue
		}
		c.hear(t, "healed", newest, 0, 1, 2)
		c.hear(t, "healed, before as well", calls, 0, 2)
		return
	}
}
