package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ballast/compute/calib"
	"ballast/compute/risk"
	"ballast/internal/race"
	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
	"ballast/server"
	"ballast/server/auth"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps one goroutine that updates the Date header. The goroutines of its worker
		// pool end a moment after the listener is closed.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

// maxMallocs is the largest average number of heap allocations in the whole process per warm
// validation. The service itself makes none; the Go runtime and the libraries make a few in the
// background.
const maxMallocs = 0.1

// gateWallets holds two wallets of the simulated venue: one without positions, one with five.
var gateWallets = []string{"0xba11a57000000000000000000000000000000005", "0xba11a57000000000000000000000000000000001"}

var gateAssets = []string{"BTC", "ETH", "SOL"}

// TestValidateAllocsOverSocket counts the heap allocations of the whole process per validation over
// a real socket. The service runs complete, except for the feed, which stops once everything is
// loaded. The client allocates nothing.
func TestValidateAllocsOverSocket(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	cache := marketcache.New(marketcache.Limits{})
	accounts := fillCache(t, cache)
	keys := auth.NewStore()
	key, _, err := keys.Issue("gate@example.org", auth.Agent)
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(server.Config{
		Cache: cache, Engine: risk.NewEngine(risk.DefaultAges()), Keys: keys, Log: slog.New(slog.DiscardHandler),
		Classify: func(error) (string, time.Duration) { return "venue_error", 0 },
		LoadAccount: func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account,
			error) {
			return nil, fmt.Errorf("wallet %s: the cache must be fresh, so that no account is loaded", w)
		},
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	defer func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	}()
	client := newClient(t, ln.Addr().String())
	defer client.Close()
	freeze(cache, accounts)
	for i, wallet := range gateWallets {
		for _, asset := range gateAssets {
			body := fmt.Sprintf(`{"asset":%q,"action":"long","size":5000,"leverage":3,"mode":"cross","wallet":%q}`,
				asset, wallet)
			request := []byte("POST /v1/validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key +
				"\r\nContent-Type: application/json\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body)
			n := client.mallocs(t, request, 2000)
			t.Logf("wallet with %d positions, %s: %.4f heap allocations per request", []int{0, 5}[i], asset, n)
			if n > maxMallocs {
				t.Errorf("more heap allocations per request than %v", maxMallocs)
			}
		}
	}
}

// fillCache runs the simulated venue, the feed and the calibrator until the cache holds all data
// that the test requests, and then stops them. It returns the accounts of the wallets.
func fillCache(t *testing.T, cache *marketcache.Cache) []*marketcache.Account {
	t.Helper()
	exchange, err := sim.Open(sim.Config{Seed: 1, Assets: 12, Limits: sim.NoLimits})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- exchange.Serve(ln) }()
	log := slog.New(slog.DiscardHandler)
	feed := hyperliquid.New(cache, hyperliquid.Config{Name: "sim", Budget: -1, BaseURL: "http://" + ln.Addr().String(),
		Logger: log})
	loop := calib.NewLoop(cache, calib.Config{Log: log})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool, 2)
	go func() { feed.Run(ctx); ended <- true }()
	go func() { loop.Run(ctx); ended <- true }()

	var accounts []*marketcache.Account
	deadline := time.Now().Add(90 * time.Second)
	for complete := false; !complete; {
		if time.Now().After(deadline) {
			t.Fatal("the cache is still incomplete after 90 s")
		}
		time.Sleep(50 * time.Millisecond)
		u, m := cache.Universe(), cache.Model()
		complete = len(u.Assets) > 0 && m != nil && m.Calibrated >= 10
		for _, asset := range gateAssets {
			id := u.LookupString(asset)
			complete = complete && id != marketcache.NoAsset && known(cache.Books(id).Newest())
		}
	}
	for _, text := range gateWallets {
		w, ok := marketcache.ParseWallet([]byte(text))
		if !ok {
			t.Fatal(text)
		}
		a, err := feed.LoadAccount(ctx, w, marketcache.NoAsset)
		if err != nil {
			t.Fatal(err)
		}
		accounts = append(accounts, a)
	}
	stop()
	<-ended
	<-ended
	down, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := exchange.Shutdown(down); err != nil {
		t.Error(err)
	}
	<-served
	return accounts
}

// known reports whether the depth behind the best levels is known too.
func known(book *marketcache.Snapshot[*marketcache.Book]) bool {
	return book != nil && (book.Value.DepthCadence == 0 || book.Value.DepthProof != 0)
}

// freeze gives all market data and accounts a receipt time one hour in the future, so that they
// stay fresh during the test.
func freeze(cache *marketcache.Cache, accounts []*marketcache.Account) {
	later := marketcache.Now().Add(time.Hour)
	for id := range cache.Universe().Assets {
		cache.Books(marketcache.AssetID(id)).Confirm(later)
		cache.Contexts(marketcache.AssetID(id)).Confirm(later)
	}
	for _, a := range accounts {
		fresh := *a
		fresh.Received = later
		cache.StoreAccount(&fresh)
	}
}

// client sends requests over one connection and allocates nothing.
type client struct {
	net.Conn
	buf [64 << 10]byte
}

func newClient(t *testing.T, address string) *client {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return &client{Conn: c}
}

var (
	headEnd = []byte("\r\n\r\n")
	length  = []byte("Content-Length: ")
)

// ask sends a request and returns the answer, valid until the next call.
func (c *client) ask(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	for have, want := 0, -1; ; {
		n, err := c.Read(c.buf[have:])
		if have += n; err != nil {
			return c.buf[:have], err
		}
		if end := bytes.Index(c.buf[:have], headEnd); want < 0 && end >= 0 {
			at := bytes.Index(c.buf[:end], length)
			if at < 0 {
				return c.buf[:have], io.ErrUnexpectedEOF
			}
			want = 0
			for _, digit := range c.buf[at+len(length) : end] {
				if digit < '0' || digit > '9' {
					break
				}
				want = want*10 + int(digit-'0')
			}
			want += end + len(headEnd)
		}
		if want >= 0 && have >= want {
			return c.buf[:have], nil
		}
	}
}

// mallocs sends the request n times and returns the number of heap allocations in the process per
// request.
func (c *client) mallocs(t *testing.T, request []byte, n int) float64 {
	t.Helper()
	for range 200 { // fills the object pools and caches
		answer, err := c.ask(request)
		if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 200")) ||
			bytes.Contains(answer, []byte("stale_market_data")) {
			t.Fatalf("%v %.600s", err, answer)
		}
	}
	// no collection during the count: it would empty object pools, and filling them again allocates
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.GC()
	for range 200 {
		c.ask(request)
	}
	runtime.ReadMemStats(&before)
	for range n {
		if answer, err := c.ask(request); err != nil || len(answer) < 1000 {
			t.Fatalf("%v %.300s", err, answer)
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n)
}
