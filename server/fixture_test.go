package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ballast/compute/calib"
	"ballast/compute/risk"
	"ballast/compute/vol"
	"ballast/internal/contract"
	"ballast/internal/locked"
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
	)
}

const (
	btc = marketcache.AssetID(iota)
	eth
	iso   // isolated margin only
	old   // delisted
	fresh // listed, but its history is not loaded
	assetCount
)

const wallet = "0x00000000000000000000000000000000000000aa"

func walletOf(s string) marketcache.Wallet {
	w, ok := marketcache.ParseWallet([]byte(s))
	if !ok {
		panic("bad wallet " + s)
	}
	return w
}

func testBook(mid float64) *marketcache.Book {
	levels := func(dir float64) []marketcache.Level {
		var l []marketcache.Level
		for i := range 20 {
			l = append(l, marketcache.Level{Price: mid * (1 + dir*0.0001*float64(i+1)),
				Units: (0.5 + 0.3*float64(i)) * 60000 / mid})
		}
		return l
	}
	return marketcache.MergeBooks([][]marketcache.Level{levels(-1)}, [][]marketcache.Level{levels(+1)},
		time.Now().UnixMilli())
}

// testModel returns a fit with plausible numbers: about 45 % volatility per year.
func testModel(id marketcache.AssetID, name string) *marketcache.AssetModel {
	hour := time.Now().UnixMilli() / 3_600_000
	m := &marketcache.AssetModel{
		Asset: id, Name: name, Bars: 20000, FirstHour: hour - 20000, LastHour: hour - 1,
		LongRunVariance: 0.45 * 0.45 / 8760, RegimeProb: [3]float64{0.9, 0.09, 0.01}, RegimeConfidence: 0.9,
		VolRegime: marketcache.VolatilityNormal, VolumeUSD7d: 7e9, VolumeUSD30d: 1e9, Digest: [32]byte{byte(id + 1)},
	}
	for h, hours := range marketcache.Horizons {
		m.Variance[h], m.Kappa2[h], m.Outcomes[h] = m.LongRunVariance*float64(hours), 1.05, 10000
		sd := 100 * math.Sqrt(m.Variance[h])
		for side := range marketcache.SideCount {
			m.Tail[h][side] = [marketcache.LevelCount]marketcache.TailQuantile{
				{ZQ: -1.6, ZES: -2.3, PctVaR: 1.6 * sd, PctES: 2.3 * sd},
				{ZQ: -2.7, ZES: -3.6, PctVaR: 2.7 * sd, PctES: 3.6 * sd},
			}
		}
	}
	series := func(n int) marketcache.HourlySeries {
		s := marketcache.HourlySeries{FirstHour: hour - int64(n), Values: make([]float64, n)}
		for i := range s.Values {
			s.Values[i] = math.Sin(float64(i)*0.7+float64(id)) * 1.4
		}
		return s
	}
	m.Z24, m.U1 = series(17521), series(2160)
	for h := range m.Excursions {
		for side := range m.Excursions[h] {
			m.Excursions[h][side] = vol.PooledExcursions[h][side]
		}
	}
	calib.Derive(m)
	return m
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

// newCache returns a cache in which every asset except fresh can be assessed.
func newCache() *marketcache.Cache {
	cache := marketcache.New(marketcache.Limits{Assets: 8, Wallets: 64})
	tiers := marketcache.NewTiers([]float64{0, 1.5e8}, []float64{40, 20})
	small := marketcache.NewTiers([]float64{0}, []float64{10})
	assets := []*marketcache.Asset{
		btc:   {Name: "BTC", SizeDigits: 5, MaxLeverage: 40, Tiers: tiers},
		eth:   {Name: "ETH", SizeDigits: 4, MaxLeverage: 40, Tiers: tiers},
		iso:   {Name: "ISO", MaxLeverage: 10, Tiers: small, OnlyIsolated: true},
		old:   {Name: "OLD", MaxLeverage: 10, Tiers: small, Delisted: true},
		fresh: {Name: "FRESH", MaxLeverage: 10, Tiers: small},
	}
	for i, a := range assets {
		a.ID, a.FeeMultiplier = marketcache.AssetID(i), 1
	}
	cache.SetUniverse(marketcache.NewUniverse(assets))
	fits := make([]*marketcache.AssetModel, assetCount)
	now := marketcache.Now()
	for i, a := range assets {
		id := marketcache.AssetID(i)
		market := marketOf([]float64{67123.5, 3456.78, 1.2345, 1, 2}[i])
		if id == fresh {
			market.OpenInterestUnits /= 1000
			publish(cache, id, market, now)
			continue
		}
		publish(cache, id, market, now)
		publishHistory(cache, id, market.MarkPrice, now)
		if id != old {
			fits[id] = testModel(id, a.Name)
		}
	}
	cache.SetModel(calib.Publish("fhs-px", risk.ConstantsDigest(), fits, btc))
	cache.MessageReceived(now)
	cache.Venue.Connected.Store(true)
	return cache
}

// marketOf returns a market with 1e9 USD of open interest.
func marketOf(price float64) marketcache.Context {
	return marketcache.Context{
		MarkPrice: price, OraclePrice: price * 0.9999, MidPrice: price, FundingRateHourly: 0.0000125, HasFunding: true,
		OpenInterestUnits: 1e9 / price, DayVolumeUSD: 2e9, PrevDayPrice: price * 0.98,
	}
}

// publish stores what the sockets of the venue tell about an asset.
func publish(cache *marketcache.Cache, id marketcache.AssetID, market marketcache.Context, at marketcache.Instant) {
	cache.Contexts(id).Publish(market, at)
	cache.Books(id).Publish(testBook(market.MarkPrice), at)
	cache.Caps(id).Publish(marketcache.Cap{}, at)
}

// publishHistory stores what else an assessment needs of an asset, except its fit.
func publishHistory(cache *marketcache.Cache, id marketcache.AssetID, price float64, at marketcache.Instant) {
	cache.CEX(id).Publish(marketcache.CEXFunding{RateHourly: 0.00001, Venues: 2}, at)
	cache.SetFunding(id, &marketcache.FundingStats{Rows: 720, MeanHourly168: 0.00001, MedianHourly720: 0.000011,
		MADHourly720: 0.000003})
	cache.SetInterest(id, &marketcache.OpenInterestStats{MaxUSD180d: 2e9})
	cache.SetSampleStats(id, &marketcache.SampleStats{N: 1440, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 5,
		Depth50BpsUSDMedian: 1e6})
	hour := time.Now().UnixMilli() / 3_600_000 * 3_600_000
	cache.AppendBars(id, []marketcache.Bar{{OpenMs: hour - 3_600_000, Open: price, High: price, Low: price,
		Close: price, Volume: 1}}, hour)
}

// testAccount returns a wallet with 100,000 USD, long 1 BTC and short 10 ETH, read just now.
func testAccount(w marketcache.Wallet) *marketcache.Account {
	return &marketcache.Account{
		Wallet: w, Mode: marketcache.ModeDisabled, CrossAccountValueUSD: 100000, TakerRate: 0.00045,
		Received: marketcache.Now(),
		Positions: []marketcache.Position{
			{Asset: btc, Name: "BTC", Units: 1, EntryPrice: 60000, ValueUSD: 67123.5, MarginUsedUSD: 6712.35,
				Leverage: 10, MaxLeverage: 40},
			{Asset: eth, Name: "ETH", Units: -10, EntryPrice: 3400, ValueUSD: 34567.8, MarginUsedUSD: 3456.78,
				Leverage: 10, MaxLeverage: 40},
		},
	}
}

func newFixture(t testing.TB, change func(*Config)) *fixture {
	t.Helper()
	keys := auth.NewStore()
	f := &fixture{t: t, cache: newCache(), keys: keys, logs: &locked.Buffer{}}
	if !raceEnabled {
		f.contract = &contract.Recorder{}
	}
	key, k, err := keys.Issue("test@example.org")
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
		LoadAccount: func(ctx context.Context, w marketcache.Wallet, id marketcache.AssetID) (*marketcache.Account,
			error) {
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

func (f *fixture) dial() net.Conn {
	f.t.Helper()
	c, err := net.Dial("tcp", f.addr)
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
		resp.Header.Get("Content-Encoding") == "" && len(r.body) > 0 {
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
	if method == "POST" {
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

// warm stores the wallet's account, so that requests do not need the venue.
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
	for end := time.Now().Add(5 * time.Second); !is(); time.Sleep(time.Millisecond) {
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
