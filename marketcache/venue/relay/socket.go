package relay

import (
	"net/http"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/goccy/go-json"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
)

// socket is one virtual connection of the adapter. The reader runs on the handler's
// goroutine, the writer on its own.
type socket struct {
	l    *Local
	id   int
	conn *websocket.Conn

	// Guarded by Local.mu.
	subs  map[string]*listening // by stream id
	pings []marketcache.Instant // of the adapter, not answered yet
	// nudged is when the holder was last asked for a proof.
	nudged marketcache.Instant

	mu     sync.Mutex
	queue  []outgoing
	queued int // bytes
	wake   chan struct{}
	done   chan struct{} // closed by close
	once   sync.Once
}

// outgoing is a frame for the adapter.
type outgoing struct {
	frame []byte
	// born is when the venue's message was read from its line, by our clock and no later
	// than that; 0 for a frame that says nothing of the venue.
	born marketcache.Instant
}

// listening is one stream on one virtual socket. Guarded by Local.mu.
type listening struct {
	socket *socket
	asked  bool  // the holder knows that it is new
	first  bool  // nothing has been delivered yet
	line   int64 // which the last message came from; 0: none yet
}

// Bounds of a virtual socket.
const (
	socketQueue  = 32 << 20 // bytes that may wait for the adapter to read
	socketWrite  = 5 * time.Second
	socketFrame  = 64 << 10 // a frame of the adapter
	maxOpenPings = 8
	// toldAge is the age from which the adapter is told how old a frame is.
	toldAge = 50 * time.Millisecond
)

var (
	pong     = []byte(`{"channel":"` + hyperliquid.ChannelPong + `"}`)
	greeting = []byte(hyperliquid.Greeting)
)

func readJSON(data []byte, v any) error { return json.Unmarshal(data, v) }

var upgrader = websocket.Upgrader{ReadBufferSize: 4 << 10, WriteBufferSize: 16 << 10}

// serveSocket runs one virtual socket to its end.
func (l *Local) serveSocket(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil // the venue's clock is read from this header
	if !l.awaitReady(r.Context()) {
		http.Error(w, "no replica has a line to the venue", http.StatusServiceUnavailable)
		return
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // answered by the upgrader
	}
	s := &socket{l: l, conn: conn, subs: map[string]*listening{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	s.deliver(greeting, 0)
	l.mu.Lock()
	if !l.ready() { // in between
		l.mu.Unlock()
		conn.Close()
		return
	}
	l.nextID++
	s.id = l.nextID
	l.sockets[s] = struct{}{}
	l.serving.Add(1)
	l.mu.Unlock()
	defer l.serving.Done()

	var writer sync.WaitGroup
	writer.Go(func() { guard(l.log, &l.stats.panics, "socket writer", s.write); s.close() })
	guard(l.log, &l.stats.panics, "socket reader", s.read)
	s.close()
	l.leave(s)
	writer.Wait()
}

// leave forgets a virtual socket.
func (l *Local) leave(s *socket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(s)
}

// close ends the socket; its goroutines notice.
func (s *socket) close() {
	s.once.Do(func() {
		close(s.done)
		s.conn.Close()
	})
}

// deliver queues a frame, which must not change any more. A socket whose adapter does not
// read is closed.
func (s *socket) deliver(frame []byte, born marketcache.Instant) {
	s.mu.Lock()
	over := s.queued+len(frame) > socketQueue
	if !over {
		s.queue = append(s.queue, outgoing{frame, born})
		s.queued += len(frame)
	}
	s.mu.Unlock()
	if over {
		s.l.stats.overflows.Add(1)
		s.close()
		return
	}
	poke(s.wake)
}

// write sends what is queued, and says of the venue's messages how old they are: the way
// over the bus and the time in the queue count.
func (s *socket) write() {
	var batch []outgoing
	var told []byte
	for {
		select {
		case <-s.done:
			return
		case <-s.wake:
		}
		s.mu.Lock()
		batch, s.queue = s.queue, batch[:0]
		s.queued = 0
		s.mu.Unlock()
		for i, out := range batch {
			batch[i] = outgoing{}
			s.conn.SetWriteDeadline(time.Now().Add(socketWrite))
			if age := marketcache.Now().Sub(out.born); out.born != 0 && age >= toldAge {
				told = hyperliquid.AppendAge(told[:0], age+time.Millisecond)
				if s.conn.WriteMessage(websocket.TextMessage, told) != nil {
					return
				}
			}
			if s.conn.WriteMessage(websocket.TextMessage, out.frame) != nil {
				return
			}
		}
	}
}

// read handles the adapter's frames.
func (s *socket) read() {
	s.conn.SetReadLimit(socketFrame)
	for {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		arrival := marketcache.Now()
		var in hyperliquid.ClientFrame
		if readJSON(data, &in) != nil {
			s.complain("Error parsing JSON into valid websocket request", data)
			continue
		}
		switch in.Method {
		case "ping":
			s.l.ping(s, arrival)
		case "subscribe":
			s.l.subscribe(s, in.Subscription)
		case "unsubscribe":
			st, ok := readSubscription(in.Subscription)
			if !ok {
				s.complain("Invalid subscription", in.Subscription)
				continue
			}
			s.l.mu.Lock()
			s.l.unsubscribe(s, st.id)
			s.l.mu.Unlock()
			poke(s.l.changed)
			s.acknowledge(in.Method, in.Subscription)
		default:
			s.complain("The relay carries subscriptions only", data)
		}
	}
}

// ping takes in a ping of the adapter. It is answered when it is proven, at once if nothing
// on the socket could be confirmed by it; otherwise the holder is told that somebody
// would like to know.
func (l *Local) ping(s *socket, at marketcache.Instant) {
	l.stats.pings.Add(1)
	l.mu.Lock()
	if len(s.pings) < maxOpenPings {
		s.pings = append(s.pings, at)
	}
	s.nudged = 0
	lines := l.answerPings(s)
	epoch := uint64(0)
	if lines != nil {
		epoch = l.term.epoch
	}
	l.mu.Unlock()
	if lines != nil {
		l.nudge(epoch, lines)
	}
}

// lines returns the lines that feed the socket, as a JSON array.
func (s *socket) lines() []byte {
	seen := map[int64]bool{}
	var all []int64
	for _, sub := range s.subs {
		if sub.line != 0 && !seen[sub.line] {
			seen[sub.line] = true
			all = append(all, sub.line)
		}
	}
	b, _ := json.Marshal(all) // integers marshal
	return b
}

// dependsOnLost reports whether a line that feeds the socket is not among those up.
func (s *socket) dependsOnLost(up map[int64]marketcache.Instant) bool {
	for _, sub := range s.subs {
		if _, ok := up[sub.line]; sub.line != 0 && !ok {
			return true
		}
	}
	return false
}

// subscribe adds a stream to a virtual socket. One that is there already is renewed.
func (l *Local) subscribe(s *socket, raw []byte) {
	st, ok := readSubscription(raw)
	if !ok {
		s.complain("Invalid subscription", raw)
		return
	}
	l.mu.Lock()
	if _, open := l.sockets[s]; !open {
		l.mu.Unlock()
		return
	}
	l.unsubscribe(s, st.id)
	sub := &listening{socket: s, first: true}
	s.subs[st.id] = sub
	l.listeners[st.id] = append(l.listeners[st.id], sub)
	l.mu.Unlock()
	s.acknowledge("subscribe", raw)
	poke(l.changed)
}

// unsubscribe takes a stream from a virtual socket. Called with the lock held.
func (l *Local) unsubscribe(s *socket, id string) {
	sub := s.subs[id]
	if sub == nil {
		return
	}
	delete(s.subs, id)
	kept := l.listeners[id][:0]
	for _, o := range l.listeners[id] {
		if o != sub {
			kept = append(kept, o)
		}
	}
	if len(kept) == 0 {
		delete(l.listeners, id)
	} else {
		l.listeners[id] = kept
	}
}

func (s *socket) acknowledge(method string, raw []byte) {
	ack, err := json.Marshal(hyperliquid.SubscriptionAck{Method: method, Subscription: raw})
	if err != nil {
		return
	}
	s.send(hyperliquid.ChannelSubscribed, ack)
}

// complain sends an error frame that quotes the adapter.
func (s *socket) complain(text string, quoted []byte) {
	b, err := json.Marshal(text + ": " + string(quoted[:min(len(quoted), 256)]))
	if err != nil {
		return
	}
	s.send(hyperliquid.ChannelError, b)
}

func (s *socket) send(channel string, data []byte) {
	if frame, err := json.Marshal(hyperliquid.ServerFrame{Channel: channel, Data: data}); err == nil {
		s.deliver(frame, 0)
	}
}
