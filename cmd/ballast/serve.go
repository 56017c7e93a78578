package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"ballast/compute/pool"
	"ballast/compute/risk"
	"ballast/internal/promtext"
	"ballast/internal/yield"
	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/auth"
	"ballast/server/cluster"
	"ballast/server/transport"
)

// Run serves until SIGINT or SIGTERM, then drains.
func (c *serveCmd) Run() error {
	signal.Ignore(syscall.SIGPIPE) // whoever read the log is gone
	text := newLogBuffer(os.Stderr)
	defer text.close(lastLog)
	log := newLogger(c.LogFormat, c.LogLevel, text)
	slog.SetDefault(log)
	if os.Getenv("GOGC") == "" {
		tuneGC()
	}
	cert, err := loadCertificate(c.TLSCert, c.TLSKey, log)
	if err != nil {
		return err
	}
	mail, err := c.mailer()
	if err != nil {
		return err
	}
	if c.Feed == "shared" && (c.NATSURL == "" || c.Venue == "sim") {
		return errors.New("--feed shared: want --nats-url, and a venue that is not inside this process")
	}
	if c.KeyMaxStale <= 0 {
		return fmt.Errorf("--key-max-stale %v: want more than nothing", c.KeyMaxStale)
	}
	if c.NATSReplicas < 1 || c.NATSReplicas > 5 {
		return fmt.Errorf("--nats-replicas %d: want 1 to 5", c.NATSReplicas)
	}
	lock, err := lockData(c.DataDir, lockPatience)
	if err != nil {
		return err
	}
	defer lock.Close()
	// The port is taken first: a second service on it must fail before it spends
	// anything of the venue's budget.
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	r, err := openReplica(replicaConfig{
		natsURL: c.NATSURL, servers: c.NATSReplicas, dataDir: c.DataDir, keyMaxStale: c.KeyMaxStale, mail: mail, log: log,
	})
	if err != nil {
		ln.Close()
		return err
	}
	defer r.shutdown() // last: what is above may still use it
	market := marketConfig{venue: c.Venue, dataDir: c.DataDir, venueShare: c.VenueShare, budget: c.VenueBudget, dexes: c.Dexes, log: log}
	if c.Feed == "shared" {
		market.share = r.node
	}
	m, err := startMarket(market)
	if err != nil {
		ln.Close()
		return err
	}
	metrics := func(p *promtext.Page) {
		m.writeMetrics(p)
		r.writeMetrics(p)
		cert.writeMetrics(p)
		p.Counter("ballast_log_dropped_lines_total", "Lines of the log that its reader did not take in time.", float64(text.dropped.Load()))
	}
	conns := connectionLimit(c.MaxConnections)
	if conns < c.MaxConnections {
		log.Warn("fewer connections than --max-connections: the process may not open so many files", "connections", conns)
	}
	s := newService(m, r.keys.Store(), log, server.Config{
		Ready: r.ready, Degraded: r.watch.degraded, Watch: r.watch, Metrics: metrics, AccessLog: c.AccessLog,
		Tuning: &transport.Tuning{SendBatch: c.SendBatch, RawSockets: c.RawSockets, BusyPoll: c.BusyPoll}, MaxInFlight: c.MaxInFlight, MaxQueueWait: cmp.Or(c.MaxQueueWait, -1), RateLimit: c.RateLimit,
		Limits: transport.Limits{MaxConns: conns, MaxKeylessSockets: c.KeylessSockets, MaxKeylessSocketsPerIP: c.SocketsPerIP}, AuthFailureLimit: c.AuthFailureLimit,
		RequestTimeout: c.RequestTimeout, CORSOrigin: c.CORSOrigin, NoConsole: c.NoConsole, TLS: cert.config(),
	})
	r.follow(s.http.Alerts())
	if c.MetricsListen != "" {
		if err := s.serveMetrics(c.MetricsListen); err != nil {
			ln.Close()
			s.shutdown()
			return err
		}
	}

	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(ln) }()
	scheme := "http"
	if cert != nil {
		scheme = "https"
	}
	url := scheme + "://" + ln.Addr().String()
	log.Info("serving", "url", url, "venue", m.venue, "version", version)
	issue := "ballast keys issue --email you@example.com --data-dir " + c.DataDir
	if c.NATSURL != "" {
		issue = "ballast keys issue --email you@example.com --nats-url ..." // it may hold a password
	}
	go s.logReadiness(signals, url, r.keys, issue)
	if m.sim != nil {
		s.announce(signals, url, r.keys)
	}
	for serving := true; serving; {
		select {
		case err = <-failed:
			serving = false
		case <-hangups:
			cert.reload(log)
		case <-signals.Done():
			log.Info("draining")
			serving = false
		}
	}
	if down := s.shutdown(); err == nil {
		err = down
	}
	return err
}

// Validate refuses limits that make no sense, before anything is started.
func (c *serveCmd) Validate() error {
	switch {
	case c.MaxInFlight < 1:
		return fmt.Errorf("--max-in-flight %d: want at least 1", c.MaxInFlight)
	case c.MaxConnections < minConnections:
		return fmt.Errorf("--max-connections %d: want at least %d", c.MaxConnections, minConnections)
	case c.KeylessSockets < 0:
		return fmt.Errorf("--keyless-sockets %d: want a number, or 0 for a quarter of the connections", c.KeylessSockets)
	case c.SocketsPerIP < 1:
		return fmt.Errorf("--keyless-sockets-per-address %d: want at least 1", c.SocketsPerIP)
	case c.MaxQueueWait < 0:
		return fmt.Errorf("--max-queue-wait %v: want a time, or 0 for no limit", c.MaxQueueWait)
	case c.SendBatch < 0:
		return fmt.Errorf("--send-batch %d: want a number of answers, or 0 for none", c.SendBatch)
	case c.BusyPoll < 0:
		return fmt.Errorf("--busy-poll %v: want a time, or 0 for none", c.BusyPoll)
	case c.BusyPoll > 0 && !yield.Network:
		return errors.New("--busy-poll: is for Linux")
	case c.RequestTimeout <= 0:
		return fmt.Errorf("--request-timeout %v: want more than 0", c.RequestTimeout)
	case !(c.VenueShare >= 0.1 && c.VenueShare <= 1):
		return fmt.Errorf("--venue-share %v: want a share of the venue's limits from 0.1 to 1", c.VenueShare)
	case c.VenueBudget < -1:
		return fmt.Errorf("--venue-budget %d: want request weight a minute, 0 for no limit, or -1 for the share", c.VenueBudget)
	case !(c.AccessLog >= 0 && c.AccessLog <= 1):
		return fmt.Errorf("--access-log %v: want a share of the requests from 0 to 1", c.AccessLog)
	case c.RateLimit < 0:
		return fmt.Errorf("--rate-limit %d: want a number of requests, or 0 for no limit", c.RateLimit)
	}
	return nil
}

// lockPatience is how long a start waits for a keys command to be done with the data
// directory.
const lockPatience = 5 * time.Second

// lastLog bounds the writing of what is left of the log at the end.
const lastLog = time.Second

// drainTime bounds a shutdown.
const drainTime = 10 * time.Second

// service is the whole of it: the market below, the HTTP server above.
type service struct {
	market *market
	engine *risk.Engine
	http   *server.Server
	log    *slog.Logger
}

// newService builds the upper floors on a market.
func newService(m *market, keys *auth.Store, log *slog.Logger, cfg server.Config) *service {
	engine := risk.NewEngine(risk.DefaultAges())
	engine.StartPool(pool.Workers(runtime.NumCPU()))
	cfg.Cache, cfg.Engine, cfg.Keys = m.cache, engine, keys
	cfg.LoadAccount, cfg.Classify = m.feed.LoadAccount, classify
	cfg.Version, cfg.Venue, cfg.VenueKind, cfg.Log = version, m.venue, venueKind(m.venue), log
	return &service{market: m, engine: engine, http: server.New(cfg), log: log}
}

// serveMetrics opens the listener of its own for metrics.
func (s *service) serveMetrics(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("--metrics-listen: %w", err)
	}
	go func() {
		if err := s.http.ServeMetrics(ln); err != nil && !errors.Is(err, net.ErrClosed) {
			s.log.Error("metrics listener", "error", err)
		}
	}()
	return nil
}

// shutdown stops top-down: requests first, then what they read.
func (s *service) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err == nil { // otherwise some request may still be under way
		s.engine.Close()
	}
	s.market.shutdown()
	return err
}

// announce waits until the simulated market is live, issues a key if there is none, and
// prints a request ready to paste.
func (s *service) announce(ctx context.Context, url string, keys *cluster.Keys) {
	begun := time.Now()
	for !s.http.Ready() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	fmt.Printf("\nBallast %s is ready after %.1f s: %s, venue: simulated (%d assets)\n",
		version, time.Since(begun).Seconds(), url, len(s.market.cache.Universe().Assets))
	if keys.Store().Len() > 0 {
		fmt.Print("\nA key was issued earlier. `ballast keys issue --email you@example.com` makes another.\n\n")
		return
	}
	key, _, err := keys.Issue(ctx, "demo@localhost")
	if err != nil {
		s.log.Error("no key issued", "error", err)
		return
	}
	fmt.Printf("API key, shown this once: %s\n\nAsk about a trade:\n\n", key)
	fmt.Printf("curl %s/v1/validate -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' "+
		"-d '{\"asset\":\"BTC\",\"action\":\"long\",\"size\":50000,\"leverage\":10,\"wallet\":\"%s\"}'\n\n",
		url, key, sim.Wallets[0].Address)
}
