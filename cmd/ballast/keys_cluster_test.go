package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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

func (n *outsideNATS) stop() {
	if n.srv != nil {
		n.srv.Shutdown()
		n.srv.WaitForShutdown()
		n.srv = nil
	}
}

// TestE2EKeysOfACluster: two replicas and a command on a third machine share the keys. While the
// cluster is away, replicas check keys against their copy until it exceeds --key-max-stale. Then
// they answer every key with 503, neither accepted nor 401. Once the cluster is back, every
// revocation takes effect.
func TestE2EKeysOfACluster(t *testing.T) {
	skipShort(t)
	bus := &outsideNATS{dir: t.TempDir()}
	bus.start(t)
	t.Cleanup(bus.stop)
	url := fmt.Sprintf("nats://127.0.0.1:%d", bus.port)
	dirs := []string{t.TempDir(), t.TempDir()}
	var replicas []*remote
	for _, dir := range dirs {
		replicas = append(replicas, serving(t, "--venue", nowhere, "--data-dir", dir, "--nats-url", url,
			"--key-max-stale", "4s"))
	}
	everywhere := func(key string, want ...int) bool {
		for _, r := range replicas {
			got, ok := status(t, r.url, key), false
			for _, w := range want {
				ok = ok || got == w
			}
			if !ok {
				return false
			}
		}
		return true
	}
	elsewhere := t.TempDir() // directory on the machine that runs the command
	var k, other issued
	keysCommand(t, &k, "issue", "--email", "a@example.com", "--nats-url", url, "--data-dir",
		filepath.Join(elsewhere, "none"))
	keysCommand(t, &other, "issue", "--email", "b@example.com", "--nats-url", url, "--data-dir", dirs[0])
	const ofACopy = "name the cluster with --nats-url"
	refused(t, []badCall{
		{1, ofACopy, []string{"issue", "--email", "c@example.com", "--data-dir", dirs[0]}},
		{1, ofACopy, []string{"revoke", other.ID, "--data-dir", dirs[0]}},
	}, "keys")
	// Without a venue, an accepted key gets 503 (stale or starting), or 200 for the empty list of
	// assets.
	good := []int{200, 503}
	accepted := func(key string) bool { return everywhere(key, good...) && !everywhere(key, 401) }
	eventually(t, "issued keys are accepted everywhere", 10*time.Second, func() bool {
		return accepted(k.Key) && accepted(other.Key)
	})
	if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
		t.Errorf("a command that names a cluster made %v", left)
	}
	var done struct{ Revoked bool }
	keysCommand(t, &done, "revoke", other.ID, "--nats-url", url)
	eventually(t, "revoked everywhere", 10*time.Second, func() bool { return everywhere(other.Key, 401) })
	var list []listed
	keysCommand(t, &list, "list", "--nats-url", url)
	if len(list) != 2 || list[0].Revoked || !list[1].Revoked {
		t.Errorf("%+v", list)
	}

	bus.stop()
	if !everywhere(other.Key, 401) || !accepted(k.Key) {
		t.Error("keys are not checked against the copy of the replica")
	}
	refusal := func(r *remote) string {
		req, _ := http.NewRequest("GET", r.url+"/v1/assets", nil)
		req.Header.Set("Authorization", "Bearer "+k.Key)
		_, answer := do(t, req)
		return fmt.Sprint(answer["detail"])
	}
	eventually(t, "keys are refused with 503", 30*time.Second, func() bool {
		return everywhere(k.Key, 503) && everywhere(other.Key, 503) && strings.Contains(refusal(replicas[0]), "keys")
	})
	if out, errs, code := command(t, nil, "keys", "list", "--data-dir", dirs[0], "--json"); code != 0 ||
		!strings.Contains(out, k.ID) || !strings.Contains(errs, "knew last") {
		t.Errorf("the copy of a replica: %d %s%s", code, out, errs)
	}
	// A replica that starts without the cluster judges by its copy.
	replicas[1].end(t)
	late := serving(t, "--venue", nowhere, "--data-dir", dirs[1], "--nats-url", url, "--key-max-stale", "4s")
	replicas[1] = late
	if status(t, late.url, k.Key) == 401 || status(t, late.url, other.Key) != 401 {
		t.Error("a start without the cluster does not judge by the copy")
	}
	bus.start(t)
	eventually(t, "keys are judged again", 30*time.Second, func() bool {
		return everywhere(other.Key, 401) && accepted(k.Key) && !strings.Contains(refusal(replicas[1]), "keys")
	})

	// The cluster loses its store: no key is restored automatically, and the command rebuild
	// restores all.
	bus.stop()
	os.RemoveAll(bus.dir)
	bus.start(t)
	eventually(t, "the empty cluster answers", 30*time.Second, func() bool {
		out, _, code := command(t, nil, "keys", "list", "--nats-url", url, "--json")
		return code == 0 && strings.TrimSpace(out) == "[]"
	})
	var put struct{ Keys, Revocations, Conflicts int }
	keysCommand(t, &put, "rebuild", "--nats-url", url, "--data-dir", dirs[1])
	keysCommand(t, &list, "list", "--nats-url", url)
	if put.Keys != 2 || len(list) != 2 || list[0].ID != k.ID || list[0].Revoked || !list[1].Revoked {
		t.Errorf("rebuilt %+v: %+v", put, list)
	}
}
