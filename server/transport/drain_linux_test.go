package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// listen returns a listener of a transport with limits for n connections, to which n clients have connected.
func listen(t *testing.T, n int) net.Listener {
	t.Helper()
	ln, err := New(Config{Limits: upTo(n)}).Listen(loopback(t))
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		dial(t, ln)
	}
	return ln
}

// Connections that clients have made, but that nobody has accepted yet, are accepted when the
// listener closes.
func TestCloseAcceptsWhatWaits(t *testing.T) {
	const clients = 50
	ln := listen(t, clients)
	closed := make(chan error, 1)
	go func() { closed <- ln.Close() }()
	time.Sleep(10 * time.Millisecond) // a Close that does not wait is over by now
	for i := range clients {
		c, err := ln.Accept()
		if err != nil {
			t.Fatalf("%d of %d connections accepted: %v", i, clients, err)
		}
		defer c.Close()
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A listener from which nobody accepts closes nevertheless.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	ln := listen(t, 1)
	begun := time.Now()
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < backlogTime || took > backlogTime+5*time.Second {
		t.Errorf("closed after %v", took)
	}
}

// While the service drains, Close closes an idle connection. A connection with an unread
// request stays open until its goroutine has answered the request.
func TestDrainClosesWhatIsIdle(t *testing.T) {
	tr := New(Config{Limits: upTo(10)})
	idle, _ := connectionPair(t, tr)
	busy, client := connectionPair(t, tr)
	idle.reading.Store(true)
	busy.reading.Store(true)
	io.WriteString(client, "GET / HTTP/1.1\r\n")
	until(t, "the request is there", func() bool { return readable(busy.fd) })
	tr.Drain(t.Context())
	if _, err := tr.Listen(nil); err != ErrDraining {
		t.Errorf("a listener during the drain: %v", err)
	}
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
