package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"
)

// upTo returns Limits of n connections and no keyless limit.
func upTo(n int) Limits {
	return Limits{MaxConns: n, MaxKeylessConnsPerIP: -1, MaxKeylessSockets: -1, MaxKeylessSocketsPerIP: -1}
}

// connectionPair returns the server's and the client's end of one connection.
func connectionPair(t *testing.T, tr *Transport) (*Conn, *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := tr.Accept(accepted)
	t.Cleanup(func() { c.Close(); client.Close() })
	return c, client.(*net.TCPConn)
}

// A request may have maxRequest bytes; a connection that carries no more requests has no limit.
func TestRequestsAreBounded(t *testing.T) {
	tr := New(Config{Limits: upTo(10)})
	c, client := connectionPair(t, tr)
	go func() {
		io.CopyN(client, zeros{}, 4*maxRequest)
		client.Close()
	}()
	b := make([]byte, 64<<10)
	read := func() (n int, err error) {
		for err == nil && n <= 2*maxRequest {
			var m int
			m, err = c.Read(b)
			n += m
		}
		return n, err
	}
	for range 2 {
		if n, err := read(); err != errTooLarge || n <= maxRequest || n > maxRequest+len(b) {
			t.Errorf("%d bytes, %v", n, err)
		}
		c.TakeUp()
	}
	c.Release()
	if n, err := read(); err == errTooLarge {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A request is pipelined when nothing was read for it after the request before it.
func TestPipelined(t *testing.T) {
	c, client := connectionPair(t, New(Config{Limits: upTo(1)}))
	for i, read := range []bool{true, false, false, true, true, false} {
		if read {
			io.WriteString(client, "x")
			c.Read(make([]byte, 1))
		}
		if c.TakeUp(); c.Pipelined() == read {
			t.Errorf("request %d: pipelined %v", i, !read)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// While the service drains, Close closes an idle connection. A connection with an unread
// request stays open until its goroutine has answered the request.
func TestDrainClosesWhatIsIdle(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("unread data is detected on Linux only")
	}
	tr := New(Config{Limits: upTo(10)})
	idle, _ := connectionPair(t, tr)
	busy, client := connectionPair(t, tr)
	idle.reading.Store(true)
	busy.reading.Store(true)
	io.WriteString(client, "GET / HTTP/1.1\r\n")
	until(t, "the request is there", func() bool { return readable(busy.fd) })
	tr.Drain()
	if idle.Close() != nil || !errors.Is(idle.Close(), net.ErrClosed) {
		t.Error("an idle connection is not closed")
	}
	if busy.Close() != nil || busy.closed.Load() || tr.Open() != 1 {
		t.Error("a connection with a request is closed")
	}
	socket, client := connectionPair(t, tr)
	socket.Release()
	socket.reading.Store(true)
	io.WriteString(client, "a frame")
	until(t, "the frame is there", func() bool { return readable(socket.fd) })
	if socket.Close() != nil || !socket.closed.Load() {
		t.Error("a connection on which no requests come any more is not closed")
	}
	b := make([]byte, 100)
	if n, err := busy.Read(b); n == 0 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if busy.Close() != nil || tr.Open() != 0 {
		t.Error("a connection is not closed by its own goroutine")
	}
}

// What has arrived is read, even if the service was too busy to read it before the drain's deadline; the rest
// of it must then come within lateRead.
func TestLateRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("unread data is detected on Linux only")
	}
	tr := New(Config{Limits: upTo(10)})
	c, client := connectionPair(t, tr)
	io.WriteString(client, "GET / HTTP/1.1\r\n")
	until(t, "the request is there", func() bool { return readable(c.fd) })
	tr.receiveUntil.Store(new(time.Now().Add(-time.Second)))
	c.SetReadDeadline(time.Now().Add(time.Hour))
	b := make([]byte, 100)
	if n, err := c.Read(b); string(b[:n]) != "GET / HTTP/1.1\r\n" || err != nil {
		t.Errorf("%q, %v", b[:n], err)
	}
	begun := time.Now()
	if _, err := c.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
	io.WriteString(client, "Host: x\r\n")
	until(t, "more is there", func() bool { return readable(c.fd) })
	if n, err := c.Read(b); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the deadline %q was read, %v", b[:n], err)
	}
}
