package relay

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
)

// UpstreamConfig configures an Upstream.
type UpstreamConfig struct {
	// NATS is the connection that replicas and holder share. It is not closed.
	NATS *nats.Conn
	// Lease says when this replica talks to the venue.
	Lease Lease
	// Subject and Replica are as in LocalConfig.
	Subject, Replica string
	// BaseURL is the venue's REST address, the socket at the same host under /ws.
	BaseURL string
	// Budget is the request weight that all replicas together may spend in a minute; 0:
	// no limit.
	Budget int
	// Lines is how many connections to the venue there may be (5, at least 5): five of a
	// holder that froze with its sockets open and five of its successor are the ten that
	// the venue allows an address.
	Lines int
	// Logger; nil: slog.Default().
	Logger *slog.Logger
	// Dial makes the network connections; nil: net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// minLines is what four precisions of one coin and the contexts need (streams.go).
const minLines = 5

func (c UpstreamConfig) withDefaults() UpstreamConfig {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	c.Lines = max(c.Lines, minLines)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: connectTimeout}).DialContext
	}
	return c
}

// The venue's limits for an address, less a margin.
const (
	maxStreams  = 991  // of 1,000 subscriptions
	maxMessages = 1800 // sent a minute, of 2,000
	maxDials    = 25   // new connections a minute, of 30
	// keepDials are those that the one line which tries in an outage leaves to the others.
	keepDials = 10
	// keepRenewals and keepSubscriptions are the messages a minute that renewals and
	// subscriptions leave to what is more urgent; pings may use all.
	keepRenewals, keepSubscriptions = 900, 300
)

// Times of an Upstream.
const (
	beatEvery  = 500 * time.Millisecond
	sweepEvery = time.Second
	// replicaMaxAge is how long a replica's wants hold; it repeats them every second.
	replicaMaxAge = 10 * time.Second
	// linger is how long a stream that nobody wants any more stays subscribed: a virtual
	// socket that was closed is back sooner.
	linger = 5 * time.Second

	connectTimeout = 5 * time.Second
)

// Upstream talks to the venue while its replica holds the lease. Create it with
// NewUpstream.
type Upstream struct {
	cfg      UpstreamConfig
	subjects subjects
	log      *slog.Logger
	http     *http.Client
	ran      atomic.Bool

	// What counts against the address outlives a tenure.
	meter        *hyperliquid.Meter
	sends, dials *minute

	mu     sync.Mutex
	heard  beat                // the newest of any holder
	at     marketcache.Instant // when it was heard; 0: never
	active *term               // nil: not holding

	stats upstreamCounters
}

type upstreamCounters struct {
	tenures, messages, unrouted, oversize, unsent atomic.Int64
	asks, copies, refused, failed, tooMany        atomic.Int64
	connects, lost, halfOpen, renewals, repeats   atomic.Int64
	errorFrames, noRoom, panics                   atomic.Int64
}

// UpstreamStats are counters from the start, and the present state.
type UpstreamStats struct {
	Tenures     int64 // times the lease was held
	Messages    int64 // of the venue, passed on
	Unrouted    int64 // that belong to no stream asked for
	Oversize    int64 // too large for the bus
	Unsent      int64 // that the bus did not take
	Asks        int64 // questions of replicas
	Copies      int64 // of those, answered without asking the venue again
	Refused     int64 // of those, for want of weight
	Failed      int64 // of those, without an answer of the venue
	TooMany     int64 // HTTP 429 of the venue
	Connects    int64 // lines made
	LinesLost   int64
	HalfOpen    int64 // of those, found dead by silence
	Renewals    int64 // streams subscribed again for a newcomer
	Repeats     int64 // last messages sent again to a newcomer
	ErrorFrames int64
	NoRoom      int64 // streams beyond the venue's limit
	Panics      int64 // recovered

	Holding     bool
	Epoch       uint64
	Replicas    int // with wants
	Lines       int // up
	Streams     int // wanted
	WeightSpent int // that counts now
	Sent        int // messages to the venue in the last minute
}

// NewUpstream returns an Upstream; nothing runs before Run.
func NewUpstream(cfg UpstreamConfig) *Upstream {
	cfg = cfg.withDefaults()
	return &Upstream{
		cfg: cfg, subjects: subjects(cfg.Subject), log: cfg.Logger.With("relay", "upstream"),
		meter: hyperliquid.NewMeter(cfg.Budget), sends: newMinute(maxMessages), dials: newMinute(maxDials),
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: cfg.Dial, TLSHandshakeTimeout: connectTimeout, MaxConnsPerHost: 32, MaxIdleConnsPerHost: 32,
				IdleConnTimeout: 30 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Run works whenever the lease is held, until ctx ends, and returns when every goroutine
// has ended. An Upstream runs once.
func (u *Upstream) Run(ctx context.Context) error {
	if u.ran.Swap(true) {
		panic("BUG: a relay.Upstream runs once")
	}
	defer u.meter.Close()
	defer u.http.CloseIdleConnections()
	beats, err := u.cfg.NATS.SubscribeSync(u.subjects.allBeats())
	if err != nil {
		return err
	}
	defer beats.Unsubscribe()
	var wg sync.WaitGroup
	wg.Go(func() {
		supervise(ctx, u.log, &u.stats.panics, "beats", func(ctx context.Context) { receive(ctx, beats, u.hear) })
	})
	for ctx.Err() == nil {
		epoch, held := u.cfg.Lease.Held()
		if !held {
			sleep(ctx, leasePoll)
			continue
		}
		if !guard(u.log, &u.stats.panics, "tenure", func() { u.serve(ctx, epoch) }) {
			sleep(ctx, time.Second)
		}
	}
	wg.Wait()
	return ctx.Err()
}

// holds reports whether a tenure goes on.
func (u *Upstream) holds(epoch uint64) bool {
	now, held := u.cfg.Lease.Held()
	return held && now == epoch
}

// hear remembers what a holder has spent.
func (u *Upstream) hear(m *nats.Msg) {
	var b beat
	if readJSON(m.Data, &b) != nil {
		return
	}
	u.mu.Lock()
	u.heard, u.at = b, marketcache.Now()
	u.mu.Unlock()
}

// spentMargin is the share of the budget that a predecessor may have spent after its last
// beat.
const spentMargin = 0.05

// inherit counts what another replica has spent of the address's minute. When nothing has
// ever been heard, nobody can say, and half of the budget is taken to be gone.
func (u *Upstream) inherit() {
	u.mu.Lock()
	heard, at := u.heard, u.at
	u.mu.Unlock()
	now := marketcache.Now()
	switch {
	case at == 0 && u.stats.tenures.Load() == 1:
		u.meter.Assume(u.cfg.Budget/2, now)
	case at != 0 && heard.Holder != u.cfg.Replica:
		u.meter.Assume(heard.Spent+int(spentMargin*float64(u.cfg.Budget)), at)
		u.sends.assume(heard.Sent, at)
		u.dials.assume(heard.Dialed, at)
	}
}

// serve works through one tenure.
func (u *Upstream) serve(ctx context.Context, epoch uint64) {
	u.stats.tenures.Add(1)
	u.inherit()
	t := newTerm(u, epoch)
	ctx, t.end = context.WithCancel(ctx)
	defer t.end()
	u.mu.Lock()
	u.active = t
	u.mu.Unlock()
	u.log.Info("this replica feeds all from the venue", "epoch", epoch)
	err := t.run(ctx)
	u.mu.Lock()
	u.active = nil
	u.mu.Unlock()
	u.log.Info("this replica feeds the others no more", "epoch", epoch)
	if err != nil {
		u.log.Warn("the bus takes no subscription", "error", err)
		sleep(ctx, time.Second)
	}
}

// Stats returns the counters.
func (u *Upstream) Stats() UpstreamStats {
	c := &u.stats
	s := UpstreamStats{
		Tenures: c.tenures.Load(), Messages: c.messages.Load(), Unrouted: c.unrouted.Load(), Oversize: c.oversize.Load(),
		Unsent: c.unsent.Load(), Asks: c.asks.Load(), Copies: c.copies.Load(), Refused: c.refused.Load(), Failed: c.failed.Load(),
		TooMany: c.tooMany.Load(), Connects: c.connects.Load(), LinesLost: c.lost.Load(), HalfOpen: c.halfOpen.Load(),
		Renewals: c.renewals.Load(), Repeats: c.repeats.Load(), ErrorFrames: c.errorFrames.Load(), NoRoom: c.noRoom.Load(),
		Panics: c.panics.Load(), WeightSpent: u.meter.Used(), Sent: u.sends.count(marketcache.Now()),
	}
	u.mu.Lock()
	t := u.active
	u.mu.Unlock()
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		s.Holding, s.Epoch = true, t.epoch
		s.Replicas, s.Lines, s.Streams = len(t.replicas), len(t.up), len(t.streams)
	}
	return s
}
