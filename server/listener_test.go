package server

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ballast/server/auth"
)

// shortListener fails to accept several times with the error for too many open files.
type shortListener struct {
	net.Listener
	mu   sync.Mutex
	left int
}

func (l *shortListener) Accept() (net.Conn, error) {
	l.mu.Lock()
	short := l.left > 0
	if short {
		l.left--
	}
	l.mu.Unlock()
	if short {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// The listeners of requests and of metrics survive a shortage of file descriptors.
func TestAcceptOutlivesAShortageOfDescriptors(t *testing.T) {
	f := newFixture(t, nil)
	for _, serve := range []func(net.Listener) error{f.s.Serve, f.s.ServeMetrics} {
		f.serveOn(serve, func(ln net.Listener) net.Listener { return &shortListener{Listener: ln, left: 3} })
		f.get("/metrics").ok()
	}
}

// A client that sends far too much can still read the reason for the refusal.
func TestRefusalReachesABusyClient(t *testing.T) {
	f := newFixture(t, nil)
	for range 20 {
		f.post(strings.Repeat("x", 600_000)).want(413, "")
	}
}

func TestTLS(t *testing.T) {
	standard := httptest.NewTLSServer(nil) // has a certificate
	defer standard.Close()
	f := warmFixture(t, func(c *Config) { c.TLS = &tls.Config{Certificates: standard.TLS.Certificates} })
	for _, row := range []struct {
		text   string
		status int
	}{
		{f.request("POST", "/v1/validate", trade("BTC")), 200},
		{f.request("POST", "/v1/validate", strings.Repeat(" ", 70000)), 413},
		{"GET /v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n", 401},
	} {
		c, err := tls.Dial("tcp", f.addr, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		f.exchange(c, row.text).want(row.status, "")
		c.Close()
	}
	// Plain HTTP on a TLS port causes no harm.
	c := f.dial()
	io.WriteString(c, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
	io.ReadAll(c)
	c.Close()
}

func TestServeMetrics(t *testing.T) {
	f := newFixture(t, nil)
	f.serveOn(f.s.ServeMetrics, func(ln net.Listener) net.Listener { return ln })
	f.contract = nil
	f.raw("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").ok("ballast_ready 1")
	for path, status := range map[string]int{
		"/v1/assets": 404, "/health": 404, "/": 404,
		"/debug/pprof/heap": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/profile?seconds=1": 200,
		"/debug/pprof/cmdline": 404, "/debug/pprof//cmdline": 404, "/debug/pprof/%63mdline": 404, // may have secrets
	} {
		if r := f.get(path); r.status != status || status == 200 && len(r.body) == 0 {
			t.Errorf("%s: %d, %d bytes", path, r.status, len(r.body))
		}
	}
	for range 2 * metricsConns { // idle ones
		defer f.dial().Close()
	}
	f.raw("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").ok()
}

// For every input the log consists of one JSON object per line, without control characters and
// without the key.
func TestLogInjection(t *testing.T) {
	f := newFixture(t, nil)
	for _, evil := range []string{"a\r\nlevel=error", "\x1b[31mred", "\u2028line", "\"}{\"x\":\"",
		strings.Repeat("A", 5000)} {
		quoted, _ := json.Marshal(evil)
		f.post(strings.Replace(trade("BTC"), `"BTC"`, string(quoted), 1),
			"X-Request-Id: "+strings.NewReplacer("\r", "", "\n", "").Replace(evil), "User-Agent: x")
		f.post(`{` + string(quoted) + `:1}`)
	}
	f.setLoad(nil) // a nil loader panics, with the request id in the log
	f.post(trade("BTC"), "X-Request-Id: "+`"},{"level":"x"`)
	f.post(trade("FRESH"))
	lines := 0
	for sc := bufio.NewScanner(strings.NewReader(f.logs.String())); sc.Scan(); lines++ {
		var tree map[string]any
		if err := json.Unmarshal(sc.Bytes(), &tree); err != nil || tree["level"] == "x" {
			t.Errorf("%v: %s", err, sc.Text())
		}
		if strings.ContainsAny(sc.Text(), "\x1b\u2028") || strings.Contains(sc.Text(), f.key) {
			t.Errorf("%q", sc.Text())
		}
	}
	if lines == 0 {
		t.Error("nothing was logged")
	}
}

// Many clients at once, with keys added and revoked and wallets ageing, for the race detector.
func TestHammer(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxInFlight = 4 })
	f.contract = nil
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // changes market data, keys and wallets meanwhile
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
			a := testAccount(walletOf(wallet))
			a.Received = a.Received.Add(-time.Duration(i%3) * 1200 * time.Millisecond)
			f.cache.StoreAccount(a)
			f.cache.Books(btc).Publish(testBook(67123.5), a.Received)
			if i%10 == 0 {
				if _, _, err := f.keys.Issue("x@example.org", auth.Agent); err != nil {
					t.Error(err)
				}
			}
		}
	})
	statuses := make([]map[int]int, 8)
	var clients sync.WaitGroup
	for g := range statuses {
		statuses[g] = map[int]int{}
		clients.Go(func() {
			c := f.dial()
			defer c.Close()
			br := bufio.NewReader(c)
			for i := range 150 {
				text := f.request("POST", "/v1/validate", strings.Replace(trade("BTC"), wallet,
					wallet[:40]+strconv.Itoa(10+i%20), 1))
				switch i % 5 {
				case 0:
					text = f.request("GET", "/v1/assets", "")
				case 1:
					text = f.request("GET", "/metrics", "")
				case 2:
					text = f.request("GET", "/health", "")
				}
				if _, err := io.WriteString(c, text); err != nil {
					t.Error(err)
					return
				}
				statuses[g][f.readReply(br, text).status]++
			}
		})
	}
	clients.Wait()
	close(stop)
	wg.Wait()
	for _, s := range statuses {
		for status := range s {
			if status != 200 && status != 503 {
				t.Errorf("statuses %v", s)
			}
		}
	}
	f.calm()
}
