package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
)

// Config configures an Exchange. The zero value means 64 assets and 24 of builder-deployed dexes, seed
// 0, speed 1, DefaultLimits, no fault.
type Config struct {
	Seed uint64
	// Assets is the number of assets on the main dex (0 means 64), DexAssets the number on all
	// builder-deployed dexes together (0 means 24, negative none). The venue has 234 and 291, of which
	// 178 and 148 are live.
	Assets, DexAssets int
	Speed             float64 // of prices against the wall clock; 1 when 0

	// Every overrides the push interval, by subscription type; "l2Book fast" is l2Book with "fast".
	Every map[string]time.Duration

	// Now is the clock, nil for time.Now. With Manual, the market moves only when a test calls step.
	Now    func() time.Time
	Manual bool

	// Replay is a directory of recorded payloads to serve instead of the simulated market (replay.go).
	Replay string

	// Faults are the initial faults, "name[:argument],…", with names from FaultHelp.
	Faults string

	Limits Limits

	// Log receives lines about errors; nil: none are logged.
	Log func(format string, args ...any)
}

// moveMs is the interval between moves of the market.
const moveMs = 200

// Exchange is a simulated venue. Create it with New or Open, run it with Serve, end it with Shutdown.
type Exchange struct {
	cfg      Config
	market   *market // nil when replaying
	source   source
	faults   atomic.Pointer[faults]
	statsMu  sync.Mutex
	counts   Stats // its counters
	ledger   *ledger
	server   fasthttp.Server
	upgrader websocket.FastHTTPUpgrader

	mu    sync.Mutex         // acquired before the market's and the ledger's
	conns map[*conn]struct{} // open sockets
	// running counts the sockets. It grows only under mu, and not after stop: once mu was held after stop,
	// waiting for it is safe.
	running sync.WaitGroup

	stop    context.CancelFunc
	stopped context.Context
	stepper sync.WaitGroup
	stepMu  sync.Mutex

	tickMs int64 // interval at which due pushes are sent
	moved  int64 // when the market last moved; guarded by stepMu
}

// Open returns an exchange whose market is at the current time. It fails when the replay directory or
// the faults cannot be read.
func Open(cfg Config) (*Exchange, error) {
	cfg.Assets = cmp.Or(cfg.Assets, 64)
	cfg.DexAssets = cmp.Or(cfg.DexAssets, len(dexFirst))
	cfg.Speed = cmp.Or(cfg.Speed, 1)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	limits := maps.Clone(DefaultLimits)
	maps.Copy(limits, cfg.Limits)
	cfg.Limits = limits
	if cfg.Assets < 0 || cfg.Speed < 0 {
		return nil, fmt.Errorf("sim: assets %d, speed %v: must not be negative", cfg.Assets, cfg.Speed)
	}
	if cfg.DexAssets > dexAssetsMax {
		return nil, fmt.Errorf("sim: %d assets of builder-deployed dexes, want at most %d", cfg.DexAssets, dexAssetsMax)
	}
	e := &Exchange{
		cfg: cfg, conns: map[*conn]struct{}{}, tickMs: 20,
		ledger: &ledger{limits: cfg.Limits, byIP: map[string]*usage{}, peak: map[string]int{},
			refused: map[string]int64{}},
		counts: Stats{Info: map[string]int64{}, Actions: map[string]int64{}},
	}
	for name, d := range cfg.Every {
		if _, known := streams[name]; !known || d < time.Millisecond {
			return nil, fmt.Errorf("sim: cadence of %q: %v", name, d)
		}
		e.tickMs = min(e.tickMs, max(d.Milliseconds()/5, 1))
	}
	e.stopped, e.stop = context.WithCancel(context.Background())
	f, err := parseFaults(cfg.Faults)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	e.faults.Store(f)
	if cfg.Replay != "" {
		r, err := openReplay(cfg.Replay, e.nowMs)
		if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		e.source = r
	} else {
		e.market = newMarket(cfg.Assets, max(cfg.DexAssets, 0), cfg.Seed, cfg.Speed, e.nowMs())
		e.market.clock = e.nowMs
		e.market.freeActions = int64(max(cfg.Limits[overActions], 0))
		e.source = e.market
	}
	e.upgrader.CheckOrigin = func(*fasthttp.RequestCtx) bool { return true }
	e.server = fasthttp.Server{
		Handler: e.handle, Name: "venuesim", MaxRequestBodySize: 1 << 20,
		ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, CloseOnShutdown: true,
		KeepHijackedConns: true, // sockets are closed by this package
		NoDefaultDate:     true, // the date comes from the exchange's clock
		Logger:            logger(cfg.Log),
	}
	if !cfg.Manual {
		e.stepper.Go(e.run)
	}
	return e, nil
}

// every returns the cadence of a subscription, ms.
func (e *Exchange) every(sub *subscription) int64 {
	name := sub.Type
	if name == "l2Book" && sub.Fast {
		name = fastBooks
	}
	return cmp.Or(e.cfg.Every[name].Milliseconds(), streams[name].everyMs)
}

// logger is a fasthttp.Logger. fasthttp logs connections that clients have broken off.
type logger func(format string, args ...any)

func (l logger) Printf(format string, args ...any) { l(format, args...) }

func (e *Exchange) nowMs() int64 { return e.cfg.Now().UnixMilli() }

// Serve serves a listener until Shutdown, after which it returns nil.
func (e *Exchange) Serve(ln net.Listener) error {
	err := e.server.Serve(ln)
	if e.stopped.Err() != nil {
		return nil
	}
	return err
}

// run steps the market until shutdown.
func (e *Exchange) run() {
	tick := time.NewTicker(time.Duration(e.tickMs) * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-e.stopped.Done():
			return
		case <-tick.C:
			e.step(false)
		}
	}
}

// step moves the market to the clock's time, if that is due or forced, and sends the pushes that are
// due. It recovers panics.
func (e *Exchange) step(force bool) {
	defer e.recovered("step")
	e.stepMu.Lock()
	defer e.stepMu.Unlock()
	now := e.nowMs()
	if due := now-e.moved >= moveMs-e.tickMs/2; e.market != nil && (force || due) {
		e.moved = now
		e.market.step(now)
	}
	e.publish(now)
}

// SetFaults replaces the active faults; the empty string ends all.
func (e *Exchange) SetFaults(text string) error {
	f, err := parseFaults(text)
	if err != nil {
		return err
	}
	e.faults.Store(f)
	if f.on("down", "") {
		e.closeOverdue(f, e.nowMs())
	}
	return nil
}

// Faults returns the active faults in the form that SetFaults accepts.
func (e *Exchange) Faults() string { return e.faults.Load().text }

// pause waits for d; it returns false when the exchange shuts down first.
func (e *Exchange) pause(d time.Duration) bool {
	select {
	case <-e.stopped.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Shutdown stops stepping, closes all sockets (1001) and the listener, and returns when all goroutines
// have ended. Sockets still open when ctx ends are closed at once, and ctx's error is returned.
func (e *Exchange) Shutdown(ctx context.Context) error {
	e.stop()
	conns := e.open()
	for _, c := range conns {
		c.close(websocket.CloseGoingAway)
	}
	defer context.AfterFunc(ctx, func() {
		for _, c := range conns {
			c.drop()
		}
	})()
	err := e.server.ShutdownWithContext(ctx)
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	e.stepper.Wait()
	e.running.Wait()
	return errors.Join(err, ctx.Err())
}
