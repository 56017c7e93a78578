package alerts

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
	"ballast/server/api"
)

const (
	// maxQueue bounds the weight queued for one socket. Each text frame and pong weighs 1, a ping or close 0.
	maxQueue = 256
	// maxWallets bounds the subscribed wallets of one connection.
	maxWallets = 64
	// A client may send floodMessages messages per floodWindow.
	floodWindow   = 10 * time.Second
	floodMessages = 500
	// keepQueue is the longest queue, in packets, whose memory an idle socket keeps.
	keepQueue = 8
)

// packet is a group of frames sent together. It is immutable and shared by all sockets that get
// the same frames.
type packet struct {
	frames []byte // whole frames
	weight int    // counts against maxQueue
	alerts int    // number of frames that are alerts
	last   bool   // the last frame is a close frame
}

func textPacket(text []byte) *packet {
	return &packet{frames: appendFrame(nil, opText, text), weight: 1}
}

func closePacket(code int, reason string) *packet {
	return &packet{frames: closeFrame(code, reason), last: true}
}

var pingPacket = &packet{frames: appendFrame(nil, opPing, nil)}

// socket is the connection of one client. The goroutine of run reads. The field writing decides
// which goroutine may write.
type socket struct {
	hub    *Hub
	client Client
	conn   net.Conn
	raw    syscall.RawConn // nil if the connection has no non-blocking write
	// details: alerts have since when their condition stands and how often it was found.
	details bool

	in      frameReader     // reader only
	subs    []*subscription // reader only, at most maxWallets
	lingers atomic.Int64    // when the close frame was written, ns of the hub's clock; 0: not yet

	// Reader only; times in ns of the hub's clock.
	since      int64 // start of the flood window
	talked     int   // messages in the flood window
	pingAt     int64 // when the next ping is due
	unanswered int   // pings since the last pong
	configBy   int64 // deadline for the first valid configuration; 0: no deadline

	mu      sync.Mutex // guards the fields below
	queue   []*packet
	pending int // weight of the queue and of what is being written
	// writing: the socket is in the writers' list, held by a writer, or written to by its own
	// goroutine. It stays true after an error or a close frame.
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
			s.unanswered = 0
			continue
		}
		s.aside(func() { s.handle(op, payload) })
	}
}

// aside runs work of the reader on a separate goroutine and waits for it. So the reader, which lives as
// long as the socket, keeps the minimum stack of 2 KB; decoding and sending need 4 KB.
func (s *socket) aside(work func()) {
	done := make(chan struct{})
	s.hub.goroutines.Go(func() {
		defer close(done)
		defer s.rescue("alert socket")
		work()
	})
	<-done
}

// rescue recovers a panic and drops the socket. It must be deferred directly.
func (s *socket) rescue(where string) {
	if r := recover(); r != nil {
		s.hub.supervisor.Panicked(r, "in", where)
		s.drop()
	}
}

// finish ends reading after a connection error or a protocol violation.
func (s *socket) finish(err error) {
	if v, ok := errors.AsType[*websocket.CloseError](err); ok {
		s.close(v.Code, v.Text)
		s.in.release()
		// until closeWait has passed since the close frame, or the client disconnects
		_, _ = io.Copy(io.Discard, &s.in)
	}
}

// end releases all resources of the socket.
func (s *socket) end() {
	defer s.hub.leave(s)
	s.drop()
	s.in.release()
	s.hub.unsubscribe(s)
}

// handle processes one message or control frame. The reader calls it or waits for it.
func (s *socket) handle(op byte, payload []byte) {
	if op == opClose {
		s.peerCloses(payload)
		return
	}
	// Answers must not crowd alerts out of the queue. So while the queue is more than half full, this
	// message waits, and nothing more is read from the client.
	pending, closing := s.queued()
	for ; pending > maxQueue/2 && !closing; pending, closing = s.queued() {
		time.Sleep(time.Millisecond)
	}
	if closing {
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
		s.refuse(&configFault{detail: "binary message, want text"})
	case opText:
		s.configure(payload)
	}
}

// talks counts a message or control frame of the client against floodMessages.
func (s *socket) talks() {
	now := s.hub.now()
	if now-s.since > int64(floodWindow) {
		s.since, s.talked = now, 0
	}
	s.talked++
}

// configure processes an AlertConfig message.
func (s *socket) configure(text []byte) {
	if !utf8.Valid(text) {
		s.close(websocket.CloseInvalidFramePayloadData, "text is not UTF-8")
		return
	}
	config, bad := decodeConfig(text)
	if bad != nil {
		s.refuse(bad)
		return
	}
	if account, is := s.hub.owner(config.Wallet); is {
		detail, how := api.APIWallet(config.Wallet.String(), account)
		s.refuse(&configFault{detail: detail, how: how})
		return
	}
	if s.hub.subscribe(s, config) {
		s.configBy = 0
	}
}

// refuse answers an invalid configuration with an error message and closes the socket.
func (s *socket) refuse(bad *configFault) {
	s.hub.stats.InvalidConfigs.Add(1)
	s.send(textPacket(api.AppendMendable(nil, "invalid_config", bad.detail, &bad.how)))
	s.close(websocket.ClosePolicyViolation, "invalid_config")
}

// crowdOut closes a socket because its wallet has too many distinct thresholds on the hub.
func (s *socket) crowdOut() {
	s.hub.stats.CrowdedOut.Add(1)
	s.send(textPacket(api.AppendError(nil, api.CodeOverloaded,
		"too many different thresholds for this wallet: subscribe with the default ones, with fewer sets of them, or "+
			"open the socket with a key")))
	s.close(websocket.CloseTryAgainLater, "too many thresholds for one wallet")
}

// peerCloses answers the client's close frame with a close frame of the same code.
func (s *socket) peerCloses(payload []byte) {
	s.mu.Lock()
	s.heard = true
	s.mu.Unlock()
	if s.lingers.Load() != 0 {
		s.drop() // the server's close frame is written already
		return
	}
	code := payload[:min(2, len(payload))]
	s.send(&packet{frames: appendFrame(nil, opClose, code), last: true})
}

// close queues a close frame as the last packet of the socket.
func (s *socket) close(code int, reason string) { s.send(closePacket(code, reason)) }

// send queues a packet and hands the socket to the writers if necessary.
func (s *socket) send(p *packet) {
	if s.enqueue(p) {
		s.hub.writers.wake(s)
	}
}

func (s *socket) queued() (pending int, closing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending, s.closing
}

// tooSlow closes a socket whose queue is full.
var tooSlow = closePacket(websocket.CloseTryAgainLater, "too slow")

// enqueue queues a packet. It reports whether the socket has to be handed to the writers
// now; the caller does that, so that many can be handed over at once.
//
// If the packet does not fit, a close frame is queued instead: the client gets a stream without
// gaps, and then its end. A packet always fits an empty queue, however many alerts it holds.
func (s *socket) enqueue(p *packet) (wake bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	if s.pending > 0 && s.pending+p.weight > maxQueue {
		s.hub.stats.SlowConsumers.Add(1)
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

// drain writes what is left of a batch, and then the queued packets, on a goroutine of its own. It gives
// the batch back to the pool, unless it panics.
func (s *socket) drain(rest []byte, b *batch) {
	defer s.rescue("alert writer")
	s.writeBlocking(rest, b)
	b.release()
}

// writeBlocking writes the rest of a batch and then the queue with blocking writes.
func (s *socket) writeBlocking(rest []byte, b *batch) {
	for {
		_ = s.conn.SetWriteDeadline(time.Now().Add(writeWait))
		if _, err := s.conn.Write(rest); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				s.hub.stats.SlowConsumers.Add(1)
			}
			s.drop()
			return
		}
		_ = s.conn.SetWriteDeadline(time.Time{})
		s.wrote(b)
		if b.last || !b.load(s) {
			return
		}
		rest = b.data
	}
}

// wrote counts a written batch, and ends the socket after a close frame.
func (s *socket) wrote(b *batch) {
	s.hub.stats.Delivered.Add(uint64(b.alerts))
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
	// Closing now would reset the connection if it has unread bytes of the client, and the close
	// frame could be lost. So the client gets closeWait to answer or to disconnect.
	shutdownWrite(s.raw)
	_ = s.conn.SetReadDeadline(time.Now().Add(closeWait))
}

// drop closes the connection at once; the reader then fails and releases the resources.
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
	// Closing the TLS connection itself may block until the client reads the TLS close alert.
	if t, ok := s.conn.(*tls.Conn); ok {
		_ = t.NetConn().Close()
		return
	}
	_ = s.conn.Close()
}

// newSocket returns a socket on conn. early reads bytes that were read ahead; it may be nil.
func newSocket(h *Hub, client Client, conn net.Conn, early io.Reader) *socket {
	s := &socket{hub: h, client: client, conn: conn, raw: rawConn(conn)}
	s.in.conn, s.in.hijacked = conn, early
	s.in.expired = func() (err error) {
		s.aside(func() { err = s.expired() })
		return err
	}
	return s
}

// find returns the socket's subscription to a wallet, or nil.
func (s *socket) find(w marketcache.Wallet) *subscription {
	for _, sub := range s.subs {
		if sub.audience.wallet == w {
			return sub
		}
	}
	return nil
}
