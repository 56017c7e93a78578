package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/server/auth"
)

// issue adds a key and returns its id, and a copy of the fixture that uses it.
func (f *fixture) issue(t *testing.T) (id string, other *fixture) {
	t.Helper()
	key, k, err := f.keys.Issue("other@example.org", auth.Agent)
	if err != nil {
		t.Fatal(err)
	}
	return k.ID, &fixture{t: t, cache: f.cache, s: f.s, addr: f.addr, key: key}
}

// TestWalletsAreReadForAKey: the code that divides the venue's weight among keys learns for which
// key each wallet is read, in the background too.
func TestWalletsAreReadForAKey(t *testing.T) {
	f := newFixture(t, nil)
	id, other := f.issue(t)
	reads := make(chan marketcache.Caller, 10)
	f.setLoad(func(ctx context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		reads <- marketcache.CallerOf(ctx)
		return testAccount(w), nil
	})
	want := func(what string, caller marketcache.Caller) {
		t.Helper()
		select {
		case c := <-reads:
			if c != caller {
				t.Errorf("%s is read for %+v", what, c)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s: nothing was read", what)
		}
	}
	f.post(trade("BTC"))
	want("a trade", marketcache.Caller{ID: f.keyID})
	other.post(strings.Replace(trade("BTC"), "long", "close", 1))
	want("a close", marketcache.Caller{ID: id})
	other.get("/v1/monitor/" + wallet)
	want("a monitor call", marketcache.Caller{ID: id})
	f.aged(1500 * time.Millisecond)
	other.post(trade("BTC"))
	want("a refresh", marketcache.Caller{ID: id, Ahead: true})
}

// TestSpentShareIsTold: a key that has used up its share of the venue's weight gets an error that
// says so and how to fix it.
func TestSpentShareIsTold(t *testing.T) {
	f := newFixture(t, nil)
	f.venueGives(nil, &marketcache.VenueError{Kind: marketcache.ErrShare, Wait: 7500 * time.Millisecond,
		Detail: "ask for fewer", Err: context.DeadlineExceeded}) // it waited for weight before
	for _, r := range []*reply{f.post(trade("BTC")), f.get("/v1/monitor/" + wallet)} {
		r.want(429, "rate_limited").holds("detail", "ask for fewer", "Retry-After", "8")
	}
	f.get("/metrics").ok(`ballast_wallet_read_failures_total{reason="share"} 2`)
	// A stored copy of the wallet within its age limit is used instead.
	f.aged(3 * time.Second)
	f.post(trade("BTC")).ok("stale_market_data")
}

// TestRefreshesOfOneKey: the wallets of one key do not fill the queue of background reads.
func TestRefreshesOfOneKey(t *testing.T) {
	f := newFixture(t, nil)
	_, other := f.issue(t)
	defer f.venueHangs()()
	ask := func(f *fixture, n byte) {
		w := marketcache.Wallet{n}
		a := testAccount(w)
		a.Received = a.Received.Add(-1500 * time.Millisecond)
		f.cache.StoreAccount(a)
		f.post(strings.Replace(trade("BTC"), wallet, w.String(), 1)).ok()
	}
	queued := func() int {
		f.s.refresher.mu.Lock()
		defer f.s.refresher.mu.Unlock()
		return len(f.s.refresher.busy)
	}
	for n := range byte(refreshPerKey + 10) {
		ask(f, n+1)
	}
	if n := queued(); n != refreshPerKey {
		t.Errorf("%d wallets of one key are queued", n)
	}
	ask(other, 200)
	if n := queued(); n != refreshPerKey+1 {
		t.Error("another key's wallet is not queued")
	}
}

const ownerWallet = "0x00000000000000000000000000000000000000bb"

// agent is the API wallet of ownerWallet: it holds nothing.
func agent(w marketcache.Wallet) *marketcache.Account {
	return &marketcache.Account{Wallet: w, Received: marketcache.Now(), Role: "agent", Owner: walletOf(ownerWallet)}
}

// know makes an account that of its wallet, in the cache and at the venue.
func (f *fixture) know(a *marketcache.Account) {
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		again := *a
		again.Received = marketcache.Now()
		f.cache.StoreAccount(&again)
		return &again, nil
	})
	f.cache.StoreAccount(a)
}

// An API wallet holds nothing: asked about one, the service names the account.
func TestAPIWallet(t *testing.T) {
	f := newFixture(t, nil)
	f.know(agent(walletOf(wallet)))
	want := "wallet " + wallet + " is an API wallet of " + ownerWallet + ": ask for the account"
	for _, r := range []*reply{f.post(trade("BTC")), f.postBatch(batchOf(btcLong)), f.get("/v1/monitor/" + wallet)} {
		r.want(400, "api_wallet").holds("detail", want, "field", "wallet", "got", wallet, "suggestion", ownerWallet)
	}
	unowned := agent(walletOf(wallet))
	unowned.Owner = marketcache.Wallet{}
	f.know(unowned)
	f.post(trade("BTC")).ok()
}

func TestAPIWalletAtTheAlertSocket(t *testing.T) {
	f := newFixture(t, nil)
	f.cache.StoreAccount(agent(walletOf(wallet)))
	ws := f.subscribe(t)
	defer ws.Close()
	if m := f.ask(ws, `{"wallet":"`+strings.ToUpper(wallet[2:])+`"}`); m["detail"] != "invalid wallet address: "+
		strings.ToUpper(wallet[2:]) {
		t.Errorf("an address without 0x: %v", m)
	}
	ws = f.subscribe(t)
	defer ws.Close()
	m := f.ask(ws, `{"wallet":"`+wallet+`"}`)
	if m["error"] != "invalid_config" || m["suggestion"] != ownerWallet ||
		!strings.HasSuffix(m["detail"].(string), ": ask for the account") {
		t.Errorf("%v", m)
	}
}

// A size in coins is assessed like the same size in USD at the mark, and has the same limit.
func TestSizeInCoins(t *testing.T) {
	f := warmFixture(t, nil)
	coins := func(n string) string { return strings.Replace(trade("BTC"), `"size":50000`, `"size_coin":`+n, 1) }
	r := f.post(coins("0.5")).ok()
	if figure(r.tree, "admissibility", "order_size_coin") != 0.5 {
		t.Errorf("%s", r.body)
	}
	f.post(coins("1000000")).want(400, "", `"detail":"size_coin 1000000: size `).holds("field", "size_coin")
	tooMany := strings.Replace(btcLong, `"size":50000`, `"size_coin":1000000`, 1)
	some := strings.Replace(btcLong, `"size":50000`, `"size_coin":0.25`, 1)
	results := f.postBatch(batchOf(some, tooMany, some)).results(t)
	if e, is := results[1]["meta"].(map[string]any)["error"].(string); !is ||
		!strings.HasPrefix(e, "size_coin 1000000: size ") {
		t.Errorf("%v", results[1]["meta"])
	}
	for _, i := range []int{0, 2} {
		if got := results[i]["admissibility"].(map[string]any)["order_size_coin"]; got != 0.25 {
			t.Errorf("trade %d: %v coins", i, got)
		}
	}
}
