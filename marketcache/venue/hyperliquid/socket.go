package hyperliquid

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

// socket is one connection to the venue and what is subscribed on it. Two goroutines
// live while it is connected: the reader, which parses and publishes, and the keeper,
// which alone writes: subscriptions, pings, and the watchdog of watchdog.go.
type socket struct {
	f     *Feed
	index int

	mu     sync.Mutex
	wanted map[stream]*subscription
	// lookup is wanted by coin (contexts of all assets: ""), for the reader.
	// Immutable; replaced whole.
	lookup  atomic.Pointer[map[string]*subscription]
	changed chan struct{} // one token: wanted has changed

	up          atomic.Bool
	connectedAt atomic.Int64 // Instant
	lastFrame   atomic.Int64 // Instant of the last frame of any kind
	pingSent    atomic.Int64 // Instant of the ping without a pong yet, 0: none

	// Reader's scratch.
	buf  bytes.Buffer
	book bookMessage
	rows []contextRow
}

// subscription is one stream on a socket. The reader and the keeper share it.
type subscription struct {
	stream
	subscribedAt atomic.Int64 // Instant of the last subscribe on this connection, 0: none
	lastMessage  atomic.Int64 // Instant of the last good message
	late         atomic.Int64 // ns that it was late by
	verified     atomic.Int64 // Instant at which REST last said the same
	// doubtful is set when the last message was refused, or when REST was ahead of the
	// stream; pongs then prove nothing. The next good message clears it.
	doubtful atomic.Bool
	checking atomic.Bool // a cross-check is queued
}

func newSocket(f *Feed, index int) *socket {
	s := &socket{f: f, index: index, wanted: map[stream]*subscription{}, changed: make(chan struct{}, 1)}
	s.lookup.Store(&map[string]*subscription{})
	return s
}

// want replaces the streams of the socket.
func (s *socket) want(streams []stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := make(map[stream]*subscription, len(streams))
	lookup := make(map[string]*subscription, len(streams))
	for _, st := range streams {
		sub := s.wanted[st]
		if sub == nil {
			sub = &subscription{stream: st}
		}
		wanted[st] = sub
		lookup[st.coin] = sub
	}
	s.wanted = wanted
	s.lookup.Store(&lookup)
	signal(s.changed)
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// subscriptions returns what is wanted now.
func (s *socket) subscriptions() []*subscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	subs := make([]*subscription, 0, len(s.wanted))
	for _, sub := range s.wanted {
		subs = append(subs, sub)
	}
	return subs
}

// run keeps the socket connected until ctx ends.
func (s *socket) run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		if len(s.subscriptions()) == 0 { // nothing to connect for
			select {
			case <-s.changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		pilot, err := s.f.gate.enter(ctx, failures)
		if err != nil {
			return
		}
		conn, err := s.dial(ctx)
		if err == nil {
			began := marketcache.Now()
			err = s.session(ctx, conn, pilot)
			pilot = false
			s.f.stats.reconnects.Add(1)
			if marketcache.Now().Sub(began) >= settledAfter {
				failures = 0
			}
		}
		failures++
		if ctx.Err() == nil {
			s.f.complain.warn(s.f.log, "venue socket lost", "socket", s.index, "error", err, "failures", failures)
		}
		s.rest(ctx, backoff(failures, pilot))
		if pilot {
			s.f.gate.leavePilot()
		}
	}
}

// rest waits before the next try, unless the venue shows a sign of life first.
func (s *socket) rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-s.f.gate.rising():
	case <-s.f.breaker.recovered():
	}
}

func (s *socket) dial(ctx context.Context) (*websocket.Conn, error) {
	d := websocket.Dialer{
		NetDialContext:   s.f.dial,
		HandshakeTimeout: connectTimeout,
		ReadBufferSize:   16 << 10,
		WriteBufferSize:  4 << 10,
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, res, err := d.DialContext(ctx, s.f.socketURL, http.Header{})
	if res != nil && res.Body != nil {
		res.Body.Close()
	}
	return conn, err
}

// maxFrame bounds a message; all contexts of all dexes take about 100 KB.
const maxFrame = 8 << 20

// session runs one connection to its end. Nothing of it is left when it returns, not
// even after a panic: the next one uses the same scratch. A pilot hands its token on as
// soon as it counts as connected.
func (s *socket) session(ctx context.Context, conn *websocket.Conn, pilot bool) error {
	conn.SetReadLimit(maxFrame)
	now := marketcache.Now()
	s.connectedAt.Store(int64(now))
	s.lastFrame.Store(int64(now))
	s.pingSent.Store(0)
	for _, sub := range s.subscriptions() {
		sub.subscribedAt.Store(0)
	}
	s.f.gate.opened()
	if pilot {
		s.f.gate.leavePilot()
	}
	s.up.Store(true)
	ended := make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { ended <- s.f.guard("reader", func() error { return s.read(conn) }) })
	err := s.f.guard("keeper", func() error { return s.keep(ctx, conn, ended) })
	s.up.Store(false)
	s.f.gate.closed()
	if ctx.Err() != nil {
		conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(100*time.Millisecond))
	}
	conn.Close()
	reader.Wait()
	return err
}

// read reads messages until the connection ends.
func (s *socket) read(conn *websocket.Conn) error {
	for {
		asked := marketcache.Now()
		kind, r, err := conn.NextReader()
		if err != nil {
			return err
		}
		// The arrival is that of the first bytes: a message that trickles in is old.
		arrival := marketcache.Now()
		waited := arrival.Sub(asked) > quietTime
		s.buf.Reset()
		if _, err := s.buf.ReadFrom(r); err != nil {
			return err
		}
		s.lastFrame.Store(int64(arrival))
		s.f.cache.MessageReceived(arrival)
		s.f.stats.messages.Add(1)
		if kind != websocket.TextMessage {
			s.f.stats.parseErrors.Add(1)
			continue
		}
		s.takeTurn(s.buf.Bytes(), arrival, waited)
	}
}

// takeTurn takes in one message when it is the socket's turn. A reader that has waited for it
// for long waited for the network and not for the processor.
func (s *socket) takeTurn(b []byte, arrival marketcache.Instant, waited bool) {
	place := <-s.f.turns
	if waited {
		place.since = max(place.since, arrival)
	}
	defer s.f.turns.give(place)
	s.handle(b, arrival)
}

// handle takes in one message that arrived at an Instant.
func (s *socket) handle(b []byte, arrival marketcache.Instant) {
	if data, ok := frameAsPrinted(b, "l2Book"); ok && s.book.readAll(data) {
		s.takeBook(&s.book, arrival)
		return
	}
	if data, ok := frameAsPrinted(b, "allDexsAssetCtxs"); ok {
		if rows, found, ok := readAllDexs(data, s.rows); ok {
			s.takeAllContexts(rows, found, arrival)
			return
		}
	}
	f, ok := readFrame(b)
	if !ok {
		if string(b) != Greeting {
			s.f.stats.parseErrors.Add(1)
		}
		return
	}
	switch string(f.channel) {
	case "l2Book":
		s.handleBook(f.data, arrival)
	case "allDexsAssetCtxs":
		s.handleAllContexts(f.data, arrival)
	case "activeAssetCtx":
		s.handleContext(f.data, arrival)
	case ChannelPong:
		s.handlePong(arrival)
	case ChannelError:
		s.handleError(f.data)
	}
}

func (s *socket) handleBook(data []byte, arrival marketcache.Instant) {
	m := &s.book
	if !m.readAll(data) {
		s.f.stats.parseErrors.Add(1)
		// Whose book it was to be is known when the coin came through; the stream then
		// must not be confirmed by pongs.
		if sub := (*s.lookup.Load())[string(m.coin)]; sub != nil {
			sub.doubtful.Store(true)
		}
		return
	}
	s.takeBook(m, arrival)
}

// takeBook takes in a book that has been read.
func (s *socket) takeBook(m *bookMessage, arrival marketcache.Instant) {
	sub := (*s.lookup.Load())[string(m.coin)]
	if sub == nil || sub.kind != bookStream {
		s.f.stats.rejectedBooks.Add(1) // unsubscribed a moment ago, or a wrong coin
		return
	}
	if !m.plausible() {
		s.f.stats.rejectedBooks.Add(1)
		sub.doubtful.Store(true)
		return
	}
	if sub.precision == full {
		s.f.clock.readBook(m.timeMs, arrival)
	}
	late := s.f.clock.lateness(m.timeMs, arrival)
	if s.f.cells[sub.id].update(s.f.cache.Books(sub.id), sub.precision, m, arrival, late, s.f.clock.at(arrival)) == outdated {
		s.f.stats.rejectedBooks.Add(1)
		sub.doubtful.Store(true)
		return
	}
	sub.received(arrival, late)
}

func (sub *subscription) received(at marketcache.Instant, late time.Duration) {
	sub.late.Store(int64(late))
	sub.doubtful.Store(false)
	sub.lastMessage.Store(int64(at))
}

func (s *socket) handleAllContexts(data []byte, arrival marketcache.Instant) {
	rows, found, ok := readAllDexs(data, s.rows)
	if !ok {
		s.f.stats.parseErrors.Add(1)
		return
	}
	s.takeAllContexts(rows, found, arrival)
}

// takeAllContexts takes in the contexts of the main dex, if they are found.
func (s *socket) takeAllContexts(rows []contextRow, found bool, arrival marketcache.Instant) {
	s.rows = rows
	if !found || !s.f.publishContexts(rows, arrival, 0) {
		s.f.stats.rejectedContexts.Add(1)
		return
	}
	if sub := (*s.lookup.Load())[""]; sub != nil {
		sub.received(arrival, 0)
	}
}

func (s *socket) handleContext(data []byte, arrival marketcache.Instant) {
	var row contextRow
	coin, ok := readCoinContext(data, &row)
	if !ok {
		s.f.stats.parseErrors.Add(1)
		return
	}
	sub := (*s.lookup.Load())[string(coin)]
	if sub == nil || sub.kind != contextStream {
		return
	}
	if !row.ok {
		s.f.stats.rejectedContexts.Add(1)
		sub.doubtful.Store(true)
		return
	}
	s.f.publishContext(sub.id, &row, arrival, 0)
	sub.received(arrival, 0)
}

// handleError takes in an error frame. It does not say which subscription it is about
// but in its text; a stream that is not served is found by its silence.
func (s *socket) handleError(data []byte) {
	s.f.stats.errorFrames.Add(1)
	text := string(data[:min(len(data), 1024)])
	switch {
	case strings.Contains(text, "lready"): // "Already subscribed": harmless
	case strings.Contains(text, "allDexsAssetCtxs"):
		s.f.feedModes.refusedAll.Store(true)
	case strings.Contains(text, "activeAssetCtx"):
		s.f.feedModes.refusedEach.Store(true)
	}
	s.f.complain.warn(s.f.log, "venue socket error", "socket", s.index, "text", printable(data))
}
