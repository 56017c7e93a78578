package server

import (
	"strings"
	"testing"

	"ballast/marketcache"
)

// While the wallet's marks differ from those of the market, a batch that only reduces positions is
// answered, and one that increases a position after the trades before is refused.
func TestBatchInconsistentData(t *testing.T) {
	f := newFixture(t, nil)
	odd := testAccount(walletOf(wallet))
	odd.Positions = []marketcache.Position{{Asset: btc, Name: "BTC", Units: 0.1, EntryPrice: 60000,
		ValueUSD: 6712.35 * 1.06, Leverage: 5, MaxLeverage: 40}}
	f.venueGives(odd, nil)
	sell := func(usd string) string { return `{"asset":"BTC","action":"short","size":` + usd + `,"leverage":5}` }
	f.cache.StoreAccount(odd)
	f.post(`{"asset":"BTC","action":"short","size":4000,"leverage":5,"wallet":"` + wallet + `"}`).ok()
	for _, c := range []struct {
		trades []string
		status int
	}{
		{[]string{sell("4000")}, 200},
		{[]string{sell("4000"), sell("2000"), `{"asset":"BTC","action":"close","size":1e8}`}, 200},
		{[]string{sell("4000"), sell("4000")}, 503}, // the second sells more than is left
		{[]string{sell("8000")}, 503},
		{[]string{btcLong}, 503},
	} {
		f.cache.StoreAccount(odd)
		r := f.postBatch(batchOf(c.trades...))
		if r.status != c.status {
			t.Errorf("%v: %d %.300s", c.trades, r.status, r.body)
			continue
		}
		if r.status == 503 {
			if r.errorCode() != "inconsistent_market_data" || r.header.Get("Retry-After") == "" ||
				!strings.Contains(r.detail(), "wallet") {
				t.Errorf("%v: %s", c.trades, r.body)
			}
			continue
		}
		for i, one := range r.results(t) {
			if flags, _ := one["flags"].([]any); len(flags) == 0 || flags[0] != "price_divergence" ||
				one["recommendation"] != "proceed" {
				t.Errorf("%v, trade %d: %v, flags %v", c.trades, i, one["recommendation"], one["flags"])
			}
		}
	}
}
