package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"

	"ballast/compute/risk"
	"ballast/internal/contract"
	"ballast/internal/locked"
	"ballast/internal/race"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/auth"
	"ballast/server/transport"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps one goroutine that updates the Date header. The goroutines of its worker
		// pool end a moment after the listener is closed.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		// A client's idle connections are closed some seconds after their last use.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*HostClient).connsCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*TCPDialer).tcpAddrsClean"), // of the whole process
	)
}

// fixture is a server on synthetic market data, reached over a real socket.
type fixture struct {
	t     testing.TB
	cache *marketcache.Cache
	keys  *auth.Store
	key   string
	keyID string
	s     *Server
	addr  string
	logs  *locked.Buffer

	// contract checks every answer against the contract. It is nil in load tests, under the race
	// detector, where checking is many times slower, and for answers that do not come from the
	// service's own listener.
	contract *contract.Recorder

	mu    sync.Mutex
	load  loader
	loads int
}

func newFixture(t testing.TB, change func(*Config)) *fixture {
	t.Helper()
	keys := auth.NewStore()
	f := &fixture{t: t, cache: newCache(), keys: keys, logs: &locked.Buffer{}}
	if !race.Enabled {
		f.contract = &contract.Recorder{}
	}
	key, k, err := keys.Issue("test@example.org", auth.Agent)
	if err != nil {
		t.Fatal(err)
	}
	f.key, f.keyID = key, k.ID
	f.load = func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		a := testAccount(w)
		f.cache.StoreAccount(a)
		return a, nil
	}
	cfg := Config{
		Cache: f.cache, Engine: risk.NewEngine(risk.DefaultAges()), Keys: keys,
		LoadAccount: func(
			ctx context.Context, w marketcache.Wallet, id marketcache.AssetID,
		) (*marketcache.Account, error) {
			f.mu.Lock()
			f.loads++
			load := f.load
			f.mu.Unlock()
			return load(ctx, w, id)
		},
		Classify: func(error) (string, time.Duration) { return "venue_error", 0 },
		Version:  "test", Venue: "synthetic", VenueKind: "simulated", MaxInFlight: 8,
		MaxQueueWait: -1, // tests run on machines that are busy with other tests
		Log:          slog.New(slog.NewJSONHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&cfg)
	}
	f.s = New(cfg)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.addr = ln.Addr().String()
	served := make(chan error, 1)
	go func() { served <- f.s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		f.s.Shutdown(ctx)
		if err := <-served; err != nil && err != transport.ErrDraining {
			t.Error("serve:", err)
		}
	})
	return f
}

// loader is Config.LoadAccount.
type loader = func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error)

func (f *fixture) setLoad(load loader) {
	f.mu.Lock()
	f.load = load
	f.mu.Unlock()
}

// venueHangs lets every further read of a wallet wait until release is called, or its context ends.
func (f *fixture) venueHangs() (release func()) {
	hung := make(chan struct{})
	f.setLoad(func(ctx context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		select {
		case <-hung:
			return testAccount(w), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	return func() { close(hung) }
}

// venueGives sets what every further read of a wallet gives.
func (f *fixture) venueGives(a *marketcache.Account, err error) {
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		return a, err
	})
}

func (f *fixture) loadCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loads
}

// reply is an answer read from the socket.
type reply struct {
	t         testing.TB
	line      string // of the request
	status    int
	header    http.Header
	body      []byte
	tree      map[string]any // the body as a JSON object
	saysClose bool           // Connection: close
	closed    bool           // the server closed the connection after the answer (rawThenClosed)
}

func (r *reply) errorCode() string {
	code, _ := r.tree["error"].(string)
	return code
}

func (r *reply) detail() string {
	d, _ := r.tree["detail"].(string)
	return d
}

// ok reports an answer that is no success with the parts in its body.
func (r *reply) ok(parts ...string) *reply {
	r.t.Helper()
	return r.want(200, "", parts...)
}

// want reports an answer that has not the status, the error code (unless "") and the parts in its body, or
// that refuses without saying when to try again.
func (r *reply) want(status int, code string, parts ...string) *reply {
	r.t.Helper()
	ok := r.status == status && (code == "" || r.errorCode() == code)
	ok = ok && (status != 429 && status != 503 || r.header.Get("Retry-After") != "")
	for _, part := range parts {
		ok = ok && (strings.Contains(r.detail(), part) || strings.Contains(string(r.body), part))
	}
	if !ok {
		r.t.Errorf("%s: %d %.2000s, want %d %s %q", r.line, r.status, r.body, status, code, parts)
	}
	return r
}

// holds reports an answer in which headers, which have capitals, or members have other values than those that follow
// their names; "" and nil: they are not there.
func (r *reply) holds(pairs ...any) *reply {
	r.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		name, want := pairs[i].(string), pairs[i+1]
		got := r.tree[name]
		if unicode.IsUpper(rune(name[0])) {
			got = r.header.Get(name)
		}
		if got != want && !(got == nil && want == "") {
			r.t.Errorf("%s: %d %v %.2000s: %s is %v, want %v", r.line, r.status, r.header, r.body, name, got, want)
		}
	}
	return r
}

// raw sends bytes on a new connection and reads one answer. It takes the method from the text,
// because some methods have answers without a body.
func (f *fixture) raw(text string) *reply {
	f.t.Helper()
	c := f.dial()
	defer c.Close()
	return f.exchange(c, text)
}

// rawThenClosed is raw, and also finds out whether the server closes the connection.
func (f *fixture) rawThenClosed(text string) *reply {
	f.t.Helper()
	c := f.dial()
	defer c.Close()
	r := f.exchange(c, text)
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	n, err := c.Read(make([]byte, 1))
	r.closed = n == 0 && err == io.EOF
	return r
}

func (f *fixture) exchange(c net.Conn, text string) *reply {
	f.t.Helper()
	sent := make(chan struct{})
	go func() { io.WriteString(c, text); close(sent) }()
	line, _, _ := strings.Cut(text, "\r\n")
	r := f.readReply(bufio.NewReader(c), line)
	c.SetWriteDeadline(time.Now())
	<-sent
	c.SetWriteDeadline(time.Now().Add(15 * time.Second)) // for a next request
	return r
}

func (f *fixture) dial() net.Conn { return f.dialFrom("127.0.0.1") }

// dialFrom connects from an address of this machine.
func (f *fixture) dialFrom(host string) net.Conn {
	f.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	c, err := d.Dial("tcp", f.addr)
	if err != nil {
		f.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(15 * time.Second))
	return c
}

// readReply reads the answer to a request with the given first line, and checks it against the
// contract.
func (f *fixture) readReply(br *bufio.Reader, line string) *reply {
	f.t.Helper()
	method, target, _ := strings.Cut(line, " ")
	target, _, _ = strings.Cut(target, " ")
	resp, err := http.ReadResponse(br, &http.Request{Method: method})
	if err != nil {
		f.t.Errorf("no answer: %v", err)
		return &reply{t: f.t, line: line}
	}
	defer resp.Body.Close()
	r := &reply{t: f.t, line: line, status: resp.StatusCode, header: resp.Header, saysClose: resp.Close}
	if r.body, err = io.ReadAll(resp.Body); err != nil {
		f.t.Errorf("body: %v", err)
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") &&
		resp.Header.Get("Content-Encoding") == "" && len(r.body) > 0 && r.body[0] != '[' {
		if err := json.Unmarshal(r.body, &r.tree); err != nil {
			f.t.Errorf("not JSON: %v: %s", err, r.body)
		}
	}
	if f.contract != nil {
		if err := f.contract.Check(method, target, r.status, r.header, r.body); err != nil {
			f.t.Error(err)
		}
	}
	return r
}

// request returns the text of a request with a key.
func (f *fixture) request(method, uri, body string, headers ...string) string {
	var b strings.Builder
	b.WriteString(method + " " + uri + " HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer " + f.key + "\r\n")
	if method == "POST" || method == "PUT" {
		b.WriteString("Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n" + body)
	return b.String()
}

// call sends a body to a method and a path.
func (f *fixture) call(call, body string) *reply {
	f.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	return f.raw(f.request(method, path, body))
}

func (f *fixture) get(uri string, headers ...string) *reply {
	return f.raw(f.request("GET", uri, "", headers...))
}

func (f *fixture) post(body string, headers ...string) *reply {
	return f.raw(f.request("POST", "/v1/validate", body, headers...))
}

// figure returns a number of an answer, 0 if it is not there.
func figure(tree map[string]any, path ...string) float64 {
	for _, name := range path[:len(path)-1] {
		tree, _ = tree[name].(map[string]any)
	}
	x, _ := tree[path[len(path)-1]].(float64)
	return x
}

// trade returns the body of a valid request.
func trade(asset string) string {
	return `{"asset":"` + asset + `","action":"long","size":50000,"leverage":10,"wallet":"` + wallet + `"}`
}

// wrappedListener wraps each connection.
type wrappedListener struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l wrappedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

// serveOn serves a further listener, made of one by wrap, until the end of the test. The fixture's requests go there.
func (f *fixture) serveOn(serve func(net.Listener) error, wrap func(net.Listener) net.Listener) {
	f.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	f.addr = ln.Addr().String()
	done := make(chan error, 1)
	go func() { done <- serve(wrap(ln)) }()
	f.t.Cleanup(func() { // before the fixture's, which shuts the server down
		ln.Close()
		if err := <-done; err != nil {
			f.t.Error(err)
		}
	})
}

// warmFixture is a fixture whose requests do not need the venue.
func warmFixture(t testing.TB, change func(*Config)) *fixture {
	t.Helper()
	f := newFixture(t, change)
	f.warm()
	return f
}

// warm stores the wallet's account.
func (f *fixture) warm() { f.cache.StoreAccount(testAccount(walletOf(wallet))) }

// aged stores the wallet's account as it was read some time ago.
func (f *fixture) aged(age time.Duration) {
	a := testAccount(walletOf(wallet))
	a.Received = a.Received.Add(-age)
	f.cache.StoreAccount(a)
}

// withSimulation returns a request, or a trade of a batch, with a simulation.
func withSimulation(body string) string { return strings.Replace(body, "{", `{"monte_carlo":true,`, 1) }

// until polls the function is until it returns true, and fails the test after 5 s.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// occupy admits n requests of a kind, which take their turn if the kind has a queue. It returns a
// function that ends them.
func (f *fixture) occupy(kind admission.Kind, n int) (leave func()) {
	f.t.Helper()
	tickets := make([]admission.Ticket, n)
	for i := range tickets {
		// The previous request may not have left yet.
		for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
			var refusal admission.Refusal
			tickets[i], refusal = f.s.admission.Admit(kind, 1, marketcache.Now(), nil)
			if refusal == admission.Admitted {
				break
			}
			if time.Now().After(end) {
				f.t.Fatalf("no room for request %d: %v", i, refusal)
			}
		}
		tickets[i].Wait()
	}
	return func() {
		for i := range tickets {
			tickets[i].Cancel()
		}
	}
}
