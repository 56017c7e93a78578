package hyperliquid

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

// Watchdog times. A half-open connection is found by silence alone: idlePing after the
// last frame a ping goes out, pongTimeout later the connection is given up, together
// within 5 s.
const (
	keepTick    = 500 * time.Millisecond
	idlePing    = 1500 * time.Millisecond
	quietPing   = 2500 * time.Millisecond // a stream quieter than this wants a pong
	pingEvery   = 15 * time.Second        // the venue closes after 60 s of silence
	pongTimeout = 2500 * time.Millisecond
	writeLimit  = 3 * time.Second

	bookSilence     = 10 * time.Second // then resubscribe and cross-check
	coarseSilence   = 25 * time.Second // the same for coarse books, which decide no age
	contextsSilence = 4 * time.Second  // of the stream of all contexts
	// trustLate is how late a stream's messages may be for a pong to confirm it.
	trustLate = 5 * time.Second
)

var errHalfOpen = errors.New("no pong: half-open connection")

// keep writes to the connection until it or ctx ends: subscriptions, pings, and the
// watchdog's resubscriptions.
func (s *socket) keep(ctx context.Context, conn *websocket.Conn, ended <-chan error) error {
	tick := time.NewTicker(keepTick)
	defer tick.Stop()
	lastPing := marketcache.Now()
	sent := map[stream]*subscription{}
	for {
		if err := s.subscribe(ctx, conn, sent); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return fmt.Errorf("reader ended: %w", err)
		case <-s.changed:
			continue
		case <-tick.C:
		}
		now := marketcache.Now()
		if ping := marketcache.Instant(s.pingSent.Load()); ping != 0 {
			// A frame may have come after the ping: what counts is the silence since.
			silence := now.Sub(marketcache.Instant(s.lastFrame.Load()))
			if now.Sub(ping) >= pongTimeout && silence >= pongTimeout {
				s.f.stats.halfOpen.Add(1)
				return errHalfOpen
			}
			if now.Sub(ping) >= pingEvery { // frames come but pongs do not: ask again
				s.pingSent.Store(0)
			}
		} else if s.pingDue(now, lastPing) {
			lastPing = now
			s.pingSent.Store(int64(now)) // before it is sent: the pong may be quick
			if err := s.send(ctx, conn, `{"method":"ping"}`); err != nil {
				return err
			}
		}
		if err := s.watch(ctx, conn, now); err != nil {
			return err
		}
	}
}

// pingDue reports whether a ping would tell something: that an idle connection lives,
// or that a quiet stream is quiet and not cut off.
func (s *socket) pingDue(now, last marketcache.Instant) bool {
	if now.Sub(last) >= pingEvery || now.Sub(marketcache.Instant(s.lastFrame.Load())) >= idlePing {
		return true
	}
	if now.Sub(last) < quietPing {
		return false
	}
	for _, sub := range *s.lookup.Load() {
		if now.Sub(marketcache.Instant(sub.lastMessage.Load())) >= quietPing {
			return true
		}
	}
	return false
}

// send writes one frame within the limit of messages a minute.
func (s *socket) send(ctx context.Context, conn *websocket.Conn, text string) error {
	for {
		wait, ok := s.f.sends.take(marketcache.Now(), 0)
		if ok {
			break
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
	conn.SetWriteDeadline(time.Now().Add(writeLimit))
	return conn.WriteMessage(websocket.TextMessage, []byte(text))
}

// subscribe brings the connection to what is wanted; sent is what it carries.
func (s *socket) subscribe(ctx context.Context, conn *websocket.Conn, sent map[stream]*subscription) error {
	s.mu.Lock()
	var add []*subscription
	var drop []stream
	for st, sub := range s.wanted {
		if sent[st] != sub {
			add = append(add, sub)
		}
	}
	for st, sub := range sent {
		if s.wanted[st] != sub {
			drop = append(drop, st)
		}
	}
	s.mu.Unlock()
	for _, st := range drop {
		if err := s.send(ctx, conn, `{"method":"unsubscribe","subscription":`+st.body()+`}`); err != nil {
			return err
		}
		delete(sent, st)
	}
	for _, sub := range add {
		if err := s.send(ctx, conn, `{"method":"subscribe","subscription":`+sub.body()+`}`); err != nil {
			return err
		}
		sub.subscribedAt.Store(int64(marketcache.Now()))
		sent[sub.stream] = sub
	}
	return nil
}

// silence is how long a stream may say nothing before it is renewed and compared with
// REST, and how long pongs may speak for it in between.
func (s stream) silence() time.Duration {
	switch {
	case s.kind == allContextsStream:
		return contextsSilence
	case s.kind == bookStream && s.precision != full:
		return coarseSilence
	}
	return bookSilence
}

// watch resubscribes the streams that have been silent for too long and has their
// books compared with REST: full books first, because the age of a book is theirs.
func (s *socket) watch(ctx context.Context, conn *websocket.Conn, now marketcache.Instant) error {
	if err := s.renew(ctx, conn, now, func(st *stream) bool { return st.precision == full }); err != nil {
		return err
	}
	return s.renew(ctx, conn, now, func(st *stream) bool { return st.precision != full })
}

// renew does the work of watch for the streams that it is told to.
func (s *socket) renew(ctx context.Context, conn *websocket.Conn, now marketcache.Instant, which func(*stream) bool) error {
	for _, sub := range *s.lookup.Load() {
		if !which(&sub.stream) {
			continue
		}
		subscribed := marketcache.Instant(sub.subscribedAt.Load())
		since := max(subscribed, marketcache.Instant(sub.lastMessage.Load()), marketcache.Instant(sub.verified.Load()))
		if subscribed == 0 || now.Sub(since) < sub.silence() {
			continue
		}
		if sub.kind == bookStream {
			s.f.checks.add(sub)
		}
		// Half of the messages a minute are kept for reconnects.
		if _, ok := s.f.sends.take(now, maxMessages/2); !ok {
			continue
		}
		s.f.stats.resubscribes.Add(1)
		sub.subscribedAt.Store(int64(now))
		if err := s.send(ctx, conn, `{"method":"unsubscribe","subscription":`+sub.body()+`}`); err != nil {
			return err
		}
		if err := s.send(ctx, conn, `{"method":"subscribe","subscription":`+sub.body()+`}`); err != nil {
			return err
		}
	}
	return nil
}

// handlePong confirms the quiet streams of the connection. The pong proves that what
// the venue had to say before the ping has arrived: a stream that said nothing has not
// changed, if it is served at all. Of that the proof is a message or an equal REST
// answer within the stream's silence.
func (s *socket) handlePong(now marketcache.Instant) {
	ping := marketcache.Instant(s.pingSent.Swap(0))
	if ping == 0 {
		return
	}
	connected := marketcache.Instant(s.connectedAt.Load())
	for _, sub := range *s.lookup.Load() {
		last := marketcache.Instant(sub.lastMessage.Load())
		late := time.Duration(sub.late.Load())
		served := max(last, marketcache.Instant(sub.verified.Load()))
		if last < connected || last >= ping || ping.Sub(served) > sub.silence() || sub.doubtful.Load() || late > trustLate {
			continue
		}
		at := ping.Add(-late)
		switch sub.kind {
		case bookStream:
			s.f.cells[sub.id].confirm(s.f.cache.Books(sub.id), sub.precision, at)
		case contextStream:
			s.f.cache.Contexts(sub.id).Confirm(at)
		}
	}
}

// checks compares silent books with REST, one question each, within a share of the
// budget: full books before coarse ones, and among equals the one that waited longest.
type checks struct {
	full, coarse chan *subscription
	window       *window
}

// checkShare is the share of the request weight that cross-checks may use;
// checkWeight what one costs; freeChecks how many a minute there are without a budget.
const (
	checkShare  = 0.25
	checkWeight = 2
	freeChecks  = 600
)

func newChecks(budget int) *checks {
	n := freeChecks
	if budget > 0 {
		n = max(1, int(float64(budget)*checkShare)/checkWeight)
	}
	return &checks{
		full: make(chan *subscription, maxSubscriptions), coarse: make(chan *subscription, maxSubscriptions),
		window: newWindow(n),
	}
}

// add queues a book, unless it is queued. A full queue drops it: the watchdog comes
// again.
func (c *checks) add(sub *subscription) {
	if sub.checking.Swap(true) {
		return
	}
	queue := c.full
	if sub.precision != full {
		queue = c.coarse
	}
	select {
	case queue <- sub:
	default:
		sub.checking.Store(false)
	}
}

// next waits for the book to compare next; nil when ctx has ended.
func (c *checks) next(ctx context.Context) *subscription {
	select {
	case sub := <-c.full:
		return sub
	default:
	}
	select {
	case sub := <-c.full:
		return sub
	case sub := <-c.coarse:
		return sub
	case <-ctx.Done():
		return nil
	}
}

// runChecks does the cross-checks.
func (f *Feed) runChecks(ctx context.Context) {
	for {
		sub := f.checks.next(ctx)
		if sub == nil {
			return
		}
		// It may have spoken while it was queued.
		if last := marketcache.Instant(sub.lastMessage.Load()); sub.doubtful.Load() || marketcache.Now().Sub(last) >= bookSilence/2 {
			for {
				wait, ok := f.checks.window.take(marketcache.Now(), 0)
				if ok {
					break
				}
				if sleep(ctx, wait) != nil {
					return
				}
			}
			if err := f.guard("cross-check", func() error { return f.check(ctx, sub) }); err != nil && ctx.Err() == nil {
				f.complain.warn(f.log, "book cross-check failed", "asset", sub.coin, "error", err)
			}
		}
		sub.checking.Store(false)
	}
}

// check compares one book with REST. Equal levels confirm it; other levels of a newer
// time replace it, and mark the stream as cut off.
func (f *Feed) check(ctx context.Context, sub *subscription) error {
	a, err := f.client.ask(ctx, request{
		what: "l2Book " + sub.coin + " " + strconv.Itoa(sigFigs[sub.precision]), body: bookBody(sub.coin, sub.precision),
		priority: forLive, weight: checkWeight, patience: 5 * time.Second,
	})
	if err != nil {
		return err
	}
	var m bookMessage
	sc := scanner{b: a.body}
	if !m.read(&sc) || !sc.end() || string(m.coin) != sub.coin {
		return venueError("not a book of %s: %q", sub.coin, printable(a.body))
	}
	if !m.plausible() {
		f.stats.rejectedBooks.Add(1)
		return venueError("impossible book of %s", sub.coin)
	}
	f.stats.crossChecks.Add(1)
	late := f.clock.lateness(m.timeMs, a.received)
	cell, ring := f.cells[sub.id], f.cache.Books(sub.id)
	same, newer := cell.holds(sub.precision, &m)
	if newer && !same {
		return nil // the stream has spoken since
	}
	if late < trustLate {
		sub.verified.Store(int64(a.received.Add(-late)))
	}
	if same {
		cell.confirm(ring, sub.precision, a.received.Add(-late))
		return nil
	}
	if marketcache.Instant(sub.lastMessage.Load()) < a.sent {
		sub.doubtful.Store(true)
	}
	cell.update(ring, sub.precision, &m, a.received, late, f.clock.at(a.received))
	return nil
}
