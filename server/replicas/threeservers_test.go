package replicas

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"ballast/internal/freeport"
)

// startCluster starts a cluster of three NATS servers.
func startCluster(t testing.TB) (servers []*server.Server, urls string) {
	var ports []int
	for range 3 {
		port, err := freeport.Find()
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, port)
	}
	var routes []*url.URL
	for _, p := range ports {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	var list []string
	for i, p := range ports {
		srv := serveNATS(t, server.Options{
			ServerName: fmt.Sprintf("test%d", i), Port: -1, StoreDir: t.TempDir(),
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: p}, Routes: routes,
		})
		t.Cleanup(func() { end(srv) })
		servers = append(servers, srv)
		list = append(list, "nats://"+srv.Addr().String())
	}
	return servers, strings.Join(list, ",")
}

// The server that leads the stream is stopped. The others elect a new leader, which takes seconds.
func TestDeathOfTheLeadingServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	servers, urls := startCluster(t)
	timing := hasty
	timing.Cut = 20 * time.Second
	cfg := Config{URL: urls, Replicas: 3, Timing: timing}
	a, b := startReplica(t, cfg), startReplica(t, cfg)
	ready(t, a, b)
	ra, rb := a.NewRegimes(), b.NewRegimes()
	eventually(t, "regimes", func() bool {
		_, err := ra.Exchange(t.Context(), aWallet, states{"BTC": 1})
		return err == nil
	})
	stream, err := a.js.Stream(t.Context(), busStream)
	if err != nil {
		t.Fatal(err)
	}
	info := stream.CachedInfo()
	if info.Config.Replicas != 3 {
		t.Fatalf("%d replicas", info.Config.Replicas)
	}
	stop := a.publisher(t, time.Millisecond)
	time.Sleep(200 * time.Millisecond)
	i := slices.IndexFunc(servers, func(s *server.Server) bool { return s.Name() == info.Cluster.Leader })
	if i < 0 {
		t.Fatalf("no server is called %s", info.Cluster.Leader)
	}
	servers[i].Shutdown()
	before := len(b.received())
	eventually(t, "results flow again", func() bool { return len(b.received()) > before+300 })
	acked, unacked := stop()
	b.check(t, acked, unacked)
	b.uncut()
	t.Logf("%d acknowledged, %d not", len(acked), len(unacked))
	eventually(t, "the regimes are there", func() bool {
		old, err := rb.Exchange(t.Context(), aWallet, states{"BTC": 1})
		return err == nil && old["BTC"] == 1
	})
}
