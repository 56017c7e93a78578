package server

import (
	"bufio"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
)

// countingListener counts the writes to its connections.
type countingListener struct {
	net.Listener
	writes atomic.Int64
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &countingConn{c, &l.writes}, nil
}

func (c *countingConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// An answer of any length is sent in one write, head and body together.
func TestOneWriteAnAnswer(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	counting := &countingListener{}
	f.serveOn(f.s.Serve, func(ln net.Listener) net.Listener { counting.Listener = ln; return counting })
	c := f.dial()
	defer c.Close()
	br := bufio.NewReader(c)
	batch := batchOf(slices.Repeat([]string{btcLong}, 50)...)
	for i, ask := range []struct {
		text string
		long int // minimum length in bytes
	}{
		{f.request("POST", "/v1/validate", trade("BTC")), 4 << 10},
		{f.request("POST", "/v1/validate/batch", batch), 128 << 10},
		{f.request("POST", "/v1/validate", trade("?")), 0},
		{f.request("POST", "/v1/validate?explain=true", trade("ETH")), 6 << 10},
		{f.request("GET", "/v1/monitor/"+wallet, ""), 0},
	} {
		before := counting.writes.Load()
		if _, err := io.WriteString(c, ask.text); err != nil {
			t.Fatal(err)
		}
		r := f.readReply(br, ask.text)
		if len(r.body) < ask.long || r.tree == nil {
			t.Errorf("answer %d: %d, %d bytes: %.200s", i, r.status, len(r.body), r.body)
		}
		if n := counting.writes.Load() - before; n != 1 {
			t.Errorf("answer %d of %d bytes left in %d writes", i, len(r.body), n)
		}
	}
}
