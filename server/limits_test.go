package server

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/server/transport"
)

// Clients without a key open silent connections from several addresses, more than there may be, again and
// again. New connections are answered, also from these addresses; one that has shown a key stays open.
// Injects the fault keyless-flood of docs/faults.md.
func TestKeylessConnectionsLockNobodyOut(t *testing.T) {
	const most = 40
	f := warmFixture(t, func(c *Config) { c.MaxConns = most }) // 10 an address
	keyed := f.dial()
	defer keyed.Close()
	validate := f.request("POST", "/v1/validate", trade("BTC"))
	f.exchange(keyed, validate).ok()
	from := func(host string) net.Conn {
		c := f.dialFrom(host)
		t.Cleanup(func() { c.Close() })
		return c
	}
	attackers := []string{"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"}
	for range 5 {
		for _, host := range attackers {
			for range most / 4 {
				from(host)
			}
		}
		for _, host := range append(attackers, "127.0.0.1") {
			for _, text := range []string{validate, f.request("GET", "/livez", ""),
				"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"} {
				f.exchange(from(host), text).ok()
			}
		}
		f.exchange(keyed, validate).ok()
	}
	if n := f.s.transport.Open(); n > most {
		t.Errorf("%d connections are open", n)
	}
	if n := f.s.metrics.connErrors.Load(); n != 0 {
		t.Errorf("%d connections ended in an error", n)
	}
	if f.s.transport.Replaced() == 0 || f.s.transport.Refused(transport.TooManyConns) != 0 {
		t.Errorf("%d replaced, %d refused", f.s.transport.Replaced(), f.s.transport.Refused(transport.TooManyConns))
	}
}

func TestRateLimits(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.RateLimit, c.AuthFailureLimit = 5, 3 })
	for i := range 7 {
		r := f.post(trade("BTC"))
		if r.header.Get("RateLimit-Limit") != "5" || r.header.Get("RateLimit-Reset") == "" {
			t.Errorf("headers %v", r.header)
		}
		switch {
		case i < 5 && (r.status != 200 || r.header.Get("RateLimit-Remaining") != strconv.Itoa(4-i)):
			t.Errorf("request %d: %d %v", i, r.status, r.header)
		case i >= 5 && (r.status != 429 || r.errorCode() != "rate_limited" || r.header.Get("Retry-After") == ""):
			t.Errorf("request %d: %d %s", i, r.status, r.body)
		}
	}
	for i := range 5 {
		r := f.raw("GET /v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n")
		if want := 401 + 28*min(1, i/3); r.status != want {
			t.Errorf("guess %d: %d", i, r.status)
		}
	}
	// A missing header, and a route that needs no key, do not count as guessed keys.
	f.raw("GET /v1/assets HTTP/1.1\r\nHost: x\r\n\r\n").want(401, "")
	f.raw("GET /health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n").ok()
}

// sockets opens alert sockets from an address until one is refused. It returns the open sockets and
// the answer to the refused one, nil if none was refused.
func (f *fixture) sockets(t *testing.T, from string, n int, header http.Header) (open []*websocket.Conn,
	refused *http.Response) {
	t.Helper()
	d := websocket.Dialer{NetDial: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).Dial}
	for range n {
		ws, resp, err := d.Dial("ws://"+f.addr+"/v1/alerts/ws", header)
		if err != nil {
			if resp == nil {
				t.Fatal(err)
			}
			return open, resp
		}
		t.Cleanup(func() { ws.Close() })
		open = append(open, ws)
	}
	return open, nil
}

// TestStrangersSockets: few sockets are allowed without a key, and even fewer per address. With a
// key as many as connections are allowed. Probes and requests are answered all the time.
func TestStrangersSockets(t *testing.T) {
	f := warmFixture(t, func(c *Config) {
		c.MaxConns, c.MaxKeylessConnsPerIP, c.MaxKeylessSockets, c.MaxKeylessSocketsPerIP = 40, 10, 8, 5
	})
	alive := func() {
		t.Helper()
		for _, path := range []string{"/livez", "/readyz", "/health"} {
			f.get(path).ok()
		}
		f.post(trade("BTC")).ok()
	}
	var mine []*websocket.Conn
	for range 20 {
		open, refused := f.sockets(t, "127.0.0.1", 10, nil)
		mine = append(mine, open...)
		if refused == nil || refused.StatusCode != 429 || refused.Header.Get("Retry-After") == "" || !refused.Close {
			t.Fatalf("%d are open, then %+v", len(open), refused)
		}
	}
	if len(mine) != 5 {
		t.Errorf("%d sockets of one address", len(mine))
	}
	alive()
	open, refused := f.sockets(t, "127.0.0.2", 5, nil)
	if len(open) != 3 || refused == nil || refused.StatusCode != 503 {
		t.Errorf("%d sockets of another address, %+v", len(open), refused)
	}
	if open, _ := f.sockets(t, "127.0.0.2", 12, http.Header{"Authorization": {"Bearer " + f.key}}); len(open) != 12 {
		t.Errorf("%d sockets with a key", len(open))
	}
	alive()
	// Silent connections are limited too.
	var held []net.Conn
	for range 20 {
		held = append(held, f.dial())
	}
	elsewhere := f.dialFrom("127.0.0.3")
	defer elsewhere.Close()
	f.exchange(elsewhere, f.request("POST", "/v1/validate", trade("BTC"))).ok()
	metrics := string(f.exchange(elsewhere, f.request("GET", "/metrics", "")).body)
	for _, line := range []string{`refused_total{reason="sockets"} 1`, `refused_total{reason="sockets_of_address"} 20`,
		`refused_total{reason="all"} 0`} {
		if !strings.Contains(metrics, "ballast_connections_"+line) ||
			strings.Contains(metrics, "ballast_connections_replaced_total 0") {
			t.Errorf("no %s in\n%s", line, metrics)
		}
	}
	for _, c := range held {
		c.Close()
	}
	mine[0].Close()
	until(t, "room for one more", func() bool { open, _ := f.sockets(t, "127.0.0.1", 1, nil); return len(open) == 1 })
}

// Connections of clients that stop are closed: a client that sends nothing, sends half a request,
// is idle after its answer, or does not read its answer.
// Injects the fault slow-client of docs/faults.md.
func TestClientsThatStop(t *testing.T) {
	f := warmFixture(t, func(c *Config) {
		c.ReadTimeout, c.IdleTimeout = 200*time.Millisecond, 400*time.Millisecond
		c.RequestTimeout, c.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	})
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
