package replica

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/supervise"
	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// Feed follows the venue and writes into the cache for one term.
type Feed interface {
	// Run works until ctx ends. After it returns nothing writes into the cache.
	Run(ctx context.Context) error
	// LoadAccount reads a wallet and stores it in the cache. Its errors are those of marketcache or the
	// context's.
	LoadAccount(
		ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID,
	) (*marketcache.Account, error)
	// Flows returns deposits and withdrawals of a wallet after a time, ms since 1970.
	Flows(ctx context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error)
	// Weight returns the request weight that the feed spent at the venue in the last minute.
	Weight() marketcache.VenueWeight
}

// Lease decides which replica leads.
type Lease interface {
	// Held reports whether the lease is held now, and the epoch of the term, which rises with every
	// term. It must become false by the clock alone, without the network, before another replica can
	// hold the lease.
	Held() (epoch uint64, held bool)
}

// Config configures a Replica. Zero durations and numbers mean their defaults.
type Config struct {
	NATS  *nats.Conn
	Lease Lease
	Cache *marketcache.Cache
	// Name identifies the group of replicas of one venue: letters, digits, - and _.
	Name    string
	Replica string // name of this replica, for logs
	// NewFeed returns the feed of a term. spent is the request weight that the previous leader had
	// spent in the minute before at; at is 0 if no leader was heard.
	NewFeed func(spent int, at marketcache.Instant) Feed
	Servers int // number of NATS servers that keep the stream (1)
	Logger  *slog.Logger

	encode func(values ...any) ([]byte, error) // replaced in tests, for another clock
}

const (
	leasePoll   = 20 * time.Millisecond
	passEvery   = 10 * time.Millisecond // interval between passes over the cache
	silence     = 3 * time.Second       // time without a heartbeat after which the venue counts as disconnected
	beatEvery   = 250 * time.Millisecond
	clockEvery  = time.Second
	askEvery    = 100 * time.Millisecond // interval of clock requests while the offset is unknown
	answerLimit = 2 * time.Second        // time limit of requests, except for wallets
	walletLimit = 10 * time.Second
	streamBytes = 64 << 20
)

// Replica is this process's member of the group. Create it with New.
type Replica struct {
	cfg Config
	log *slog.Logger
	js  jetstream.JetStream

	supervisor *supervise.Supervisor

	term     atomic.Pointer[leadership] // while leading
	follower atomic.Pointer[follower]   // while following
	epoch    atomic.Uint64              // highest heard or held

	mu      sync.Mutex
	counts  Stats                   // the counters of Stats
	weight  marketcache.VenueWeight // of the last leader heard, in the minute before spentAt
	spentAt marketcache.Instant
}

// New returns a replica. It does nothing before Run.
func New(cfg Config) (*Replica, error) {
	cfg.Servers = max(cfg.Servers, 1)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	if cfg.encode == nil {
		cfg.encode = encode
	}
	js, err := jetstream.New(cfg.NATS, jetstream.WithDefaultTimeout(answerLimit),
		jetstream.WithPublishAsyncTimeout(time.Second))
	if err != nil {
		return nil, fmt.Errorf("replica: %w", err)
	}
	log := cfg.Logger.With("feed", cfg.Name)
	return &Replica{cfg: cfg, log: log, js: js, supervisor: supervise.New(log)}, nil
}

// Run leads while the lease is held and follows otherwise, until ctx ends. It returns the context's
// error when all goroutines have stopped.
func (r *Replica) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		epoch, held := r.cfg.Lease.Held()
		part, end := context.WithCancel(ctx)
		var work sync.WaitGroup
		work.Go(func() {
			defer end()
			r.supervisor.Guard("replica", func() error {
				if held {
					r.lead(part, epoch)
				} else {
					r.follow(part)
				}
				return nil
			})
		})
		every(part, leasePoll, func() bool {
			e, h := r.cfg.Lease.Held()
			return h == held && (!h || e == epoch)
		})
		end()
		work.Wait()
		feed.Sleep(ctx, leasePoll)
	}
	return ctx.Err()
}

// LoadAccount reads a wallet from the venue now, through the leader, stores it in the cache and
// returns it, like Feed.LoadAccount.
func (r *Replica) LoadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (
	*marketcache.Account, error) {
	if t := r.term.Load(); t != nil {
		return t.feed.LoadAccount(ctx, w, needSetting)
	}
	if f := r.follower.Load(); f != nil {
		return f.loadAccount(ctx, w, needSetting)
	}
	return nil, unavailable("the feed has no leader at the moment", nil)
}

// Flows reads a wallet's deposits and withdrawals after a time, ms since 1970, through the leader, like Feed.Flows.
func (r *Replica) Flows(ctx context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error) {
	if t := r.term.Load(); t != nil {
		return t.feed.Flows(ctx, a, sinceMs)
	}
	if f := r.follower.Load(); f != nil {
		answer, _, err := f.askWallet(ctx, "flows", walletQuestion{Wallet: a.Wallet, Mode: a.Mode, SinceMs: sinceMs})
		return answer.Flows, err
	}
	return nil, unavailable("the feed has no leader at the moment", nil)
}

// Feed returns the feed of the current term, nil while following.
func (r *Replica) Feed() Feed {
	if t := r.term.Load(); t != nil {
		return t.feed
	}
	return nil
}

func unavailable(detail string, err error) error {
	return &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Wait: time.Second, Detail: detail, Err: err}
}

// count adds more to one of r.counts.
func (r *Replica) count(n *int64, more int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*n += int64(more)
}

// Stats are counters since the start, unless stated otherwise.
type Stats struct {
	Leading bool
	Ready   bool   // leading, or following a leader whose heartbeats arrive and whose clock offset is known
	Epoch   uint64 // highest heard or held
	Leader  string // name of the leader heard last
	// BeatAge is the age of the newest heartbeat; 0 while leading, negative before the first.
	BeatAge time.Duration
	Weight  marketcache.VenueWeight // of the leader's requests, as it last said

	Published int64 // messages
	Resends   int64 // times that everything was sent again
	Unsent    int64 // messages that NATS did not accept

	Received int64 // messages from the stream
	Stale    int64 // messages of a lower epoch
	Ahead    int64 // messages of an epoch that the lease does not know
	Garbage  int64 // messages that are unreadable or of another version
	Panics   int64 // recovered
}

// Stats returns the counters.
func (r *Replica) Stats() Stats {
	r.mu.Lock()
	s := r.counts
	r.mu.Unlock()
	s.Epoch, s.BeatAge, s.Panics = r.epoch.Load(), -1, int64(r.supervisor.Panics())
	if term := r.term.Load(); term != nil {
		s.Leading, s.Ready, s.Leader, s.BeatAge = true, true, r.cfg.Replica, 0
		s.Weight = term.feed.Weight()
	} else if f := r.follower.Load(); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		s.Leader = f.beat.Leader
		if age, ok := f.beatAge(marketcache.Now()); ok {
			s.BeatAge, s.Ready = age, age < silence
		}
		s.Weight = f.beat.Weight
	}
	return s
}

// subject returns the subject of a datum in the stream.
func (r *Replica) subject(k topic, id marketcache.AssetID) string {
	return r.cfg.Name + ".v." + topicNames[k] + "." + strconv.Itoa(int(id))
}

func (r *Replica) endpoint(epoch uint64, name string) string {
	return r.cfg.Name + "." + strconv.FormatUint(epoch, 10) + "." + name
}

// every calls fn at an interval until it returns false or ctx ends.
func every(ctx context.Context, d time.Duration, fn func() bool) {
	t := time.NewTicker(d)
	defer t.Stop()
	for ctx.Err() == nil && fn() {
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
}
