package server

import (
	"io"
	"net"
	"testing"
	"time"

	"ballast/server/transport"
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
