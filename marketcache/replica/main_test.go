package replica

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"ballast/internal/freeport"
	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
)

// TestMain fails the package if a goroutine is left running at the end.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp's pool cleaner (of the simulated venue) ends some seconds after its server.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

// settle is how long replicas may take to be fresh again after a fault ends, on a busy machine
// under the race detector.
const settle = 60 * time.Second

// leases is a fake lease service: the test decides who holds the lease.
type leases struct {
	mu     sync.Mutex
	holder int // -1: nobody
	epoch  uint64
}

// give gives the lease to a replica; -1: to nobody.
func (l *leases) give(to int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder = to
	l.epoch++
}

// fakeLease is the lease service as one replica sees it.
type fakeLease struct {
	of    *leases
	index int
	stuck atomic.Uint64 // the epoch that the replica believes to lead for ever; 0: none
	late  atomic.Bool   // the replica cannot read the lease
}

// Held implements Lease.
func (f *fakeLease) Held() (epoch uint64, held bool) {
	if epoch := f.stuck.Load(); epoch != 0 {
		return epoch, true
	}
	if f.late.Load() {
		return 0, false
	}
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	return f.of.epoch, f.of.holder == f.index
}

// fakeFeed is a feed that writes test data.
type fakeFeed struct {
	cache *marketcache.Cache
	write func(now marketcache.Instant) // called every 5 ms while the feed runs
	load  func(ctx context.Context, w marketcache.Wallet, setting marketcache.AssetID) (*marketcache.Account, error)
	spent int
}

func (f *fakeFeed) Run(ctx context.Context) error {
	f.cache.Venue.Connected.Store(true)
	defer f.cache.Venue.Connected.Store(false)
	every(ctx, 5*time.Millisecond, func() bool {
		f.cache.Venue.LastMessage.Store(int64(marketcache.Now()))
		if f.write != nil {
			f.write(marketcache.Now())
		}
		return true
	})
	<-ctx.Done()
	return ctx.Err()
}

func (f *fakeFeed) LoadAccount(ctx context.Context, w marketcache.Wallet, setting marketcache.AssetID) (
	*marketcache.Account, error) {
	return f.load(ctx, w, setting)
}

// Flows answers with one deposit of as many USD as the wallet's first byte says; for 99 it fails.
func (f *fakeFeed) Flows(_ context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error) {
	if a.Wallet[0] == 99 || a.Mode != marketcache.ModeUnified {
		return nil, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: 7 * time.Second}
	}
	return []marketcache.Flow{{AtMs: sinceMs + 1, USD: float64(a.Wallet[0])}}, nil
}

func (f *fakeFeed) Weight() marketcache.VenueWeight {
	return marketcache.VenueWeight{Histories: f.spent}
}

// venueFeed is a feed of the simulated venue.
type venueFeed struct{ *hyperliquid.Feed }

func (f venueFeed) Weight() marketcache.VenueWeight { return f.Stats().Weight }

// venueFeeds starts a simulated venue, which replicas read when they lead.
func (g *gang) venueFeeds(assets int) *sim.Exchange {
	g.Helper()
	e, err := sim.Open(sim.Config{Assets: assets})
	if err != nil {
		g.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		g.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { e.Serve(ln) })
	g.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		e.Shutdown(ctx)
		wg.Wait()
	})
	g.feed = func(c *marketcache.Cache, spent int, at marketcache.Instant) Feed {
		return venueFeed{hyperliquid.New(c, hyperliquid.Config{BaseURL: "http://" + ln.Addr().String(), Share: 0.5,
			Budget: -1, Name: "test", Logger: testLog(g, "feed"), Spent: spent, SpentAt: at})}
	}
	return e
}

// startNATS starts a NATS server on a loopback port; 0: any free port.
func startNATS(t testing.TB, port int) *server.Server {
	t.Helper()
	if port == 0 {
		var err error
		if port, err = freeport.Find(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		JetStreamMaxMemory: 256 << 20,
	})
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

// gang is a group of replicas that share one feed.
type gang struct {
	testing.TB
	nats     *server.Server
	leases   *leases
	replicas []*member
	bus      *proxy // connects the next replica to NATS
	// feed creates the feed for the next replica when it leads; nil: a fakeFeed that calls write.
	feed  func(c *marketcache.Cache, spent int, at marketcache.Instant) Feed
	write func(c *marketcache.Cache, now marketcache.Instant)
	load  func(c *marketcache.Cache, w marketcache.Wallet, setting marketcache.AssetID) (*marketcache.Account, error)
	// readFor receives the caller for whom a leader reads a wallet; nil: not recorded.
	readFor func(marketcache.Caller)
	clock   func(marketcache.Instant) marketcache.Instant // clock of the next replica
}

// member is one replica of a gang.
type member struct {
	*Replica
	index int
	lease *fakeLease
	cache *marketcache.Cache
	feeds atomic.Int64 // number of feeds started, one per term as leader
	stop  func()       // stops the replica cleanly
	kill  func()       // stops the replica without a message to the others
}

var testLimits = marketcache.Limits{Assets: 64, Bars: 26304, Rows: 800, Samples: 1440, Wallets: 256}

func newGang(t testing.TB) *gang {
	return &gang{TB: t, nats: startNATS(t, 0), leases: &leases{holder: -1}}
}

func testLog(t testing.TB, name string) *slog.Logger {
	if !testing.Verbose() {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo})).With("replica", name)
}

// connect opens a NATS connection with the options of a replica.
func (g *gang) connect() *nats.Conn {
	g.Helper()
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.RetryOnFailedConnect(true),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.CustomReconnectDelay(func(int) time.Duration { return 100 * time.Millisecond }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if g.bus != nil {
		options = append(options, nats.SetCustomDialer(g.bus))
	}
	nc, err := nats.Connect(g.nats.ClientURL(), options...)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(nc.Close)
	return nc
}

// join adds a replica with an empty cache.
func (g *gang) join() *member {
	g.Helper()
	return g.joinWith(marketcache.New(testLimits))
}

func (g *gang) joinWith(cache *marketcache.Cache) *member {
	g.Helper()
	m := &member{index: len(g.replicas), lease: &fakeLease{of: g.leases, index: len(g.replicas)}, cache: cache}
	name := fmt.Sprint("r", m.index)
	feed, write, load := g.feed, g.write, g.load
	cfg := Config{
		NATS: g.connect(), Lease: m.lease, Cache: cache, Name: "test-feed", Replica: name, Logger: testLog(g, name),
		encode: encodeBy(g.clock),
		NewFeed: func(spent int, at marketcache.Instant) Feed {
			m.feeds.Add(1)
			if feed != nil {
				return feed(cache, spent, at)
			}
			f := &fakeFeed{cache: cache, spent: 7}
			if write != nil {
				f.write = func(now marketcache.Instant) { write(cache, now) }
			}
			f.load = func(ctx context.Context, w marketcache.Wallet, s marketcache.AssetID) (*marketcache.Account,
				error) {
				if g.readFor != nil {
					g.readFor(marketcache.CallerOf(ctx))
				}
				return load(cache, w, s)
			}
			return f
		},
	}
	var err error
	if m.Replica, err = New(cfg); err != nil {
		g.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { m.Run(ctx) })
	var once sync.Once
	m.stop = func() {
		once.Do(func() {
			cancel()
			wg.Wait()
			cfg.NATS.Close()
		})
	}
	m.kill = func() { cfg.NATS.Close(); m.stop() }
	g.Cleanup(func() {
		s := m.Stats()
		m.stop()
		if s.Panics != 0 || s.Garbage != 0 {
			g.Errorf("replica %d: %+v", m.index, s)
		}
		g.Logf("replica %d: %+v", m.index, s)
	})
	g.replicas = append(g.replicas, m)
	return m
}

// encodeBy returns encode for a process with another clock; nil: the same clock.
func encodeBy(clock func(marketcache.Instant) marketcache.Instant) func(values ...any) ([]byte, error) {
	if clock == nil {
		return encode
	}
	return func(values ...any) ([]byte, error) {
		for i, v := range values {
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			moved := reflect.New(reflect.TypeOf(v))
			if err := json.Unmarshal(text, moved.Interface()); err != nil {
				return nil, err
			}
			convert(moved.Elem(), clock, func(id marketcache.AssetID) marketcache.AssetID { return id })
			values[i] = moved.Interface()
		}
		return encode(values...)
	}
}

// within waits until a condition holds, and fails after limit.
func within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// listAssets sets a universe of the named assets in a cache.
func listAssets(c *marketcache.Cache, names ...string) {
	var assets []*marketcache.Asset
	for i, name := range names {
		assets = append(assets, &marketcache.Asset{
			ID: marketcache.AssetID(i), Name: name, SizeDigits: 3, MaxLeverage: 50, FeeMultiplier: 1,
			Tiers: marketcache.NewTiers([]float64{0, 1e6}, []float64{50, 20}),
		})
	}
	if !c.SetUniverse(marketcache.NewUniverse(assets)) {
		panic("too many assets")
	}
}

// bookAt returns a book around a mid price.
func bookAt(mid float64) *marketcache.Book {
	return marketcache.MergeBooks(
		[][]marketcache.Level{{{Price: mid * 0.999, Units: 2}, {Price: mid * 0.99, Units: 5}}},
		[][]marketcache.Level{{{Price: mid * 1.001, Units: 3}, {Price: mid * 1.01, Units: 4}}}, 1)
}

// mid returns the mid price of an asset's book; NaN: no book.
func (m *member) mid(id marketcache.AssetID) float64 {
	if e := m.cache.Books(id).Newest(); e != nil {
		return e.Value.MidPrice
	}
	return math.NaN()
}

// age returns the age of an asset's book; one hour: no book.
func (m *member) age(id marketcache.AssetID) time.Duration {
	book, _ := m.agesOf(id)
	return book
}

// agesOf returns the ages of an asset's book and context; one hour: none.
func (m *member) agesOf(id marketcache.AssetID) (book, context time.Duration) {
	now := marketcache.Now()
	_, book, _ = m.cache.Books(id).Latest(now, marketcache.Forever)
	_, context, _ = m.cache.Contexts(id).Latest(now, marketcache.Forever)
	if book < 0 {
		book = time.Hour
	}
	if context < 0 {
		context = time.Hour
	}
	return book, context
}

// fresh reports whether there is at least one asset, and every listed asset has a book and a context not
// older than limit.
func (m *member) fresh(limit time.Duration) bool {
	for _, a := range m.cache.Universe().Assets {
		if book, context := m.agesOf(a.ID); !a.Delisted && max(book, context) > limit {
			return false
		}
	}
	return len(m.cache.Universe().Assets) > 0
}

// youngest returns the age of the youngest book or context; one hour if there is none.
func (m *member) youngest() time.Duration {
	best := time.Hour
	for _, a := range m.cache.Universe().Assets {
		book, context := m.agesOf(a.ID)
		best = min(best, book, context)
	}
	return best
}

// lead gives the lease to the first of n new replicas and waits until the data of all are fresh.
func (g *gang) lead(n int) []*member {
	g.Helper()
	for range n {
		g.join()
	}
	g.leases.give(0)
	g.allFresh(g.replicas...)
	return g.replicas
}

// allFresh waits until the data of the given replicas is fresh.
func (g *gang) allFresh(who ...*member) {
	g.Helper()
	for _, m := range who {
		within(g, settle, fmt.Sprintf("replica %d fresh", m.index), func() bool {
			return m.fresh(2*time.Second) && m.cache.Venue.Connected.Load()
		})
	}
}

// ages checks for some seconds that no data of any replica becomes younger.
func (g *gang) ages(who ...*member) {
	g.Helper()
	began := time.Now()
	for time.Since(began) < 6*time.Second {
		// The last data arrived before this function was called; two seconds allow for messages
		// under way.
		minAge := time.Since(began) - 2*time.Second
		for _, m := range who {
			if y := m.youngest(); y < minAge {
				g.Fatalf("replica %d has data that looks %v old, %v after the last", m.index, y, time.Since(began))
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, m := range who {
		if m.cache.Venue.Connected.Load() {
			g.Errorf("replica %d looks connected", m.index)
		}
	}
}

// proxy forwards connections until they are frozen. A frozen connection stays open and forwards
// nothing, as when the process at the other end is stopped; what was sent meanwhile arrives later.
type proxy struct {
	frozen atomic.Bool
}

type proxied struct {
	net.Conn
	by *proxy
}

// Dial implements nats.CustomDialer.
func (p *proxy) Dial(network, addr string) (net.Conn, error) {
	if p.frozen.Load() {
		return nil, net.ErrClosed
	}
	c, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	return &proxied{c, p}, nil
}

func (c *proxied) hold() {
	for c.by.frozen.Load() {
		time.Sleep(5 * time.Millisecond)
	}
}

func (c *proxied) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil {
		c.hold()
	}
	return n, err
}

func (c *proxied) Write(b []byte) (int, error) {
	c.hold()
	return c.Conn.Write(b)
}
