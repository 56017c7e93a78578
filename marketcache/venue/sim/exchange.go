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

	"ballast/marketcache/venue/hyperliquid"
)

// Config describes an exchange. The zero value works: 64 assets and 24 of builder-deployed
// dexes, seed 0, live speed, DefaultLimits, no fault.
type Config struct {
	Seed uint64
	// Assets is the listed assets of the main dex, 64 when 0; DexAssets is that of all
	// builder-deployed dexes, 24 when 0, none when negative. The venue has 234 and 291,
	// 178 and 148 of them live.
	Assets, DexAssets int
	Speed             float64 // of prices against the wall clock; 1 when 0

	// Every replaces how often single streams push, by subscription type; "l2Book fast" is
	// l2Book with "fast".
	Every map[string]time.Duration

	// Now is the clock, time.Now when nil. Manual leaves stepping to the caller of step, a
	// test: nothing happens between two calls of it.
	Now    func() time.Time
	Manual bool

	// Replay is a folder of recorded payloads to serve instead of the simulated
	// market (see replay.go).
	Replay string

	// Faults is the initial fault set, "name[:argument],…", the names as in FaultHelp.
	Faults string

	Limits Limits

	// Log receives lines about what went wrong; nothing is logged when nil.
	Log func(format string, args ...any)
}

// moveMs is how often the market moves.
const moveMs = 200

// Exchange is a simulated venue. Create it with New, run it with Serve, end it with
// Shutdown.
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

	mu     sync.Mutex         // taken before the market's and the ledger's
	conns  map[*conn]struct{} // open sockets
	closed bool
	// running counts sockets that have joined and not ended. It grows under mu and only while
	// closed is false, so that waiting afterwards is safe.
	running sync.WaitGroup

	stop    context.CancelFunc
	stopped context.Context
	stepper sync.WaitGroup
	stepMu  sync.Mutex

	tickMs int64 // how often what is due goes out
	moved  int64 // when the market last moved; guarded by stepMu
}

// Open returns an exchange whose market stands at the present time, or an error when
// the replay folder or the faults cannot be read.
func Open(cfg Config) (*Exchange, error) {
	cfg.Assets = cmp.Or(cfg.Assets, 64)
	cfg.DexAssets = cmp.Or(cfg.DexAssets, len(dexFirst))
	cfg.Speed = cmp.Or(cfg.Speed, 1)
	if cfg.Now == nil {
		cfg.Now = time.Now
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
		cfg: cfg, ledger: newLedger(cfg.Limits), conns: map[*conn]struct{}{}, tickMs: 20, counts: Stats{Info: map[string]int64{}},
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
		e.source = e.market
	}
	e.upgrader.CheckOrigin = func(*fasthttp.RequestCtx) bool { return true }
	e.server = fasthttp.Server{
		Handler: e.handle, Name: "venuesim", MaxRequestBodySize: 1 << 20,
		ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, CloseOnShutdown: true,
		KeepHijackedConns: true, // sockets are closed here
		NoDefaultDate:     true, // the date is set from the exchange's own clock
		Logger:            logger(e.log),
	}
	if !cfg.Manual {
		e.stepper.Go(e.run)
	}
	return e, nil
}

// every is the ms between pushes of a subscription.
func (e *Exchange) every(sub *hyperliquid.Subscription) int64 {
	name := sub.Type
	if name == "l2Book" && sub.Fast {
		name = fastBooks
	}
	if d, has := e.cfg.Every[name]; has {
		return d.Milliseconds()
	}
	return streams[name].everyMs
}

// New is Open for configurations that are known to be good; it panics on an error.
func New(cfg Config) *Exchange {
	e, err := Open(cfg)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return e
}

// logger is a fasthttp.Logger: what that logs are connections broken off by clients.
type logger func(format string, args ...any)

// Printf implements fasthttp.Logger.
func (l logger) Printf(format string, args ...any) { l(format, args...) }

// nowMs is the wall clock in ms.
func (e *Exchange) nowMs() int64 { return e.cfg.Now().UnixMilli() }

func (e *Exchange) log(format string, args ...any) {
	if e.cfg.Log != nil {
		e.cfg.Log(format, args...)
	}
}

// Serve answers on a listener until Shutdown. It returns nil after a shutdown.
func (e *Exchange) Serve(ln net.Listener) error {
	err := e.server.Serve(ln)
	if e.stopped.Err() != nil {
		return nil
	}
	return err
}

// run steps the market until the exchange is shut down.
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

// step moves the market to the clock's time, when that is due or forced, and pushes what is
// due. A panic does not end the process.
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

// SetFaults replaces the active faults; the empty string ends them all.
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

// Faults returns the active faults as SetFaults takes them.
func (e *Exchange) Faults() string { return e.faults.Load().text }

// waitHalfOpen blocks a reader while the fault half-open is on.
func (e *Exchange) waitHalfOpen() {
	for e.faults.Load().on("half-open", "") {
		select {
		case <-e.stopped.Done():
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Shutdown stops stepping, closes all sockets (1001) and the listener, and returns
// when every goroutine of the exchange has ended. Sockets still open when ctx ends are
// cut off, and its error is returned.
func (e *Exchange) Shutdown(ctx context.Context) error {
	e.stop()
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
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
