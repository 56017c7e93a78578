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

// Config says which venue to follow and how. The zero value follows mainnet with all that the
// venue grants one address, and keeps nothing on disk.
type Config struct {
	// BaseURL is the REST address; the socket is at the same host under /ws. Empty:
	// Mainnet.
	BaseURL string
	// Name keys the directory of what is kept, so that venues never mix. Empty: the
	// host of BaseURL. A simulated venue whose past depends on a seed should have the
	// seed in its name.
	Name string
	// Share is how much of the venue's limits for one address this process may use, above 0
	// and at most 1 (1): connections, subscriptions, messages, request weight.
	Share float64
	// Budget is the request weight that this process may spend in any minute, where that is
	// not the share; negative: no limit. Below 200 some histories come shortened.
	Budget int
	// Spent is what another process behind the same address had spent of the budget in the
	// minute before SpentAt; nothing is known of others when SpentAt is 0.
	Spent   int
	SpentAt marketcache.Instant
	// Dexes are the builder-deployed dexes to follow beside the main one, by name; AllDexes is
	// every one that the venue lists. The main dex, MainDex, is followed whether named or not.
	Dexes []string
	// DataDir is where histories are kept over a restart; empty: nowhere.
	DataDir string
	// Logger; nil: slog.Default().
	Logger *slog.Logger

	// HistoryWorkers load histories at the same time (3), beside one that serves
	// wanted assets only.
	HistoryWorkers int
	// RequestTimeout bounds one REST request (10 s).
	RequestTimeout time.Duration
	// MetaEvery, TablesEvery and ClockEvery are how often the universe (60 s), the
	// lists of caps and predicted fundings (60 s) and the venue's clock (30 s) are read.
	MetaEvery, TablesEvery, ClockEvery time.Duration
	// FundingEvery is how often an asset's paid funding is read (4 h).
	FundingEvery time.Duration
	// ModeEvery and FeesEvery are how long a wallet's mode and fees hold (10 min).
	ModeEvery, FeesEvery time.Duration
	// Dial makes the network connections of both sides; nil: net.Dialer.
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

// Feed follows the venue and writes what it says into the cache. Create it with New.
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
	sends     *feed.SlidingLimit // frames sent, all sockets
	sockets   []*socket
	suspects  *feed.Suspects[stream]
	parsers   feed.ParseSlots // of the sockets' readers
	books     *bookReader
	subscribe atomic.Int64 // subscriptions that the venue is believed to grant

	marks      marks
	doubts     map[marketcache.AssetID]doubt // of marks; guarded by contexts
	doubted    marketcache.Instant           // REST was last asked because of one
	contexts   sync.Mutex                    // one writer of contexts at a time; it guards marks too
	tables     sync.Mutex                    // one writer of the universe at a time
	planning   sync.Mutex                    // one writer of what the sockets should carry at a time
	planned    map[marketcache.AssetID][precisions]bool
	plannedFor int64                          // of subscribe
	tablesSent map[string]marketcache.Instant // by dex
	restRows   []contextRow
	metaDue    chan struct{} // one token: read the universe now
	ranks      atomic.Pointer[feed.Ranking]

	store     *feed.Store                    // nil: nothing is kept
	metaSaved map[string]marketcache.Instant // by dex; guarded by tables
	history   *feed.History
	interest  *feed.OpenInterestTracker
	accounts  *accountLoader

	stats      counters
	supervisor *supervise.Supervisor

	network context.Context // every connection ends with it: at the end of Run
	hangUp  context.CancelFunc
	life    context.Context // ends with Run, or never when Run is not called
	finish  context.CancelFunc
	ran     atomic.Bool
}

// counters are written by all goroutines.
type counters struct {
	messages, parseErrors, errorFrames       atomic.Int64
	rejectedBooks, rejectedContexts, badMeta atomic.Int64
	reconnects, resubscribes, halfOpen       atomic.Int64
	bookReads, droppedBars                   atomic.Int64
	setAside                                 [asideReasons]atomic.Int64
}

// asideReason is what an element was that could not be used and cost itself only.
type asideReason int

const (
	asideListing   asideReason = iota // an asset of the universe: not readable, or its margin table missing
	asideTable                        // a margin table
	asideContext                      // an asset's context
	asideCandle                       // a candle
	asideFunding                      // a row of paid funding, not readable or of the future
	asideCap                          // a name in the list of caps
	asidePredicted                    // a coin's predicted funding
	asideWallet                       // a wallet's state: one position in it, or its time
	asideOlder                        // a wallet's state older than the one held
	asideFuture                       // a bar or row on disk of the future
	asideReasons
)

// AsideReasons names the reasons in Stats.SetAside.
var AsideReasons = [asideReasons]string{"listing", "margin_table", "context", "candle", "funding_row", "cap", "predicted_funding", "wallet", "older_wallet", "future_history"}

// setAside counts an element that cannot be used, and says so at most once a minute a reason.
func (f *Feed) setAside(r asideReason, what string) {
	f.stats.setAside[r].Add(1)
	f.supervisor.WarnEvery(AsideReasons[r], time.Minute, "set aside what the venue said", "kind", AsideReasons[r], "what", printable([]byte(what)))
}

// Stats are the feed's counters for metrics, counted from the start unless said
// otherwise.
type Stats struct {
	Messages         int64 // socket messages of any kind
	ParseErrors      int64 // messages that were not what the protocol says
	ErrorFrames      int64 // error frames of the venue
	RejectedBooks    int64 // crossed, unsorted, absurd, of a wrong coin, or older than the one held
	RejectedContexts int64 // without a price, absurd, or not matching the universe
	RejectedMetas    int64
	DroppedBars      int64               // candles that could not be
	SetAside         [asideReasons]int64 // elements of an answer that could not be used, by AsideReasons
	Reconnects       int64               // connections lost
	HalfOpen         int64               // of those, found dead by silence
	Resubscribes     int64
	BookReads        int64 // books read by REST
	Requests         int64 // REST
	RequestFailures  int64
	Refused          int64 // HTTP 429
	Panics           int64 // recovered
	DiskErrors       int64

	Connections    int // sockets up now
	Subscriptions  int // wanted now
	WeightSpent    int // request weight of the last minute, in flight included
	Budget         int // as configured
	ClosedFor      int // subscriptions set aside because the venue closes connections for them
	PendingHistory int // listed assets whose bars have not been loaded
}

// New returns a feed that writes into the cache. It reads what is on disk (universe
// and histories), so that the calibrator can begin before the network answers.
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
	case log == nil: // nobody knows what a previous process has spent
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

// Save brings the histories on disk of the venue that cfg names up to what a cache holds,
// which another process's feed fills. No feed of cfg may be in use.
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

// venueDir is where a venue's files are.
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
	f.history.RestoreAll() // of assets that the universe on disk did not name
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

// Stats returns the counters.
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

// dial is Config.Dial. The end of Run ends whatever still waits for the network.
func (f *Feed) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := f.cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return feed.BindConn(f.network, conn), nil
}
