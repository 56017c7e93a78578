package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ballast/compute/calib"
	"ballast/compute/pool"
	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
	"ballast/server/cluster"
)

// market is the lower half of the service: the venue, the cache and the calibrator.
type market struct {
	cache *marketcache.Cache
	feed  venueFeed
	loop  *calib.Loop
	venue string        // name of the venue
	sim   *sim.Exchange // the embedded venue, nil for a real one
	share *replicaFeed  // nil: this process has its own feed

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// venueFeed is what the rest of the service sees of a feed, its own or a shared one.
type venueFeed interface {
	LoadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (*marketcache.Account, error)
	Stats() hyperliquid.Stats
}

// marketConfig says which venue to follow.
type marketConfig struct {
	venue      string // sim, mainnet, testnet or a base URL
	dataDir    string
	venueShare float64 // of the venue's limits, 0: all
	dexes      []string
	budget     int // request weight a minute, 0: no limit, negative: the share
	log        *slog.Logger
	// share takes part in one feed for all replicas of this node's cluster; nil: the
	// process has its own.
	share *cluster.Node
}

// startMarket builds the cache and starts feed and calibrator. With the venue "sim" it
// starts the simulated exchange on a loopback listener and points the very same adapter
// at it.
func startMarket(cfg marketConfig) (*market, error) {
	m := &market{cache: marketcache.New(marketcache.Limits{}), venue: venueName(cfg.venue)}
	feed := hyperliquid.Config{Name: cfg.venue, Share: cfg.venueShare, Budget: max(0, cfg.budget), DataDir: cfg.dataDir, Dexes: cfg.dexes, Logger: cfg.log}
	if cfg.budget == 0 {
		feed.Budget = -1
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	base, err := venueAddress(cfg.venue)
	if err == nil && base == "" {
		base, err = m.startSim(ctx, cfg.log)
		// The exchange is ours: there is no budget to keep, and as its past is made anew
		// at each start, nothing of it is kept either.
		feed.Share, feed.Budget, feed.DataDir = 1, -1, ""
	}
	if err != nil {
		stop()
		return nil, err
	}
	if feed.BaseURL = base; base == cfg.venue {
		feed.Name = ""
	}
	var run func()
	if cfg.share != nil {
		share, err := newReplicaFeed(cfg.share, m.cache, feed, cfg.log)
		if err != nil {
			stop()
			return nil, err
		}
		m.share, m.feed, run = share, share, func() { share.run(ctx) }
	} else {
		own := hyperliquid.New(m.cache, feed)
		m.feed, run = own, func() { own.Run(ctx) }
	}
	m.loop = calib.NewLoop(m.cache, calib.Config{Log: cfg.log, EngineConstants: risk.ConstantsDigest(), Busy: pool.Busy, Idle: pool.Idle})
	m.wg.Go(run) // supervises its own goroutines
	m.wg.Go(func() {
		pool.Background() // half a second an hour that no request should feel
		supervise(ctx, cfg.log, "calibrator", m.loop.Run)
	})
	return m, nil
}

// venueAddress returns the base URL of what --venue names, "" for the simulated one.
func venueAddress(venue string) (string, error) {
	switch venue {
	case "sim":
		return "", nil
	case "mainnet":
		return hyperliquid.Mainnet, nil
	case "testnet":
		return hyperliquid.Testnet, nil
	}
	if u, err := url.Parse(venue); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" {
		return venue, nil
	}
	return "", fmt.Errorf("--venue %q: want sim, mainnet, testnet or an address such as http://host:port", venueName(venue))
}

// venueName is what --venue names as it may be shown: without the user and password of an
// address.
func venueName(venue string) string {
	scheme, rest, found := strings.Cut(venue, "://")
	if !found {
		return venue
	}
	authority, path, slash := strings.Cut(rest, "/")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	if slash {
		path = "/" + path
	}
	return scheme + "://" + authority + path
}

// simulatedVenue is meta.venue of answers about the simulated exchange of this process.
const simulatedVenue = "simulated"

// venueKind is meta.venue of the answers about what --venue names.
func venueKind(venue string) string {
	switch venue {
	case "sim":
		return simulatedVenue
	case "mainnet":
		return "hyperliquid-mainnet"
	case "testnet":
		return "hyperliquid-testnet"
	}
	return "custom"
}

// metrics returns a set with what the lower half counts.
func (m *market) metrics() *metrics.Set {
	set := metrics.NewSet()
	calibration := func(name string, of func(calib.Stats) float64) {
		set.NewGauge("ballast_calibration_"+name, func() float64 { return of(m.loop.Stats()) })
	}
	calibration("fits_total", func(s calib.Stats) float64 { return float64(s.Fits) })
	calibration("failures_total", func(s calib.Stats) float64 { return float64(s.Failures) })
	calibration("panics_total", func(s calib.Stats) float64 { return float64(s.Panics) })
	calibration("rebuilds_total", func(s calib.Stats) float64 { return float64(s.Rebuilds) })
	calibration("refused_bars_total", func(s calib.Stats) float64 { return float64(s.Refused) })
	calibration("busy_seconds_total", func(s calib.Stats) float64 { return s.Busy.Seconds() })
	calibration("slowest_fit_seconds", func(s calib.Stats) float64 { return s.Slowest.Seconds() })
	calibration("pairs_total", func(s calib.Stats) float64 { return float64(s.Pairs) })
	calibration("pairs_busy_seconds_total", func(s calib.Stats) float64 { return s.PairsBusy.Seconds() })
	for name, of := range map[string]func(*hyperliquid.Stats) int64{
		"messages_total":           func(s *hyperliquid.Stats) int64 { return s.Messages },
		"parse_errors_total":       func(s *hyperliquid.Stats) int64 { return s.ParseErrors },
		"rejected_books_total":     func(s *hyperliquid.Stats) int64 { return s.RejectedBooks },
		"rejected_contexts_total":  func(s *hyperliquid.Stats) int64 { return s.RejectedContexts },
		"reconnects_total":         func(s *hyperliquid.Stats) int64 { return s.Reconnects },
		"resubscribes_total":       func(s *hyperliquid.Stats) int64 { return s.Resubscribes },
		"book_reads_total":         func(s *hyperliquid.Stats) int64 { return s.BookReads },
		"requests_total":           func(s *hyperliquid.Stats) int64 { return s.Requests },
		"request_failures_total":   func(s *hyperliquid.Stats) int64 { return s.RequestFailures },
		"requests_refused_total":   func(s *hyperliquid.Stats) int64 { return s.Refused },
		"disk_errors_total":        func(s *hyperliquid.Stats) int64 { return s.DiskErrors },
		"connections":              func(s *hyperliquid.Stats) int64 { return int64(s.Connections) },
		"subscriptions":            func(s *hyperliquid.Stats) int64 { return int64(s.Subscriptions) },
		"weight_last_minute":       func(s *hyperliquid.Stats) int64 { return int64(s.WeightSpent) },
		"histories_pending_assets": func(s *hyperliquid.Stats) int64 { return int64(s.PendingHistory) },
	} {
		set.NewGauge("ballast_venue_"+name, func() float64 {
			s := m.feed.Stats()
			return float64(of(&s))
		})
	}
	for r, name := range hyperliquid.AsideReasons {
		set.NewGauge(`ballast_venue_set_aside_total{kind="`+name+`"}`, func() float64 { return float64(m.feed.Stats().SetAside[r]) })
	}
	if m.share != nil {
		m.share.register(set)
	}
	return set
}

// startSim serves the simulated exchange on a loopback port and returns its base URL.
func (m *market) startSim(ctx context.Context, log *slog.Logger) (string, error) {
	exchange, err := sim.Open(sim.Config{Seed: 1, Log: func(format string, args ...any) {
		log.Debug("simulated venue: " + fmt.Sprintf(format, args...))
	}})
	if err != nil {
		return "", fmt.Errorf("simulated venue: %w", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("simulated venue: %w", err)
	}
	m.sim = exchange
	m.wg.Go(func() {
		if err := exchange.Serve(ln); err != nil && ctx.Err() == nil {
			log.Error("simulated venue stopped", "error", err)
		}
	})
	return "http://" + ln.Addr().String(), nil
}

// shutdown stops everything, the reader of the venue before the venue.
func (m *market) shutdown() {
	m.stop()
	if m.sim != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		m.sim.Shutdown(ctx)
	}
	m.wg.Wait()
}

// Pauses between restarts of a supervised goroutine.
const (
	restartPause    = 100 * time.Millisecond
	maxRestartPause = 10 * time.Second
)

// supervise runs fn until ctx ends, and again when it panics or fails.
func supervise(ctx context.Context, log *slog.Logger, name string, fn func(context.Context) error) {
	pause := restartPause
	for ctx.Err() == nil {
		err := guard(log, name, func() error { return fn(ctx) })
		if ctx.Err() != nil {
			return
		}
		log.Error("restarting", "what", name, "error", err, "in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxRestartPause)
	}
}

// guard turns a panic into an error, logged with its stack.
func guard(log *slog.Logger, name string, fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			log.Error("panic", "in", name, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic in %s: %v", name, r)
		}
	}()
	return fn()
}

// classify turns a failure to read a wallet into an error code of the interface.
func classify(err error) (code string, retryAfter time.Duration) {
	wait, _ := marketcache.RetryAfter(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded", 0
	case errors.Is(err, marketcache.ErrBudget), errors.Is(err, marketcache.ErrUnavailable):
		return "venue_unavailable", max(wait, time.Second)
	}
	return "venue_error", wait
}
