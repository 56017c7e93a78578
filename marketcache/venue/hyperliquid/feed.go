package hyperliquid

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/supervise"
	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// The venue's own addresses.
const (
	Mainnet = "https://api.hyperliquid.xyz"
	Testnet = "https://api.hyperliquid-testnet.xyz"
)

// Config selects the venue and sets limits and intervals. Fields left zero get the default in
// parentheses. The zero value follows mainnet with all of the venue's limits for one address and
// writes nothing to disk.
type Config struct {
	BaseURL string // REST address (Mainnet); the socket is at the same host under /ws
	// Name names the directory of stored data, one per venue (the host of BaseURL). The name of a
	// simulated venue whose history depends on a seed should contain the seed.
	Name string
	// Share is the fraction of the venue's limits for one address that this process may use (1):
	// connections, subscriptions, messages, request weight. It is above 0 and at most 1.
	Share float64
	// Budget is the request weight that this process may spend in any minute (Share of the
	// venue's limit); negative means no limit. Below 200 some histories are shortened.
	Budget int
	// Spent is the weight that another process at the same address spent in the minute before
	// SpentAt. SpentAt 0 means that no such process is known.
	Spent   int
	SpentAt marketcache.Instant
	// Dexes names the builder-deployed dexes to follow besides the main one; AllDexes stands for
	// every listed dex. The main dex, MainDex, is always followed.
	Dexes   []string
	DataDir string       // directory of histories that survive a restart; empty disables storage
	Logger  *slog.Logger // (slog.Default())

	// HistoryWorkers is how many goroutines load histories (3), besides one for the assets that
	// callers wait for.
	HistoryWorkers int
	RequestTimeout time.Duration // limit of one REST request (10 s)
	// MetaEvery, TablesEvery and ClockEvery are the intervals between readings of the universe
	// (60 s), of caps and predicted fundings (60 s), and of the venue's clock (30 s).
	MetaEvery, TablesEvery, ClockEvery time.Duration
	FundingEvery                       time.Duration // between readings of an asset's paid funding (4 h)
	ModeEvery, FeesEvery               time.Duration // validity of a wallet's mode and fees (10 min)
	// Dial makes the network connections of REST and sockets (net.Dialer).
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c Config) withDefaults() Config {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	if c.BaseURL == "" {
		c.BaseURL = Mainnet
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.Name == "" {
		c.Name = c.BaseURL
		if u, err := url.Parse(c.BaseURL); err == nil && u.Host != "" {
			c.Name = u.Host
		}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.HistoryWorkers <= 0 {
		c.HistoryWorkers = 3
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: feed.ConnectTimeout}).DialContext
	}
	if c.Share <= 0 || c.Share > 1 {
		c.Share = 1
	}
	if c.Budget == 0 {
		c.Budget = roomOf(c.Share).weight
	}
	c.Budget = max(0, c.Budget)
	def(&c.RequestTimeout, 10*time.Second)
	def(&c.MetaEvery, time.Minute)
	def(&c.TablesEvery, time.Minute)
	def(&c.ClockEvery, 30*time.Second)
	def(&c.FundingEvery, 4*time.Hour)
	def(&c.ModeEvery, 10*time.Minute)
	def(&c.FeesEvery, 10*time.Minute)
	return c
}

// Feed follows the venue and writes its data into the cache. Create it with New.
type Feed struct {
	cfg       Config
	cache     *marketcache.Cache
	log       *slog.Logger
	socketURL string

	clock    feed.Clock
	budget   *feed.Budget
	breaker  *feed.Breaker
	client   *client
	universe universe
	dexes    dexes
	cells    []*bookCell // by AssetID

	started   marketcache.Instant
	room      room
	cadences  cadences
	dials     *feed.DialLimiter
	sends     *feed.SlidingLimit // limit on frames sent by all sockets together
	sockets   []*socket
	suspects  *feed.Suspects[stream]
	parsers   feed.ParseSlots // limits concurrent parsing by the sockets' readers
	books     *bookReader
	subscribe atomic.Int64 // estimate of how many subscriptions the venue grants us

	contexts sync.Mutex // serialises writers of contexts; guards marks, doubts and doubted
	marks    marks
	doubts   map[marketcache.AssetID]doubt // marks that await confirmation
	doubted  marketcache.Instant           // when a doubtful mark last caused a REST request
	planning sync.Mutex                    // guards planned and plannedFor
	// planned are the views of books to subscribe; plannedFor is the value of subscribe then.
	planned    map[marketcache.AssetID][precisions]bool
	plannedFor int64
	tables     sync.Mutex                     // serialises writers of the universe; guards tablesSent, restRows and metaSaved
	tablesSent map[string]marketcache.Instant // when the newest applied universe was requested, by dex
	restRows   []contextRow                   // scratch of fetchUniverse
	metaSaved  map[string]marketcache.Instant // when a universe was last written to disk, by dex
	metaDue    chan struct{}                  // holds a token when the main universe should be read now
	ranks      atomic.Pointer[feed.Ranking]

	store    *feed.Store // nil when nothing is stored
	history  *feed.History
	interest *feed.OpenInterestTracker
	accounts *accountLoader

	stats      counters
	supervisor *supervise.Supervisor

	network context.Context // hangUp cancels it at the end of Run, which closes every connection
	hangUp  context.CancelFunc
	life    context.Context // ends with the context of Run, or never when Run is not called
	finish  context.CancelFunc
	ran     atomic.Bool
}

type counters struct {
	messages, parseErrors, errorFrames       atomic.Int64
	rejectedBooks, rejectedContexts, badMeta atomic.Int64
	reconnects, resubscribes, halfOpen       atomic.Int64
	bookReads, droppedBars                   atomic.Int64
	setAside                                 [asideReasons]atomic.Int64
}

// asideReason is the kind of an element that was skipped because it could not be used.
type asideReason int

const (
	asideListing   asideReason = iota // asset of the universe, unreadable or without its margin table
	asideTable                        // margin table
	asideContext                      // asset's context, unreadable or with a doubtful mark
	asideCandle                       // candle
	asideFunding                      // row of paid funding, unreadable or dated in the future
	asideCap                          // name in the list of caps
	asidePredicted                    // coin's predicted funding
	asideWallet                       // wallet's state with an unreadable position or an impossible time
	asideOlder                        // wallet's state older than the one in the cache
	asideFuture                       // stored bar or funding row dated in the future
	asideReasons
)

// AsideReasons names the elements of Stats.SetAside.
var AsideReasons = [asideReasons]string{"listing", "margin_table", "context", "candle", "funding_row", "cap", "predicted_funding", "wallet", "older_wallet", "future_history"}

// setAside counts a skipped element and logs it, at most once a minute for each reason.
func (f *Feed) setAside(r asideReason, what string) {
	f.stats.setAside[r].Add(1)
	f.supervisor.WarnEvery(AsideReasons[r], time.Minute, "set aside what the venue said", "kind", AsideReasons[r], "what", printable([]byte(what)))
}

// Stats are the feed's metrics: first counters since the start, then current values.
type Stats struct {
	Messages         int64 // socket messages of any kind
	ParseErrors      int64 // socket messages that do not follow the protocol
	ErrorFrames      int64 // error frames of the venue
	RejectedBooks    int64 // crossed, unsorted, absurd, of a wrong coin, or older than the book in use
	RejectedContexts int64 // without a price, absurd, or not matching the universe
	RejectedMetas    int64
	DroppedBars      int64               // unreadable or impossible candles
	SetAside         [asideReasons]int64 // unusable elements of answers, in the order of AsideReasons
	Reconnects       int64               // connections lost
	HalfOpen         int64               // connections lost because no pong came
	Resubscribes     int64
	BookReads        int64 // books read by REST
	Requests         int64 // REST requests sent
	RequestFailures  int64
	Refused          int64 // HTTP 429
	Panics           int64 // recovered
	DiskErrors       int64

	Connections    int // sockets up
	Subscriptions  int // planned on all sockets
	WeightSpent    int // request weight of the last minute, including requests in flight
	Budget         int // request weight a minute, as configured
	ClosedFor      int // subscriptions given up because the venue closes connections for them
	PendingHistory int // listed assets whose bars have not been loaded
}

// New returns a feed that writes into the cache. It loads the universe and histories from disk,
// so that the calibrator can begin before the network answers.
func New(cache *marketcache.Cache, cfg Config) *Feed {
	cfg = cfg.withDefaults()
	f := &Feed{
		cfg:       cfg,
		cache:     cache,
		log:       cfg.Logger.With("venue", cfg.Name),
		socketURL: "ws" + strings.TrimPrefix(cfg.BaseURL, "http") + "/ws",
		metaDue:   make(chan struct{}, 1),
		parsers:   feed.NewParseSlots(runtime.GOMAXPROCS(0)),
		started:   marketcache.Now(),
		room:      roomOf(cfg.Share),
		cadences:  newCadences(),

		tablesSent: map[string]marketcache.Instant{}, metaSaved: map[string]marketcache.Instant{},
	}
	f.supervisor = supervise.New(f.log)
	f.suspects = feed.NewSuspects[stream](f.log)
	f.sends = feed.NewSlidingLimit(f.room.messages)
	f.subscribe.Store(int64(f.room.subscriptions))
	f.books = newBookReader(f, cfg.Budget)
	f.dials = feed.NewDialLimiter(&cache.Venue, f.room.connects, f.room.connections)
	f.life, f.finish = context.WithCancel(context.Background())
	f.network, f.hangUp = context.WithCancel(context.Background())
	f.clock.Start()
	f.cells = make([]*bookCell, cache.Limits().Assets)
	for i := range f.cells {
		f.cells[i] = &bookCell{}
	}
	f.universe.cache = cache
	f.dexes = newDexes(cfg.Dexes, &f.universe)
	f.ranks.Store(&feed.Ranking{})
	f.interest = feed.NewOpenInterestTracker(cache)
	for i := range f.room.connections {
		f.sockets = append(f.sockets, newSocket(f, i))
	}
	var log *feed.BudgetLog
	if cfg.DataDir != "" {
		store, err := feed.OpenStore(venueDir(cfg), cache.Limits(), f.supervisor)
		if err != nil {
			f.log.Warn("no history is kept", "error", err)
		} else {
			f.store = store
			if log, err = feed.OpenBudgetLog(venueDir(cfg), cfg.Budget); err != nil {
				f.log.Warn("spent request weight is not kept", "error", err)
			}
		}
	}
	f.budget = feed.NewBudget(cfg.Budget, log)
	f.accounts = newAccountLoader(f)
	switch {
	case cfg.SpentAt != 0:
		f.budget.Assume(cfg.Spent, cfg.SpentAt)
	case log == nil: // the weight that a previous process spent is unknown
		f.budget.Assume(cfg.Budget/2, marketcache.Now())
	}
	f.breaker = feed.NewBreaker(func(open bool) { cache.Venue.BreakerOpen.Store(open) })
	f.client = newClient(cfg.BaseURL, f.dial, cfg.RequestTimeout, f.budget, f.breaker, &f.clock)
	f.history = feed.NewHistory(feed.HistoryConfig{
		Cache: cache, Clock: &f.clock, Interest: f.interest, Supervisor: f.supervisor, Store: f.store,
		Source: historySource{f}, Ranking: f.ranks.Load, Budget: cfg.Budget, MaxBars: candleRows,
		FundingEvery: cfg.FundingEvery, OnFuture: func(asset string) { f.setAside(asideFuture, asset) },
	})
	if f.store != nil {
		f.restore()
	}
	return f
}

// Save writes a cache's histories to the data directory of cfg, where they are newer than the
// files. It serves a process whose cache another process's feed fills. No feed may use cfg meanwhile.
func Save(cache *marketcache.Cache, cfg Config) error {
	if cfg.DataDir == "" {
		return nil
	}
	cfg = cfg.withDefaults()
	store, err := feed.OpenStore(venueDir(cfg), cache.Limits(), supervise.New(cfg.Logger))
	if err != nil {
		return err
	}
	return store.SaveCache(cache)
}

// venueDir is the directory of a venue's files.
func venueDir(cfg Config) string {
	return filepath.Join(cfg.DataDir, "venue-"+feed.EscapeName(cfg.Name))
}

// Run follows the venue until ctx ends. It owns every goroutine of the feed and
// returns when all have stopped; the feed cannot be used again. Its error is the
// context's.
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
	cfg := &f.cfg
	f.bootstrap(ctx)
	f.history.RestoreAll() // for assets that the universe on disk did not list
	if ctx.Err() == nil {
		start("meta", f.followMeta)
		start("caps", func(ctx context.Context) {
			every(ctx, cfg.TablesEvery, cfg.TablesEvery/2, func() error { return f.fetchCaps(ctx, "", cfg.TablesEvery) })
		})
		start("dexes", f.followDexes)
		start("caps of dexes", f.followDexCaps)
		start("predicted fundings", f.followPredicted)
		start("clock", func(ctx context.Context) { every(ctx, cfg.ClockEvery, 0, func() error { return f.fetchClock(ctx) }) })
		start("contexts", f.followContexts)
		samples := &feed.MinuteSampler{Cache: f.cache, Clock: &f.clock, Interest: f.interest, Ranking: f.ranks.Load}
		start("samples", samples.Run)
		start("saver", f.history.SaveInterest)
		start("books", f.refreshBooks)
		for range 2 {
			start("book reads", f.books.run)
		}
		start("wanted history", func(ctx context.Context) { f.history.Work(ctx, true) })
		for range f.cfg.HistoryWorkers {
			start("history", func(ctx context.Context) { f.history.Work(ctx, false) })
		}
		for _, s := range f.sockets {
			start("socket", s.run)
		}
	}
	<-ctx.Done()
	wg.Wait()
	f.finish()
	f.accounts.wg.Wait()
	f.budget.Close()
	f.parsers.Close()
	f.hangUp()
	f.client.http.CloseIdleConnections()
	f.cache.Venue.Connected.Store(false)
	return ctx.Err()
}

// Stats returns the feed's metrics.
func (f *Feed) Stats() Stats {
	c := &f.stats
	s := Stats{
		Messages: c.messages.Load(), ParseErrors: c.parseErrors.Load(), ErrorFrames: c.errorFrames.Load(),
		RejectedBooks: c.rejectedBooks.Load(), RejectedContexts: c.rejectedContexts.Load(), RejectedMetas: c.badMeta.Load(),
		DroppedBars: c.droppedBars.Load(), Reconnects: c.reconnects.Load(), HalfOpen: c.halfOpen.Load(),
		Resubscribes: c.resubscribes.Load(), BookReads: c.bookReads.Load(),
		Requests: f.client.requests.Load(), RequestFailures: f.client.failures.Load(), Refused: f.client.refused.Load(),
		Panics: int64(f.supervisor.Panics()), DiskErrors: f.store.Errors(),
		Connections: f.dials.Connected(), WeightSpent: f.budget.Used(), Budget: f.cfg.Budget,
		PendingHistory: f.history.Pending(), ClosedFor: f.suspects.Aside(),
	}
	for r := range s.SetAside {
		s.SetAside[r] = c.setAside[r].Load()
	}
	for _, sock := range f.sockets {
		s.Subscriptions += len(sock.routes.Load().all)
	}
	return s
}

// dial calls Config.Dial. The end of Run closes the connection.
func (f *Feed) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := f.cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return feed.BindConn(f.network, conn), nil
}
