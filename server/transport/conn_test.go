package transport

import (
	"io"
	"net"
	"testing"
	"time"
)

// upTo returns Limits of n connections and no keyless limit.
func upTo(n int) Limits {
	return Limits{MaxConns: n, MaxKeylessConnsPerIP: -1, MaxKeylessSockets: -1, MaxKeylessSocketsPerIP: -1}
}

// until polls the function is until it returns true, and fails the test after 5 s.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// loopback returns a listener of no transport.
func loopback(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// dial connects to a listener.
func dial(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// connectionPair returns the server's and the client's end of one connection.
func connectionPair(t *testing.T, tr *Transport) (*Conn, *net.TCPConn) {
	t.Helper()
	ln := loopback(t)
	client := dial(t, ln)
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := tr.Accept(accepted)
	t.Cleanup(func() { c.Close() })
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
		c.TakeUp(0)
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
		if c.TakeUp(0); c.Pipelined() == read {
			t.Errorf("request %d: pipelined %v", i, !read)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
