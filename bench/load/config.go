package load

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"
)

// Bounds of a run.
const (
	maxConnections = 20_000
	maxBatchSize   = 50     // trades, as the service allows
	maxWallets     = 64     // limit of the service per alert socket
	minBacklog     = 1_000  // minimum of the default MaxBacklog, arrivals
	backlogTime    = 10     // default MaxBacklog in seconds of arrivals
	maxAlerts      = 20_000 // sockets
	connectTime    = 10 * time.Second
)

// DefaultWallets holds accounts of the simulated venue: with five positions, without positions,
// and with two positions near liquidation. On a real venue these accounts are empty.
var DefaultWallets = []string{
	"0xba11a57000000000000000000000000000000001",
	"0xba11a57000000000000000000000000000000005",
	"0xba11a57000000000000000000000000000000006",
}

// DefaultAssets are traded on every venue.
var DefaultAssets = []string{"BTC", "ETH", "SOL"}

// Config describes a run. URL and Duration are required, and Rate unless Closed. For every other
// field the zero value means the default given in parentheses.
type Config struct {
	URL string // address of the service, http://host:port
	Key string // API key; never printed

	Rate        float64       // arrivals per second
	Duration    time.Duration // length of the measured period
	Warmup      time.Duration // length of the same traffic before it, not measured (0)
	Connections int           // keep-alive connections (64)
	Closed      bool          // closed loop: each connection sends as soon as it has its answer
	Timeout     time.Duration // for an answer; also how long to wait for the last ones (10 s)
	// MaxBacklog is the number of arrivals due and not yet sent at which the run is given up (ten
	// seconds' worth, at least 1,000; negative: no limit). Waiting arrivals use no memory.
	MaxBacklog int

	Mix             Mix      // weights by kind (validations only)
	MonteCarloShare float64  // share of the validations that ask for simulations, 0 to 1
	BatchSize       int      // trades of a batch (10)
	Wallets         []string // wallets of the requests (DefaultWallets)
	Assets          []string // assets of the trades (DefaultAssets)
	Seed            uint64   // seed of the random order of requests (1)

	Alerts    int           // sockets that watch all wallets
	AlertWait time.Duration // how long alerts are waited for after the answer of the monitor call (5 s)

	// ServerPID is a process of this machine whose CPU time is measured too; 0: none.
	ServerPID int

	// Progress is called once per second; may be nil.
	Progress func(Progress)
}

// Progress is the progress of a run.
type Progress struct {
	Elapsed  time.Duration // since the first arrival, warm-up included
	Total    time.Duration // when the last arrival is due
	Answered int64         // measured, as are those that failed
	Failed   int64
	Backlog  int64 // arrivals due that wait for a connection
}

// target is the server to which requests are sent.
type target struct {
	address string // host:port to connect to
	host    string // value of the Host header
	prefix  string // prefix of every path, without a trailing slash
	key     string // API key of the alert sockets; "": none
}

func (c Config) withDefaults() Config {
	c.Connections = cmp.Or(c.Connections, 64)
	c.BatchSize = cmp.Or(c.BatchSize, 10)
	c.MaxBacklog = cmp.Or(c.MaxBacklog, max(minBacklog, int(min(c.Rate*backlogTime, math.MaxInt32))))
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.AlertWait = cmp.Or(c.AlertWait, 5*time.Second)
	c.Seed = cmp.Or(c.Seed, 1)
	if c.Mix == (Mix{}) {
		c.Mix[Validate] = 1
	}
	if len(c.Wallets) == 0 {
		c.Wallets = DefaultWallets
	}
	if len(c.Assets) == 0 {
		c.Assets = DefaultAssets
	}
	return c
}

// Check returns an error for the first invalid setting.
func (c Config) Check() error {
	c = c.withDefaults()
	_, err := c.check()
	return err
}

func (c *Config) check() (target, error) {
	t, err := parseURL(c.URL)
	t.key = c.Key
	switch {
	case err != nil:
		return t, err
	case !c.Closed && !(c.Rate > 0 && c.Rate <= 1e6):
		return t, fmt.Errorf("rate %v: want more than 0 and at most 1000000 requests a second", c.Rate)
	case c.Duration <= 0 || c.Duration > 24*time.Hour:
		return t, fmt.Errorf("duration %v: want more than 0 and at most 24h", c.Duration)
	case c.Warmup < 0 || c.Warmup > time.Hour:
		return t, fmt.Errorf("warm-up %v: want 0 to 1h", c.Warmup)
	case c.Connections < 1 || c.Connections > maxConnections:
		return t, fmt.Errorf("connections %d: want 1 to %d", c.Connections, maxConnections)
	case c.Timeout < time.Millisecond || c.Timeout > 5*time.Minute:
		return t, fmt.Errorf("timeout %v: want 1ms to 5m", c.Timeout)
	case c.BatchSize < 1 || c.BatchSize > maxBatchSize:
		return t, fmt.Errorf("batch size %d: want 1 to %d", c.BatchSize, maxBatchSize)
	case !(c.MonteCarloShare >= 0 && c.MonteCarloShare <= 1):
		return t, fmt.Errorf("share of simulations %v: want 0 to 1", c.MonteCarloShare)
	case c.Alerts < 0 || c.Alerts > maxAlerts:
		return t, fmt.Errorf("alert sockets %d: want 0 to %d", c.Alerts, maxAlerts)
	case c.Alerts > 0 && c.Mix[Monitor] == 0:
		return t, errors.New("alert sockets hear nothing without monitor calls in the mix")
	case len(c.Wallets) > maxWallets:
		return t, fmt.Errorf("%d wallets: want at most %d", len(c.Wallets), maxWallets)
	case strings.ContainsAny(c.Key, "\r\n \t"):
		return t, errors.New("the key has a blank or a line break in it")
	}
	for _, w := range c.Wallets {
		if !isWallet(w) {
			return t, fmt.Errorf("wallet %q: want 0x and 40 hexadecimal digits", w)
		}
	}
	for _, a := range c.Assets {
		if a == "" || strings.ContainsAny(a, "\"\\\r\n\t ") {
			return t, fmt.Errorf("asset %q: want a ticker as the venue spells it", a)
		}
	}
	return t, c.Mix.check()
}

func isWallet(s string) bool {
	return len(s) == 42 && strings.HasPrefix(s, "0x") && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
}

func parseURL(text string) (target, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return target{}, fmt.Errorf("url %q: want http://host:port", text)
	case u.Scheme == "https":
		return target{}, fmt.Errorf(
			"url %q: the generator speaks plain HTTP; measure the service behind its TLS, or through a local tunnel",
			text)
	case u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return target{}, fmt.Errorf("url %q: want http://host:port", text)
	}
	t := target{address: u.Host, host: u.Host, prefix: strings.TrimSuffix(u.EscapedPath(), "/")}
	if u.Port() == "" {
		t.address = u.Hostname() + ":80"
		if strings.Contains(u.Hostname(), ":") {
			t.address = "[" + u.Hostname() + "]:80"
		}
	}
	return t, nil
}
