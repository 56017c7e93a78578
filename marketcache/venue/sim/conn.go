package sim

import (
	"encoding/binary"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	// queueMax bounds what may wait for one socket, bytes. A client that cannot keep
	// up is disconnected; the venue keeps nothing for it.
	queueMax = 64 << 20
	// batchMax is about what one write carries.
	batchMax = 256 << 10
	// readMax bounds a client's frame.
	readMax = 1 << 20
	// writeTimeout ends a socket whose peer has stopped reading.
	writeTimeout = 20 * time.Second
)

// conn is one client's socket. The library reads; frames are written here, many in
// one write: everything that goes out, control frames included, passes the queue, so
// there is one writer and a frame is never torn.
type conn struct {
	ws  *websocket.Conn
	net net.Conn
	ip  string

	topics  map[string]*topic // guarded by the hub's lock
	opened  int64             // ms
	sent    atomic.Int64      // ms of the last frame
	wake    chan struct{}
	mu      sync.Mutex // guards the queue
	queue   [][]byte
	queued  int
	closing bool // nothing may be queued any more
}

func newConn(ws *websocket.Conn, ip string, nowMs int64) *conn {
	inner := ws.NetConn()
	// fasthttp wraps a hijacked connection in one whose Close does nothing, and reuses
	// the wrapper: keep what is inside.
	if w, wrapped := inner.(interface{ UnsafeConn() net.Conn }); wrapped {
		inner = w.UnsafeConn()
	}
	c := &conn{
		ws: ws, net: inner, ip: ip, topics: map[string]*topic{},
		opened: nowMs, wake: make(chan struct{}, 1),
	}
	c.sent.Store(nowMs)
	return c
}

// send queues a whole frame. The frame may be shared and must not change.
func (c *conn) send(frame []byte) { c.enqueue(frame, false) }

// close queues a close frame; the writer ends after it.
func (c *conn) close(code int, reason string) {
	payload := binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(reason)), uint16(code))
	c.enqueue(frame(opClose, append(payload, reason...)), true)
}

// drop ends the socket at once, without a close frame.
func (c *conn) drop() { _ = c.net.Close() }

func (c *conn) enqueue(frame []byte, last bool) {
	c.mu.Lock()
	overflow := c.queued+len(frame) > queueMax
	if !c.closing && !overflow {
		c.queue = append(c.queue, frame)
		c.queued += len(frame)
		c.closing = last
	}
	c.mu.Unlock()
	if overflow {
		c.drop()
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends what is queued until the socket ends or done is closed. It counts into
// n frames and bytes.
func (c *conn) write(done <-chan struct{}, now func() int64, n *counters) {
	var batch []byte
	var frames [][]byte
	for {
		select {
		case <-done:
			return
		case <-c.wake:
		}
		c.mu.Lock()
		frames, c.queue = c.queue, frames[:0]
		c.queued = 0
		last := c.closing
		c.mu.Unlock()
		if len(frames) > 0 {
			c.sent.Store(now()) // before the write: who has read the frame may move the clock
		}
		for i, f := range frames {
			batch = append(batch, f...)
			frames[i] = nil
			if len(batch) < batchMax && i < len(frames)-1 {
				continue
			}
			_ = c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := c.net.Write(batch); err != nil {
				c.drop()
				return
			}
			n.bytes.Add(int64(len(batch)))
			batch = batch[:0]
		}
		n.frames.Add(int64(len(frames)))
		if last {
			c.drop()
			return
		}
		if cap(batch) > 4*batchMax {
			batch = nil
		}
	}
}

// Opcodes of server frames.
const (
	opText  = 0x1
	opClose = 0x8
	opPong  = 0xA
)

// frame wraps a payload in an unmasked, unfragmented frame.
func frame(op byte, payload []byte) []byte {
	return seal(append(make([]byte, headerRoom, headerRoom+len(payload)), payload...), op)
}

// headerRoom is the longest header of a server frame.
const headerRoom = 10

// seal writes the header in front of the payload that starts at buf[headerRoom:] and
// returns the frame.
func seal(buf []byte, op byte) []byte {
	n := len(buf) - headerRoom
	at := 0
	switch {
	case n < 126:
		at = headerRoom - 2
		buf[at+1] = byte(n)
	case n < 1<<16:
		at = headerRoom - 4
		buf[at+1] = 126
		binary.BigEndian.PutUint16(buf[at+2:], uint16(n))
	default:
		buf[at+1] = 127
		binary.BigEndian.PutUint64(buf[at+2:], uint64(n))
	}
	buf[at] = 0x80 | op
	return buf[at:]
}

// serveSocket runs one socket from its greeting to its end: the reader on this
// goroutine, the writer on its own, which has ended when this returns.
func (e *Exchange) serveSocket(ws *websocket.Conn, ip string) {
	defer e.recovered("socket")
	defer e.ledger.disconnect(ip)
	c := newConn(ws, ip, e.nowMs())
	if !e.hub.join(c) {
		return
	}
	defer e.hub.sockets.Done()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer e.recovered("socket writer")
		c.write(done, e.nowMs, &e.counters)
	}()
	defer func() {
		e.hub.leave(c)
		c.drop()
		close(done)
		<-ended
	}()
	ws.SetReadLimit(readMax)
	ws.SetPingHandler(func(data string) error {
		e.sendTo(c, frame(opPong, []byte(data)))
		return nil
	})
	ws.SetCloseHandler(func(code int, _ string) error {
		if code == websocket.CloseNoStatusReceived {
			code = websocket.CloseNormalClosure
		}
		c.close(code, "")
		return nil
	})
	e.greet(c)
	for {
		kind, data, err := ws.ReadMessage()
		if err != nil {
			<-time.After(closeGrace(err))
			return
		}
		e.waitHalfOpen()
		if kind == websocket.TextMessage {
			e.counters.messages.Add(1)
			e.receive(c, data)
		}
	}
}

// closeGrace lets the writer send the answer to a close frame.
func closeGrace(err error) time.Duration {
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived) {
		return 20 * time.Millisecond
	}
	return 0
}

// recovered ends a goroutine's panic: it is counted and its stack kept for Stats,
// and the process goes on. fasthttp recovers nothing.
func (e *Exchange) recovered(where string) {
	if r := recover(); r != nil {
		e.counters.panics.Add(1)
		e.log("panic in %s: %v\n%s", where, r, debug.Stack())
	}
}
