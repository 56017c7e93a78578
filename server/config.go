package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"ballast/compute/risk"
	"ballast/internal/promtext"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/alerts"
	"ballast/server/auth"
	"ballast/server/transport"
)

// Config is what a Server is made of. Cache, Engine, Keys, LoadAccount and Classify must
// be given; the zero value of everything else takes the default named beside it.
type Config struct {
	Cache  *marketcache.Cache
	Engine *risk.Engine
	Keys   *auth.Store

	// LoadAccount reads a wallet from the venue now. needSetting is an asset whose
	// leverage setting is needed too, or NoAsset. It is called from many goroutines.
	LoadAccount func(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (*marketcache.Account, error)
	// Classify gives the error code that a failure of LoadAccount is answered with, and
	// when it makes sense to try again (0: as usual for the code).
	Classify func(error) (code string, retryAfter time.Duration)

	// Ready adds a condition to readiness; nil: what the cache holds decides alone.
	Ready func() bool
	// Degraded tells that something beside venue and keys is not as it should be; nil:
	// never.
	Degraded func() bool
	// Watch takes the results of monitor calls beyond this process; nil: there is nothing
	// beyond, and every asset's previous regime is normal.
	Watch Watch

	Version string // of the program, for /health ("dev")
	Commit  string // the same, for the metrics
	Venue   string // name of the venue, for /health
	// VenueKind is meta.venue of every answer: hyperliquid-mainnet, hyperliquid-testnet,
	// simulated, or custom (custom).
	VenueKind string

	Log *slog.Logger // slog's default
	// Metrics writes more families on the page at /metrics (none).
	Metrics func(*promtext.Page)
	// AccessLog is the share of requests that are logged, 0 to 1 (none).
	AccessLog float64

	// MaxInFlight is how many requests may be computed or wait for their wallet at once (256);
	// half of them at most may wait. What share each kind may have: admission/params.go.
	MaxInFlight int
	// MaxQueueWait is how long a request may have waited before it is taken up, while more
	// come than can be served; later ones are refused (admission.DefaultMaxWait; negative: no
	// limit). It is
	// measured in the kernel's clock of some milliseconds, on Linux only.
	MaxQueueWait time.Duration
	// Tuning is the tricks of the transport (transport.DefaultTuning).
	Tuning *transport.Tuning
	// Positions is how many positions of a wallet an assessment has room for from the start (64).
	Positions int
	// Limits bounds the connections (MaxConns 16,384, MaxKeylessConns and MaxKeylessSockets a
	// quarter of that, MaxKeylessSocketsPerIP 64).
	transport.Limits
	// RateLimit is how many requests a minute one key may make (0: no limit).
	RateLimit int
	// AuthFailureLimit is how many refused keys a minute one address may send before it
	// is answered 429 instead of 401 (600; negative: no limit).
	AuthFailureLimit int

	RequestTimeout time.Duration // until a request is answered 504 (10 s)
	StartingWait   time.Duration // how long a request waits for an asset's history (5 s)
	ReadTimeout    time.Duration // for a request to arrive whole (10 s)
	WriteTimeout   time.Duration // for an answer to be taken (10 s)
	IdleTimeout    time.Duration // between requests of a connection (2 min)
	DrainTimeout   time.Duration // for requests in flight at shutdown (10 s)

	// TLS makes Serve speak TLS.
	TLS *tls.Config
	// CORSOrigin is the origin that browsers may call from, or "*" (none).
	CORSOrigin string
	// NoConsole leaves out the page at / (off).
	NoConsole bool
	// GzipValidate compresses answers of /v1/validate too for clients that accept it: it
	// multiplies their cost to save about 3.5 KB each (off).
	GzipValidate bool
}

// Watch is the other replicas as a monitor call sees them.
type Watch interface {
	// Remember notes which regimes the wallet's assets are in and fills in those of the
	// wallet's previous call, on whichever replica.
	Remember(ctx context.Context, r *alerts.Result)
	// Publish sends a result to every other replica. It returns nil only when each of them
	// is certain to get it.
	Publish(ctx context.Context, r *alerts.Result) error
}

func (c Config) withDefaults() Config {
	if c.Cache == nil || c.Engine == nil || c.Keys == nil || c.LoadAccount == nil || c.Classify == nil {
		panic("BUG: server without cache, engine, keys, account loader or classifier")
	}
	number := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	span := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	number(&c.MaxInFlight, 256)
	number(&c.Positions, 64)
	number(&c.MaxConns, 16384)
	number(&c.MaxKeylessConns, max(1, c.MaxConns/4))
	number(&c.MaxKeylessSockets, max(1, c.MaxConns/4))
	number(&c.MaxKeylessSocketsPerIP, 64)
	number(&c.AuthFailureLimit, 600)
	span(&c.MaxQueueWait, admission.DefaultMaxWait)
	span(&c.RequestTimeout, 10*time.Second)
	span(&c.StartingWait, 5*time.Second)
	span(&c.ReadTimeout, 10*time.Second)
	span(&c.WriteTimeout, 10*time.Second)
	span(&c.IdleTimeout, 2*time.Minute)
	span(&c.DrainTimeout, 10*time.Second)
	if c.Tuning == nil {
		tuning := transport.DefaultTuning()
		c.Tuning = &tuning
	}
	if c.VenueKind == "" {
		c.VenueKind = "custom"
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}
