package server

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/server/gate"
)

// ordersThatFit sends the same orders one by one for a wallet until one is refused, and returns how many passed.
func (g *gated) ordersThatFit(key wire.Key, account marketcache.Wallet, rule string) (passed int) {
	g.t.Helper()
	for passed < 100 {
		r := g.act(g.signFor(key, account, order(true, "0.1", "67000", false)))
		switch text := string(r.body); {
		case strings.Contains(text, rule):
			return passed
		case strings.Contains(text, "Ballast"):
			g.t.Fatalf("%d %s, want a refusal by %s", r.status, text, rule)
		}
		passed++
	}
	g.t.Fatal("nothing is ever refused")
	return 0
}

// Two hundred clients at once, with the owner's key and those of his agents, for several of his sub-accounts, do not
// exceed together what one client could do.
func TestGateTwoHundredClients(t *testing.T) {
	const clients, agents, wallets = 200, 5, 4
	for _, row := range []struct{ rule, limits string }{
		{"max_position_usd", `{"max_position_usd":101000}`}, // 67,123.5 USD are held
		{"max_gross_leverage", `{"max_gross_leverage":1.9}`},
	} {
		g := newGated(t, func(c *gate.Config) {})
		g.limit(row.limits)
		keys := []wire.Key{g.key}
		for range agents {
			key, w := newKey(t)
			keys = append(keys, key)
			g.tells("userRole", w, fmt.Sprintf(`{"role":"agent","data":{"user":"%v"}}`, g.account))
		}
		var accounts []marketcache.Wallet
		for i := range wallets + 1 {
			w := marketcache.Wallet{0x50, byte(i)}
			accounts = append(accounts, w)
			g.tells("userRole", w, fmt.Sprintf(`{"role":"subAccount","data":{"master":"%v"}}`, g.account))
		}
		alone := g.ordersThatFit(g.key, accounts[wallets], row.rule)
		var mu sync.Mutex
		var wg sync.WaitGroup
		passed := map[marketcache.Wallet]int{}
		for i := range clients {
			account, key := accounts[i%wallets], keys[i%len(keys)]
			nonce := g.nonce.Add(1)
			wg.Go(func() {
				e := wire.Envelope{Nonce: nonce, HasVault: true, Vault: wire.Address(account)}
				e.Action.Form = order(true, "0.1", "67000", false)
				if err := e.Sign(key, wire.Mainnet); err != nil {
					t.Error(err)
				}
				if r := g.act(string(e.AppendJSON(nil))); !strings.Contains(string(r.body), "Ballast") {
					mu.Lock()
					defer mu.Unlock()
					passed[account]++
				}
			})
		}
		wg.Wait()
		all := 0
		for _, account := range accounts[:wallets] {
			all += passed[account]
			if n := passed[account] + g.ordersThatFit(g.key, account, row.rule); n != alone || alone == 0 {
				t.Errorf("%s: %d orders of 200 clients passed and %d in all, one client has %d", row.rule,
					passed[account], n, alone)
			}
		}
		if all == 0 {
			t.Errorf("%s: nothing passed while all asked at once", row.rule)
		}
		t.Logf("%s: %d orders fit each of %d wallets, %d passed at once", row.rule, alone, wallets, all)
	}
}
