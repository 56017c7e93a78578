package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// issue adds a key and returns its id, and a copy of the fixture that uses it.
func (f *fixture) issue(t *testing.T) (id string, other *fixture) {
	t.Helper()
	key, k, err := f.keys.Issue("other@example.org")
	if err != nil {
		t.Fatal(err)
	}
	return k.ID, &fixture{t: t, cache: f.cache, s: f.s, addr: f.addr, key: key}
}

// TestWalletsAreReadForAKey: the code that divides the venue's weight among keys learns for which
// key each wallet is read, in the background too, and whether the read is for a closing trade.
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
	want("a close", marketcache.Caller{ID: id, Closes: true})
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
		Detail: "ask for fewer"})
	for _, r := range []*reply{f.post(trade("BTC")), f.get("/v1/monitor/" + wallet)} {
		if r.status != 429 || r.errorCode() != "rate_limited" || r.detail() != "ask for fewer" ||
			r.header.Get("Retry-After") != "8" {
			t.Errorf("%d %v %s", r.status, r.header, r.body)
		}
	}
	if b := string(f.get("/metrics").body); !strings.Contains(b, `ballast_wallet_read_failures_total{reason="share"} 2`) {
		t.Errorf("not counted:\n%s", b)
	}
	// A stored copy of the wallet within its age limit is used instead.
	f.aged(3 * time.Second)
	f.post(trade("BTC")).ok("stale_market_data")
}

// TestRefreshesOfOneKey: the wallets of one key do not fill the queue of background reads.
func TestRefreshesOfOneKey(t *testing.T) {
	f := newFixture(t, nil)
	_, other := f.issue(t)
	hung := make(chan struct{})
	f.setLoad(func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		<-hung
		return testAccount(w), nil
	})
	defer close(hung)
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
