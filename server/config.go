package server

import (
	"cmp"
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
	"ballast/server/days"
	"ballast/server/gate"
	"ballast/server/journal"
	"ballast/server/limits"
	"ballast/server/outcomes"
	"ballast/server/receipt"
	"ballast/server/transport"
	"ballast/server/watches"
)

// Config configures a Server. Cache, Engine, Keys, LoadAccount and Classify are required; zero values of
// the others mean the defaults in parentheses.
type Config struct {
	Cache  *marketcache.Cache
	Engine *risk.Engine
	Keys   *auth.Store

	// LoadAccount reads a wallet from the venue now. The asset is one whose leverage setting is
	// wanted too, or NoAsset; an account without it is no failure. It must be safe for concurrent use.
	LoadAccount func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error)
	// Asked is told about every request for a wallet and an asset (or NoAsset); nil: nobody is. It must be fast.
	Asked func(w marketcache.Wallet, asset marketcache.AssetID, now marketcache.Instant)
	// Classify returns the error code for a failure of LoadAccount, and the time after which to try
	// again (0: the code's default).
	Classify func(error) (code string, retryAfter time.Duration)

	// Ready is a further condition of readiness; nil: none.
	Ready func() bool
	// Feed says who talks to the venue; nil: nobody.
	Feed func() FeedStatus
	// Degraded reports a degradation other than of venue and keys; nil: never.
	Degraded func() bool
	// Watch connects monitor calls to other replicas; nil: there are none, and every asset's previous
	// regime is taken as normal.
	Watch Watch

	// Policies keep the operators' policies and the kill switch (in memory, none at the start).
	Policies limits.Keeper
	// Journal records decisions, and has those of before (nil: none).
	Journal *journal.Journal
	// Days has the records of account values that limits on losses need; nil: those limits cannot be judged.
	Days *days.Book

	// Watches are the wallets that the service watches by itself (in memory, none at the start).
	Watches *watches.Book
	// Outcomes tell what became of the answers (nil: nobody knows).
	Outcomes *outcomes.Closer
	// Audit has who changed keys, policies and the kill switch (nil: it is not kept).
	Audit Audit

	Version string // program version, for /health ("dev")
	Commit  string // commit, for the metrics
	Venue   string // name of the venue, for /health
	// VenueKind is meta.venue of every answer: hyperliquid-mainnet, hyperliquid-testnet,
	// simulated, or custom (custom).
	VenueKind string
	// DemoWallets are the accounts of a simulated venue, for /health (none).
	DemoWallets []DemoWallet

	Log *slog.Logger // slog's default
	// Metrics adds further families to the page at /metrics (none).
	Metrics func(*promtext.Page)
	// AccessLog is the share of requests that are logged, 0 to 1 (none).
	AccessLog float64

	// MaxInFlight is the maximum number of requests being computed or waiting for a wallet (256), of
	// which at most half may wait. Shares of each kind: admission/params.go.
	MaxInFlight int
	// MaxQueueWait is the longest acceptable wait from a request's arrival until it is read. During
	// overload, requests that waited longer are refused (admission.DefaultMaxWait; negative: no limit).
	// Measured on Linux only, by a kernel clock with a resolution of some milliseconds.
	MaxQueueWait time.Duration
	// Limits are the limits on connections (MaxConns 16,384; MaxKeylessConnsPerIP and MaxKeylessSockets a
	// quarter of that; MaxKeylessSocketsPerIP 64).
	transport.Limits
	// RateLimit is the number of requests per minute and key (0: no limit).
	RateLimit int
	// AuthFailureLimit is the number of requests with invalid keys per minute and address, beyond which
	// the answer is 429 instead of 401 (600; negative: no limit).
	AuthFailureLimit int

	RequestTimeout time.Duration // until a request is answered with 504 (10 s)
	StartingWait   time.Duration // maximum wait for an asset's history (5 s)
	ReadTimeout    time.Duration // for receiving a whole request (10 s)
	WriteTimeout   time.Duration // for sending an answer (10 s)
	IdleTimeout    time.Duration // between requests on a connection (2 min)
	DrainTimeout   time.Duration // for requests in flight at shutdown (10 s)

	// TLS: Serve speaks TLS with this configuration.
	TLS *tls.Config
	// CORSOrigin is the origin whose browser pages may call, or "*" (none).
	CORSOrigin string
	// Gate stands in front of the venue (nil: there is none). Its orders are judged with the account's resting orders:
	// LoadAccount must read them.
	Gate *gate.Gate
	// Receipts signs decisions (nil: none are signed).
	Receipts *receipt.Signer
	// NoConsole disables the page at / (off).
	NoConsole bool
}

// Watch connects monitor calls to other replicas.
type Watch interface {
	// Remember stores the regimes of the wallet's assets, and fills in those of the wallet's previous
	// call on any replica.
	Remember(ctx context.Context, r *alerts.Result)
	// Publish sends a result to every other replica. It returns nil only if all are certain to receive
	// it.
	Publish(ctx context.Context, r *alerts.Result) error
}

func (c Config) withDefaults() Config {
	if c.Cache == nil || c.Engine == nil || c.Keys == nil || c.LoadAccount == nil || c.Classify == nil {
		panic("BUG: server without cache, engine, keys, account loader or classifier")
	}
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 256)
	c.MaxConns = cmp.Or(c.MaxConns, 16384)
	c.MaxKeylessConnsPerIP = cmp.Or(c.MaxKeylessConnsPerIP, max(1, c.MaxConns/4))
	c.MaxKeylessSockets = cmp.Or(c.MaxKeylessSockets, max(1, c.MaxConns/4))
	c.MaxKeylessSocketsPerIP = cmp.Or(c.MaxKeylessSocketsPerIP, 64)
	c.AuthFailureLimit = cmp.Or(c.AuthFailureLimit, 600)
	c.MaxQueueWait = cmp.Or(c.MaxQueueWait, admission.DefaultMaxWait)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 10*time.Second)
	c.StartingWait = cmp.Or(c.StartingWait, 5*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 10*time.Second)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 2*time.Minute)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 10*time.Second)
	if c.Policies == nil {
		c.Policies = limits.NewMemory()
	}
	if c.Watches == nil {
		c.Watches = watches.New(watches.Config{Store: &watches.Memory{}, Revoked: c.Keys.Revoked, Log: c.Log})
	}
	c.VenueKind = cmp.Or(c.VenueKind, "custom")
	c.Version = cmp.Or(c.Version, "dev")
	c.Log = cmp.Or(c.Log, slog.Default())
	return c
}
