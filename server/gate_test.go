package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
	"ballast/server/gate"
)

// gated is a service with a gate in front of a venue that notes what it gets.
type gated struct {
	*fixture
	live    *policy.Live
	key     wire.Key
	account marketcache.Wallet

	mu     sync.Mutex
	bodies []string
	answer string            // of the venue to each order; "" for resting
	status int               // of its answers; 0 for 200
	says   map[string]string // its answers to questions, by type and address
	asked  int               // questions
	nonce  atomic.Uint64
}

func newGated(t testing.TB, change func(*gate.Config)) *gated {
	t.Helper()
	ages := risk.DefaultAges()
	ages.MarketSoft, ages.MarketHard = time.Hour, time.Hour // the fixture's prices stand still
	return newGatedOf(t, ages, change)
}

func newGatedOf(t testing.TB, ages risk.Ages, change func(*gate.Config)) *gated {
	t.Helper()
	g := &gated{}
	venue := httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(venue.Close)
	key, err := wire.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	g.key, g.account = key, marketcache.Wallet(key.Address())
	cfg := gate.Config{Venue: venue.URL, Network: wire.Mainnet, Block: risk.Abort}
	if change != nil {
		change(&cfg)
	}
	g.fixture = newFixture(t, func(c *Config) {
		c.Gate, c.Engine, c.MaxInFlight = gate.New(cfg), risk.NewEngine(ages), 64
	})
	g.live = g.s.cfg.Policies.InForce()
	g.contract = nil // the venue's own protocol
	g.setLoad(func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		a := testAccount(w)
		now := marketcache.Now()
		a.Received, a.Orders = now, &marketcache.OpenOrders{Read: now, Asked: now}
		g.cache.StoreAccount(a)
		return a, nil
	})
	g.nonce.Store(uint64(time.Now().UnixMilli()))
	return g
}

func (g *gated) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.URL.Path == "/info" {
		g.info(w, body)
		return
	}
	g.bodies = append(g.bodies, string(body))
	answer := g.answer
	if answer == "" {
		answer = `{"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":7}}]}}}`
	}
	if g.status != 0 {
		w.WriteHeader(g.status)
	}
	io.WriteString(w, answer)
}

// info answers what the gate asks about addresses: g.account is a user, unless roles says something else.
func (g *gated) info(w io.Writer, body []byte) {
	var q struct{ Type, User, VaultAddress string }
	json.Unmarshal(body, &q)
	if q.Type == "twapHistory" {
		io.WriteString(w, "["+g.says[q.Type+" "+q.User]+"]")
		return
	}
	g.asked++
	answer, known := g.says[q.Type+" "+q.User+q.VaultAddress]
	if !known {
		if answer = `{"role":"missing"}`; q.User == g.account.String() {
			answer = `{"role":"user"}`
		}
	}
	io.WriteString(w, answer)
}

// reached returns what has reached the venue since the last call.
func (g *gated) reached() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := g.bodies
	g.bodies = nil
	return all
}

// sign returns the body of an action.
func (g *gated) sign(form wire.Form, n wire.Network) string {
	g.t.Helper()
	e := wire.Envelope{Nonce: g.nonce.Add(1)}
	e.Action.Form = form
	if err := e.Sign(g.key, n); err != nil {
		g.t.Fatal(err)
	}
	return string(e.AppendJSON(nil))
}

func (g *gated) act(body string) *reply {
	g.t.Helper()
	return g.raw(g.request("POST", "/exchange", body))
}

// order returns an order for BTC of a size in coins.
func order(buy bool, size, price string, reduceOnly bool) *wire.PlaceOrders {
	p, _ := wire.ParseDecimal(price)
	s, _ := wire.ParseDecimal(size)
	return &wire.PlaceOrders{Orders: []wire.Order{
		{Asset: uint32(btc), Buy: buy, Price: p, Size: s, ReduceOnly: reduceOnly, TIF: wire.GTC}}}
}

// refused reports an answer that is no refusal of the gate, in the venue's form, with a text.
func (g *gated) refused(name string, r *reply, text string) {
	g.t.Helper()
	if r.status != 200 || !strings.Contains(string(r.body), "Ballast: ") || !strings.Contains(string(r.body), text) {
		g.t.Errorf("%s: %d %s, want a refusal with %q", name, r.status, r.body, text)
	}
	if reached := g.reached(); len(reached) > 0 {
		g.t.Errorf("%s: reached the venue: %s", name, reached)
	}
}

// passed reports an answer that is not the venue's.
func (g *gated) passed(name string, r *reply) {
	g.t.Helper()
	if reached := g.reached(); r.status != 200 || strings.Contains(string(r.body), "Ballast") || len(reached) != 1 {
		g.t.Errorf("%s: %d %s, reached %s, want it passed on", name, r.status, r.body, reached)
	}
}

// What reaches the venue is our text of what was parsed, not the client's bytes.
func TestGateHandsOnItsOwnText(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	text := g.sign(order(true, "0.1", "67000", false), wire.Mainnet)
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		t.Fatal(err)
	}
	other := fmt.Sprintf(` {"signature":%s, "nonce":%s,"action":%s}`, parts["signature"], parts["nonce"],
		parts["action"])
	r := g.act(other)
	if got := g.reached(); r.status != 200 || len(got) != 1 || got[0] != text {
		t.Errorf("%d %s: the venue got %q, want %q", r.status, r.body, got, text)
	}
}

func TestGateRefuses(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	spot := order(true, "1", "1", false)
	spot.Orders[0].Asset = 10_001
	strange := order(true, "1", "1", false)
	strange.Orders[0].Asset = 777
	duplicated := strings.Replace(g.sign(order(true, "0.1", "67000", false), wire.Mainnet), `"s":"0.1"`,
		`"s":"0.1","s":"1000"`, 1)
	for _, row := range []struct{ name, body, text string }{
		{"too large", g.sign(order(true, "100", "67500", false), wire.Mainnet), "Abort"},
		{"spot", g.sign(spot, wire.Mainnet), "move collateral"},
		{"unknown asset", g.sign(strange, wire.Mainnet), "asset 777 is not known"},
		{"funds", g.sign(&wire.VaultTransfer{Deposit: true, USD: 5e6}, wire.Mainnet), "vaultTransfer moves collateral"},
		{"signers", g.sign(&wire.CreateSubAccount{Name: "x"}, wire.Mainnet), "changes who may sign"},
		{"unknown type", `{"action":{"type":"newThing","x":1},"nonce":1,"signature":{"r":"0x1","s":"0x1","v":27}}`,
			"newThing are not known"},
	} {
		g.refused(row.name, g.act(row.body), row.text)
	}
	r := g.act(duplicated)
	if r.status != 400 || !strings.Contains(string(r.body), "orders[0].s") || g.reached() != nil {
		t.Errorf("a repeated member: %d %s", r.status, r.body)
	}
	if r := g.act(`{"action":`); r.status != 400 || g.reached() != nil {
		t.Errorf("cut off: %d %s", r.status, r.body)
	}
}

// What only reduces passes whatever else is wrong: data too old, the switch, a venue that does not tell the account.
func TestGateExitsComeFirst(t *testing.T) {
	g := newGated(t, nil)
	g.live.SetSwitch(&policy.Switch{On: true, Reason: "drill", Who: "ops", Since: time.Now()})
	g.warm()
	g.refused("an increase", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)), "stopped since")
	release := g.venueHangs()
	defer release()
	for name, form := range map[string]wire.Form{
		"reduce only": order(false, "0.1", "66000", true),
		"cancel":      &wire.Cancel{Cancels: []wire.CancelID{{Asset: 0, OID: 5}}},
		"dead man":    &wire.ScheduleCancel{},
		"more margin": &wire.UpdateIsolatedMargin{Asset: 0, Buy: true, USD: 5e6},
	} {
		g.passed(name, g.act(g.sign(form, wire.Mainnet)))
	}
}

func TestGateFailsClosed(t *testing.T) {
	for _, open := range []bool{false, true} {
		g := newGated(t, func(c *gate.Config) { c.Open = open })
		g.warm()
		g.passed("warm", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)))
		g.venueGives(nil, context.DeadlineExceeded)
		g.cache.StoreAccount(&marketcache.Account{Wallet: g.account}) // of long ago
		r := g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet))
		if open {
			g.passed("open", r)
			g.live.SetSwitch(&policy.Switch{On: true, Reason: "drill", Who: "ops", Since: time.Now()})
			g.refused("stopped", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)), "what only reduces")
		} else {
			g.refused("closed", r, "what only reduces passes")
		}
	}
}

// Margin is taken out of an isolated position as far as the position and the limits bear it, once at a time.
func TestGateMarginOut(t *testing.T) {
	g := newGated(t, nil)
	g.setLoad(func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		a := testAccount(w)
		p := &a.Positions[0]
		p.Isolated, p.MarginUsedUSD, p.RawUSD = true, 60_000, 60_000-p.ValueUSD
		g.cache.StoreAccount(a)
		return a, nil
	})
	out := func(usd int64) string {
		return g.sign(&wire.UpdateIsolatedMargin{Asset: uint32(btc), Buy: true, USD: -usd * 1e6}, wire.Mainnet)
	}
	g.refused("all of it", g.act(out(60_000)), "less margin than that")
	g.refused("nearly all of it", g.act(out(58_000)), "take out less")
	r, _ := policy.DecodeJSON([]byte(`{"min_liquidation_distance_pct":80}`))
	g.live.SetTable(policy.NewTable(&policy.Policy{Rules: r, Revision: 1}, nil))
	g.refused("beyond the policy", g.act(out(10_000)), "min_liquidation_distance_pct")
	g.live.SetTable(policy.NewTable(nil, nil))
	g.passed("a little", g.act(out(1_000)))
	g.refused("again at once", g.act(out(1_000)), "may not show")
}

// Orders that the verdict allows are not judged on prices that are flagged as old.
func TestGateStalePrices(t *testing.T) {
	for _, open := range []bool{false, true} {
		ages := risk.DefaultAges()
		ages.MarketSoft, ages.MarketHard = time.Nanosecond, time.Hour
		g := newGatedOf(t, ages, func(c *gate.Config) { c.Open = open })
		g.warm()
		r := g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet))
		if open {
			g.passed("open", r)
		} else {
			g.refused("closed", r, "stale_market_data")
		}
		g.passed("reduces", g.act(g.sign(order(false, "0.01", "67000", true), wire.Mainnet)))
	}
}

func TestGateSignedForTheOtherNetwork(t *testing.T) {
	for _, any := range []bool{false, true} {
		g := newGated(t, func(c *gate.Config) { c.AnyNetwork = any })
		g.warm()
		r := g.act(g.sign(order(true, "0.01", "67000", false), wire.Testnet))
		if any {
			g.passed("either", r)
		} else {
			g.refused("testnet", r, "signed for Testnet")
		}
	}
}

// Orders at the same moment do not exceed a limit together, and those that the venue refuses give their room back.
func TestGateReserves(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	r, bad := policy.DecodeJSON([]byte(`{"max_position_usd":101000}`)) // 67,123.5 USD are held: 5 orders of 0.1 BTC fit
	if bad != nil {
		t.Fatal(bad)
	}
	g.live.SetTable(policy.NewTable(&policy.Policy{Rules: r, Revision: 1}, nil))
	bodies := make([]string, 40)
	for i := range bodies {
		bodies[i] = g.sign(order(true, "0.1", "67000", false), wire.Mainnet)
	}
	g.mu.Lock()
	g.answer = `{"status":"ok","response":{"type":"order","data":{"statuses":[{"error":"no margin"}]}}}`
	g.mu.Unlock()
	for _, body := range bodies[:10] {
		g.act(body)
	}
	if n := len(g.reached()); n != 10 {
		t.Errorf("%d orders that the venue refused reached it, want 10", n)
	}
	g.mu.Lock()
	g.answer, g.status = "", 429
	g.mu.Unlock()
	for _, body := range bodies[:10] {
		g.act(body)
	}
	if n := len(g.reached()); n != 10 {
		t.Errorf("%d orders that the venue did not read reached it, want 10", n)
	}
	g.mu.Lock()
	g.status = 0
	g.mu.Unlock()
	var wg sync.WaitGroup
	for _, body := range bodies[10:] {
		wg.Go(func() { g.act(body) })
	}
	wg.Wait()
	if n := len(g.reached()); n != 5 {
		t.Errorf("%d orders passed, want 5", n)
	}
	// 1.2 short if the buys do not fill and the position is closed before
	sells := g.sign(order(false, "1.2", "67000", false), wire.Mainnet)
	g.passed("other side within the limit", g.act(sells))
	g.refused("and once more", g.act(g.sign(order(false, "0.8", "67000", false), wire.Mainnet)), "max_position_usd")
}

// An entry with its stop takes the room of the entry.
func TestGateEntryWithStop(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	r, _ := policy.DecodeJSON([]byte(`{"max_position_usd":80000}`)) // 67,123.5 USD are held
	g.live.SetTable(policy.NewTable(&policy.Policy{Rules: r, Revision: 1}, nil))
	entry := order(true, "0.1", "67000", false)
	entry.Orders = append(entry.Orders, order(false, "0.1", "60000", true).Orders...)
	g.mu.Lock()
	g.answer = `{"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":7}},` +
		`"waitingForTrigger"]}}}`
	g.mu.Unlock()
	g.passed("the first", g.act(g.sign(entry, wire.Mainnet)))
	g.refused("the second", g.act(g.sign(entry, wire.Mainnet)), "max_position_usd")
}

// Buys and sells of one action are judged apart: one may fill without the other.
func TestGateJudgesSidesApart(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	r, _ := policy.DecodeJSON([]byte(`{"max_position_usd":80000}`))
	g.live.SetTable(policy.NewTable(&policy.Policy{Rules: r, Revision: 1}, nil))
	quotes := func(buy, sell string) *wire.PlaceOrders {
		both := order(true, buy, "67000", false)
		both.Orders = append(both.Orders, order(false, sell, "67300", false).Orders...)
		return both
	}
	g.passed("within", g.act(g.sign(quotes("0.1", "0.1"), wire.Mainnet)))
	g.refused("a sell that would flip alone", g.act(g.sign(quotes("0.05", "2.4"), wire.Mainnet)), "max_position_usd")
	g.refused("a buy in front of it", g.act(g.sign(quotes("0.3", "0.1"), wire.Mainnet)), "max_position_usd")
}
