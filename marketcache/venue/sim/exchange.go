package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
)

// Config describes an exchange. The zero value works: 64 assets, seed 0, live speed,
// the venue's limits, no budget of request weight, no fault.
type Config struct {
	Seed   uint64
	Assets int     // of the main dex; 64 when 0
	Speed  float64 // of prices against the wall clock; 1 when 0

	// Now is the clock, time.Now when nil. Manual leaves stepping to Exchange.Step:
	// nothing happens between two calls of it.
	Now    func() time.Time
	Manual bool

	// Replay is a folder of recorded payloads to serve instead of the simulated
	// market (see replay.go); ReplayRaw leaves their timestamps as recorded.
	Replay    string
	ReplayRaw bool

	// Faults is the initial fault set, "name[:argument],…" of FaultNames.
	Faults string

	// WeightLimit is the request weight an address may spend a minute, 429 beyond; 0
	// is no limit. The venue has 1,200.
	WeightLimit int
	// MaxSubscriptions, MaxUsers and MaxMessages are the limits of an address (the
	// last of a socket) on subscriptions, distinct users and messages a minute: 1,000,
	// 10 and 2,000 when 0, none when negative.
	MaxSubscriptions, MaxUsers, MaxMessages int

	// Log receives lines about what went wrong; nothing is logged when nil.
	Log func(format string, args ...any)
}

// Exchange is a simulated venue. Create it with New, run it with Serve, end it with
// Shutdown.
type Exchange struct {
	cfg      Config
	now      func() time.Time
	market   *market // nil when replaying
	source   source
	hub      *hub
	faults   atomic.Pointer[faults]
	counters counters
	budget   budget
	server   fasthttp.Server
	upgrader websocket.FastHTTPUpgrader

	stop    context.CancelFunc
	stopped context.Context
	stepper sync.WaitGroup
	stepMu  sync.Mutex
}

// tickMs is how often the market moves and pushes go out.
const tickMs = 500

// Open returns an exchange whose market stands at the present time, or an error when
// the replay folder or the faults cannot be read.
func Open(cfg Config) (*Exchange, error) {
	setDefault(&cfg.Assets, 64)
	setDefault(&cfg.MaxSubscriptions, 1000)
	setDefault(&cfg.MaxUsers, 10)
	setDefault(&cfg.MaxMessages, 2000)
	if cfg.Speed == 0 {
		cfg.Speed = 1
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Assets < 0 || cfg.Speed < 0 {
		return nil, fmt.Errorf("sim: assets %d, speed %v: must not be negative", cfg.Assets, cfg.Speed)
	}
	e := &Exchange{cfg: cfg, now: cfg.Now, hub: newHub()}
	e.stopped, e.stop = context.WithCancel(context.Background())
	f, err := parseFaults(cfg.Faults)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	e.faults.Store(f)
	if cfg.Replay != "" {
		r, err := openReplay(cfg.Replay, cfg.ReplayRaw, e.nowMs)
		if err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		e.source = r
	} else {
		e.market = newMarket(cfg.Assets, cfg.Seed, cfg.Speed, e.nowMs())
		e.market.clock = e.nowMs
		e.source = e.market
	}
	e.upgrader.CheckOrigin = func(*fasthttp.RequestCtx) bool { return true }
	e.server = fasthttp.Server{
		Handler: e.handle, Name: "venuesim", MaxRequestBodySize: 1 << 20,
		ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, CloseOnShutdown: true,
		NoDefaultDate: true, // the date is set from the exchange's own clock
		Logger:        quiet{e},
	}
	if !cfg.Manual {
		e.stepper.Add(1)
		go e.run()
	}
	return e, nil
}

// setDefault replaces 0 by a default and a negative limit by 0, "none".
func setDefault(v *int, def int) {
	switch {
	case *v == 0:
		*v = def
	case *v == -1:
		*v = 0
	}
}

// New is Open for configurations that are known to be good; it panics on an error.
func New(cfg Config) *Exchange {
	e, err := Open(cfg)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return e
}

// quiet passes what fasthttp logs, connections broken off by clients, to Config.Log.
type quiet struct{ e *Exchange }

// Printf implements fasthttp.Logger.
func (q quiet) Printf(format string, args ...any) { q.e.log(format, args...) }

// nowMs is the wall clock in ms.
func (e *Exchange) nowMs() int64 { return e.now().UnixMilli() }

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

// run steps the market twice a second until the exchange is shut down.
func (e *Exchange) run() {
	defer e.stepper.Done()
	tick := time.NewTicker(tickMs * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-e.stopped.Done():
			return
		case <-tick.C:
			e.tick()
		}
	}
}

// tick is one step whose panic does not end the process.
func (e *Exchange) tick() {
	defer e.recovered("step")
	e.Step()
}

// Step moves the market to the clock's time and pushes what is due. The exchange does
// so itself twice a second unless Config.Manual is set.
func (e *Exchange) Step() {
	e.stepMu.Lock()
	defer e.stepMu.Unlock()
	now := e.nowMs()
	if e.market != nil {
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

// Disconnect closes every open socket once, with a close frame when code is not 0.
func (e *Exchange) Disconnect(code int) {
	e.hub.mu.Lock()
	conns := e.hub.list()
	e.hub.mu.Unlock()
	for _, c := range conns {
		if code == 0 {
			c.drop()
		} else {
			c.close(code, "")
		}
	}
}

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
	conns := e.hub.shut()
	for _, c := range conns {
		c.close(websocket.CloseGoingAway, "")
	}
	err := e.server.ShutdownWithContext(ctx)
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	ended := make(chan struct{})
	go func() {
		e.stepper.Wait()
		e.hub.sockets.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
	}
	for _, c := range conns {
		c.drop()
	}
	<-ended
	return errors.Join(err, ctx.Err())
}
