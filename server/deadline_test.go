package server

import (
	"io"
	"net"
	"testing"
	"time"
)

// told is a connection that notes what the poller is told.
type told struct {
	net.Conn
	reads, writes []time.Time
}

func (c *told) SetReadDeadline(t time.Time) error  { c.reads = append(c.reads, t); return nil }
func (c *told) SetWriteDeadline(t time.Time) error { c.writes = append(c.writes, t); return nil }
func (c *told) Read([]byte) (int, error)           { return 0, io.EOF }
func (c *told) Write(b []byte) (int, error)        { return len(b), nil }

func TestDeadlinesAreToldWhenTheyMatter(t *testing.T) {
	const slack = 300 * time.Millisecond
	start := time.Now()
	at := func(d time.Duration) time.Time { return start.Add(d) }
	below := &told{}
	c := &conn{Conn: below, stream: ordinary{below}, plain: true, slack: slack}
	expect := func(when string, got []time.Time, want ...time.Duration) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: told %d times, want %d", when, len(got), len(want))
		}
		for i := range want {
			if !got[i].Equal(at(want[i])) {
				t.Errorf("%s: told of %v, want %v", when, got[i].Sub(start), want[i])
			}
		}
	}
	read := func(d time.Duration) {
		if err := c.SetReadDeadline(at(d)); err != nil {
			t.Fatal(err)
		}
		c.Read(nil)
	}
	read(120 * time.Second)
	expect("the first", below.reads, 120*time.Second)
	c.SetReadDeadline(at(10 * time.Second)) // the request is there already
	read(120*time.Second + slack)
	expect("little later", below.reads, 120*time.Second)
	read(120*time.Second + slack + 1)
	expect("later", below.reads, 120*time.Second, 120*time.Second+slack+1)
	read(10 * time.Second)
	expect("a body that is not there", below.reads, 120*time.Second, 120*time.Second+slack+1, 10*time.Second)
	read(10*time.Second - 1)
	expect("earlier by anything", below.reads, 120*time.Second, 120*time.Second+slack+1, 10*time.Second, 10*time.Second-1)

	below.reads = nil
	c.SetDeadline(at(time.Second))
	expect("nothing is read or written", append(below.reads, below.writes...))
	c.Write(nil)
	c.Write(nil)
	expect("written", below.writes, time.Second)
	c.SetDeadline(time.Time{}) // the poller of whoever takes the connection over must not know any
	if len(below.reads) != 1 || !below.reads[0].IsZero() || len(below.writes) != 2 || !below.writes[1].IsZero() {
		t.Errorf("no deadline any more: told of %v and %v", below.reads, below.writes)
	}
	c.Write(nil)
	c.Read(nil)
	if len(below.reads) != 1 || len(below.writes) != 2 {
		t.Error("told again of none")
	}

	// Under TLS another goroutine may set one too: each is told at once.
	secure := &told{}
	c = &conn{Conn: secure, stream: ordinary{secure}, slack: slack}
	for i := range 3 {
		c.SetReadDeadline(at(time.Duration(i)))
		c.SetWriteDeadline(at(time.Duration(i)))
	}
	c.Read(nil)
	if len(secure.reads) != 3 || len(secure.writes) != 3 {
		t.Errorf("with TLS told of %d and %d deadlines", len(secure.reads), len(secure.writes))
	}
}

// Clients that do not go on are given up: one that says nothing, one that says half of what
// it has to, one that has had its answer, one that does not take it.
func TestClientsThatStop(t *testing.T) {
	f := newFixture(t, func(c *Config) {
		c.ReadTimeout, c.IdleTimeout = 200*time.Millisecond, 400*time.Millisecond
		c.RequestTimeout, c.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	})
	f.warm()
	whole := f.request("POST", "/v1/validate", trade("BTC"))
	for _, c := range []struct {
		name, text string
		answers    int // of which the last may be a 408
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
			t.Errorf("%s: not given up: %v", c.name, err)
		}
		if n := countAnswers(b); n != c.answers {
			t.Errorf("%s: %d answers, want %d: %.300s", c.name, n, c.answers, b)
		}
		conn.Close()
	}
	// More answers than any buffer on the way holds.
	conn := f.dial()
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
	for {
		if _, err := io.WriteString(conn, whole); err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Error("a client that reads nothing is not given up")
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
