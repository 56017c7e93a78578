package server

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/race"
	"ballast/marketcache"
	"ballast/server/admission"
)

// pipeConn is a connection that only has an address; it is never read or written.
type pipeConn struct{ net.Conn }

func (pipeConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }
func (pipeConn) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 2} }

// inProcess calls the handler without a socket: bytes in, bytes out.
type inProcess struct {
	s    *Server
	ctx  fasthttp.RequestCtx
	text []byte
	in   bytes.Reader
	br   *bufio.Reader
	bw   *bufio.Writer
}

func newInProcess(s *Server, text string) *inProcess {
	p := &inProcess{s: s, text: []byte(text), bw: bufio.NewWriterSize(io.Discard, writeBuffer)}
	p.ctx.Init2(pipeConn{}, quiet{s}, false)
	p.br = bufio.NewReaderSize(&p.in, maxHeader)
	return p
}

// serve answers the request, which must give a status.
func (p *inProcess) serve(t testing.TB, status int) {
	p.serveAt(t, time.Now(), status)
	if err := p.ctx.Response.Write(p.bw); err != nil {
		t.Fatal(err)
	}
	p.bw.Flush()
}

// serveAt is serve at a time, without writing the answer.
func (p *inProcess) serveAt(t testing.TB, at time.Time, status int) {
	p.in.Reset(p.text)
	p.br.Reset(&p.in)
	p.ctx.Request.Reset()
	p.ctx.Response.Reset()
	if err := p.ctx.Request.ReadLimitBody(p.br, maxBatchBody); err != nil {
		t.Fatal(err)
	}
	p.s.serve(&p.ctx, at)
	if got := p.ctx.Response.StatusCode(); got != status {
		t.Fatalf("%d %.300s", got, p.ctx.Response.Body())
	}
}

// measure answers a request again and again.
func (f *fixture) measure(b *testing.B, text string, status int) {
	p := newInProcess(f.s, text)
	b.ReportAllocs()
	for b.Loop() {
		p.serve(b, status)
	}
}

// warmRequest returns a fixture that records decisions, and a request that it answers from the cache.
func warmRequest(t testing.TB) (*fixture, string) {
	f := warmFixture(t, func(c *Config) { c.Journal = stillJournal(t, nil) })
	// The account must stay fresh during a benchmark.
	a := testAccount(walletOf(wallet))
	a.Received = a.Received.Add(time.Hour)
	f.cache.StoreAccount(a)
	for id := range assetCount {
		f.cache.Books(id).Confirm(a.Received)
		f.cache.Contexts(id).Confirm(a.Received)
	}
	return f, f.request("POST", "/v1/validate", trade("BTC"))
}

// holdNothing removes the positions from the fixture's wallet, whose settings in the given assets are known:
// a request need not read them.
func (f *fixture) holdNothing(settings ...marketcache.AssetID) {
	a := testAccount(walletOf(wallet))
	a.Positions, a.Received = nil, a.Received.Add(time.Hour)
	for _, id := range settings {
		a.Settings = append(a.Settings, marketcache.LeverageSetting{Asset: id, Read: a.Received})
	}
	f.cache.StoreAccount(a)
}

// A warm request allocates nothing, from the parsed request to the encoded answer.
func TestValidateAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	f, text := warmRequest(t)
	for name, text := range map[string]string{
		"plain": text, "explained": strings.Replace(text, "/v1/validate", "/v1/validate?explain=true", 1),
		"with an id":       strings.Replace(text, "Host:", "X-Request-Id: abc\r\nHost:", 1),
		"without leverage": f.request("POST", "/v1/validate", strings.Replace(trade("BTC"), `"leverage":10,`, "", 1)),
		"escaped":          f.request("POST", "/v1/validate", strings.Replace(trade("BTC"), `"BTC"`, `"\u0042TC"`, 1)),
		"assets":           f.request("GET", "/v1/assets", ""),
		"market":           f.request("GET", "/v1/market/BTC", ""),
	} {
		p := newInProcess(f.s, text)
		if n := testing.AllocsPerRun(300, func() { p.serve(t, 200) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// sizeText is a question for the largest size, with curve and ladder, in place of a validation.
func (f *fixture) sizeText(asset, action, members string) string {
	return f.request("POST", "/v1/size",
		`{"wallet":"`+wallet+`","asset":"`+asset+`","action":"`+action+`",`+members+`}`)
}

// Searching a size allocates nothing either, once the memory has grown.
func TestSizeAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	f, _ := warmRequest(t)
	for _, mode := range []string{"cross", "isolated"} {
		p := newInProcess(f.s, f.sizeText("ETH", "long", `"mode":"`+mode+`","target":{"max_score":70}`))
		if n := testing.AllocsPerRun(30, func() { p.serve(t, 200) }); n != 0 {
			t.Errorf("%s: %v allocations", mode, n)
		}
	}
}

// BenchmarkValidate measures a warm validation without the socket: reading the request, all checks,
// snapshot, assessment, encoding, and writing the answer.
func BenchmarkValidate(b *testing.B) {
	f, text := warmRequest(b)
	f.measure(b, text, 200)
}

// endlessConn returns one request per read, a fixed number of times, and accepts all writes.
type endlessConn struct {
	pipeConn
	request []byte
	left    int
}

func (c *endlessConn) Read(b []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	c.left--
	return copy(b, c.request), nil
}

func (c *endlessConn) Write(b []byte) (int, error)      { return len(b), nil }
func (c *endlessConn) SetReadDeadline(time.Time) error  { return nil }
func (c *endlessConn) SetWriteDeadline(time.Time) error { return nil }
func (c *endlessConn) Close() error                     { return nil }

// endlessListener accepts one existing connection.
type endlessListener struct {
	net.Listener
	c net.Conn
}

func (l endlessListener) Accept() (net.Conn, error) { return l.c, nil }
func (l endlessListener) Close() error              { return nil }

// answerAll answers n requests on one open connection, without the system calls.
func (f *fixture) answerAll(t testing.TB, text string, n int) {
	ln, err := f.s.transport.Listen(endlessListener{c: &endlessConn{request: []byte(text), left: n}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.s.http.ServeConn(conn); err != nil {
		t.Fatal(err)
	}
}

// A warm validation on an open connection costs at most 0.1 heap allocations of the whole process: its own path makes
// none, the HTTP library and background work make a few in many requests.
func TestConnectionAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const requests, most = 5000, 0.1
	f, text := warmRequest(t)
	f.answerAll(t, text, 200) // fills the pools
	// A collection would empty pools, and filling them again allocates.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f.answerAll(t, text, requests)
	runtime.ReadMemStats(&after)
	if n := float64(after.Mallocs-before.Mallocs) / requests; n > most {
		t.Errorf("%.4f heap allocations a request, want at most %v", n, most)
	}
	if f.loadCount() != 0 {
		t.Error("the wallet was read again")
	}
}

// BenchmarkConnection measures a validation for a wallet without positions on an open connection,
// without the system calls.
func BenchmarkConnection(b *testing.B) {
	f, text := warmRequest(b)
	f.holdNothing(btc)
	b.ReportAllocs()
	b.ResetTimer()
	f.answerAll(b, text, b.N)
}

// BenchmarkRefusal measures a validation that is refused for lack of capacity.
func BenchmarkRefusal(b *testing.B) {
	f, text := warmRequest(b)
	f.holdNothing(btc)
	leave := f.occupy(admission.Plain, 8)
	defer leave()
	f.measure(b, text, 503)
}

// BenchmarkBatch measures a batch of 50 trades in two assets, to compare with 50 validations.
func BenchmarkBatch(b *testing.B) {
	f, _ := warmRequest(b)
	trades := make([]string, 50)
	for i := range trades {
		trades[i] = strings.Replace(btcLong, "BTC", []string{"BTC", "ETH"}[i%2], 1)
	}
	f.measure(b, f.request("POST", "/v1/validate/batch", batchOf(trades...)), 200)
}

// BenchmarkMonitor measures the report of a wallet with two positions.
func BenchmarkMonitor(b *testing.B) {
	f, _ := warmRequest(b)
	f.measure(b, f.request("GET", "/v1/monitor/"+wallet, ""), 200)
}

// BenchmarkValidateEmptyWallet is BenchmarkValidate for a wallet without positions, so that no
// portfolio is replayed.
func BenchmarkValidateEmptyWallet(b *testing.B) {
	f, text := warmRequest(b)
	f.holdNothing(btc)
	f.measure(b, text, 200)
	if f.loadCount() != 0 {
		b.Fatal("the wallet was read again")
	}
}
