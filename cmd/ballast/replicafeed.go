package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ballast/marketcache"
	values "ballast/marketcache/replica"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/server/cluster"
)

// feedLease is how long the replica that talks to the venue may be silent before another
// one does.
const feedLease = 3 * time.Second

// replicaFeed is this replica's part in a feed that all replicas share: while it holds the
// lease it runs the feed, otherwise it takes the values from the one that does.
type replicaFeed struct {
	lease   *cluster.Lease
	replica *values.Replica
	log     *slog.Logger

	mu    sync.Mutex   // one user of the venue's files at a time
	inUse bool         // by a feed
	save  func() error // brings them up to what the cache holds
}

// saveEvery is how often a follower writes histories down, beside at its end.
const saveEvery = 24 * time.Hour

// termFeed is the feed of one term.
type termFeed struct {
	*hyperliquid.Feed
	of *replicaFeed
}

// Run implements values.Feed.
func (f termFeed) Run(ctx context.Context) error {
	defer f.of.use(false)
	return f.Feed.Run(ctx)
}

// Spent implements values.Feed.
func (f termFeed) Spent() int { return f.Stats().WeightSpent }

// newReplicaFeed shares the feed that cfg describes with the replicas of a cluster.
func newReplicaFeed(node *cluster.Node, cache *marketcache.Cache, cfg hyperliquid.Config, log *slog.Logger) (*replicaFeed, error) {
	// Replicas of one venue share, those of another on the same bus do not.
	id := sha256.Sum256([]byte(cfg.BaseURL))
	name := "feed-" + hex.EncodeToString(id[:6])
	f := &replicaFeed{
		lease: node.NewLease(name, feedLease), log: log, save: func() error { return hyperliquid.Save(cache, cfg) },
	}
	var err error
	f.replica, err = values.New(values.Config{
		NATS: node.Conn(), Lease: f.lease, Cache: cache, Name: name, Replica: node.ID(), Servers: node.Replicas(), Logger: log,
		NewFeed: func(spent int, at marketcache.Instant) values.Feed {
			f.use(true)
			cfg := cfg
			cfg.Spent, cfg.SpentAt = spent, at
			return termFeed{hyperliquid.New(cache, cfg), f}
		},
	})
	return f, err
}

// run works until ctx ends. The lease is given back when the feed has ended.
func (f *replicaFeed) run(ctx context.Context) {
	holding, giveBack := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { f.lease.Run(holding) }) // it guards itself
	wg.Go(func() {
		for every := time.NewTicker(saveEvery); ; {
			select {
			case <-every.C:
				f.saveUnused()
			case <-ctx.Done():
				every.Stop()
				return
			}
		}
	})
	f.replica.Run(ctx)
	giveBack()
	wg.Wait()
	f.saveUnused()
}

// use says whether a feed uses the venue's files.
func (f *replicaFeed) use(inUse bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inUse = inUse
}

// saveUnused writes histories down while no feed does.
func (f *replicaFeed) saveUnused() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inUse {
		return
	}
	if err := guard(f.log, "saving histories", f.save); err != nil {
		f.log.Warn("histories of the shared feed not saved", "error", err)
	}
}

// LoadAccount reads a wallet, here or at the replica that leads.
func (f *replicaFeed) LoadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (*marketcache.Account, error) {
	return f.replica.LoadAccount(ctx, w, needSetting)
}

// Stats returns the counters of the present term's feed, nothing while another replica leads.
func (f *replicaFeed) Stats() hyperliquid.Stats {
	if feed, ok := f.replica.Feed().(termFeed); ok {
		return feed.Stats()
	}
	return hyperliquid.Stats{}
}

// register adds the figures of the shared feed to a set.
func (f *replicaFeed) register(set *metrics.Set) {
	for name, of := range map[string]func(*values.Stats) float64{
		"leading":               func(s *values.Stats) float64 { return number(s.Leading) },
		"ready":                 func(s *values.Stats) float64 { return number(s.Ready) },
		"epoch":                 func(s *values.Stats) float64 { return float64(s.Epoch) },
		"beat_age_seconds":      func(s *values.Stats) float64 { return s.BeatAge.Seconds() },
		"terms_total":           func(s *values.Stats) float64 { return float64(s.Terms) },
		"published_total":       func(s *values.Stats) float64 { return float64(s.Published) },
		"published_bytes_total": func(s *values.Stats) float64 { return float64(s.PublishedBytes) },
		"republished_total":     func(s *values.Stats) float64 { return float64(s.Resends) },
		"unsent_total":          func(s *values.Stats) float64 { return float64(s.Unsent) },
		"received_total":        func(s *values.Stats) float64 { return float64(s.Received) },
		"applied_total":         func(s *values.Stats) float64 { return float64(s.Values) },
		"stale_total":           func(s *values.Stats) float64 { return float64(s.Stale) },
		"garbage_total":         func(s *values.Stats) float64 { return float64(s.Garbage) },
		"restarts_total":        func(s *values.Stats) float64 { return float64(s.Restarts) },
		"histories_total":       func(s *values.Stats) float64 { return float64(s.HistoryLoads) },
		"wallets_total":         func(s *values.Stats) float64 { return float64(s.Wallets) },
		"wallet_failures_total": func(s *values.Stats) float64 { return float64(s.WalletFailures) },
		"panics_total":          func(s *values.Stats) float64 { return float64(s.Panics) },
	} {
		set.NewGauge("ballast_shared_feed_"+name, func() float64 {
			s := f.replica.Stats()
			return of(&s)
		})
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
