package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"ballast/compute/calib"
	"ballast/compute/pool"
	"ballast/internal/promtext"
	"ballast/internal/supervise"
	"ballast/marketcache"
	"ballast/marketcache/feed"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/api"
	"ballast/server/replicas"
)

// market is the lower half of the service: venue feed, cache and calibrator.
type market struct {
	cache *marketcache.Cache
	feed  venueFeed
	loop  *calib.Loop
	venue string        // --venue without user and password
	sim   *sim.Exchange // the embedded venue, nil for a real one
	share *replicaFeed  // nil: this process has its own feed
	queue *feed.Queue   // of the requests to the venue; nil: another process may send them
	base  string        // base URL of the venue
	// refused receives an error when the venue says that a setting is wrong.
	refused chan error

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// venueFeed is the part of a feed, own or shared, that the rest of the service uses.
type venueFeed interface {
	LoadAccount(
		ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID,
	) (*marketcache.Account, error)
	// Flows returns deposits and withdrawals of a wallet since a time, ms since 1970.
	Flows(ctx context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error)
	Asked(w marketcache.Wallet, asset marketcache.AssetID, now marketcache.Instant)
	Stats() hyperliquid.Stats
	Status() server.FeedStatus
}

// ownFeed is a feed that this process does not share.
type ownFeed struct{ *hyperliquid.Feed }

// Status implements venueFeed.
func (f ownFeed) Status() server.FeedStatus {
	weight := f.Stats().Weight
	return server.FeedStatus{Here: true, Weight: &weight}
}

// openOrders are the values of --open-orders.
var openOrders = map[string]hyperliquid.OpenOrders{
	"off": hyperliquid.OrdersOff, "held": hyperliquid.OrdersHeld, "full": hyperliquid.OrdersFull,
}

// startMarket builds the cache and starts feed and calibrator. For the venue "sim" it starts
// the simulated exchange on a loopback listener and connects the ordinary adapter to it. With --feed shared, node is
// that of the replicas which share the feed.
func (c *serveCmd) startMarket(node *replicas.Node, log *slog.Logger) (*market, error) {
	m := &market{cache: marketcache.New(marketcache.Limits{}), venue: venueName(c.Venue),
		refused: make(chan error, 1)}
	config := hyperliquid.Config{Name: c.Venue, Share: c.VenueShare, Budget: max(0, c.VenueBudget),
		DataDir: c.DataDir, NoDex: m.refuseDexes, Dexes: c.Dexes, OpenOrders: openOrders[c.OpenOrders],
		WalletStreams: c.WalletStreams, Logger: log}
	if c.VenueBudget == 0 {
		config.Budget = -1
	}
	if c.Gate {
		config.OpenOrders, config.ClientSockets = hyperliquid.OrdersFull, c.GateSockets // what rests may fill
	}
	if c.WalletStreams > usersOfAddress {
		log.Warn("the venue may not allow that many users", "wallet-streams", c.WalletStreams, "documented",
			usersOfAddress)
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	base, err := venueAddress(c.Venue)
	if err == nil && base == "" {
		base, err = m.startSim(ctx, log)
		// The simulated exchange has no request limit. It invents a new history at each start, so
		// nothing is saved.
		config.Share, config.Budget, config.DataDir = 1, -1, ""
	}
	if err != nil {
		stop()
		return nil, err
	}
	m.base = base
	if config.BaseURL = base; base == c.Venue {
		config.Name = ""
	}
	var run func()
	if c.Feed == "shared" {
		share, err := newReplicaFeed(node, m.cache, config, log)
		if err != nil {
			stop()
			return nil, err
		}
		m.share, m.feed, run = share, share, func() { share.run(ctx) }
	} else {
		own := hyperliquid.New(m.cache, config)
		m.feed, m.queue, run = ownFeed{own}, own.Queue(), func() { own.Run(ctx) }
	}
	m.loop = calib.NewLoop(m.cache, calib.Config{Log: log, Busy: pool.Busy, Idle: pool.Idle})
	m.wg.Go(run) // supervises its own goroutines
	m.wg.Go(func() { watchSuspension(ctx, suspendedSinceBoot, log) })
	m.wg.Go(func() {
		pool.Background() // calibration takes half a second an hour, which must not slow requests
		supervise.New(log).Run(ctx, "calibrator", func(ctx context.Context) { m.loop.Run(ctx) })
	})
	return m, nil
}

// refuseDexes ends the service because the venue lacks a dex of --dexes.
func (m *market) refuseDexes(err error) {
	select {
	case m.refused <- fmt.Errorf("--dexes: %w", err):
	default: // ending already
	}
}

// venueMs is the time by the venue's clock, ms since 1970.
func (m *market) venueMs() int64 { return m.cache.Venue.Clock.VenueMs(marketcache.Now()) }

// usersOfAddress is the number of users that the venue's documentation allows an address to follow.
const usersOfAddress = 10

// venueAddress returns the base URL for a value of --venue, "" for the simulated venue.
func venueAddress(venue string) (string, error) {
	if named, is := venues[venue]; is {
		return named.base, nil
	}
	if err := checkUser(venue); err != nil {
		return "", fmt.Errorf("--venue %q: %w", venueName(venue), err)
	}
	if u, err := url.Parse(venue); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" {
		if _, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16); err == nil {
			return venue, nil
		}
	}
	return "", fmt.Errorf("--venue %q: want sim, mainnet, testnet or an address such as http://host:port",
		venueName(venue))
}

// checkUser reports an error if an address is malformed only in the user and password before its host. An @
// after the host is taken for that of a password with a slash.
func checkUser(address string) error {
	u, err := url.Parse(address)
	if _, without := url.Parse(venueName(address)); without != nil || err == nil && !strings.Contains(u.Path, "@") {
		return nil
	}
	return errors.New("the user or password before the @ (not shown) is not valid: write % as %25 in it, and other " +
		"special characters as % and two hexadecimal digits")
}

// credentials matches what may be a user and a password in an address: all from its scheme, or its beginning,
// to the last @.
var credentials = regexp.MustCompile(`(?s)^([a-zA-Z]+://)?.*@`)

// venueName returns a value of --venue without user and password, to be shown.
func venueName(venue string) string { return credentials.ReplaceAllString(venue, "$1") }

// simulatedVenue is meta.venue in answers about this process's simulated exchange.
const simulatedVenue = "simulated"

// venues are the venues that have a name: their base URLs, and meta.venue in answers.
var venues = map[string]struct{ base, kind string }{
	"sim":     {"", simulatedVenue},
	"mainnet": {hyperliquid.Mainnet, "hyperliquid-mainnet"},
	"testnet": {hyperliquid.Testnet, "hyperliquid-testnet"},
}

// venueKind returns meta.venue for a value of --venue.
func venueKind(venue string) string { return cmp.Or(venues[venue].kind, "custom") }

// writeMetrics writes the metrics of venue feed, cache and calibrator.
func (m *market) writeMetrics(p *promtext.Page) {
	c := m.loop.Stats()
	p.Counter("ballast_calibration_fits_total", "Fits of assets.", float64(c.Fits))
	p.Counter("ballast_calibration_failures_total", "Fits that failed, panics among them.", float64(c.Failures))
	p.Counter("ballast_calibration_panics_total", "Panics in fits.", float64(c.Panics))
	p.Counter("ballast_calibration_refused_bars_total", "Bars left out because they cannot be.", float64(c.Refused))
	p.Counter("ballast_calibration_busy_seconds_total", "Time spent on fits.", c.Busy.Seconds())
	p.Counter("ballast_calibration_pairs_total", "Fits of pairs of assets.", float64(c.Pairs))
	v := m.feed.Stats()
	p.Counter("ballast_venue_messages_total", "Messages on the venue's sockets.", float64(v.Messages))
	p.Counter("ballast_venue_parse_errors_total", "Messages that were not what the protocol says.",
		float64(v.ParseErrors))
	p.Counter("ballast_venue_rejected_books_total",
		"Books refused: crossed, unsorted, absurd, or older than the one held.", float64(v.RejectedBooks))
	p.Counter("ballast_venue_rejected_contexts_total",
		"Contexts refused: without a price, absurd, or not matching the universe.", float64(v.RejectedContexts))
	p.Family(promtext.Counter, "ballast_venue_set_aside_total",
		"Elements of the venue's answers that could not be read and were left out, by kind.")
	for r, kind := range hyperliquid.AsideReasons {
		p.Sample(float64(v.SetAside[r]), "kind", kind)
	}
	p.Counter("ballast_venue_reconnects_total", "Connections to the venue that were lost.", float64(v.Reconnects))
	p.Counter("ballast_venue_requests_total", "REST requests to the venue.", float64(v.Requests))
	p.Counter("ballast_venue_request_failures_total", "REST requests that failed.", float64(v.RequestFailures))
	p.Counter("ballast_venue_requests_refused_total", "REST requests that the venue answered 429.", float64(v.Refused))
	p.Counter("ballast_venue_disk_errors_total", "Histories and tables that were not read from disk or not written.",
		float64(v.DiskErrors))
	p.Counter("ballast_venue_panics_total", "Panics in the feed, each of which cost one message or one restart.",
		float64(v.Panics))
	p.Gauge("ballast_venue_connections", "Sockets to the venue that are open.", float64(v.Connections))
	p.Gauge("ballast_venue_subscriptions", "Streams that are wanted of the venue.", float64(v.Subscriptions))
	p.Gauge("ballast_venue_request_weight", "Request weight of the last 60 s at the venue.", float64(v.Weight.Sum()))
	p.Gauge("ballast_venue_request_weight_limit",
		"How much of it may be in 60 s, 0 for no limit: --venue-share or --venue-budget.", float64(v.Weight.Limit))
	p.Gauge("ballast_venue_histories_pending", "Listed assets whose history has not been read yet.",
		float64(v.PendingHistory))
	if m.share != nil {
		m.share.writeMetrics(p)
	}
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
	m.sim, m.base = exchange, "http://"+ln.Addr().String()
	m.wg.Go(func() {
		if err := exchange.Serve(ln); err != nil && ctx.Err() == nil {
			log.Error("simulated venue stopped", "error", err)
		}
	})
	return m.base, nil
}

// shutdown stops everything, the feed before the simulated venue.
func (m *market) shutdown() {
	m.stop()
	if m.sim != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		m.sim.Shutdown(ctx)
	}
	m.wg.Wait()
}

// classify returns the API error code for a failure to read a wallet.
func classify(err error) (code string, retryAfter time.Duration) {
	wait, _ := marketcache.RetryAfter(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded", 0
	case errors.Is(err, marketcache.ErrBudget), errors.Is(err, marketcache.ErrUnavailable):
		return "venue_unavailable", max(wait, time.Second)
	case errors.Is(err, marketcache.ErrContradiction):
		return api.CodeInconsistentData, time.Second
	}
	return "venue_error", wait
}
