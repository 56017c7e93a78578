package relay

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
)

// BaseURL is what an adapter that dials a Local is configured with.
const BaseURL = "http://relay"

// LocalConfig configures a Local.
type LocalConfig struct {
	// NATS is the connection that replicas and holder share. It is not closed.
	NATS *nats.Conn
	// Subject is the root of all subjects; it must name the venue.
	Subject string
	// Replica is this replica's id, unlike all others'.
	Replica string
	// Logger; nil: slog.Default().
	Logger *slog.Logger
	// BeatLimit is how long the holder may be silent, or what it says be under way (3 s).
	BeatLimit time.Duration
	// Pending bounds the messages that wait here (16,384) and PendingBytes their size
	// (64 MB). More are dropped by the client library, which shows as a gap.
	Pending, PendingBytes int
}

func (c LocalConfig) withDefaults() LocalConfig {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.BeatLimit <= 0 {
		c.BeatLimit = 3 * time.Second
	}
	if c.Pending <= 0 {
		c.Pending = 16384
	}
	if c.PendingBytes <= 0 {
		c.PendingBytes = 64 << 20
	}
	return c
}

// Times of a Local.
const (
	watchEvery = 100 * time.Millisecond
	// forgetAfter is how long after its last beat an epoch stops barring lower ones: the
	// lease's store may have begun to count anew. A holder that was frozen for so long
	// stops by itself when it wakes.
	forgetAfter = 15 * time.Second
	// holdUpgrade is how long a handshake waits for a holder with a line to the venue. The
	// adapter gives up after 5 s.
	holdUpgrade = 4 * time.Second
	// nudgeEvery is the least time between two requests of a virtual socket for a pong.
	nudgeEvery = 200 * time.Millisecond
)

// Local is the venue to one adapter: give it BaseURL and Dial. Create it with NewLocal.
type Local struct {
	cfg      LocalConfig
	subjects subjects
	log      *slog.Logger
	pipe     *pipe
	asks     asks

	mu        sync.Mutex
	term      *tenure // of the highest epoch; nil: nobody heard
	sockets   map[*socket]struct{}
	listeners map[string][]*listening // by stream id
	nextID    int                     // of a socket
	turned    chan struct{}           // closed and replaced when readiness may have changed
	closed    bool

	changed chan struct{} // one token: what is wanted has changed
	life    context.Context
	end     context.CancelFunc
	ran     atomic.Bool
	serving sync.WaitGroup // sockets

	stats localCounters
}

// tenure is what a Local knows of the present holder. Guarded by Local.mu.
type tenure struct {
	epoch  uint64
	holder string
	seq    uint64              // of the last message; 0: none
	since  marketcache.Instant // when it was first heard
	beatAt marketcache.Instant // the newest beat, dated back by its time on the bus; 0: none
	dark   bool                // no beat for BeatLimit
	lines  map[int64]marketcache.Instant
	offset offset
	over   chan struct{} // closed when questions to it are pointless
}

type localCounters struct {
	messages, stale, lost, cuts, overflows atomic.Int64
	turns, asks, askFailures, pings, pongs atomic.Int64
	panics, delayNs                        atomic.Int64
}

// LocalStats are counters from the start, and the present state.
type LocalStats struct {
	Messages    int64 // taken in from the bus
	Stale       int64 // dropped because of a lower epoch
	Lost        int64 // gaps in the sequence
	Cuts        int64 // times that all virtual sockets were closed
	Overflows   int64 // virtual sockets closed because the adapter did not read
	Turns       int64 // changes of holder
	Asks        int64 // questions
	AskFailures int64 // of those, without an answer of the holder
	Pings       int64 // of the adapter
	Pongs       int64 // of those, answered
	Panics      int64 // recovered

	Epoch    uint64        // followed
	Holder   string        // its replica
	Ready    bool          // there is a holder with a line to the venue
	Sockets  int           // virtual ones, open
	Streams  int           // subscribed on them
	BusDelay time.Duration // of the newest message
}

// NewLocal returns a Local; nothing runs before Run.
func NewLocal(cfg LocalConfig) *Local {
	cfg = cfg.withDefaults()
	l := &Local{
		cfg: cfg, subjects: subjects(cfg.Subject), log: cfg.Logger.With("relay", "local"), pipe: newPipe(),
		sockets: map[*socket]struct{}{}, listeners: map[string][]*listening{},
		turned: make(chan struct{}), changed: make(chan struct{}, 1),
	}
	l.asks.waiting = map[string]chan *nats.Msg{}
	l.life, l.end = context.WithCancel(context.Background())
	return l
}

// Dial connects an adapter, whatever address it names.
func (l *Local) Dial(ctx context.Context, _, _ string) (net.Conn, error) { return l.pipe.dial(ctx) }

// Run serves until ctx ends and returns when every goroutine has. A Local runs once.
func (l *Local) Run(ctx context.Context) error {
	if l.ran.Swap(true) {
		panic("BUG: a relay.Local runs once")
	}
	stop := context.AfterFunc(ctx, l.end)
	defer stop()
	defer l.end()
	defer l.pipe.Close()
	down, err := l.cfg.NATS.SubscribeSync(l.subjects.allDown())
	if err != nil {
		return fmt.Errorf("relay: %w", err)
	}
	defer down.Unsubscribe()
	if err := down.SetPendingLimits(l.cfg.Pending, l.cfg.PendingBytes); err != nil {
		return fmt.Errorf("relay: %w", err)
	}
	replies, err := l.cfg.NATS.SubscribeSync(l.asks.open(l.cfg.NATS))
	if err != nil {
		return fmt.Errorf("relay: %w", err)
	}
	defer replies.Unsubscribe()
	if err := replies.SetPendingLimits(l.cfg.Pending, 4*l.cfg.PendingBytes); err != nil {
		return fmt.Errorf("relay: %w", err)
	}

	var wg sync.WaitGroup
	start := func(name string, fn func(context.Context)) {
		wg.Go(func() { supervise(l.life, l.log, &l.stats.panics, name, fn) })
	}
	start("bus", func(ctx context.Context) { l.listen(ctx, down) })
	start("answers", func(ctx context.Context) { receive(ctx, replies, l.asks.take) })
	start("wants", l.tell)
	start("watch", l.watch)
	server := l.server()
	wg.Go(func() { server.Serve(l.pipe) }) // recovers the panics of its handlers
	<-l.life.Done()
	l.mu.Lock()
	l.closed = true
	l.cut("shutting down")
	l.mu.Unlock()
	server.Close()
	l.serving.Wait()
	wg.Wait()
	return ctx.Err()
}

func (l *Local) server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /info", l.serveInfo)
	mux.HandleFunc("GET /ws", l.serveSocket)
	return &http.Server{
		Handler:     mux,
		ErrorLog:    slog.NewLogLogger(l.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return l.life },
		IdleTimeout: 2 * time.Minute,
	}
}

// listen takes in all that the holder says, in its order.
func (l *Local) listen(ctx context.Context, sub *nats.Subscription) {
	receive(ctx, sub, l.take)
}

// receive hands on what comes on a subscription. That messages were dropped because they
// were not taken in time shows in their sequence.
func receive(ctx context.Context, sub *nats.Subscription, take func(*nats.Msg)) {
	for {
		m, err := sub.NextMsgWithContext(ctx)
		switch {
		case err == nil:
			take(m)
		case ctx.Err() != nil || !sub.IsValid():
			return
		}
	}
}

// take takes in one message of a holder.
func (l *Local) take(m *nats.Msg) {
	arrival := marketcache.Now()
	epoch, kind, id, ok := l.subjects.read(m.Subject)
	s, stamped := readStamp(header(m, headerStamp))
	if !ok || !stamped {
		return
	}
	l.mu.Lock()
	nudges := l.takeLocked(epoch, kind, id, s, m.Data, arrival)
	l.mu.Unlock()
	for _, lines := range nudges {
		l.nudge(epoch, lines)
	}
}

// takeLocked does the work of take. It returns the lines whose pongs somebody waits for.
func (l *Local) takeLocked(epoch uint64, kind, id string, s stamp, data []byte, arrival marketcache.Instant) (nudges [][]byte) {
	if l.closed {
		return nil
	}
	if l.term == nil || epoch > l.term.epoch {
		l.turn(epoch)
	}
	t := l.term
	if epoch < t.epoch {
		l.stats.stale.Add(1)
		return nil
	}
	l.stats.messages.Add(1)
	was, answered := l.ready(), t.answers()
	if t.seq != 0 && s.seq != t.seq+1 {
		l.stats.lost.Add(1)
		l.cut("messages were lost")
	}
	t.seq = s.seq
	var under time.Duration
	if low, known := t.offset.low(arrival); known {
		under = max(0, arrival.Sub(s.at.Add(low)))
		l.stats.delayNs.Store(int64(under))
	}
	switch kind {
	case kindBeat:
		nudges = l.takeBeat(t, data, arrival.Add(-under))
	case kindData:
		l.takeData(t, id, s, data, arrival.Add(-under))
	case kindError:
		for sock := range l.sockets { // the adapter reads it for all its sockets
			sock.deliver(data, 0)
			break
		}
	}
	if !was && l.ready() || !answered && t.answers() {
		l.announce()
	}
	return nudges
}

// answers reports whether there is somebody to ask.
func (t *tenure) answers() bool { return t != nil && !t.dark && t.beatAt != 0 }

// turn follows another holder. Called with the lock held, as all below.
func (l *Local) turn(epoch uint64) {
	if l.term != nil {
		l.finish(l.term)
	}
	l.term = &tenure{epoch: epoch, since: marketcache.Now(), lines: map[int64]marketcache.Instant{}, over: make(chan struct{})}
	l.stats.turns.Add(1)
	l.cut("another replica holds the lease")
	poke(l.changed)
}

// finish gives up the questions to a holder.
func (l *Local) finish(t *tenure) {
	select {
	case <-t.over:
	default:
		close(t.over)
	}
}

// announce wakes those who wait for readiness.
func (l *Local) announce() {
	close(l.turned)
	l.turned = make(chan struct{})
}

// poke puts a token into a channel of one.
func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// cut closes all virtual sockets: nothing that was said on them may be confirmed.
func (l *Local) cut(why string) {
	if len(l.sockets) == 0 {
		return
	}
	l.stats.cuts.Add(1)
	l.log.Warn("virtual sockets closed", "sockets", len(l.sockets), "why", why)
	for s := range l.sockets {
		l.drop(s)
	}
}

// drop closes a virtual socket and forgets it.
func (l *Local) drop(s *socket) {
	s.close()
	for id := range s.subs {
		l.unsubscribe(s, id)
	}
	delete(l.sockets, s)
	poke(l.changed)
}

// ready reports whether what a virtual socket would say can be trusted.
func (l *Local) ready() bool {
	t := l.term
	if !t.answers() || len(t.lines) == 0 || l.closed {
		return false
	}
	_, known := t.offset.low(marketcache.Now())
	return known
}

// takeBeat takes in a sign of life and answers the pings that it proves. It returns the
// lines behind those that it does not.
func (l *Local) takeBeat(t *tenure, data []byte, at marketcache.Instant) (nudges [][]byte) {
	var b beat
	if readJSON(data, &b) != nil {
		return nil
	}
	t.holder = b.Holder
	t.beatAt = max(t.beatAt, at)
	if t.dark && marketcache.Now().Sub(t.beatAt) <= l.cfg.BeatLimit {
		t.dark = false
		t.over = make(chan struct{})
	}
	lines := make(map[int64]marketcache.Instant, len(b.Lines))
	for _, line := range b.Lines {
		lines[line.ID] = line.Proven
	}
	broken := false
	for id := range t.lines {
		_, up := lines[id]
		broken = broken || !up
	}
	t.lines = lines
	if broken {
		for s := range l.sockets {
			if s.dependsOnLost(lines) {
				l.drop(s)
			}
		}
		if len(lines) == 0 {
			l.cut("the holder has lost the venue")
		}
	}
	if _, known := t.offset.low(marketcache.Now()); !known {
		poke(l.changed) // a want reads the holder's clock
	}
	for s := range l.sockets {
		if lines := l.answerPings(s); lines != nil {
			nudges = append(nudges, lines)
		}
	}
	return nudges
}

// takeData hands a message to the virtual sockets that listen to its stream.
func (l *Local) takeData(t *tenure, id string, s stamp, data []byte, born marketcache.Instant) {
	if _, up := t.lines[s.line]; !up {
		return // a beat comes before the first message of a line, and after its last
	}
	for _, sub := range l.listeners[id] {
		if s.again && !sub.first {
			continue
		}
		sub.first = false
		sub.line = s.line
		sub.socket.deliver(data, born)
	}
}

// answerPings answers the pings of a virtual socket that every line behind it has proven.
// Where one is left, it returns the lines to ask for a proof, unless that was done a moment
// ago.
func (l *Local) answerPings(s *socket) (nudge []byte) {
	if len(s.pings) == 0 || !l.ready() {
		return nil
	}
	now := marketcache.Now()
	low, _ := l.term.offset.low(now)
	for len(s.pings) > 0 {
		for _, sub := range s.subs {
			if sub.line == 0 { // it has said nothing on this socket that could be confirmed
				continue
			}
			if proven := l.term.lines[sub.line]; proven != 0 && proven.Add(low) >= s.pings[0] {
				continue
			}
			if now.Sub(s.nudged) < nudgeEvery {
				return nil
			}
			s.nudged = now
			return s.lines()
		}
		s.pings = s.pings[1:]
		l.stats.pongs.Add(1)
		s.deliver(pong, 0)
	}
	return nil
}

// nudge asks the holder for a pong on lines. Lost, it costs the time until the holder's own
// next ping.
func (l *Local) nudge(epoch uint64, lines []byte) {
	_ = l.cfg.NATS.Publish(l.subjects.up(epoch, kindPing), lines)
}

// watch finds a holder that has fallen silent.
func (l *Local) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		if t := l.term; t != nil {
			silent := marketcache.Now().Sub(max(t.since, t.beatAt))
			if !t.dark && silent > l.cfg.BeatLimit {
				t.dark = true
				l.log.Warn("no sign of life from the replica that holds the lease", "holder", t.holder, "epoch", t.epoch)
				l.finish(t)
				l.cut("the holder is silent")
			}
			if t.dark && silent > forgetAfter {
				l.term = nil
			}
		}
		l.mu.Unlock()
	}
}

// awaitReady waits until there is a holder with a line to the venue.
func (l *Local) awaitReady(ctx context.Context) bool {
	t := time.NewTimer(holdUpgrade)
	defer t.Stop()
	for {
		l.mu.Lock()
		ready, turned := l.ready(), l.turned
		l.mu.Unlock()
		if ready {
			return true
		}
		select {
		case <-turned:
		case <-t.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// Stats returns the counters.
func (l *Local) Stats() LocalStats {
	c := &l.stats
	s := LocalStats{
		Messages: c.messages.Load(), Stale: c.stale.Load(), Lost: c.lost.Load(), Cuts: c.cuts.Load(),
		Overflows: c.overflows.Load(), Turns: c.turns.Load(), Asks: c.asks.Load(), AskFailures: c.askFailures.Load(),
		Pings: c.pings.Load(), Pongs: c.pongs.Load(), Panics: c.panics.Load(), BusDelay: time.Duration(c.delayNs.Load()),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.term != nil {
		s.Epoch, s.Holder = l.term.epoch, l.term.holder
	}
	s.Ready, s.Sockets = l.ready(), len(l.sockets)
	for _, subs := range l.listeners {
		s.Streams += len(subs)
	}
	return s
}

// supervise runs fn until ctx ends and starts it again when it panics.
func supervise(ctx context.Context, log *slog.Logger, panics *atomic.Int64, name string, fn func(context.Context)) {
	for pause := 100 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, 10*time.Second) {
		if guard(log, panics, name, func() { fn(ctx) }) {
			return
		}
		sleep(ctx, pause)
	}
}

// guard runs fn and reports whether it returned; a panic is logged and counted.
func guard(log *slog.Logger, panics *atomic.Int64, name string, fn func()) (returned bool) {
	defer func() {
		if r := recover(); r != nil {
			panics.Add(1)
			log.Error("relay panic", "in", name, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	fn()
	return true
}

// sleep waits, or returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
