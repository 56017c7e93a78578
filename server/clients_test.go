package server

import (
	"ballast/server/transport"
	"context"
	"io"
	"net"
	"testing"
	"time"
)

// Connections of clients that stop are closed: a client that sends nothing, sends half a request,
// is idle after its answer, or does not read its answer.
// Injects the fault slow-client of docs/faults.md.
func TestClientsThatStop(t *testing.T) {
	for name, tuning := range map[string]transport.Tuning{"plain": {}, "tuned": {SendBatch: 64}} {
		t.Run(name, func(t *testing.T) { testClientsThatStop(t, tuning) })
	}
}

func testClientsThatStop(t *testing.T, tuning transport.Tuning) {
	f := newFixture(t, func(c *Config) {
		c.Tuning = &tuning
		c.ReadTimeout, c.IdleTimeout = 200*time.Millisecond, 400*time.Millisecond
		c.RequestTimeout, c.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	})
	f.warm()
	whole := f.request("POST", "/v1/validate", trade("BTC"))
	for _, c := range []struct {
		name, text string
		answers    int // the last may be a 408
	}{
		{"silent", "", 1},
		{"half a head", whole[:20], 1},
		{"half a body", whole[:len(whole)-20], 1},
		{"one request", whole, 1},
		{"one and a half", whole + whole[:len(whole)-20], 2},
	} {
		conn := f.dial()
		if _, err := io.WriteString(conn, c.text); err != nil {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		b, err := io.ReadAll(conn)
		if err != nil {
			t.Errorf("%s: the connection was not closed: %v", c.name, err)
		}
		if n := countAnswers(b); n != c.answers {
			t.Errorf("%s: %d answers, want %d: %.300s", c.name, n, c.answers, b)
		}
		conn.Close()
	}
	// More answers than all buffers on the way can hold.
	conn := f.dial()
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
	for {
		if _, err := io.WriteString(conn, whole); err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Error("the connection of a client that reads nothing was not closed")
			}
			return
		}
	}
}

func countAnswers(b []byte) (n int) {
	const line = "HTTP/1.1 "
	for i := 0; i+len(line) <= len(b); i++ {
		if string(b[i:i+len(line)]) == line {
			n++
		}
	}
	return n
}

// A request that arrives while the service begins to shut down is answered, on an idle connection
// as well as on a new one; then the connection is closed.
// Injects the fault sigterm of docs/faults.md.
func TestRequestsThatArriveWithTheEnd(t *testing.T) {
	for _, delay := range []time.Duration{-time.Millisecond, 0, time.Millisecond, 5 * time.Millisecond, 15 * time.Millisecond} {
		f := newFixture(t, nil)
		f.contract = nil // checking answers against the contract takes longer than the grace period
		f.warm()
		text := f.request("POST", "/v1/validate", trade("BTC"))
		idle := make([]net.Conn, 20)
		for i := range idle {
			idle[i] = f.dial()
			defer idle[i].Close()
			if r := f.exchange(idle[i], text); r.status != 200 {
				t.Fatalf("%d %s", r.status, r.body)
			}
		}
		ended := make(chan error, 1)
		begun := time.Now().Add(max(0, -delay))
		time.AfterFunc(max(0, -delay), func() { ended <- f.s.Shutdown(context.Background()) })
		time.Sleep(max(0, delay))
		fresh := f.dial()
		defer fresh.Close()
		answered := 0
		for _, c := range append(idle, fresh) {
			f.warm()
			c.SetDeadline(time.Now().Add(15 * time.Second))
			if time.Since(begun) > transport.DrainGrace/2 {
				continue // on a busy machine the request may arrive after the grace period
			}
			answered++
			draining := f.s.draining.Load()
			if r := f.exchange(c, text); r.status != 200 || draining && !r.saysClose {
				t.Errorf("%v after shutdown began: %d %s, close %v", delay, r.status, r.body, r.saysClose)
			}
		}
		if answered == 0 {
			t.Errorf("%v after shutdown began: no request arrived in time", delay)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
