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
	c := &conn{Conn: below, plain: true, slack: slack}
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
	c = &conn{Conn: secure, slack: slack}
	for i := range 3 {
		c.SetReadDeadline(at(time.Duration(i)))
		c.SetWriteDeadline(at(time.Duration(i)))
	}
	c.Read(nil)
	if len(secure.reads) != 3 || len(secure.writes) != 3 {
		t.Errorf("with TLS told of %d and %d deadlines", len(secure.reads), len(secure.writes))
	}
}
