package server

import (
	"fmt"
	"testing"
	"time"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
	"ballast/server/gate"
)

// signFor returns the body of an order by a key for a vault or sub-account.
func (g *gated) signFor(key wire.Key, vault marketcache.Wallet, form wire.Form) string {
	g.t.Helper()
	e := wire.Envelope{Nonce: g.nonce.Add(1), HasVault: vault != marketcache.Wallet{}, Vault: wire.Address(vault)}
	e.Action.Form = form
	if err := e.Sign(key, wire.Mainnet); err != nil {
		g.t.Fatal(err)
	}
	return string(e.AppendJSON(nil))
}

// tells makes the venue answer a question about an address.
func (g *gated) tells(question string, of marketcache.Wallet, answer string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.says == nil {
		g.says = map[string]string{}
	}
	g.says[question+" "+of.String()] = answer
}

func newKey(t *testing.T) (wire.Key, marketcache.Wallet) {
	t.Helper()
	key, err := wire.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key, marketcache.Wallet(key.Address())
}

// limit puts a policy for all wallets into force.
func (g *gated) limit(text string) {
	g.t.Helper()
	r, bad := policy.DecodeJSON([]byte(text))
	if bad != nil {
		g.t.Fatal(bad)
	}
	g.live.SetTable(policy.NewTable(&policy.Policy{Rules: r, Revision: 1}, nil))
}

// Who may not act for an account uses up nothing of it; leader, master and their agents may act.
func TestGateActsForWhomTheVenueSays(t *testing.T) {
	g := newGated(t, nil)
	vault, sub := marketcache.Wallet{0x0a}, marketcache.Wallet{0x0b}
	agent, agentWallet := newKey(t)
	other, otherWallet := newKey(t)
	stranger, _ := newKey(t)
	user := `{"role":"user"}`
	g.tells("userRole", agentWallet, fmt.Sprintf(`{"role":"agent","data":{"user":"%v"}}`, g.account))
	g.tells("userRole", otherWallet, user)
	g.tells("userRole", vault, `{"role":"vault"}`)
	g.tells("vaultDetails", vault, fmt.Sprintf(`{"name":"v","leader":"%v"}`, g.account))
	g.tells("userRole", sub, fmt.Sprintf(`{"role":"subAccount","data":{"master":"%v"}}`, g.account))
	g.limit(`{"orders_per_minute":2}`)
	small := func() *wire.PlaceOrders { return order(true, "0.01", "67000", false) }
	for _, account := range []marketcache.Wallet{vault, sub} {
		for range 3 {
			g.refused("a stranger", g.act(g.signFor(stranger, account, small())), "has no account at the venue")
			g.refused("another user", g.act(g.signFor(other, account, small())), "neither a sub-account nor a vault of")
		}
		g.passed("leader or master", g.act(g.signFor(g.key, account, small())))
		g.passed("agent", g.act(g.signFor(agent, account, small())))
		g.refused("a third order", g.act(g.signFor(agent, account, small())), "orders_per_minute")
	}
	g.passed("the agent's owner", g.act(g.signFor(agent, marketcache.Wallet{}, small())))
	g.refused("a wallet of nobody", g.act(g.signFor(g.key, marketcache.Wallet{0x0c}, small())), "neither a sub-account")
}

// What the venue refuses as a whole, a replayed action say, does not count.
func TestGateCountsWhatTheVenueTakes(t *testing.T) {
	g := newGated(t, nil)
	g.limit(`{"orders_per_minute":2,"trades_per_day":2,"duplicate_window_s":60}`)
	same := g.sign(order(true, "0.01", "67000", false), wire.Mainnet)
	g.mu.Lock()
	g.answer = `{"status":"err","response":"Invalid nonce: duplicate nonce 1"}`
	g.mu.Unlock()
	for range 5 {
		if r := g.act(same); string(r.body) != g.answer {
			t.Fatalf("%s", r.body)
		}
	}
	g.reached()
	g.mu.Lock()
	g.answer = ""
	g.mu.Unlock()
	g.passed("the first that counts", g.act(same))
	g.refused("the same again", g.act(same), "duplicate_window_s")
	g.passed("another", g.act(g.sign(order(true, "0.02", "67000", false), wire.Mainnet)))
	g.refused("a third", g.act(g.sign(order(true, "0.03", "67000", false), wire.Mainnet)), "trades_per_day")
}

// An account that several sign for is acted for by as many as the venue says.
func TestGateSeveralSigners(t *testing.T) {
	g := newGated(t, nil)
	account := marketcache.Wallet{0x0d}
	second, secondWallet := newKey(t)
	stranger, _ := newKey(t)
	g.tells("userToMultiSigSigners", account, fmt.Sprintf(`{"authorizedUsers":["%v","%v"],"threshold":2}`, g.account,
		secondWallet))
	by := func(keys ...wire.Key) string {
		m := &wire.MultiSig{ChainID: 0x66eee}
		m.Payload.User, m.Payload.OuterSigner = wire.Address(account), g.key.Address()
		m.Payload.Action.Form = order(true, "0.01", "67000", false)
		e := wire.Envelope{Nonce: g.nonce.Add(1)}
		e.Action.Form = m
		for _, key := range keys {
			if err := e.SignInner(key, wire.Mainnet); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Sign(g.key, wire.Mainnet); err != nil {
			t.Fatal(err)
		}
		return string(e.AppendJSON(nil))
	}
	for name, body := range map[string]string{
		"one": by(g.key), "one twice": by(second, second), "one and a stranger": by(g.key, stranger), "nobody": by(),
	} {
		g.refused(name, g.act(body), "not enough of those")
	}
	g.passed("both", g.act(by(second, g.key)))
}

// thrifty is a budget for a number of questions.
type thrifty struct{ left, asked, orders int }

func (b *thrifty) SpentOrders(weight int) { b.orders += weight }
func (b *thrifty) Spent(int)              {}
func (b *thrifty) Take(int) time.Duration {
	if b.asked++; b.asked > b.left {
		return 7 * time.Second
	}
	return 0
}

// Invented signers cost a bounded number of questions, and no read of a wallet; known ones act on meanwhile.
func TestGateInventedSigners(t *testing.T) {
	b := &thrifty{left: 4}
	g := newGated(t, func(c *gate.Config) { c.Budget = b })
	g.passed("known", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)))
	before := g.loadCount()
	for range 3 {
		stranger, _ := newKey(t)
		g.refused("a stranger", g.act(g.signFor(stranger, marketcache.Wallet{}, order(true, "0.01", "67000", false))),
			"")
	}
	if g.asked != 4 || g.loadCount() != before {
		t.Errorf("%d questions, %d reads of wallets for strangers", g.asked, g.loadCount()-before)
	}
	g.passed("known", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)))
	r := g.raw(g.request("POST", "/info", `{"type":"userFills","user":"0x1"}`))
	if r.status != 429 || g.asked != 4 || r.header.Get("Retry-After") != "7" {
		t.Errorf("a client's question: %d %s", r.status, r.body)
	}
}
