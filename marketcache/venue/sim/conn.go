package sim

import (
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	// queueMax is the maximum number of frames queued for a socket. A slower client is disconnected.
	queueMax = 4096
	// readMax is the maximum size of a client's frame, bytes.
	readMax = 1 << 20
	// writeTimeout ends a socket whose client has stopped reading.
	writeTimeout = 20 * time.Second
)

// conn is one client's socket. One goroutine reads, and answers control frames; another writes queued frames.
type conn struct {
	ws     *websocket.Conn
	ip     string
	topics map[string]*topic // guarded by Exchange.mu
	opened int64             // ms
	sent   atomic.Int64      // ms of the last frame
	queue  chan frame
}

// frame is a queued message. Its data may be shared and must not be changed.
type frame struct {
	kind int // TextMessage, or CloseMessage, which ends the socket
	data []byte
}

func (c *conn) enqueue(kind int, data []byte) {
	select {
	case c.queue <- frame{kind, data}:
	default:
		c.drop()
	}
}

// close queues a close frame, after which the writer ends.
func (c *conn) close(code int) {
	c.enqueue(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""))
}

// drop closes the socket at once, without a close frame.
func (c *conn) drop() { _ = c.ws.Close() }

// write sends queued frames until the socket ends or done is closed.
func (e *Exchange) write(c *conn, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case f := <-c.queue:
			c.sent.Store(e.nowMs()) // before writing: a client that has the frame may move the test clock
			_ = c.ws.SetWriteDeadline(time.Now().Add(writeTimeout))
			if c.ws.WriteMessage(f.kind, f.data) != nil || f.kind == websocket.CloseMessage {
				c.drop()
				return
			}
		}
	}
}

// serveSocket runs one socket: the reader in this goroutine, the writer in another. It returns after both
// have ended.
func (e *Exchange) serveSocket(ws *websocket.Conn, ip string) {
	defer e.recovered("socket")
	defer e.ledger.disconnect(ip)
	c := &conn{ws: ws, ip: ip, topics: map[string]*topic{}, opened: e.nowMs(), queue: make(chan frame, queueMax)}
	c.sent.Store(c.opened)
	defer c.drop()
	if !e.join(c) {
		return
	}
	defer e.running.Done()
	var writer sync.WaitGroup
	done := make(chan struct{})
	writer.Go(func() {
		defer e.recovered("socket writer")
		e.write(c, done)
	})
	defer writer.Wait()
	defer close(done)
	defer c.drop()
	defer e.leave(c)
	ws.SetReadLimit(readMax)
	e.send(c, []byte(greeting)) // not JSON
	for {
		kind, data, err := ws.ReadMessage()
		if err != nil {
			return
		}
		for e.faults.Load().on("half-open", "") && e.pause(50*time.Millisecond) {
			// the client's frame stays unread
		}
		if kind == websocket.TextMessage {
			e.receive(c, data)
		}
	}
}

// join registers a socket; it returns false when the exchange is shutting down.
func (e *Exchange) join(c *conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped.Err() != nil {
		return false
	}
	e.conns[c] = struct{}{}
	e.running.Add(1)
	return true
}

// leave removes a socket and its subscriptions. Its goroutines may still be ending.
func (e *Exchange) leave(c *conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range c.topics {
		e.ledger.unsubscribe(c.ip, t.sub.User)
	}
	clear(c.topics)
	delete(e.conns, c)
}

func (e *Exchange) open() []*conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.conns))
}

// recovered recovers a goroutine's panic, counts it and logs its stack. fasthttp does not recover.
func (e *Exchange) recovered(where string) {
	if r := recover(); r != nil {
		e.count(&e.counts.Panics, 1)
		e.cfg.Log("panic in %s: %v\n%s", where, r, debug.Stack())
	}
}
