package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	n := &outsideNATS{dir: t.TempDir()}
	n.start(t)
	t.Cleanup(n.stop)
	return n
}

func (n *outsideNATS) start(t *testing.T) {
	t.Helper()
	if n.port == 0 {
		var err error
		if n.port, err = freeport.Find(); err != nil {
			t.Fatal(err)
		}
	}
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

func (n *outsideNATS) address() string { return fmt.Sprintf("127.0.0.1:%d", n.port) }

func (n *outsideNATS) url() string { return "nats://" + n.address() }

func (n *outsideNATS) stop() {
	if n.srv != nil {
		n.srv.Shutdown()
		n.srv.WaitForShutdown()
		n.srv = nil
	}
}

// pair is two replicas that share keys: one in force and one that is revoked.
type pair struct {
	bus           *outsideNATS
	url           string
	flags         []string
	dirs          [2]string
	replicas      [2]*remote
	good, revoked issued
}

func startPair(t *testing.T, flags ...string) *pair {
	t.Helper()
	p := &pair{bus: startNATS(t), flags: flags, dirs: [2]string{t.TempDir(), t.TempDir()}}
	p.url = p.bus.url()
	p.good = issue(t, "a@example.com", "--nats-url", p.url)
	for i := range p.replicas {
		p.launch(t, i)
	}
	return p
}

func (p *pair) launch(t *testing.T, i int) {
	t.Helper()
	p.replicas[i] = serving(t, append([]string{"--venue", nowhere, "--data-dir", p.dirs[i], "--nats-url", p.url},
		p.flags...)...)
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

// accepted reports whether all replicas accept a key: without a venue they answer 503 (stale or starting), or 200
// for the empty list of assets.
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

// TestE2ECluster: two replicas and a command on a third machine share the keys and the kill switch. While the
// cluster is away, replicas check keys against their copy until it exceeds --key-max-stale. Then
// they answer every key with 503, neither accepted nor 401. Once the cluster is back, every
// revocation takes effect. Nothing but a command turns the kill switch off: not the loss of the cluster, nor a
// restart without it.
func TestE2ECluster(t *testing.T) {
	p := startPair(t, "--key-max-stale", "4s")
	p.share(t)
	p.loseContact(t)
	p.switchOff(t)
	p.loseStore(t)
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

// share: keys are issued and revoked from anywhere, in force everywhere.
func (p *pair) share(t *testing.T) {
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

// loseContact stops the cluster for a while.
func (p *pair) loseContact(t *testing.T) {
	p.bus.stop()
	if !p.everywhere(t, p.revoked.Key, 401) || !p.accepted(t, p.good.Key) {
		t.Error("keys are not checked against the copy of the replica")
	}
	eventually(t, "keys are refused with 503", 30*time.Second, func() bool {
		return p.everywhere(t, p.good.Key, 503) && p.everywhere(t, p.revoked.Key, 503) &&
			strings.Contains(p.refusal(t, 0), "keys")
	})
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
