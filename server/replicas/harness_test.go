package replicas

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/freeport"
	"ballast/server/alerts"
)

// natsServer is a NATS server on a TCP port, like an external cluster. It can be stopped and
// started again with the same port and files.
type natsServer struct {
	t    testing.TB
	dir  string
	port int
	srv  *server.Server
	cmd  *exec.Cmd

	apart bool // runs in a separate process, which can be killed
}

func startNATS(t testing.TB) *natsServer {
	s := reserveNATS(t)
	s.start()
	return s
}

// deleteBucket deletes a bucket of the server that n is connected to. It keeps another stream on
// the server, because after deleting its last stream the server removes the common directory, and
// creating the next stream at the same time would fail.
func deleteBucket(t testing.TB, n *Node, bucket string) {
	t.Helper()
	if _, err := n.Bucket(t.Context(), jetstream.KeyValueConfig{Bucket: "others", MaxBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := n.js.DeleteKeyValue(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
}

// reserveNATS returns a server that has an address but is not running yet.
func reserveNATS(t testing.TB) *natsServer {
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	s := &natsServer{t: t, dir: t.TempDir(), port: port}
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start() {
	s.t.Helper()
	if s.apart {
		s.cmd = exec.Command(os.Args[0], "-test.run=^TestNATSChild$")
		s.cmd.Env = append(os.Environ(), natsChild+"="+s.dir+" "+strconv.Itoa(s.port))
		if err := s.cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		eventually(s.t, "the NATS server listens", func() bool {
			c, err := net.Dial("tcp", s.addr())
			if err == nil {
				c.Close()
			}
			return err == nil
		})
		return
	}
	s.srv = serveNATS(s.t, server.Options{Port: s.port, StoreDir: s.dir})
}

// serveNATS starts a server on this machine. It tries again if the server is not ready in time, because a
// server that cannot listen or hangs reports no error.
func serveNATS(t testing.TB, opts server.Options) *server.Server {
	t.Helper()
	opts.Host, opts.NoSigs, opts.NoLog = "127.0.0.1", true, true
	opts.JetStream, opts.JetStreamMaxMemory, opts.JetStreamMaxStore = true, 256<<20, 1<<30
	for range 3 {
		srv, err := server.NewServer(&opts)
		if err != nil {
			t.Fatal(err)
		}
		srv.Start()
		if srv.ReadyForConnections(10 * time.Second) {
			return srv
		}
		t.Logf("the NATS server is not ready on port %d (running: %v)", opts.Port, srv.Running())
		end(srv)
	}
	t.Fatal("the NATS server does not start")
	return nil
}

func end(srv *server.Server) {
	srv.Shutdown()
	srv.WaitForShutdown()
}

const natsChild = "REPLICAS_TEST_NATS"

// TestNATSChild runs a server in a separate process (natsServer.apart).
func TestNATSChild(t *testing.T) {
	var dir string
	var port int
	if k, _ := fmt.Sscanf(os.Getenv(natsChild), "%s %d", &dir, &port); k != 2 {
		t.Skip("runs in a process of its own")
	}
	serveNATS(t, server.Options{Port: port, StoreDir: dir}).WaitForShutdown()
}

// kill ends the server like kill -9.
func (s *natsServer) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.cmd = nil
}

func (s *natsServer) stop() {
	if s.cmd != nil {
		s.kill()
	}
	if s.srv != nil {
		end(s.srv)
	}
}

func (s *natsServer) addr() string { return "127.0.0.1:" + strconv.Itoa(s.port) }
func (s *natsServer) url() string  { return "nats://" + s.addr() }

// link is a TCP proxy in front of a server that can simulate network faults.
type link struct {
	listener net.Listener
	target   string
	dark     atomic.Bool // discards every byte in both directions
	deaf     atomic.Bool // discards bytes from the server
	refuse   atomic.Bool // closes new connections at once

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	wg    sync.WaitGroup
}

func newLink(t testing.TB, target string) *link {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &link{listener: l, target: target, conns: map[net.Conn]struct{}{}}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.cut()
		p.wg.Wait()
	})
	return p
}

func (p *link) url() string { return "nats://" + p.listener.Addr().String() }

// cut resets every connection.
func (p *link) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *link) accept() {
	for {
		down, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.refuse.Load() {
			down.Close()
			continue
		}
		up, err := net.Dial("tcp", p.target)
		if err != nil {
			down.Close()
			continue
		}
		p.mu.Lock()
		p.conns[down], p.conns[up] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.wg.Go(func() { p.pump(up, down, func() bool { return p.dark.Load() }) })
		p.wg.Go(func() { p.pump(down, up, func() bool { return p.dark.Load() || p.deaf.Load() }) })
	}
}

// pump copies bytes until either end closes, and discards them while lost returns true. Discarded
// bytes leave a gap in the stream, so a link that was dark must be cut before it is used again.
func (p *link) pump(dst, src net.Conn, lost func() bool) {
	defer func() {
		dst.Close()
		src.Close()
		p.mu.Lock()
		delete(p.conns, dst)
		delete(p.conns, src)
		p.mu.Unlock()
	}()
	buf := make([]byte, 32<<10)
	for {
		k, err := src.Read(buf)
		if k > 0 && !lost() {
			if _, err := dst.Write(buf[:k]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// quick has short durations for retries, and long ones where a busy machine might be late. Tests
// that wait for a failure use hasty.
var (
	quick = Timing{
		Beat: 50 * time.Millisecond, Answer: 3 * time.Second, Ack: 3 * time.Second, Cut: 10 * time.Second,
		Stuck: 600 * time.Millisecond, Ping: 200 * time.Millisecond, Reconnect: 20 * time.Millisecond,
		Check: 50 * time.Millisecond,
	}
	hasty = func() Timing {
		t := quick
		t.Answer, t.Ack = 500*time.Millisecond, 250*time.Millisecond
		return t
	}()
)

func testLog(t testing.TB) *slog.Logger {
	if os.Getenv("REPLICAS_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil)).With("test", t.Name())
}

func openNode(t testing.TB, cfg Config) *Node {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = testLog(t)
	}
	if cfg.Timing == (Timing{}) {
		cfg.Timing = quick
	}
	n, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

// replica is a node with a running bus that records what it receives.
type replica struct {
	*Node
	t    testing.TB
	bus  *Bus
	seq  atomic.Uint64
	stop func() // stops the bus and waits until it has ended

	mu     sync.Mutex
	got    []*alerts.Result // in order
	events []string         // "cut: ..." and "restored"
}

func startReplica(t testing.TB, cfg Config) *replica {
	t.Helper()
	r := &replica{Node: openNode(t, cfg), t: t}
	r.bus = r.NewBus(func(res *alerts.Result) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, res)
	}, func(reason string) { r.note("cut: " + reason) }, func() { r.note("restored") })
	r.stop = running(t, r.bus.Run)
	return r
}

// running runs f in a goroutine. stop, and the end of the test, cancel the context of f and wait until f returns.
func running(t testing.TB, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { f(ctx) })
	stop = func() {
		cancel()
		wg.Wait()
	}
	t.Cleanup(stop)
	return stop
}

func (r *replica) note(event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
}

// received returns the ids of the results in the order in which they arrived.
func (r *replica) received() (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, res := range r.got {
		ids = append(ids, res.ID)
	}
	return ids
}

func (r *replica) history() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

const aWallet = "0x00000000000000000000000000000000000000aa"

// result returns a new result.
func (r *replica) result() *alerts.Result {
	return &alerts.Result{
		ID: fmt.Sprintf("%s-%d", r.ID(), r.seq.Add(1)), Wallet: aWallet, AtMs: time.Now().UnixMilli(),
		Positions: []alerts.Position{{Asset: "BTC", RiskScore: 71, LiquidationDistancePct: 3, HasRegime: true,
			Regime: 2}},
		HasPortfolio: true, PortfolioVaRPct: 12.5,
	}
}

// publish publishes a result, which must be acknowledged.
func (r *replica) publish(res *alerts.Result) {
	r.t.Helper()
	if err := r.bus.Publish(r.t.Context(), res); err != nil {
		r.t.Fatal(err)
	}
}

// eventually waits up to a long time for something that normally happens at once.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
