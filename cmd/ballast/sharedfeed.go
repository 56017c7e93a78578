package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/relay"
	"ballast/server/cluster"
)

// feedLease is how long the replica that talks to the venue may be silent before another
// one does.
const feedLease = 3 * time.Second

// sharedFeed is this replica's part in a feed that all replicas share: it is one adapter's
// venue and, while it holds the lease, the only one that talks to the real one.
type sharedFeed struct {
	lease    *cluster.Lease
	upstream *relay.Upstream
	local    *relay.Local
	log      *slog.Logger
}

// shareFeed makes the shared feed of the venue that feed names and turns feed to it.
func shareFeed(node *cluster.Node, feed *hyperliquid.Config, log *slog.Logger) *sharedFeed {
	// Replicas of one venue share, those of another on the same bus do not.
	id := sha256.Sum256([]byte(feed.BaseURL))
	name := "feed-" + hex.EncodeToString(id[:6])
	f := &sharedFeed{lease: node.NewLease(name, feedLease), log: log}
	f.upstream = relay.NewUpstream(relay.UpstreamConfig{
		NATS: node.Conn(), Lease: f.lease, Subject: name, Replica: node.ID(), BaseURL: feed.BaseURL, Budget: feed.Budget, Logger: log,
	})
	f.local = relay.NewLocal(relay.LocalConfig{NATS: node.Conn(), Subject: name, Replica: node.ID(), Logger: log})
	if u, err := url.Parse(feed.BaseURL); err == nil && feed.Name == "" {
		feed.Name = u.Host // what is kept on disk is the venue's, not the relay's
	}
	feed.BaseURL, feed.Dial = relay.BaseURL, f.local.Dial
	return f
}

// run works until ctx ends.
func (f *sharedFeed) run(ctx context.Context) {
	var wg sync.WaitGroup
	start := func(what string, run func(context.Context) error) {
		wg.Go(func() {
			if err := run(ctx); ctx.Err() == nil { // each guards its own goroutines
				f.log.Error("the shared feed has lost a part", "part", what, "error", err)
			}
		})
	}
	start("lease", f.lease.Run)
	start("upstream", f.upstream.Run)
	start("local", f.local.Run)
	wg.Go(func() {
		held := false
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-f.lease.Changes():
				if s.Held != held {
					held = s.Held
					f.log.Info("lease of the shared feed", "held", held, "epoch", s.Epoch, "holder", s.Holder)
				}
			}
		}
	})
	wg.Wait()
}

// register adds the figures of the shared feed to a set.
func (f *sharedFeed) register(set *metrics.Set) {
	for name, of := range map[string]func(*relay.UpstreamStats) int64{
		"holding":              func(s *relay.UpstreamStats) int64 { return int64(number(s.Holding)) },
		"tenures_total":        func(s *relay.UpstreamStats) int64 { return s.Tenures },
		"replicas":             func(s *relay.UpstreamStats) int64 { return int64(s.Replicas) },
		"venue_lines":          func(s *relay.UpstreamStats) int64 { return int64(s.Lines) },
		"venue_weight":         func(s *relay.UpstreamStats) int64 { return int64(s.WeightSpent) },
		"venue_messages_total": func(s *relay.UpstreamStats) int64 { return s.Messages },
		"asks_total":           func(s *relay.UpstreamStats) int64 { return s.Asks },
		"asks_copied_total":    func(s *relay.UpstreamStats) int64 { return s.Copies },
		"asks_refused_total":   func(s *relay.UpstreamStats) int64 { return s.Refused },
	} {
		set.NewGauge("ballast_shared_feed_"+name, func() float64 {
			s := f.upstream.Stats()
			return float64(of(&s))
		})
	}
	for name, of := range map[string]func(*relay.LocalStats) int64{
		"epoch":             func(s *relay.LocalStats) int64 { return int64(s.Epoch) },
		"ready":             func(s *relay.LocalStats) int64 { return int64(number(s.Ready)) },
		"messages_total":    func(s *relay.LocalStats) int64 { return s.Messages },
		"lost_total":        func(s *relay.LocalStats) int64 { return s.Lost },
		"stale_total":       func(s *relay.LocalStats) int64 { return s.Stale },
		"cuts_total":        func(s *relay.LocalStats) int64 { return s.Cuts },
		"overflows_total":   func(s *relay.LocalStats) int64 { return s.Overflows },
		"bus_delay_ms":      func(s *relay.LocalStats) int64 { return s.BusDelay.Milliseconds() },
		"ask_failure_total": func(s *relay.LocalStats) int64 { return s.AskFailures },
	} {
		set.NewGauge("ballast_shared_feed_local_"+name, func() float64 {
			s := f.local.Stats()
			return float64(of(&s))
		})
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
