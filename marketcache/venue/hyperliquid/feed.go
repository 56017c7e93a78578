package hyperliquid

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/store"
	"ballast/internal/supervise"
	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// The addresses of the venue's networks.
const (
	Mainnet = "https://api.hyperliquid.xyz"
	Testnet = "https://api.hyperliquid-testnet.xyz"
)

// Config configures a Feed. The zero value follows mainnet with all of the venue's limits for one
// address and keeps nothing on disk.
type Config struct {
	// BaseURL is the REST address; the socket is at the same host under /ws. Empty: Mainnet.
	BaseURL string
	// Name is the name of this venue's rows on disk, so that venues are never mixed. Empty: the host
	// of BaseURL. For a simulated venue whose past depends on a seed, include the seed.
	Name string
	// Share is the share of the venue's limits for one address that this process may use, above 0
	// and at most 1 (default 1): connections, subscriptions, messages, request weight.
	Share float64
	// Budget is the request weight that this process may spend in any minute, overriding Share;
	// negative: no limit. Below 330, some histories may be shortened.
	Budget int
	// Spent is the weight that another process at the same address had spent in the minute before
	// SpentAt. SpentAt 0: unknown.
	Spent   int
	SpentAt marketcache.Instant
	// Dexes are the names of the builder-deployed dexes to follow beside the main one; AllDexes
	// stands for all that the venue lists. MainDex is always followed.
	Dexes []string
	// NoDex is told once when the venue's first list of dexes lacks some of Dexes; nil: it is only logged.
	NoDex func(error)
	// DataDir is where histories are kept across restarts; empty: they are not kept.
	DataDir string
	// Logger; nil: slog.Default().
	Logger *slog.Logger

	// OpenOrders is what is read of wallets' resting orders.
	OpenOrders OpenOrders
	// WalletStreams is the number of wallets that are followed by the venue's user streams; 0: none.
	WalletStreams int
	// ClientSockets is how many of the connections are left to others.
	ClientSockets int
	// Dial opens the network connections of REST and sockets; nil: net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c Config) withDefaults() Config {
	c.BaseURL = strings.TrimRight(cmp.Or(c.BaseURL, Mainnet), "/")
	if c.Name == "" {
		c.Name = c.BaseURL
		if u, err := url.Parse(c.BaseURL); err == nil && u.Host != "" {
			c.Name = u.Host
		}
	}
	c.Logger = cmp.Or(c.Logger, slog.Default())
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: feed.ConnectTimeout}).DialContext
	}
	if c.Share <= 0 || c.Share > 1 {
		c.Share = 1
	}
	c.Budget = max(0, cmp.Or(c.Budget, roomOf(c.Share).weight))
	return c
}

// Feed follows the venue and writes its data into the cache. Create it with New.
type Feed struct {
	cfg   Config
	cache *marketcache.Cache
	log   *slog.Logger

	clock    feed.Clock
	late     atomic.Int64 // lateness of the newest book of any connection, ns
	queue    *feed.Queue
	client   *client
	universe universe
	dexes    dexes
	cells    []bookCell // by AssetID

	started   marketcache.Instant
	room      room
	cadences  cadences
	dials     *feed.DialLimiter
	sends     *feed.SlidingLimit // frames sent on all sockets
	sockets   []*socket
	suspects  *feed.Suspects[stream]
	books     *bookReader
	subscribe atomic.Int64 // number of subscriptions that the venue is believed to allow

	marks      marks
	sources    map[marketcache.AssetID]*sources // of slow figures; guarded by contexts
	contexts   sync.Mutex                       // one writer of contexts at a time; also guards marks
	tables     sync.Mutex                       // one writer of the universe at a time
	rules      sync.Mutex                       // one writer of the venue's rules at a time
	planning   sync.Mutex                       // one writer of the sockets' subscription plan at a time
	planned    map[marketcache.AssetID][precisions]bool
	plannedFor int64                          // the value of subscribe that the plan was made for
	tablesSent map[string]marketcache.Instant // when the universe in force of each dex was requested
	restRows   []contextRow
	metaDue    chan struct{} // one token: read the universe now
	unsure     chan struct{} // one token: a context of the stream waits for one of REST
	ranks      atomic.Pointer[feed.Ranking]

	store        *feed.Store                    // nil: nothing is kept on disk
	archive      *store.History                 // of store; closed at the end of Run
	metaSaved    map[string]marketcache.Instant // when each dex's universe was last saved; guarded by tables
	history      *feed.History
	openInterest *feed.OpenInterestTracker
	accounts     *accountLoader
	streams      *walletStreams

	stats      counters
	supervisor *supervise.Supervisor

	life   context.Context // ends with Run; never if Run is not called
	finish context.CancelFunc
	ran    atomic.Bool
}

// New returns a feed that writes into the cache. It reads the universe and histories on disk, so
// that calibration can start before the network answers.
func New(cache *marketcache.Cache, cfg Config) *Feed {
	cfg = cfg.withDefaults()
	f := &Feed{
		cfg:      cfg,
		cache:    cache,
		log:      cfg.Logger.With("venue", cfg.Name),
		metaDue:  make(chan struct{}, 1),
		unsure:   make(chan struct{}, 1),
		started:  marketcache.Now(),
		room:     roomOf(cfg.Share),
		cadences: newCadences(),

		tablesSent: map[string]marketcache.Instant{}, metaSaved: map[string]marketcache.Instant{},
		sources: map[marketcache.AssetID]*sources{},
	}
	f.supervisor = supervise.New(f.log)
	f.room.connections = max(1, f.room.connections-cfg.ClientSockets)
	f.suspects = feed.NewSuspects[stream](f.log)
	f.sends = feed.NewSlidingLimit(f.room.messages)
	f.books = newBookReader(f)
	f.dials = feed.NewDialLimiter(&cache.Venue, f.room.connects, f.room.connections)
	f.life, f.finish = context.WithCancel(context.Background())
	f.clock.VenueClock = &cache.Venue.Clock
	f.cells = make([]bookCell, cache.Limits().Assets)
	f.universe.cache = cache
	f.dexes = newDexes(cfg.Dexes, &f.universe)
	f.ranks.Store(&feed.Ranking{})
	f.openInterest = feed.NewOpenInterestTracker(cache)
	markets := f.room.connections
	if cfg.WalletStreams > 0 { // they have a connection of their own
		markets = max(1, markets-1)
	}
	for i := range markets {
		f.sockets = append(f.sockets, newSocket(f, i))
	}
	log, spentIsKnown := f.openStore()
	f.queue = feed.NewQueue(cfg.Budget, log)
	f.queue.Venue = &cache.Venue
	f.accounts = newAccountLoader(f)
	f.queue.First.Store(int64(f.firstWeight()))
	f.streams = newWalletStreams(f, cfg.WalletStreams)
	switch {
	case cfg.SpentAt != 0:
		f.queue.Assume(cfg.Spent, cfg.SpentAt)
	case !spentIsKnown: // half, evenly
		for second := range 60 {
			f.queue.Assume(cfg.Budget/120, f.started.Add(-time.Duration(second)*time.Second))
		}
	}
	f.client = newClient(f)
	f.history = feed.NewHistory(feed.HistoryConfig{
		Cache: cache, Clock: &f.clock, Interest: f.openInterest, Supervisor: f.supervisor, Store: f.store,
		Source: historySource{f}, Ranking: f.ranks.Load, Budget: cfg.Budget, Pace: f.queue.HistoryPace,
		MaxBars:      candleRows,
		FundingEvery: fundingEvery, Hold: f.books.holdsHistories,
		OnFuture: func(asset string) { f.setAside(asideFuture, asset) },
	})
	if f.store != nil {
		f.restore()
	}
	return f
}

// Queue returns the queue of the feed's requests, in which others at the same address can count theirs.
func (f *Feed) Queue() *feed.Queue { return f.queue }

// Run follows the venue until ctx ends. It owns every goroutine of the feed and returns ctx's error
// when all have stopped. The feed cannot be used again.
func (f *Feed) Run(ctx context.Context) error {
	if f.ran.Swap(true) {
		panic("BUG: a feed runs once")
	}
	stop := context.AfterFunc(ctx, f.finish)
	defer stop()
	var wg sync.WaitGroup
	start := func(name string, fn func(context.Context)) {
		wg.Go(func() { f.supervisor.Run(ctx, name, fn) })
	}
	f.bootstrap(ctx)
	f.history.RestoreAll() // also of assets that the universe on disk did not list
	if ctx.Err() == nil {
		start("meta", f.followMeta)
		start("caps", f.followCaps)
		start("dexes", f.followDexes)
		start("caps of dexes", f.followDexCaps)
		start("predicted fundings", f.followPredicted)
		start("clock", f.followClock)
		start("rules", f.followRules)
		start("contexts", f.followContexts)
		start("samples", f.history.SampleMinutes)
		start("saver", f.history.SaveInterest)
		start("books", f.refreshBooks)
		for range 2 {
			start("book reads", f.books.run)
		}
		start("loading", f.history.TellLoading)
		start("history and clock", f.history.FollowClock)
		start("wanted history", func(ctx context.Context) { f.history.Work(ctx, true) })
		for range historyWorkers {
			start("history", func(ctx context.Context) { f.history.Work(ctx, false) })
		}
		for _, s := range f.sockets {
			start("socket", s.run)
		}
		if f.cfg.WalletStreams > 0 {
			start("wallet socket", f.streams.run)
		}
	}
	<-ctx.Done()
	wg.Wait()
	f.finish()
	f.accounts.wg.Wait()
	f.queue.Close()
	if f.archive != nil {
		f.archive.Close()
	}
	f.client.http.CloseIdleConnections()
	f.cache.Venue.Connected.Store(false)
	return ctx.Err()
}
