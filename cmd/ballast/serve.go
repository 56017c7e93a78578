package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ballast/compute/pool"
	"ballast/compute/risk"
	"ballast/internal/promtext"
	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/auth"
	"ballast/server/replicas"
	"ballast/server/transport"
)

// Run serves until SIGINT or SIGTERM, then drains.
func (c *serveCmd) Run(from *settings) error {
	signal.Ignore(syscall.SIGPIPE) // the reader of the log may be gone
	text := newLogBuffer(os.Stderr, c.LogFormat)
	defer text.close(lastLog)
	setLogLevel(c.LogLevel)
	log := newLogger(c.LogFormat, text)
	slog.SetDefault(log)
	cert, badCert := loadCertificate(c.TLSCert, c.TLSKey, log)
	_, badMail := c.mailer() // for `ballast keys issue` with the same settings
	receipts, badReceipts := c.receipts()
	err := errors.Join(badCert, badMail, badReceipts)
	if c.Check {
		return from.locate(errors.Join(err, c.checkFolder(err == nil)))
	}
	if err != nil {
		return from.locate(err)
	}
	if os.Getenv("GOGC") == "" {
		tuneGC()
	}
	usedBefore := !missing(c.DataDir, lockName)
	lock, err := lockData(c.DataDir, lockPatience)
	if err != nil {
		return err
	}
	defer lock.Close()
	// The ports are opened first: a second service on one of them must fail before it spends any of the
	// venue's budget.
	ln, apart, err := c.listen()
	if err != nil {
		return err
	}
	defer ln.Close()
	defer apart.close()
	r, err := c.openReplica(log)
	if err != nil {
		return err
	}
	defer r.shutdown() // after the service and the market, which use it
	m, err := c.startMarket(r.node(), log)
	if err != nil {
		return err
	}
	cfg := c.serverConfig(m, r, cert, text, log)
	cfg.Receipts = receipts
	if cfg.Days, err = newDays(m, r, log); err != nil {
		return err
	}
	r.keepDays(cfg.Days, log)
	if cfg.Gate != nil {
		if err := cfg.Gate.Restore(r.db, m.venueMs); err != nil {
			return err
		}
	}
	cfg.Journal = r.newJournal(&c.journalFlags, log)
	cfg.Outcomes, cfg.Audit = r.newOutcomes(m, cfg.Journal, log), r.db
	s := newService(m, r.keys.Store(), log, cfg)
	r.follow(s.http.Alerts())
	s.serveApart(apart)
	go func() {
		for range hangups {
			cert.reload(c.TLSCert, c.TLSKey, log)
		}
	}()
	return from.locate(c.serve(s, r, ln, apart, cert != nil, usedBefore))
}

// checkFolder checks the data directory for --check. If nothing is wrong there nor was before, it says so.
func (c *serveCmd) checkFolder(good bool) error {
	warnShared(c.DataDir)
	if err := checkDataDir(c.DataDir); err != nil || !good {
		return err
	}
	if dataInUse(c.DataDir) {
		fmt.Printf("data directory %s is in use by a running service: until that ends, none can start on it\n",
			c.DataDir)
	}
	if !slices.Equal(c.Dexes, []string{"all"}) {
		fmt.Println("--dexes: the venue is asked for their names at the start, not here")
	}
	fmt.Println("configuration ok")
	return nil
}

// apart are the listeners that serve one thing each; nil: there is none.
type apart struct{ metrics, gate net.Listener }

func (a *apart) close() {
	for _, ln := range []net.Listener{a.metrics, a.gate} {
		if ln != nil {
			ln.Close()
		}
	}
}

// listen opens the listeners.
func (c *serveCmd) listen() (ln net.Listener, a apart, err error) {
	if ln, err = openListener("--listen", c.Listen); err != nil {
		return nil, a, err
	}
	if c.MetricsListen != "" {
		a.metrics, err = openListener("--metrics-listen", c.MetricsListen)
	}
	if err == nil && c.GateListen != "" {
		a.gate, err = openListener("--gate-listen", c.GateListen)
	}
	if err != nil {
		ln.Close()
		a.close()
	}
	return ln, a, err
}

func (c *serveCmd) serverConfig(m *market, r *replica, cert *certificate, text *logBuffer,
	log *slog.Logger) server.Config {
	metrics := func(p *promtext.Page) {
		m.writeMetrics(p)
		r.writeMetrics(p)
		cert.writeMetrics(p)
		p.Count("ballast_log_dropped_lines_total", "Lines of the log that its reader did not take in time.",
			text.dropped.Load())
	}
	conns := connectionLimit(c.MaxConnections)
	if conns < c.MaxConnections {
		log.Warn("fewer connections than --max-connections: the process may not open so many files", "connections",
			conns)
	}
	return server.Config{
		Ready: r.ready, Degraded: r.degraded, Watch: r.watch, Policies: r.limits, Watches: r.watched, Metrics: metrics,
		AccessLog:   c.AccessLog,
		MaxInFlight: c.MaxInFlight, MaxQueueWait: cmp.Or(c.MaxQueueWait, -1), RateLimit: c.RateLimit,
		Limits: transport.Limits{MaxConns: conns, MaxKeylessSockets: c.KeylessSockets,
			MaxKeylessSocketsPerIP: c.SocketsPerIP}, AuthFailureLimit: c.AuthFailureLimit,
		Gate: c.gate(c.Venue, m), RequestTimeout: c.RequestTimeout, CORSOrigin: c.CORSOrigin,
		NoConsole: c.NoConsole, TLS: cert.config(),
	}
}

// serve answers requests until SIGINT or SIGTERM, then drains. usedBefore says that a service has had the data
// directory before.
func (c *serveCmd) serve(s *service, r *replica, ln net.Listener, apart apart, secure, usedBefore bool) (err error) {
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(ln) }()
	scheme := "http"
	if secure {
		scheme = "https"
	}
	address := scheme + "://" + reachable(ln.Addr())
	switch {
	case apart.gate != nil:
		s.gateURL = scheme + "://" + reachable(apart.gate.Addr())
		s.log.Info("the gate has a listener of its own", "url", s.gateURL)
	case c.Gate:
		s.gateURL = address
	}
	s.log.Info("serving", "url", address, "venue", s.market.venue, "version", version)
	issue := "ballast keys issue --email you@example.com --data-dir " + c.DataDir
	if c.NATSURL != "" {
		issue = "ballast keys issue --email you@example.com --nats-url ..." // the URL may hold a password
	}
	go s.logReadiness(signals, address, r.keys, issue)
	if s.market.sim != nil {
		go s.announce(signals, address, r.keys, usedBefore, !c.NoConsole) // writing may block for ever
	}
	select {
	case err = <-failed:
	case refused := <-s.market.refused:
		err = wrongSetting{refused}
	case <-signals.Done():
		s.log.Info("draining")
		time.AfterFunc(drainTime, s.giveUp)
	}
	if down := s.shutdown(); err == nil {
		err = down
	}
	return err
}

// Validate rejects invalid flag values before anything is started.
func (c *serveCmd) Validate() error {
	var problems []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	refuse(c.MaxInFlight < 1, "--max-in-flight %d: want at least 1", c.MaxInFlight)
	refuse(c.MaxConnections < minConnections, "--max-connections %d: want at least %d", c.MaxConnections,
		minConnections)
	refuse(c.KeylessSockets < 0, "--keyless-sockets %d: want a number, or 0 for a quarter of the connections",
		c.KeylessSockets)
	refuse(c.SocketsPerIP < 1, "--keyless-sockets-per-address %d: want at least 1", c.SocketsPerIP)
	refuse(c.MaxQueueWait < 0, "--max-queue-wait %v: want a time, or 0 for no limit", c.MaxQueueWait)
	refuse(c.RequestTimeout <= 0, "--request-timeout %v: want more than 0", c.RequestTimeout)
	refuse(!(c.VenueShare >= 0.1 && c.VenueShare <= 1),
		"--venue-share %v: want a share of the venue's limits from 0.1 to 1", c.VenueShare)
	refuse(c.VenueBudget < -1, "--venue-budget %d: want request weight a minute, 0 for no limit, or -1 for the share",
		c.VenueBudget)
	problems = append(problems, c.gateFlags.problem(), c.receiptFlags.problem(), c.journalFlags.problem(c.Gate))
	refuse(c.WalletStreams < 0, "--wallet-streams %d: want a number of wallets, or 0 for none", c.WalletStreams)
	refuse(!(c.AccessLog >= 0 && c.AccessLog <= 1), "--access-log %v: want a share of the requests from 0 to 1",
		c.AccessLog)
	refuse(!validOrigin(c.CORSOrigin),
		"--cors-origin %q: want an origin such as https://console.example or http://localhost:3000, in lower case and "+
			"without a path, or *, or nothing for none", c.CORSOrigin)
	refuse(c.RateLimit < 0, "--rate-limit %d: want a number of requests, or 0 for no limit", c.RateLimit)
	refuse((c.TLSCert == "") != (c.TLSKey == ""), "--tls-cert, --tls-key: HTTPS needs both, give the other one too")
	refuse(c.Feed == "shared" && (c.NATSURL == "" || c.Venue == "sim"),
		"--feed shared: want --nats-url, and a venue that is not inside this process")
	refuse(c.KeyMaxStale <= 0, "--key-max-stale %v: want more than nothing", c.KeyMaxStale)
	refuse(c.NATSReplicas < 1 || c.NATSReplicas > 5, "--nats-replicas %d: want 1 to 5", c.NATSReplicas)
	refuse(c.MetricsListen == c.Listen && !strings.HasSuffix(c.Listen, ":0"),
		"--metrics-listen %q: --listen has the same address: choose another", c.MetricsListen)
	if c.MetricsListen != "" {
		problems = append(problems, checkListen("--metrics-listen", c.MetricsListen))
	}
	if c.NATSURL != "" {
		err := checkNATS(c.NATSURL)
		refuse(err != nil, "--nats-url: %w", err)
	}
	_, badVenue := venueAddress(c.Venue)
	return errors.Join(append(problems, c.dataFlag.Validate(), badVenue, checkListen("--listen", c.Listen),
		c.checkMail())...)
}

// validOrigin reports whether a browser can send this origin: scheme://host[:port]. None and * are valid.
func validOrigin(origin string) bool {
	if origin == "" || origin == "*" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Hostname() != "" && !strings.Contains(origin, "*") && origin == u.Scheme+"://"+u.Host &&
		origin == strings.ToLower(origin)
}

// checkNATS reports an error for a text that cannot be a list of addresses of NATS servers. The error
// quotes no user or password.
func checkNATS(urls string) error {
	if err := replicas.CheckURLs(urls); err != nil {
		return err
	}
	for text := range strings.SplitSeq(urls, ",") {
		text = strings.TrimSpace(text)
		scheme, rest, found := strings.Cut(text, "://")
		if !found {
			scheme, rest = "nats", text
		}
		u, err := url.Parse(scheme + "://" + rest)
		if err != nil {
			return err // unexpected: CheckURLs has accepted the URL
		}
		if !found && u.Port() == "" {
			return fmt.Errorf("%s: want an address such as nats://%s:4222", u.Host, u.Hostname())
		}
		if _, err := strconv.ParseUint(cmp.Or(u.Port(), "4222"), 10, 16); err != nil {
			return fmt.Errorf("%s: a port is at most 65535", u.Host)
		}
	}
	return nil
}

// checkListen reports an error for an address on which no listener can be opened. It opens none.
func checkListen(flag, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' }) {
		err = errors.New("the host has characters that no host has")
	}
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%s %q: want host:port, such as 127.0.0.1:8080: %w", flag, addr, err)
	}
	return nil
}

// lockPatience is how long a start waits for a service that is ending to release the data directory.
const lockPatience = 5 * time.Second

// lastLog bounds the time for writing the rest of the log at the end.
const lastLog = time.Second

// drainTime bounds a shutdown.
const drainTime = 10 * time.Second

// service is everything: the market with its cache, and the HTTP server.
type service struct {
	market *market
	engine *risk.Engine
	http   *server.Server
	log    *slog.Logger
	// gateURL is where orders go through the gate; "": nowhere.
	gateURL string
}

// newService builds the HTTP server on a market.
func newService(m *market, keys *auth.Store, log *slog.Logger, cfg server.Config) *service {
	engine := risk.NewEngine(risk.DefaultAges())
	engine.StartPool(pool.Workers(runtime.NumCPU()))
	cfg.Cache, cfg.Engine, cfg.Keys = m.cache, engine, keys
	cfg.LoadAccount, cfg.Classify, cfg.Feed = m.feed.LoadAccount, classify, m.feed.Status
	cfg.Version, cfg.Commit, cfg.Venue, cfg.VenueKind, cfg.Log = version, commit, m.venue, venueKind(m.venue), log
	if m.sim != nil {
		for _, w := range sim.Wallets {
			cfg.DemoWallets = append(cfg.DemoWallets, server.DemoWallet{Address: w.Address, Name: w.Name,
				About: w.About})
		}
	}
	return &service{market: m, engine: engine, http: server.New(cfg), log: log}
}

// openListener opens the listener of a flag.
func openListener(flag, addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; choose another address, or end what listens there", flag, err)
	}
	return ln, nil
}

// serveApart serves the separate listeners until they close.
func (s *service) serveApart(a apart) {
	serve := func(name string, ln net.Listener, serve func(net.Listener) error) {
		if err := serve(ln); err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, transport.ErrDraining) {
			s.log.Error(name+" listener", "error", err)
		}
	}
	if a.metrics != nil {
		go serve("metrics", a.metrics, s.http.ServeMetrics)
	}
	if a.gate != nil {
		go serve("gate", a.gate, s.http.ServeGate)
	}
}

// shutdown stops the HTTP server first, then the market.
func (s *service) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err == nil { // otherwise a request may still be running
		s.engine.Close()
	}
	s.market.shutdown()
	return err
}

// giveUp ends the process although not all is written down: a disk, or who holds the database, takes too long.
func (s *service) giveUp() {
	s.log.Error("ended before all was written down: the disk, or another process that holds the database, is too slow")
	time.Sleep(lastLog / 4) // for the log
	os.Exit(1)
}

// announce waits until the simulated market is live, issues a key if there is none, and prints
// a request to copy. usedBefore says that a service has had the data directory before, console that the page is served.
func (s *service) announce(ctx context.Context, url string, keys serviceKeys, usedBefore, console bool) {
	started := time.Now()
	for !s.http.Ready() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	fmt.Printf("\nBallast %s is ready after %.1f s: %s, venue: simulated (%d assets)\n",
		version, time.Since(started).Seconds(), url, len(s.market.cache.Universe().Assets))
	who, base := "venue", s.market.base
	if s.gateURL != "" {
		who, base = "gate", s.gateURL
	}
	fmt.Printf("The %s takes orders at %s/exchange: ballast demo-bot --exchange-url %[2]s\n", who, base)
	if keys.Store().Len() > 0 {
		fmt.Print("\nA key was issued earlier. `ballast keys issue --email you@example.com` makes another.\n\n")
		return
	}
	if usedBefore {
		s.log.Warn("there are no API keys, although the data directory was used before: none was issued yet, or its " +
			"ballast.db is gone; one is issued now")
	}
	key, k, err := keys.Issue(ctx, "demo@localhost", auth.Agent)
	if err != nil {
		s.log.Error("no key issued", "error", err)
		return
	}
	if _, err := fmt.Printf("API key, shown this once: %s\n\nAsk about a trade:\n\n", key); err != nil {
		made := issued{ID: k.ID}
		s.log.Error("no key for the demonstration", "error", made.takeBack(ctx, "printed", err, keys))
		return
	}
	fmt.Printf("curl '%s/v1/validate?view=compact' -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' "+
		"-d '{\"asset\":\"BTC\",\"action\":\"long\",\"size\":50000,\"leverage\":10,\"wallet\":\"%s\"}'\n\n"+
		"All figures: drop ?view=compact. Prices move, so two answers differ.\n\n", url, key, sim.Wallets[0].Address)
	if console {
		fmt.Printf("Console, to look at it with that key: %s/\n\n", url)
	}
	printWallets(os.Stdout)
}

// reachable returns the address at which this machine reaches a listener: a listener on all
// addresses is reached on the loopback.
func reachable(listener net.Addr) string {
	a, ok := listener.(*net.TCPAddr)
	if !ok || !a.IP.IsUnspecified() {
		return listener.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port))
}
