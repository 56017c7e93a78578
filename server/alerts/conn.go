package alerts

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

const (
	// maxQueue bounds what waits for one socket: alerts, and each other answer as one.
	maxQueue = 256
	// maxWallets bounds the wallets of one connection.
	maxWallets = 64
	// floodWindow and floodMessages bound how fast a client may talk.
	floodWindow   = 10 * time.Second
	floodMessages = 500
	// keepQueue is how long a queue may be for its memory to be kept while idle.
	keepQueue = 8
)

// packet is bytes that go out together, shared by all sockets that get the same. It never
// changes.
type packet struct {
	frames []byte // whole frames
	weight int    // of the queue's bound
	alerts int    // how many of the frames are alerts
	last   bool   // ends with a close frame
}

func textPacket(text []byte) *packet {
	return &packet{frames: appendFrame(nil, opText, text), weight: 1}
}

func closePacket(code int, reason string) *packet {
	return &packet{frames: closeFrame(code, reason), last: true}
}

var pingPacket = &packet{frames: appendFrame(nil, opPing, nil)}

// socket is one client. Its reader is the goroutine of run; whoever may write is decided
// by writing.
type socket struct {
	hub    *Hub
	client Client
	conn   net.Conn
	raw    syscall.RawConn // nil where writing without waiting is not to be had

	in      frameReader     // reader only
	subs    []*subscription // reader only, at most maxWallets
	since   int64           // of the flood window, ns of the hub's clock; reader only
	talked  int             // messages in the window; reader only
	joined  int64           // ns of the hub's clock
	slot    int             // in the registry
	at      int             // in the slot; guarded by registry.mu
	watched bool            // guarded by registry.mu
	next    *socket         // in a chain; belongs to whoever holds the chain

	subscribed atomic.Bool  // a configuration was accepted
	unanswered atomic.Int32 // pings since the last pong
	blocked    atomic.Int64 // when a write began that waits for the client, 0: none
	lingers    atomic.Int64 // when the close frame was out, 0: not yet

	mu      sync.Mutex // guards what follows
	queue   []*packet
	pending int // weight of the queue and of what is being written
	// writing says that someone is to write or writes: in the writers' list, in their
	// hands, or on a goroutine of its own. It is never reset after an error or a close
	// frame.
	writing bool
	closing bool // a close frame is queued or sent, or the connection has ended
	heard   bool // the client has sent a close frame
	dropped bool
}

// run reads until the connection ends. It is the socket's goroutine.
func (s *socket) run() {
	defer s.hub.supervisor.Recover("end of an alert socket")
	defer s.end()
	defer s.hub.supervisor.Recover("alert socket")
	for {
		op, payload, err := s.in.next()
		if err != nil {
			s.finish(err)
			return
		}
		if s.talks(); op == opPong && s.talked <= floodMessages {
			s.unanswered.Store(0)
			continue
		}
		s.aside(op, payload)
	}
}

// aside handles a frame on a goroutine that ends with it. The reader, which is there as
// long as the socket, so keeps the smallest stack: 2 KB, where decoding needs 4.
func (s *socket) aside(op byte, payload []byte) {
	done := make(chan struct{})
	s.hub.goroutines.Go(func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				s.hub.supervisor.Panicked(r, "in", "alert socket")
				s.drop()
			}
		}()
		s.handle(op, payload)
	})
	<-done
}

// finish ends reading after an error of the connection, or of the client.
func (s *socket) finish(err error) {
	var v *violation
	if !errors.As(err, &v) {
		return
	}
	s.close(v.code, v.reason)
	s.in.discard() // until wrote's time is up
}

// end gives everything back.
func (s *socket) end() {
	defer s.hub.leave(s)
	s.drop()
	s.in.release()
	s.hub.unsubscribe(s)
}

// handle takes one message or control frame, on behalf of the reader.
func (s *socket) handle(op byte, payload []byte) {
	if op == opClose {
		s.peerCloses(payload)
		return
	}
	// Answers must not crowd out alerts: a client that asks faster than it takes the
	// answers is not read meanwhile.
	for s.crowded() {
		time.Sleep(time.Millisecond)
	}
	if s.isClosing() {
		return
	}
	if s.talked > floodMessages {
		s.close(websocket.ClosePolicyViolation, "too many messages")
		return
	}
	switch op {
	case opPing:
		s.send(&packet{frames: appendFrame(nil, opPong, payload), weight: 1})
	case opBinary:
		s.refuse("binary message, want text")
	case opText:
		s.configure(payload)
	}
}

// talks counts a message or control frame.
func (s *socket) talks() {
	now := s.hub.now()
	if now-s.since > int64(floodWindow) {
		s.since, s.talked = now, 0
	}
	s.talked++
}

// configure takes an AlertConfig.
func (s *socket) configure(text []byte) {
	if !utf8.Valid(text) {
		s.close(websocket.CloseInvalidFramePayloadData, "text is not UTF-8")
		return
	}
	config, err := DecodeConfig(text)
	if err != nil {
		s.refuse(err.Error())
		return
	}
	if s.hub.subscribe(s, config) {
		s.subscribed.Store(true)
	}
}

// refuse answers a configuration that is not one, and closes.
func (s *socket) refuse(detail string) {
	s.hub.stats.invalid.Add(1)
	s.send(textPacket(appendError(nil, "invalid_config", detail)))
	s.close(websocket.ClosePolicyViolation, "invalid_config")
}

// crowdOut closes a socket whose thresholds for a wallet are too many beside those of others.
func (s *socket) crowdOut() {
	s.hub.stats.crowdedOut.Add(1)
	s.send(textPacket(appendError(nil, "overloaded", "too many different thresholds for this wallet: subscribe with the default ones, with fewer sets of them, or open the socket with a key")))
	s.close(websocket.CloseTryAgainLater, "too many thresholds for one wallet")
}

// peerCloses answers the client's close frame with one of the same code.
func (s *socket) peerCloses(payload []byte) {
	s.mu.Lock()
	s.heard = true
	s.mu.Unlock()
	if s.lingers.Load() != 0 {
		s.drop() // ours is out
		return
	}
	code := 0
	if len(payload) >= 2 {
		code = int(payload[0])<<8 | int(payload[1])
	}
	s.close(code, "")
}

// close queues a close frame behind what is queued. After it nothing goes out.
func (s *socket) close(code int, reason string) { s.send(closePacket(code, reason)) }

// send queues a packet and sees to its being written.
func (s *socket) send(p *packet) {
	if s.enqueue(p) {
		s.hub.writers.wake(chain{s, s, 1})
	}
}

func (s *socket) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

func (s *socket) crowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending > maxQueue/2 && !s.closing
}

// tooSlow closes a socket whose queue is full.
var tooSlow = closePacket(websocket.CloseTryAgainLater, "too slow")

// enqueue queues a packet. It reports whether the socket has to be handed to the writers
// now; the caller does that, so that many can be handed over at once.
//
// What does not fit behind what is waiting closes the socket behind that: the client
// sees a stream without holes, and then its end. A packet always fits an empty queue,
// however many alerts it holds.
func (s *socket) enqueue(p *packet) (wake bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	if s.pending > 0 && s.pending+p.weight > maxQueue {
		s.hub.stats.slow.Add(1)
		p = tooSlow
	}
	s.queue = append(s.queue, p)
	s.pending += p.weight
	s.closing = p.last
	if s.writing {
		return false
	}
	s.writing = true
	return true
}

// take gives the writer what is queued, after it has written packets of weight done.
// Nothing queued: the writer lets the socket go.
func (s *socket) take(dst []*packet, done int) []*packet {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending -= done
	if len(s.queue) == 0 {
		s.writing = false
		return dst[:0]
	}
	dst = append(dst[:0], s.queue...)
	clear(s.queue)
	s.queue = s.queue[:0]
	if cap(s.queue) > keepQueue {
		s.queue = nil
	}
	return dst
}

// drain writes what is left of a batch, and then what is queued, waiting for the client.
// It is a goroutine of its own, and gives the batch back.
func (s *socket) drain(rest []byte, b *batch) {
	defer func() {
		if r := recover(); r != nil {
			s.hub.supervisor.Panicked(r, "in", "alert writer")
			s.drop()
			return
		}
		s.hub.writers.release(b)
	}()
	for {
		s.blocked.Store(s.hub.now())
		s.hub.watch(s)
		_, err := s.conn.Write(rest)
		s.blocked.Store(0)
		if err != nil {
			s.drop()
			return
		}
		s.wrote(b)
		if b.last || !b.load(s) {
			return
		}
		rest = b.data
	}
}

// wrote counts a batch that is out, and ends the socket after a close frame.
func (s *socket) wrote(b *batch) {
	s.hub.stats.delivered.Add(uint64(b.alerts))
	if !b.last {
		return
	}
	s.lingers.Store(s.hub.now())
	s.mu.Lock()
	heard := s.heard
	s.mu.Unlock()
	if heard {
		s.drop()
		return
	}
	// Dropping it now would reset the connection if the client has sent something
	// meanwhile, and the close frame could be lost. So the client is given the time to
	// answer, or to end the connection.
	shutdownWrite(s.raw)
	s.hub.watch(s)
}

// drop ends the connection at once; the reader sees it and gives everything back.
func (s *socket) drop() {
	s.mu.Lock()
	again := s.dropped
	s.dropped, s.closing = true, true
	clear(s.queue)
	s.queue = nil
	s.mu.Unlock()
	if again {
		return
	}
	// Closing through TLS may wait for the client to take the closing alert.
	if t, ok := s.conn.(*tls.Conn); ok {
		_ = t.NetConn().Close()
		return
	}
	_ = s.conn.Close()
}

// newSocket returns a socket on conn. early reads what was read ahead of it, and may be
// nil.
func newSocket(h *Hub, client Client, conn net.Conn, early io.Reader) *socket {
	s := &socket{hub: h, client: client, conn: conn, joined: h.now(), raw: rawConn(conn)}
	s.in.conn, s.in.hijacked = conn, early
	return s
}

// find returns the subscription to a wallet, nil without.
func (s *socket) find(w marketcache.Wallet) *subscription {
	for _, sub := range s.subs {
		if sub.audience.wallet == w {
			return sub
		}
	}
	return nil
}
