package relay

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"ballast/internal/freeport"
	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
)

// TestMain fails the package when a goroutine of a relay outlives it.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp's pool cleaner (of the simulated venue) ends some seconds after its server.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

// leases are held by whom the test says.
type leases struct {
	mu     sync.Mutex
	holder int // -1: nobody
	epoch  uint64
	all    []*fakeLease
}

// fakeLease is one replica's view of them.
type fakeLease struct {
	of    *leases
	index int
	stuck bool // it goes on believing what it believed: a replica that is not told
	held  bool
	epoch uint64
}

func (l *leases) view() *fakeLease {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &fakeLease{of: l, index: len(l.all)}
	l.all = append(l.all, f)
	return f
}

// give hands the lease to a replica, -1 to nobody.
func (l *leases) give(to int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder = to
	l.epoch++
	for _, f := range l.all {
		if !f.stuck {
			f.held, f.epoch = f.index == to, l.epoch
		}
	}
}

func (f *fakeLease) stick() {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.stuck = true
}

// Held implements Lease.
func (f *fakeLease) Held() (epoch uint64, held bool) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	return f.epoch, f.held
}

// startVenue serves a simulated venue until the test ends.
func startVenue(t *testing.T, cfg sim.Config) (*sim.Exchange, string) {
	t.Helper()
	e := sim.New(cfg)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { e.Serve(ln) })
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		e.Shutdown(ctx)
		wg.Wait()
	})
	return e, "http://" + ln.Addr().String()
}

// startNATS starts a server on a loopback port, 0: any.
func startNATS(t testing.TB, port int) *server.Server {
	t.Helper()
	if port == 0 {
		var err error
		if port, err = freeport.Find(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("NATS does not serve")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// connect opens a client's connection as a replica would have it.
func connect(t testing.TB, url string, through *proxy) *nats.Conn {
	t.Helper()
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.RetryOnFailedConnect(true),
		nats.CustomReconnectDelay(func(int) time.Duration { return 100 * time.Millisecond }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if through != nil {
		options = append(options, nats.SetCustomDialer(through))
	}
	nc, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// gang is replicas behind one address.
type gang struct {
	*testing.T
	nats     *server.Server
	leases   *leases
	replicas []*member
	// belief is the budget that the adapters keep when it is not the holder's; -1: none.
	belief int
	// lines and bus are between the next replica and the venue or NATS.
	lines, bus *proxy
}

// member is one replica: cache, adapter, both halves of the relay.
type member struct {
	index    int
	lease    *fakeLease
	nc       *nats.Conn
	local    *Local
	upstream *Upstream
	cache    *marketcache.Cache
	feed     *hyperliquid.Feed
	stop     func() // ends all of it in order
	kill     func() // ends it without another word
}

var testCache = marketcache.Limits{Assets: 64, Versions: 16, Bars: 6000, Rows: 800, Samples: 1440, Wallets: 256}

func newGang(t *testing.T) *gang {
	return &gang{T: t, nats: startNATS(t, 0), leases: &leases{holder: -1}}
}

func testLog(t *testing.T, name string) *slog.Logger {
	if !testing.Verbose() {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(t.Output(), nil)).With("replica", name)
}

// run lets a Local live until stop, or the end of the test.
func run(t *testing.T, l *Local) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { l.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return cancel
}

// dial connects to a Local as an adapter does.
func dial(t testing.TB, l *Local) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{NetDialContext: l.Dial, ReadBufferSize: 16 << 10}
	conn, res, err := d.Dial("ws://relay/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	t.Cleanup(func() { conn.Close() })
	return conn
}

// subscribe asks for a stream.
func subscribe(t testing.TB, conn *websocket.Conn, st stream) {
	t.Helper()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"method":"subscribe","subscription":`+st.body()+`}`)); err != nil {
		t.Fatal(err)
	}
}

// join adds a replica that would feed from base.
func (g *gang) join(base string, budget int) *member {
	g.Helper()
	m := &member{index: len(g.replicas), lease: g.leases.view(), nc: connect(g.T, g.nats.ClientURL(), g.bus)}
	name := fmt.Sprint("r", m.index)
	log := testLog(g.T, name)
	m.local = NewLocal(LocalConfig{
		NATS: m.nc, Subject: "test.feed", Replica: name, Logger: log,
		BeatLimit: 6 * time.Second, // the race detector on a busy machine
	})
	m.upstream = NewUpstream(UpstreamConfig{
		NATS: m.nc, Lease: m.lease, Subject: "test.feed", Replica: name, BaseURL: base, Budget: budget, Logger: log,
	})
	if g.lines != nil {
		m.upstream.cfg.Dial = g.lines.dial
	}
	if g.belief != 0 {
		budget = max(g.belief, 0)
	}
	m.cache = marketcache.New(testCache)
	m.feed = hyperliquid.New(m.cache, hyperliquid.Config{
		BaseURL: BaseURL, Name: "test", Budget: budget, Logger: log, Dial: m.local.Dial,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { m.local.Run(ctx) })
	wg.Go(func() { m.upstream.Run(ctx) })
	wg.Go(func() { m.feed.Run(ctx) })
	var once sync.Once
	m.stop = func() {
		once.Do(func() {
			cancel()
			wg.Wait()
			m.nc.Close()
		})
	}
	m.kill = func() { m.nc.Close(); m.stop() }
	g.Cleanup(func() {
		m.stop()
		l, u, f := m.local.Stats(), m.upstream.Stats(), m.feed.Stats()
		if l.Panics+u.Panics+f.Panics != 0 {
			g.Errorf("replica %d: panics: local %d, upstream %d, feed %d", m.index, l.Panics, u.Panics, f.Panics)
		}
		g.Logf("replica %d: local %+v", m.index, l)
		g.Logf("replica %d: upstream %+v", m.index, u)
	})
	g.replicas = append(g.replicas, m)
	return m
}

// within waits until a condition holds.
func within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// fresh reports whether every listed asset has a book and a context of at most an age,
// and there is one.
func (m *member) fresh(limit time.Duration) bool {
	n := 0
	now := marketcache.Now()
	for _, a := range m.cache.Universe().Assets {
		if a.Delisted {
			continue
		}
		n++
		if _, _, ok := m.cache.Books(a.ID).Latest(now, limit); !ok {
			return false
		}
		if _, _, ok := m.cache.Contexts(a.ID).Latest(now, limit); !ok {
			return false
		}
	}
	return n > 0
}

// youngest returns the age of the youngest book or context, or an hour.
func (m *member) youngest() time.Duration {
	best := time.Hour
	now := marketcache.Now()
	for _, a := range m.cache.Universe().Assets {
		if _, age, ok := m.cache.Books(a.ID).Latest(now, marketcache.Forever); ok {
			best = min(best, age)
		}
		if _, age, ok := m.cache.Contexts(a.ID).Latest(now, marketcache.Forever); ok {
			best = min(best, age)
		}
	}
	return best
}

// allFresh waits until all replicas have fresh data.
func (g *gang) allFresh(limit time.Duration, who ...*member) {
	g.Helper()
	for _, m := range who {
		within(g, limit, fmt.Sprintf("replica %d fresh", m.index), func() bool { return m.fresh(5 * time.Second) })
	}
}

// proxy passes connections on until they are frozen or cut. Frozen, they stay open and say
// nothing, as when the other end has been stopped; what was said meanwhile comes after.
type proxy struct {
	mu    sync.Mutex
	conns []*proxied
}

type proxied struct {
	net.Conn
	frozen atomic.Bool
}

func (p *proxy) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, &proxied{Conn: c})
	return p.conns[len(p.conns)-1], nil
}

// Dial implements nats.CustomDialer.
func (p *proxy) Dial(network, addr string) (net.Conn, error) {
	return p.dial(context.Background(), network, addr)
}

func (c *proxied) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for err == nil && c.frozen.Load() {
		time.Sleep(5 * time.Millisecond)
	}
	return n, err
}

func (c *proxied) Close() error {
	c.frozen.Store(false)
	return c.Conn.Close()
}

// freeze freezes the connections there are now, or lets them go on.
func (p *proxy) freeze(frozen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.frozen.Store(frozen)
	}
}
