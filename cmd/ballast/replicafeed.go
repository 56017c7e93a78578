package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"ballast/internal/promtext"
	"ballast/internal/supervise"
	"ballast/marketcache"
	values "ballast/marketcache/replica"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/server"
	"ballast/server/replicas"
)

// feedLease is how long the replica that talks to the venue may be silent before another takes over.
const feedLease = 3 * time.Second

// replicaFeed is this replica's side of a venue feed that all replicas share. The replica that
// holds the lease leads: it runs the feed and publishes the values; the others receive them.
type replicaFeed struct {
	*values.Replica // reads wallets from the venue, directly or through the leading replica
	lease           *replicas.Lease
	log             *slog.Logger

	mu    sync.Mutex   // guards the venue's files: one user at a time
	inUse bool         // a feed uses the files
	save  func() error // writes the cache's histories to the files
}

// saveEvery is how often a follower saves histories; it also saves them at its end.
const saveEvery = 24 * time.Hour

// termFeed is the feed during one term as leader.
type termFeed struct {
	*hyperliquid.Feed
	of *replicaFeed
}

// Run implements values.Feed.
func (f termFeed) Run(ctx context.Context) error {
	defer f.of.use(false)
	return f.Feed.Run(ctx)
}

// Weight implements values.Feed.
func (f termFeed) Weight() marketcache.VenueWeight { return f.Stats().Weight }

// newReplicaFeed shares the feed described by cfg among the replicas of a cluster.
func newReplicaFeed(node *replicas.Node, cache *marketcache.Cache, cfg hyperliquid.Config, log *slog.Logger) (
	*replicaFeed, error) {
	// Replicas of the same venue share a feed; replicas of other venues on the same bus do not.
	id := sha256.Sum256([]byte(cfg.BaseURL))
	name := "feed-" + hex.EncodeToString(id[:6])
	f := &replicaFeed{
		lease: node.NewLease(name, feedLease), log: log, save: func() error { return hyperliquid.Save(cache, cfg) },
	}
	var err error
	f.Replica, err = values.New(values.Config{
		NATS: node.Conn(), Lease: f.lease, Cache: cache, Name: name, Replica: node.ID(), Servers: node.Replicas(),
		Logger: log,
		NewFeed: func(spent int, at marketcache.Instant) values.Feed {
			f.use(true)
			cfg := cfg
			cfg.Spent, cfg.SpentAt = spent, at
			return termFeed{hyperliquid.New(cache, cfg), f}
		},
	})
	return f, err
}

// run works until ctx ends. It releases the lease after the feed has ended.
func (f *replicaFeed) run(ctx context.Context) {
	holding, giveBack := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { f.lease.Run(holding) }) // Run guards itself against panics
	wg.Go(func() { each(ctx, saveEvery, f.saveUnused) })
	f.Run(ctx)
	giveBack()
	wg.Wait()
	f.saveUnused()
}

// use records whether a feed uses the venue's files.
func (f *replicaFeed) use(inUse bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inUse = inUse
}

// saveUnused saves histories unless a feed uses the files.
func (f *replicaFeed) saveUnused() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inUse {
		return
	}
	if err := supervise.New(f.log).Guard("saving histories", f.save); err != nil {
		f.log.Warn("histories of the shared feed not saved", "error", err)
	}
}

// Asked tells the feed of this replica, if it leads, about a request. The leader hears of other replicas' requests
// by LoadAccount.
func (f *replicaFeed) Asked(w marketcache.Wallet, asset marketcache.AssetID, now marketcache.Instant) {
	if feed, ok := f.Feed().(termFeed); ok {
		feed.Asked(w, asset, now)
	}
}

// Stats returns the counters of the current term's feed, zero while another replica leads.
func (f *replicaFeed) Stats() hyperliquid.Stats {
	if feed, ok := f.Feed().(termFeed); ok {
		return feed.Stats()
	}
	return hyperliquid.Stats{}
}

// Status implements venueFeed.
func (f *replicaFeed) Status() server.FeedStatus {
	s := f.Replica.Stats()
	if !s.Ready {
		return server.FeedStatus{}
	}
	return server.FeedStatus{Leader: s.Leader, Here: s.Leading, Weight: &s.Weight}
}

// writeMetrics writes the metrics of the shared feed.
func (f *replicaFeed) writeMetrics(p *promtext.Page) {
	s := f.Replica.Stats()
	p.Switch("ballast_shared_feed_leading", "1 on the replica that follows the venue for all.", s.Leading)
	p.Switch("ballast_shared_feed_ready", "1 while this replica leads or hears the one that does.", s.Ready)
	p.Gauge("ballast_shared_feed_beat_age_seconds",
		"Age of the leader's newest sign of life; 0 while leading, negative before the first.", s.BeatAge.Seconds())
	p.Counter("ballast_shared_feed_published_total", "Messages published.", float64(s.Published))
	p.Counter("ballast_shared_feed_republished_total", "Times that everything was published again.", float64(s.Resends))
	p.Counter("ballast_shared_feed_unsent_total", "Messages that NATS did not take.", float64(s.Unsent))
	p.Counter("ballast_shared_feed_received_total", "Messages received.", float64(s.Received))
	p.Counter("ballast_shared_feed_stale_total", "Messages of an earlier term, dropped.", float64(s.Stale))
	p.Counter("ballast_shared_feed_ahead_total", "Messages of a term that the lease does not know, ignored.",
		float64(s.Ahead))
	p.Counter("ballast_shared_feed_garbage_total", "Messages of another version, dropped.", float64(s.Garbage))
	p.Counter("ballast_shared_feed_panics_total", "Panics, each of which cost one message or one restart.",
		float64(s.Panics))
}
