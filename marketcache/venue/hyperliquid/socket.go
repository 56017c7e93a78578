package hyperliquid

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// socket is one connection to the venue and its subscriptions. Two goroutines run while it is
// connected: the reader parses and publishes; the keeper does all writing, of subscriptions and pings
// (watchdog.go).
type socket struct {
	f     *Feed
	index int

	mu      sync.Mutex
	wanted  map[stream]*subscription
	routes  atomic.Pointer[routes] // the wanted streams, for the reader
	changed chan struct{}          // one token: the wanted streams have changed

	connectedAt atomic.Int64 // Instant
	heartbeat   feed.Heartbeat

	// Scratch of the reader.
	buf    bytes.Buffer
	book   bookMessage
	rows   []contextRow
	lists  []dexRows // of rows
	packed inflater
	// late is the lateness of the newest book, assumed also for messages without a venue time.
	late   time.Duration
	lateAt marketcache.Instant
}

// routes maps messages of a connection to subscriptions. Immutable; replaced as a whole.
type routes struct {
	books           map[string]*[precisions]*subscription // by coin
	marks, contexts *subscription                         // nil: not on this connection
	all             []*subscription
}

// subscription is one stream on a socket, shared by reader and keeper.
type subscription = feed.Subscription[stream]

func newSocket(f *Feed, index int) *socket {
	s := &socket{f: f, index: index, wanted: map[stream]*subscription{}, changed: make(chan struct{}, 1)}
	s.routes.Store(&routes{})
	return s
}

// want replaces the streams of the socket.
func (s *socket) want(streams []stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := make(map[stream]*subscription, len(streams))
	r := &routes{books: make(map[string]*[precisions]*subscription, len(streams))}
	for _, st := range streams {
		sub := s.wanted[st]
		if sub == nil {
			sub = &subscription{Stream: st}
		}
		wanted[st] = sub
		r.all = append(r.all, sub)
		switch st.kind {
		case marksStream:
			r.marks = sub
		case contextsStream:
			r.contexts = sub
		default:
			of := r.books[st.coin]
			if of == nil {
				of = &[precisions]*subscription{}
				r.books[st.coin] = of
			}
			of[st.precision] = sub
		}
	}
	s.wanted = wanted
	s.routes.Store(r)
	marketcache.Signal(s.changed)
}

// run keeps the socket connected until ctx ends.
func (s *socket) run(ctx context.Context) {
	var retry redialer
	for ctx.Err() == nil {
		if len(s.routes.Load().all) == 0 { // no streams, no connection
			select {
			case <-s.changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := retry.dial(ctx, s.f, s.session)
		if ctx.Err() == nil {
			s.f.cache.Venue.Failed("socket: " + cause(err))
			s.f.supervisor.Warn("venue socket lost", "socket", s.index, "error", err, "failures", retry.failures)
		}
		retry.pause(ctx, s.f)
	}
}

// redialer spaces the attempts of one socket to connect.
type redialer struct {
	failures int // in a row, while other sockets worked
	prober   bool
}

// dial connects within the limit and runs the session to its end. A prober (feed.DialLimiter) is released as soon
// as it is connected.
func (r *redialer) dial(
	ctx context.Context, f *Feed, session func(context.Context, *websocket.Conn) error,
) (err error) {
	if r.prober, err = f.dials.Acquire(ctx); err != nil {
		return err
	}
	conn, err := f.dialSocket(ctx)
	if err == nil {
		began := marketcache.Now()
		if r.prober {
			f.dials.ReleaseProber()
			r.prober = false
		}
		err = session(ctx, conn)
		f.cache.Venue.Reconnects.Add(1)
		if marketcache.Now().Sub(began) >= feed.SettledAfter {
			r.failures = 0
		}
	}
	if r.failures++; !f.dials.Alive() { // the venue is silent: the prober sets the pace
		r.failures = 1
	}
	return err
}

// pause waits before the next attempt; a sign that the venue is back ends the wait.
func (r *redialer) pause(ctx context.Context, f *Feed) {
	wait := feed.Backoff(r.failures)
	if r.prober { // the dial limiter sets a prober's pace
		wait = feed.BackoffMin
		defer f.dials.ReleaseProber()
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
	case <-f.dials.Back():
	case <-f.queue.Recovered():
	}
}

// dialSocket opens a connection to the venue's socket.
func (f *Feed) dialSocket(ctx context.Context) (*websocket.Conn, error) {
	d := websocket.Dialer{
		NetDialContext:   f.cfg.Dial,
		HandshakeTimeout: feed.ConnectTimeout,
		ReadBufferSize:   16 << 10,
		WriteBufferSize:  4 << 10,
	}
	ctx, cancel := context.WithTimeout(ctx, feed.ConnectTimeout)
	defer cancel()
	r, err := http.NewRequest(http.MethodGet, "ws"+strings.TrimPrefix(f.cfg.BaseURL, "http")+"/ws", nil)
	if err != nil {
		return nil, err
	}
	if user := r.URL.User; user != nil { // the dialer wants them in the header
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
		r.URL.User = nil
	}
	conn, res, err := d.DialContext(ctx, r.URL.String(), r.Header)
	if res != nil && res.Body != nil {
		res.Body.Close()
	}
	return conn, err
}

// maxFrame is the maximum size of a message, bytes; the contexts of all dexes take about 120 KB.
const maxFrame = 8 << 20

// session runs one connection to its end.
func (s *socket) session(ctx context.Context, conn *websocket.Conn) error {
	s.f.dials.Opened()
	defer s.f.dials.Closed()
	now := marketcache.Now()
	s.connectedAt.Store(int64(now))
	s.heartbeat.Start(now)
	s.late, s.lateAt = 0, 0
	k := keeper{s: s, conn: conn, sent: map[stream]*subscription{}}
	err := s.f.supervisor.Guard("keeper", func() error {
		return s.f.converse(ctx, conn, &s.heartbeat, s.changed, s.read, func(now marketcache.Instant) error {
			if err := k.subscribe(now); err != nil {
				return err
			}
			return k.watch(now)
		})
	})
	if ctx.Err() == nil {
		s.f.suspects.Lost(k.sent, marketcache.Now())
	}
	return err
}

// converse runs a connection to its end: read in a goroutine of its own, pings, and write at each tick and change. It
// cleans up completely, also after a panic, because the next connection uses the same scratch.
func (f *Feed) converse(ctx context.Context, conn *websocket.Conn, h *feed.Heartbeat, changed <-chan struct{},
	read func(*websocket.Conn) error, write func(marketcache.Instant) error) error {
	conn.SetReadLimit(maxFrame)
	ended := make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { ended <- f.supervisor.Guard("reader", func() error { return read(conn) }) })
	defer reader.Wait()
	defer conn.Close()
	tick := time.NewTicker(keepTick)
	defer tick.Stop()
	for {
		now := marketcache.Now()
		if err := f.ping(h, conn, now); err != nil {
			return err
		}
		if err := write(now); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""),
				time.Now().Add(100*time.Millisecond))
			return ctx.Err()
		case err := <-ended:
			return fmt.Errorf("reader ended: %w", err)
		case <-changed:
		case <-tick.C:
		}
	}
}

// read reads messages until the connection ends.
func (s *socket) read(conn *websocket.Conn) error {
	for {
		kind, r, err := conn.NextReader()
		if err != nil {
			return err
		}
		// The time of the first bytes: a message that trickles in is old.
		arrival := marketcache.Now()
		s.buf.Reset()
		if _, err := s.buf.ReadFrom(r); err != nil {
			return err
		}
		s.heartbeat.Frame(arrival)
		if s.f.dials.Received(arrival) {
			s.f.queue.Retry()
		}
		s.f.stats.messages.Add(1)
		if kind != websocket.TextMessage {
			s.f.stats.parseErrors.Add(1)
			continue
		}
		s.handle(s.buf.Bytes(), arrival)
	}
}

// handle handles one message.
func (s *socket) handle(b []byte, arrival marketcache.Instant) {
	channel, data, ok := parseFrame(b, &s.book)
	if !ok {
		if string(b) != Greeting {
			s.f.stats.parseErrors.Add(1)
		}
		return
	}
	switch string(channel) {
	case "l2Book":
		s.handleBook(&s.book, arrival)
	case "fastAssetCtxs":
		s.handleMarks(data, arrival)
	case "allDexsAssetCtxs":
		s.handleContexts(data, arrival)
	case "subscriptionResponse":
		s.handleAcknowledgement(data)
	case ChannelPong:
		s.heartbeat.Pong()
	case ChannelError:
		s.handleError(data)
	}
}

// handleBook applies a parsed book.
func (s *socket) handleBook(m *bookMessage, arrival marketcache.Instant) {
	sub := s.routes.Load().book(m)
	if sub == nil || !m.plausible() {
		s.f.stats.rejectedBooks.Add(1) // just unsubscribed, a wrong coin, or garbage
		return
	}
	s.f.clock.ObserveStamp(m.timeMs, arrival)
	late := s.f.clock.Lateness(m.timeMs, arrival)
	s.late, s.lateAt = late, arrival
	s.f.late.Store(int64(late))
	cell, ring := &s.f.cells[sub.Stream.id], s.f.cache.Books(sub.Stream.id)
	switch cell.update(ring, sub.Stream.precision, m, arrival, late, s.f.clock.VenueMs(arrival)) {
	case outdated:
		s.f.stats.rejectedBooks.Add(1)
		return
	case doubtful:
		s.f.stats.rejectedBooks.Add(1)
		s.f.setAside(asideBook, sub.Stream.coin)
	}
	s.received(sub, arrival)
}

// book returns the subscription of a book, nil for none. A venue that does not know fast books sends full
// books instead.
func (r *routes) book(m *bookMessage) *subscription {
	of := r.books[string(m.coin)]
	switch {
	case of == nil:
		return nil
	case m.fast:
		return of[fast]
	case !m.aggregated && of[full] != nil:
		return of[full]
	}
	for _, sub := range of[figures4:] {
		if sub != nil && (m.aggregated || of[fast] == nil) {
			return sub
		}
	}
	if m.aggregated {
		return nil
	}
	return of[fast]
}

// received records a good message of a stream, and the time since the previous one.
func (s *socket) received(sub *subscription, at marketcache.Instant) {
	if interval := sub.Receive(at); interval > 0 {
		s.f.cadence(sub.Stream).Observe(at, interval)
	}
}

// undated returns the time to assume for a message without a venue time: as late as the newest book
// before it on the connection, or on any connection.
func (s *socket) undated(arrival marketcache.Instant) marketcache.Instant {
	const recent = 2 * time.Second
	if s.lateAt != 0 && arrival.Sub(s.lateAt) <= recent {
		return arrival.Add(-s.late)
	}
	return arrival.Add(-time.Duration(s.f.late.Load()))
}

func (s *socket) handleMarks(data []byte, arrival marketcache.Instant) {
	sub := s.routes.Load().marks
	if sub == nil {
		return
	}
	text, err := s.packed.text(data)
	if err != nil {
		s.f.stats.parseErrors.Add(1)
		sub.Break() // later messages contain only changes to this one
		return
	}
	// The first message after subscribing holds all marks, later ones only changes.
	whole := sub.First()
	if sub.Broken() && !whole {
		return
	}
	ok, again := s.f.applyMarks(text, whole, s.undated(arrival))
	if !ok {
		s.f.stats.parseErrors.Add(1)
		sub.Break()
		return
	}
	s.received(sub, arrival)
	if again {
		s.f.supervisor.Warn("marks of the stream are not those of whole contexts: subscribed again")
		sub.Renew()
	}
}

func (s *socket) handleContexts(data []byte, arrival marketcache.Instant) {
	sub := s.routes.Load().contexts
	if sub == nil {
		return
	}
	if early := arrival.Sub(marketcache.Instant(s.connectedAt.Load())) < minSilence; early && sub.First() &&
		!s.f.marksKnown() {
		sub.Break() // the order cannot be checked yet: have the list sent again
		return
	}
	rows, lists, ok := parseAllDexs(data, s.rows, s.lists, s.f.universe.listed)
	s.rows, s.lists = rows, lists
	if !ok {
		s.f.stats.parseErrors.Add(1)
		return
	}
	main, ours, at := false, false, s.undated(arrival)
	for _, l := range lists {
		ours = ours || l.dex == ""
		if !s.f.publishContexts(l.dex, rows[l.from:l.to], at) {
			s.f.stats.rejectedContexts.Add(1)
		} else if l.dex == "" {
			main = true
		}
	}
	if main {
		s.received(sub, arrival)
	} else if !ours {
		s.f.stats.rejectedContexts.Add(1)
	}
}

// handleAcknowledgement records which stream the venue has subscribed.
func (s *socket) handleAcknowledgement(data []byte) {
	kind, m, ok := parseAcknowledgement(data)
	if !ok {
		return
	}
	r := s.routes.Load()
	var sub *subscription
	switch kind {
	case "fastAssetCtxs":
		sub = r.marks
	case "allDexsAssetCtxs":
		sub = r.contexts
	case "l2Book":
		sub = r.book(&m)
	}
	if sub != nil {
		sub.Acknowledge()
	}
}

// handleError handles an error frame. Only its text says which subscription it concerns; a stream
// that is not served is detected by its silence.
func (s *socket) handleError(data []byte) {
	s.f.stats.errorFrames.Add(1)
	text := string(data[:min(len(data), 1024)])
	switch {
	case strings.Contains(text, "lready"): // "Already subscribed" is harmless
	case strings.Contains(text, "annot subscribe to more than"):
		s.f.limitSubscriptions()
	}
	s.f.supervisor.Warn("venue socket error", "socket", s.index, "text", printable(data))
}
