package server

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"ballast/server/transport"
)

// revoke revokes a key.
func (f *fixture) revoke(id string) {
	r, _ := f.keys.Record(id)
	r.Revoked = true
	f.keys.Merge(r)
}

// isOpen reports whether the server has left a connection open, on which no answer is due.
func isOpen(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	c.SetReadDeadline(time.Now().Add(15 * time.Second))
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// keep opens n connections, and sends a request over each.
func (f *fixture) keep(n int, text string) (held []net.Conn) {
	f.t.Helper()
	for range n {
		c := f.dial()
		f.t.Cleanup(func() { c.Close() })
		f.exchange(c, text).ok()
		held = append(held, c)
	}
	return held
}

// answers asks for probes, a validation and an alert socket, each on a new connection.
func (f *fixture) answers(t *testing.T) {
	t.Helper()
	probe := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n" }
	for _, text := range []string{probe("/livez"), probe("/readyz"), probe("/health"),
		f.request("GET", "/metrics", ""), f.request("POST", "/v1/validate", trade("BTC"))} {
		f.raw(text).ok()
	}
	open, refused := f.sockets(t, "127.0.0.1", 1, http.Header{"Authorization": {"Bearer " + f.key}})
	if refused != nil {
		t.Fatalf("socket: %s", refused.Status)
	}
	open[0].Close()
}

// One key opens more connections than there may be, then another one does, then both open alert sockets. Probes and
// other keys are answered all the time, also those on connections that were open before. When the keys are revoked,
// all connections are free for others, although each of them asks on. Injects the fault key-flood of docs/faults.md.
func TestKeyLocksNobodyOut(t *testing.T) {
	const most = 64
	f := warmFixture(t, func(c *Config) { c.MaxConns = most })
	validate := f.request("POST", "/v1/validate", trade("BTC"))
	mine := f.dial()
	defer mine.Close()
	f.exchange(mine, validate).ok()
	fine := func() {
		t.Helper()
		f.answers(t)
		f.exchange(mine, validate).ok()
		if n := f.s.transport.Open(); n > most {
			t.Fatalf("%d connections are open", n)
		}
	}
	var ids []string
	var greedy []*fixture
	var held []net.Conn
	for range 2 {
		id, other := f.issue(t)
		ids, greedy = append(ids, id), append(greedy, other)
		held = append(held, other.keep(2*most, other.request("POST", "/v1/validate", trade("BTC")))...)
		fine()
	}
	for _, other := range greedy {
		open, refused := f.sockets(t, "127.0.0.1", most, http.Header{"Authorization": {"Bearer " + other.key}})
		if refused != nil && refused.StatusCode != 429 || len(open) < most/4 {
			t.Fatalf("%d sockets, then %v", len(open), refused)
		}
		fine()
	}
	for _, id := range ids {
		f.revoke(id)
	}
	for _, c := range held { // those that are still open are answered 401
		io.WriteString(c, greedy[0].request("POST", "/v1/validate", trade("BTC")))
	}
	for _, c := range f.keep(most/2, validate) {
		if !isOpen(c) {
			t.Error("a connection was closed for those of revoked keys")
		}
	}
	fine()
	if n := f.s.transport.Refused(transport.TooManyConns); n != 0 {
		t.Errorf("%d refused", n)
	}
}

// A key that holds the most connections, all waiting for their answers, gets no further one, and is told what to do.
// Injects the fault key-flood of docs/faults.md.
func TestKeyIsToldToReuseConnections(t *testing.T) {
	const most = 16
	f := newFixture(t, func(c *Config) { c.MaxConns, c.MaxInFlight = most, 4*most })
	release := f.venueHangs()
	defer release()
	validate := f.request("POST", "/v1/validate", trade("BTC"))
	for n := range most - most/8 {
		c := f.dial()
		defer c.Close()
		io.WriteString(c, validate)
		until(t, "the wallet is asked for", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.loads == n+1 })
	}
	r := f.rawThenClosed(f.request("GET", "/v1/assets", ""))
	if r.want(429, "rate_limited", "no key holds more", "send requests over them again"); !r.closed {
		t.Error("the refused connection is open")
	}
	f.raw("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").want(200, "")
	_, other := f.issue(t)
	other.get("/v1/assets").ok()
}

// A connection is keyless, and the first to make room, as soon as its key is revoked, or its last request was
// refused; not when its last request was of another key. Injects the fault key-flood of docs/faults.md.
func TestConnectionsLoseTheirKeys(t *testing.T) {
	const most = 16
	assets := "GET /v1/assets HTTP/1.1\r\nHost: x\r\n"
	for name, lose := range map[string]func(f *fixture, c net.Conn, id string){
		"revoked": func(f *fixture, _ net.Conn, id string) { f.revoke(id) },
		"refused": func(f *fixture, c net.Conn, _ string) {
			f.exchange(c, assets+"Authorization: Bearer nope\r\n\r\n").want(401, "")
		},
		"none":  func(f *fixture, c net.Conn, _ string) { f.exchange(c, assets+"\r\n").want(401, "") },
		"other": func(f *fixture, c net.Conn, _ string) { f.exchange(c, f.request("GET", "/v1/assets", "")).ok() },
	} {
		t.Run(name, func(t *testing.T) {
			f := warmFixture(t, func(c *Config) { c.MaxConns = most })
			id, other := f.issue(t)
			c := other.keep(1, other.request("GET", "/v1/assets", ""))[0]
			lose(f, c, id)
			for range most {
				f.dial().Close()
				defer f.dial().Close()
			}
			if name == "other" {
				if !isOpen(c) {
					t.Error("a connection that has shown a key was closed")
				}
				return
			}
			until(t, "the connection is closed", func() bool { // as soon as the service has read on it again
				more := f.dial()
				t.Cleanup(func() { more.Close() })
				return !isOpen(c)
			})
		})
	}
}
