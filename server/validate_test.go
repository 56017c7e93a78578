package server

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/marketcache"
	"ballast/server/admission"
)

func TestValidate(t *testing.T) {
	f := warmFixture(t, nil)
	r := f.post(trade("BTC"), "X-Request-Id: my-id").ok().
		holds("Content-Type", "application/json", "X-Request-Id", "my-id", "explanation", nil)
	for _, block := range []string{
		"risk_score", "recommendation", "flags", "slippage", "liquidation", "funding", "impact", "var", "oi", "stress",
		"fees", "cost_analysis", "sizing", "meta", "model_version",
	} {
		if r.tree[block] == nil {
			t.Errorf("no %s", block)
		}
	}
	meta := r.tree["meta"].(map[string]any)
	if meta["request_id"] != "my-id" || meta["asset"] != "BTC" || meta["mark_price"] != 67123.5 ||
		meta["max_leverage"] != 40.0 || meta["error"] != nil {
		t.Errorf("meta %v", meta)
	}
	at, err := time.Parse("2006-01-02T15:04:05.000Z", meta["as_of"].(string))
	if err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("as_of %v: %v", meta["as_of"], err)
	}
	if f.loadCount() != 0 {
		t.Error("a request answered from the cache read the wallet")
	}
	for query, explained := range map[string]bool{"?explain=true": true, "?&explain=true&": true,
		"?explain=false": false, "?": false} {
		r := f.raw(f.request("POST", "/v1/validate"+query, trade("BTC"))).ok()
		if (r.tree["explanation"] != nil) != explained {
			t.Errorf("%s: explanation %v", query, r.tree["explanation"])
		}
	}
	f.post(trade("NOPE")).want(400, "validation_error", "invalid asset: NOPE").holds("sizing", nil)
	f.cache.SetUniverse(marketcache.NewUniverse(nil))
	f.post(trade("BTC")).want(503, "starting")
	f.calm()
}

// A deposit is told where it is asked for: of an order that proceeds none, of one that the venue refuses at least
// what is missing.
func TestDeposit(t *testing.T) {
	f := newFixture(t, nil)
	ask := func(query, body string) any {
		sizing := f.raw(f.request("POST", "/v1/validate"+query, body)).ok().tree["sizing"].(map[string]any)
		if _, is := sizing["deposit_usd"]; is != (query == "?deposit=true") {
			t.Errorf("%s: %v", query, sizing)
		}
		return sizing["deposit_usd"]
	}
	small := strings.Replace(trade("BTC"), "50000", "100", 1)
	if got := ask("?deposit=true", small); got != 0.0 {
		t.Errorf("of a small order %v", got)
	}
	large := strings.Replace(trade("BTC"), "50000", "5000000", 1)
	issue := f.post(large).ok().tree["admissibility"].(map[string]any)["issues"].([]any)[0].(map[string]any)
	if got, ok := ask("?deposit=true", large).(float64); !ok || got < issue["fix_deposit_usd"].(float64) {
		t.Errorf("of a large order %v, lacking %v", got, issue)
	}
	ask("?deposit=false", small)
	ask("", small)
}

func TestColdWallet(t *testing.T) {
	f := newFixture(t, nil)
	for range 2 {
		f.post(trade("BTC")).ok()
		if n := f.loadCount(); n != 1 {
			t.Fatalf("%d reads: the fresh copy was not used", n)
		}
	}
	// In the second half of its soft age limit the copy is used, and read again in the background.
	f.aged(1500 * time.Millisecond)
	if r := f.post(trade("BTC")).ok(); figure(r.tree, "meta", "wallet_age_ms") < 1500 {
		t.Errorf("%s", r.body)
	}
	until(t, "refreshed behind", func() bool { return f.loadCount() == 2 })
	// Past the soft limit the wallet is read first. If that fails, a copy within the hard limit is
	// used and flagged.
	f.venueGives(nil, errors.New("venue is down"))
	f.aged(5 * time.Second)
	f.post(trade("BTC")).ok(`"stale_market_data"`)
	f.aged(16 * time.Second)
	f.post(trade("BTC")).want(502, "venue_error")
	if logs := f.logs.String(); strings.Contains(logs, f.key) {
		t.Error("the log holds the key")
	}
}

// When the venue stops answering, only one request waits a short time for it. The stored copy is
// used and flagged, up to its hard age limit.
// Injects the fault venue of docs/faults.md.
func TestVenueThatHangs(t *testing.T) {
	f := newFixture(t, nil)
	release := f.venueHangs()
	f.aged(5 * time.Second)
	flagged := func() bool {
		r := f.post(trade("BTC"))
		if r.status != 200 || r.tree["meta"] == nil {
			t.Fatalf("%d %s", r.status, r.body)
		}
		old := r.tree["meta"].(map[string]any)["wallet_age_ms"].(float64) >= 2000
		if flag := slices.Contains(r.tree["flags"].([]any), any("stale_market_data")); flag != old {
			t.Fatalf("%v ms old and flagged: %v", r.tree["meta"], flag)
		}
		return old
	}
	if !flagged() {
		t.Error("fresh while the venue hangs")
	}
	// The read for the request, and the read that continues in the background.
	until(t, "asked behind", func() bool { return f.loadCount() == 2 })
	for range 20 {
		if !flagged() {
			t.Error("fresh while the venue hangs")
		}
	}
	if n := f.loadCount(); n != 2 {
		t.Errorf("%d reads of the wallet: every request waited for the venue", n)
	}
	f.aged(16 * time.Second)
	time.AfterFunc(50*time.Millisecond, release) // without a usable copy the request waits for the read
	if flagged() {
		t.Error("a copy past its hard limit was used")
	}
}

func TestLoadFailuresAreClassified(t *testing.T) {
	f := newFixture(t, func(c *Config) {
		c.RequestTimeout = 50 * time.Millisecond
		c.Classify = func(error) (string, time.Duration) { return "venue_unavailable", 7500 * time.Millisecond }
	})
	f.venueGives(nil, errors.New("x"))
	f.post(trade("BTC")).want(503, "venue_unavailable").holds("Retry-After", "8")
	f.venueGives(nil, &marketcache.VenueError{Kind: marketcache.ErrBudget})
	f.post(trade("BTC")).want(503, "", "request weight that this service may spend")
	f.venueHangs()
	spent := func(r *reply, pattern string) {
		t.Helper()
		if !regexp.MustCompile(`^the wallet could not be read within ` + pattern + ` s$`).MatchString(r.detail()) {
			t.Errorf("%s", r.body)
		}
	}
	spent(f.post(trade("BTC")).want(504, "deadline_exceeded"), `(0\.[1-9]|[1-9](\.\d)?)`)
	// The reader has a limit of its own, which ends before the request's.
	f = newFixture(t, func(c *Config) { c.RequestTimeout = 10 * time.Second })
	f.setLoad(func(ctx context.Context, _ marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		time.Sleep(310 * time.Millisecond)
		return nil, context.DeadlineExceeded
	})
	spent(f.post(trade("BTC")).want(504, ""), `(0\.[3-9]|[1-8](\.\d)?)`)
}

func TestLeverageSettingIsAskedForOnce(t *testing.T) {
	f := newFixture(t, nil)
	w := walletOf(wallet)
	without := `{"asset":"ISO","action":"long","size":500,"mode":"isolated","wallet":"` + wallet + `"}`
	f.warm()
	asked, hasSetting := []marketcache.AssetID{}, false
	f.setLoad(func(_ context.Context, w marketcache.Wallet, id marketcache.AssetID) (*marketcache.Account, error) {
		asked = append(asked, id)
		a := testAccount(w)
		if hasSetting {
			a.Settings = []marketcache.LeverageSetting{{Asset: id, Read: marketcache.Now()}}
		}
		f.cache.StoreAccount(a)
		return a, nil
	})
	// A setting that could not be read is asked for again each time; the answer goes out without it.
	for n := range 2 {
		if r := f.post(without); r.status != 200 || len(asked) != n+1 || asked[n] != iso {
			t.Fatalf("%d %s, asked for %v", r.status, r.body, asked)
		}
	}
	// One that was read, even that there is none, is asked for once.
	hasSetting = true
	for range 3 {
		f.post(without).ok()
	}
	if len(asked) != 3 {
		t.Errorf("asked for %v", asked)
	}
	// A position in the asset gives leverage and mode without a request to the venue.
	f.warm()
	if r := f.post(strings.Replace(trade("BTC"), `"leverage":10,`, "", 1)); r.status != 200 || len(asked) != 3 {
		t.Errorf("%d %s, asked for %v", r.status, r.body, asked)
	}
	// An old setting is read again. No trade is refused because that fails.
	failed := 0
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		failed++
		return nil, errors.New("x")
	})
	a := testAccount(w)
	a.Settings = []marketcache.LeverageSetting{{Asset: iso, Leverage: 3,
		Read: a.Received.Add(-2 * marketcache.SettingMaxAge)}}
	f.cache.StoreAccount(a)
	if r := f.post(without); r.status != 200 || failed != 1 {
		t.Errorf("%d %s, %d reads", r.status, r.body, failed)
	}
	// A mode that is left out is the setting's, so it is read even if the leverage is given.
	a = testAccount(w)
	a.Positions = a.Positions[1:]
	f.cache.StoreAccount(a)
	f.post(trade("BTC"))
	f.post(strings.Replace(trade("BTC"), "{", `{"mode":"cross",`, 1))
	if failed != 2 {
		t.Errorf("%d reads", failed)
	}
}

// TestRoleAndOrdersAreAskedForAgain: a copy that lacks the role of an empty wallet, or whose resting orders are
// due, is read again before the answer.
func TestRoleAndOrdersAreAskedForAgain(t *testing.T) {
	f := newFixture(t, nil)
	now := marketcache.Now()
	for what, change := range map[string]func(a *marketcache.Account){
		"nothing": func(a *marketcache.Account) { a.Role, a.Orders = "user", &marketcache.OpenOrders{Asked: now} },
		"role":    func(a *marketcache.Account) { a.Role = marketcache.RoleUnknown },
		"orders": func(a *marketcache.Account) {
			a.Orders = &marketcache.OpenOrders{Asked: now.Add(-11 * time.Second)}
		},
	} {
		a := testAccount(walletOf(wallet))
		change(a)
		f.cache.StoreAccount(a)
		before := f.loadCount()
		f.post(trade("BTC")).ok()
		if read := f.loadCount() > before; read == (what == "nothing") {
			t.Errorf("%s: read %v", what, read)
		}
	}
}

func TestStartingAsset(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.StartingWait = 60 * time.Millisecond })
	f.post(trade("FRESH")).want(503, "starting", "not read yet from the venue: candles of FRESH")
	if !f.cache.Wanted(fresh) {
		t.Error("the missing asset was not requested")
	}
	f.cache.Venue.BreakerOpen.Store(true)
	f.cache.Venue.Connected.Store(false)
	f.post(trade("FRESH")).want(503, "venue_unavailable")
}

func TestStartingAssetArrives(t *testing.T) {
	f := warmFixture(t, nil)
	go func() {
		time.Sleep(50 * time.Millisecond)
		f.cache.SetFunding(fresh, &marketcache.FundingStats{Rows: 1})
		f.cache.AppendBars(fresh, nil, time.Now().UnixMilli())
		fits := slices.Clone(f.cache.Model().Assets)
		fits[fresh] = testModel(fresh, "FRESH")
		f.cache.SetModel(calib.Publish(fits, btc))
	}()
	f.post(trade("FRESH")).ok()
	f.calm()
}

// staleCache returns a cache whose BTC book is past its hard age limit.
func staleCache() *marketcache.Cache {
	donor := newCache()
	cache := marketcache.New(marketcache.Limits{Assets: 8})
	cache.SetUniverse(donor.Universe())
	cache.SetModel(donor.Model())
	cache.Books(btc).Publish(testBook(60000), marketcache.Now().Add(-31*time.Second))
	cache.StoreAccount(testAccount(walletOf(wallet)))
	return cache
}

func TestStaleData(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Cache = staleCache() })
	f.post(trade("BTC")).want(503, "stale_market_data", `"detail":"the book of BTC is 31`, `the limit is 30 s"`)
}

// A wallet whose marks differ from those of the market is read once more. If they still differ,
// trades that open a position are refused.
func TestInconsistentData(t *testing.T) {
	f := newFixture(t, nil)
	odd := func(scale float64) *marketcache.Account {
		a := testAccount(walletOf(wallet))
		a.Positions = []marketcache.Position{{Asset: btc, Name: "BTC", Units: 0.1, EntryPrice: 60000,
			ValueUSD: 6712.35 * scale, Leverage: 5, MaxLeverage: 40}}
		return a
	}
	var reads atomic.Int64
	second := odd(1)
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		reads.Add(1)
		return second, nil
	})
	f.cache.StoreAccount(odd(1.06))
	if r := f.post(trade("BTC")); r.status != 200 || reads.Load() != 1 {
		t.Errorf("%d %s after %d reads", r.status, r.body, reads.Load())
	}
	f.cache.StoreAccount(odd(1.06))
	second = odd(1.06)
	f.post(trade("BTC")).want(503, "inconsistent_market_data", "BTC", "wallet")
	if reads.Load() != 2 {
		t.Errorf("%d reads", reads.Load())
	}
	f.cache.StoreAccount(odd(1.06))
	f.post(strings.Replace(trade("BTC"), `"long"`, `"close"`, 1)).ok("price_divergence")
}

// Requests that wait for the venue use at most half of the slots, requests answered from the cache
// continue, and excess requests are refused at once.
func TestAdmission(t *testing.T) {
	f := warmFixture(t, nil) // 8 slots
	release := f.venueHangs()
	cold := func(i int) string {
		return strings.Replace(trade("BTC"), wallet, fmt.Sprintf("%s%02x", wallet[:40], i), 1)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	var slowest time.Duration
	for i := range 20 {
		wg.Go(func() {
			began := time.Now()
			r := f.post(cold(i))
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
			if r.status == 503 {
				r.holds("error", "overloaded", "Retry-After", "1")
				slowest = max(slowest, time.Since(began))
			}
		})
	}
	until(t, "16 of 20 refused", func() bool { mu.Lock(); defer mu.Unlock(); return statuses[503] == 16 })
	for range 10 {
		f.warm()
		f.post(trade("BTC")).ok()
	}
	release()
	wg.Wait()
	if statuses[200] != 4 || statuses[503] != 16 {
		t.Errorf("statuses %v", statuses)
	}
	if slowest > time.Second {
		t.Errorf("a refusal took %v", slowest)
	}
	// No slot is free.
	taken := f.occupy(admission.Plain, 8)
	f.post(trade("BTC")).want(503, "overloaded")
	f.post(`{"asset":`).want(400, "")
	taken()
}

// Requests with simulations may use only a part of the capacity; other requests continue.
func TestSimulationAdmission(t *testing.T) {
	f := warmFixture(t, nil) // 8 slots: 2 for simulations, 1 of them for batches
	simulated := withSimulation(trade("BTC"))
	f.post(simulated).ok(`"monte_carlo":{`)
	leave, leaveBatch := f.occupy(admission.Simulation, 2), f.occupy(admission.SimulatedBatch, 1)
	f.post(simulated).want(503, "overloaded")
	f.postBatch(batchOf(btcLong, withSimulation(btcLong))).want(503, "overloaded")
	f.post(trade("BTC")).ok()
	leave()
	leaveBatch()
	for range 5 {
		f.post(simulated).ok()
	}
	f.calm()
}
