package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"ballast/internal/freeport"
)

// outsideNATS is a separate NATS server in this process.
type outsideNATS struct {
	dir  string
	port int
	srv  *natsserver.Server
}

// startNATS starts a server that ends with the test.
func startNATS(t *testing.T) *outsideNATS {
	t.Helper()
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	n := &outsideNATS{dir: t.TempDir(), port: port}
	n.start(t)
	t.Cleanup(n.stop)
	return n
}

func (n *outsideNATS) start(t *testing.T) {
	t.Helper()
	srv, err := natsserver.NewServer(&natsserver.Options{
		ServerName: "outside", Host: "127.0.0.1", Port: n.port, NoSigs: true, NoLog: true, JetStream: true,
		StoreDir:           n.dir,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(20 * time.Second) {
		t.Fatal("NATS does not start")
	}
	n.srv = srv
}

func (n *outsideNATS) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", n.port) }

func (n *outsideNATS) stop() {
	n.srv.Shutdown()
	n.srv.WaitForShutdown()
}

// ear is a subscriber of alerts.
type ear struct {
	mu    sync.Mutex
	heard map[string]map[string]int // by timestamp, then by type and asset
	ended chan error
}

// subscribe opens a socket of alerts.
func (s *remote) subscribe() (*websocket.Conn, *http.Response, error) {
	return websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.url, "http")+"/v1/alerts/ws", nil)
}

// listen subscribes to a wallet with thresholds that every monitor call breaches.
func listen(t *testing.T, s *remote, wallet string) *ear {
	t.Helper()
	ws, _, err := s.subscribe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	config := map[string]any{"wallet": wallet, "thresholds": map[string]any{"max_risk_score": 0}}
	if err := ws.WriteJSON(config); err != nil {
		t.Fatal(err)
	}
	var confirmed map[string]string
	if err := ws.ReadJSON(&confirmed); err != nil || confirmed["subscribed"] != wallet {
		t.Fatalf("%v %v", confirmed, err)
	}
	e := &ear{heard: map[string]map[string]int{}, ended: make(chan error, 1)}
	go func() {
		for {
			var a map[string]any
			if err := ws.ReadJSON(&a); err != nil {
				e.ended <- err
				return
			}
			at := fmt.Sprint(a["timestamp"])
			e.mu.Lock()
			if e.heard[at] == nil {
				e.heard[at] = map[string]int{}
			}
			e.heard[at][fmt.Sprint(a["alert_type"], a["asset"])]++
			e.mu.Unlock()
		}
	}()
	return e
}

// hears waits until alerts of all calls have come, each of which must come once.
func (e *ear) hears(t *testing.T, calls []string) {
	t.Helper()
	eventually(t, "the alerts of all calls are heard", 20*time.Second, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return !slices.ContainsFunc(calls, func(at string) bool { return len(e.heard[at]) == 0 })
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	for at, alerts := range e.heard {
		for alert, n := range alerts {
			if n > 1 {
				t.Errorf("heard %s of %s %d times", alert, at, n)
			}
		}
	}
}

// monitored makes a monitor call and returns the timestamp of its alerts, which no other call has.
func (s *remote) monitored(t *testing.T, wallet string) (asOf string) {
	t.Helper()
	eventually(t, "a monitor call", 10*time.Second, func() bool { // a busy machine may know the wallet too late
		status, report := s.get(t, "/v1/monitor/"+wallet)
		if status == 200 {
			asOf = report["meta"].(map[string]any)["as_of"].(string)
		}
		return status == 200
	})
	time.Sleep(50 * time.Millisecond)
	return asOf
}

// pair is two replicas that share a venue, alerts, the kill switch and keys: one in force and one that is revoked.
type pair struct {
	bus           *outsideNATS
	venue, url    string
	dirs          [2]string
	replicas      [2]*remote
	good, revoked issued
}

func startPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{bus: startNATS(t), venue: startVenue(t, "--assets", "12"), dirs: [2]string{t.TempDir(), t.TempDir()}}
	p.url = p.bus.url()
	p.good = issue(t, "a@example.com", "--nats-url", p.url)
	for i := range p.replicas {
		p.launch(t, i)
	}
	return p
}

func (p *pair) launch(t *testing.T, i int) {
	t.Helper()
	p.replicas[i] = serving(t, "--venue", p.venue, "--venue-budget", "0", "--feed", "shared", "--key-max-stale", "4s",
		"--data-dir", p.dirs[i], "--nats-url", p.url)
	p.replicas[i].key = p.good.Key
}

// everywhere reports whether all replicas answer a key with one of some statuses.
func (p *pair) everywhere(t *testing.T, key string, want ...int) bool {
	t.Helper()
	for _, r := range p.replicas {
		if !slices.Contains(want, status(t, r.url, key)) {
			return false
		}
	}
	return true
}

// accepted reports whether all replicas accept a key. Without market data they answer 503, or 200 for the empty list
// of assets.
func (p *pair) accepted(t *testing.T, key string) bool {
	t.Helper()
	return p.everywhere(t, key, 200, 503)
}

// refusal returns why a replica refuses the good key.
func (p *pair) refusal(t *testing.T, i int) string {
	t.Helper()
	_, answer := p.replicas[i].get(t, "/v1/assets")
	return fmt.Sprint(answer["detail"])
}

// stopped reports whether all replicas say that the kill switch is on.
func (p *pair) stopped(t *testing.T, on bool) bool {
	t.Helper()
	for _, r := range p.replicas {
		_, health := r.get(t, "/health")
		if turned, _ := health["kill_switch"].(map[string]any); turned["on"] != on {
			return false
		}
	}
	return true
}

// TestE2ECluster: two replicas and a command on a third machine share keys, the kill switch, the venue's data and the
// results of monitor calls. While the cluster is away, replicas close their sockets of alerts and check keys against
// their copy until it exceeds --key-max-stale. Then they answer every key with 503, neither accepted nor 401. Once the
// cluster is back, every revocation takes effect. Nothing but a command turns the kill switch off: not the loss of the
// cluster, nor a restart without it. What else may happen to replicas: the tests of server/replicas and
// marketcache/replica.
func TestE2ECluster(t *testing.T) {
	p := startPair(t)
	p.shareKeys(t)
	ears := p.shareAlerts(t)
	p.loseContact(t, ears)
	p.shareAlerts(t)
	p.switchOff(t)
	p.loseStore(t)
}

// shareKeys: keys are issued and revoked from anywhere, in force everywhere.
func (p *pair) shareKeys(t *testing.T) {
	elsewhere := t.TempDir() // directory on the machine that runs the command
	p.revoked = issue(t, "b@example.com", "--nats-url", p.url, "--data-dir", filepath.Join(elsewhere, "none"))
	const ofACopy = "name the cluster with --nats-url"
	refused(t, []badCall{
		{1, ofACopy, []string{"issue", "--email", "c@example.com", "--data-dir", p.dirs[0]}},
		{1, ofACopy, []string{"revoke", p.revoked.ID, "--data-dir", p.dirs[0]}},
	}, "keys")
	eventually(t, "issued keys are accepted everywhere", 10*time.Second, func() bool {
		return p.accepted(t, p.good.Key) && p.accepted(t, p.revoked.Key)
	})
	if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
		t.Errorf("a command that names a cluster made %v", left)
	}
	printed(t, new(any), "keys", "revoke", p.revoked.ID, "--nats-url", p.url)
	eventually(t, "revoked everywhere", 10*time.Second, func() bool { return p.everywhere(t, p.revoked.Key, 401) })
	var list []listed
	printed(t, &list, "keys", "list", "--nats-url", p.url)
	if len(list) != 2 || list[0].Revoked || !list[1].Revoked {
		t.Errorf("%+v", list)
	}
	printed(t, new(any), "kill-switch", "on", "--reason", "a drill", "--nats-url", p.url)
	eventually(t, "on everywhere", 30*time.Second, func() bool { return p.stopped(t, true) })
}

// shareAlerts: one replica reads the venue for both, and subscribers of both hear every call.
func (p *pair) shareAlerts(t *testing.T) (ears [2]*ear) {
	eventually(t, "one replica talks to the venue, for both", time.Minute, func() bool {
		feeds, ready := 0, 0
		for _, r := range p.replicas {
			status, answer := r.get(t, "/metrics")
			text := fmt.Sprint(answer["text"])
			if status != 200 {
				return false
			}
			if !strings.Contains(text, "ballast_venue_connections 0\n") {
				feeds++
			}
			ready += strings.Count(text, "ballast_shared_feed_ready 1\n")
		}
		return feeds == 1 && ready == len(p.replicas)
	})
	var calls []string
	for i, r := range p.replicas {
		r.ready(t, time.Minute)
		r.monitored(t, crossWallet) // another replica may only just have taken over the feed
		ears[i] = listen(t, r, crossWallet)
	}
	for range 3 {
		for _, r := range p.replicas {
			calls = append(calls, r.monitored(t, crossWallet))
		}
	}
	for _, e := range ears {
		e.hears(t, calls)
	}
	return ears
}

// loseContact stops the cluster for a while.
func (p *pair) loseContact(t *testing.T, ears [2]*ear) {
	p.bus.stop()
	if !p.everywhere(t, p.revoked.Key, 401) || !p.accepted(t, p.good.Key) {
		t.Error("keys are not checked against the copy of the replica")
	}
	eventually(t, "keys are refused with 503", 30*time.Second, func() bool {
		return p.everywhere(t, p.good.Key, 503) && p.everywhere(t, p.revoked.Key, 503) &&
			strings.Contains(p.refusal(t, 0), "keys")
	})
	for i, e := range ears {
		select {
		case err := <-e.ended:
			if !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
				t.Errorf("a subscriber of a replica that is cut off is told: %v", err)
			}
		case <-time.After(40 * time.Second):
			t.Fatal("the sockets of a replica that is cut off stay open")
		}
		if _, resp, err := p.replicas[i].subscribe(); err == nil || resp == nil || resp.StatusCode != 503 {
			t.Errorf("a replica that is cut off accepts subscribers: %v", resp)
		}
	}
	if out, errs, code := command(t, nil, "keys", "list", "--data-dir", p.dirs[0], "--json"); code != 0 ||
		!strings.Contains(out, p.good.ID) || !strings.Contains(errs, "knew last") {
		t.Errorf("the copy of a replica: %d %s%s", code, out, errs)
	}
	p.replicas[1].end(t)
	p.launch(t, 1)
	if late := p.replicas[1]; status(t, late.url, p.good.Key) == 401 || status(t, late.url, p.revoked.Key) != 401 {
		t.Error("a start without the cluster does not judge by the copy")
	}
	if !p.stopped(t, true) {
		t.Error("the kill switch is off without the cluster")
	}
	eventually(t, "a replica says that it is alone", 10*time.Second, func() bool {
		_, health := p.replicas[0].get(t, "/health")
		policies, _ := health["policies"].(map[string]any)
		return policies["trouble"] != nil
	})
	p.bus.start(t)
	eventually(t, "keys are judged again", 30*time.Second, func() bool {
		return p.everywhere(t, p.revoked.Key, 401) && p.accepted(t, p.good.Key) &&
			!strings.Contains(p.refusal(t, 1), "keys")
	})
}

// switchOff turns the kill switch off, which has been on all the time.
func (p *pair) switchOff(t *testing.T) {
	refused(t, []badCall{{1, "name the cluster with --nats-url",
		[]string{"kill-switch", "off", "--data-dir", p.dirs[0]}}})
	var off switched
	printed(t, &off, "kill-switch", "off", "--nats-url", p.url)
	if off.On || off.Revision != 2 {
		t.Errorf("%+v", off)
	}
	eventually(t, "off everywhere", 30*time.Second, func() bool { return p.stopped(t, false) })
}

// loseStore takes the cluster's store away: no key is restored automatically, and the command rebuild restores all.
func (p *pair) loseStore(t *testing.T) {
	p.bus.stop()
	os.RemoveAll(p.bus.dir)
	p.bus.start(t)
	eventually(t, "the empty cluster answers", 30*time.Second, func() bool {
		out, _, code := command(t, nil, "keys", "list", "--nats-url", p.url, "--json")
		return code == 0 && strings.TrimSpace(out) == "[]"
	})
	var put struct{ Keys, Revocations, Conflicts int }
	printed(t, &put, "keys", "rebuild", "--nats-url", p.url, "--data-dir", p.dirs[1])
	var list []listed
	printed(t, &list, "keys", "list", "--nats-url", p.url)
	if put.Keys != 2 || len(list) != 2 || list[0].ID != p.good.ID || list[0].Revoked || !list[1].Revoked {
		t.Errorf("rebuilt %+v: %+v", put, list)
	}
}
