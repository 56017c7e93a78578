package transport

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// Unread counts the connections whose requests have arrived and have not been read.
func TestReadyConnections(t *testing.T) {
	const all, some = 12, 5
	tr := New(Config{Limits: upTo(all)})
	var listed []*Conn
	for i := range all {
		c, far := connectionPair(t, tr)
		listed = append(listed, c)
		if i < some {
			io.WriteString(far, "GET / HTTP/1.1\r\n")
		}
	}
	until(t, "the requests are there", func() bool { return tr.Unread() == some })
	listed[0].Release()
	listed[0].Release()
	listed[all-1].Release()
	if n := tr.Unread(); n != some-1 {
		t.Errorf("%d requests ready of %d, want %d", n, tr.Listed(), some-1)
	}
	for _, c := range listed {
		c.Release()
	}
	if n := tr.Unread(); n != 0 || tr.Listed() != 0 {
		t.Errorf("%d requests ready of %d, want none", n, tr.Listed())
	}
}

func TestSinceLastByte(t *testing.T) {
	c, client := connectionPair(t, New(Config{Limits: upTo(1)}))
	for range 3 {
		sent := time.Now()
		client.Write([]byte("x"))
		time.Sleep(50 * time.Millisecond)
		if got := c.SinceLastByte(); got < 30*time.Millisecond || got > time.Since(sent)+10*time.Millisecond {
			t.Errorf("%v after it was sent, a byte counts as %v old", time.Since(sent), got)
		}
	}
	var ctx fasthttp.RequestCtx
	ctx.Init2(tls.Server(c, nil), nil, false)
	if ConnOf(&ctx) != c {
		t.Error("the connection under TLS was not recognised")
	}
	near, _ := net.Pipe()
	defer near.Close()
	ctx.Init2(near, nil, false)
	if ConnOf(&ctx) != nil {
		t.Error("a foreign connection was recognised")
	}
}

// A connection that waits for its client makes room before an older one that waits for this service: one
// with a request that is not read, or not answered, yet.
func TestIdleConnectionMakesRoom(t *testing.T) {
	tr := New(Config{Limits: upTo(4)})
	unread, client := connectionPair(t, tr)
	io.WriteString(client, "GET / HTTP/1.1\r\n")
	until(t, "the request is there", func() bool { return readable(unread.fd) })
	answering, _ := connectionPair(t, tr)
	idle, _ := connectionPair(t, tr)
	newer, _ := connectionPair(t, tr)
	for _, c := range []*Conn{unread, idle, newer} {
		c.reading.Store(true)
	}
	connectionPair(t, tr)
	if !idle.closed.Load() || unread.closed.Load() || answering.closed.Load() || newer.closed.Load() {
		t.Errorf("closed: idle %v, unread %v, answering %v, newer %v", idle.closed.Load(), unread.closed.Load(),
			answering.closed.Load(), newer.closed.Load())
	}
}
