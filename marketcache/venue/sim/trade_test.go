package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"ballast/marketcache/venue/exchange"
)

// desk sends signed actions of one key to a market.
type desk struct {
	t     *testing.T
	m     *market
	key   exchange.Key
	user  string // the account that it trades for
	nonce uint64
	ms    int64
}

// newDesk returns a desk of a trader on a new market.
func newDesk(t *testing.T, trader int) *desk {
	t.Helper()
	d := &desk{t: t, ms: testStart.UnixMilli(), user: Traders[trader].Address}
	d.m = newMarket(64, 24, 2, 1, d.ms)
	d.m.clock = func() int64 { return d.ms }
	return d.with(Traders[trader].Key)
}

// with returns the desk with another key.
func (d *desk) with(key string) *desk {
	d.t.Helper()
	k, err := exchange.ParseKey(key)
	if err != nil {
		d.t.Fatal(err)
	}
	other := *d
	other.key, other.nonce = k, uint64(d.ms)
	return &other
}

// answerIn is an answer of POST /exchange as a client parses it.
type answerIn struct {
	Status   string
	Response json.RawMessage
}

// statusIn is an element of statuses; Word if that is a text.
type statusIn struct {
	Word            string
	Error           string
	Resting, Filled *struct {
		OID                   int64
		Cloid, TotalSz, AvgPx string
	}
}

func (s *statusIn) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &s.Word)
	}
	type plain statusIn
	return json.Unmarshal(b, (*plain)(s))
}

// text returns the refusal, of the whole action or of its first element.
func (a answerIn) text(t *testing.T) string {
	t.Helper()
	if a.Status == "err" {
		var text string
		_ = json.Unmarshal(a.Response, &text)
		return text
	}
	if strings.Contains(string(a.Response), `"status":`) {
		var one struct{ Data struct{ Status statusIn } }
		_ = json.Unmarshal(a.Response, &one)
		return one.Data.Status.Error
	}
	return a.statuses(t)[0].Error
}

// statuses returns the elements of an answer.
func (a answerIn) statuses(t *testing.T) []statusIn {
	t.Helper()
	var r struct {
		Data struct{ Statuses []statusIn }
	}
	if err := json.Unmarshal(a.Response, &r); err != nil || a.Status != "ok" {
		t.Fatalf("%s %s: %v", a.Status, a.Response, err)
	}
	if len(r.Data.Statuses) == 0 {
		return []statusIn{{}}
	}
	return r.Data.Statuses
}

// envelope returns an action with the desk's next nonce.
func (d *desk) envelope(form exchange.Form) *exchange.Envelope {
	d.nonce++
	return &exchange.Envelope{Action: exchange.Action{Form: form}, Nonce: d.nonce}
}

// sign signs an envelope and carries it out.
func (d *desk) sign(env *exchange.Envelope) answerIn {
	d.t.Helper()
	if err := env.Sign(d.key, exchange.Testnet); err != nil {
		d.t.Fatal(err)
	}
	return parsed(d.t, d.m.act(env, noFaults))
}

// parsed returns an answer as a client parses it.
func parsed(t *testing.T, a exchange.Answer) (in answerIn) {
	t.Helper()
	if err := json.Unmarshal(a.AppendJSON(nil), &in); err != nil {
		t.Fatal(err)
	}
	return in
}

func (d *desk) send(form exchange.Form) answerIn {
	d.t.Helper()
	return d.sign(d.envelope(form))
}

// order sends orders and returns their statuses.
func (d *desk) order(orders ...exchange.Order) []statusIn {
	d.t.Helper()
	return d.send(&exchange.PlaceOrders{Orders: orders}).statuses(d.t)
}

// buys returns an order to buy, in the venue's text; tif is Gtc, Ioc, Alo or empty for a trigger.
func (d *desk) buys(coin, size, price string, tif exchange.TIF) exchange.Order {
	d.t.Helper()
	a := d.m.byName[coin]
	id := uint32(a.index)
	if a.dex != "" {
		id += 100_000 + 10_000*uint32(a.id>>20)
	}
	return exchange.Order{Asset: id, Buy: true, Size: dec(d.t, size), Price: dec(d.t, price), TIF: tif}
}

func (d *desk) sells(coin, size, price string, tif exchange.TIF) exchange.Order {
	o := d.buys(coin, size, price, tif)
	o.Buy = false
	return o
}

func dec(t *testing.T, text string) exchange.Decimal {
	t.Helper()
	x, err := exchange.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// at returns a valid price that many times the mark.
func (d *desk) at(coin string, times float64) string {
	a := d.m.byName[coin]
	return a.px(a.toUnits(a.markUSD() * times))
}

// later moves the market.
func (d *desk) later(by time.Duration) {
	d.ms += by.Milliseconds()
	d.m.step(d.ms)
}

// jump sets an asset's mark and its best prices to about that many times the mark, and lets orders work.
func (d *desk) jump(coin string, times float64) {
	a := d.m.byName[coin]
	mid := a.markUSD() * times
	a.state.mark = a.toUnits(mid)
	a.state.ladder = a.newLadder(mid, 1, 1, 0)
	d.m.work()
}

func (d *desk) account() *account { return d.m.accounts[d.user] }

func (d *desk) state(dex string) stateIn {
	d.t.Helper()
	return read[stateIn](d.t, d.m.clearinghouse(d.account(), dex, noFaults))
}

// Each refusal comes in the venue's words.
func TestRefusals(t *testing.T) {
	d := newDesk(t, 0)
	btc := d.at("BTC", 1)
	reduce := func(o exchange.Order) exchange.Order { o.ReduceOnly = true; return o }
	trigger := func(o exchange.Order, price string, kind exchange.TPSL) exchange.Order {
		o.IsTrigger, o.Trigger = true, exchange.Trigger{IsMarket: true, Price: dec(t, price), TPSL: kind}
		return o
	}
	orders := []struct {
		name  string
		order exchange.Order
		want  string
	}{
		{"six figures", d.buys("BTC", "0.01", "60000.5", exchange.GTC),
			"Price must be divisible by tick size. asset=0"},
		{"decimals of the price", d.buys("BTC", "0.01", "1.23", exchange.GTC), "Order has invalid price. asset=0"},
		{"lot", d.buys("BTC", "0.010001", btc, exchange.GTC), "Order has invalid size. asset=0"},
		{"zero", d.buys("BTC", "0", btc, exchange.GTC), "Order has zero size. asset=0"},
		{"nine dollars", d.buys("ETH", "0.0047", d.at("ETH", 0.9), exchange.GTC),
			"Order must have minimum value of $10. asset=1"},
		{"margin", d.buys("BTC", "40", d.at("BTC", 1.05), exchange.IOC), "Insufficient margin to place order. asset=0"},
		{"margin at rest", d.buys("BTC", "40", d.at("BTC", 0.9), exchange.GTC),
			"Insufficient margin to place order. asset=0"},
		{"nothing to reduce", reduce(d.buys("BTC", "0.01", btc, exchange.IOC)),
			"Reduce only order would increase position. asset=0"},
		{"no match", d.buys("BTC", "0.01", d.at("BTC", 0.9), exchange.IOC),
			"Order could not immediately match against any resting orders. asset=0"},
		{"delisted", d.buys("CANTO", "1000", d.at("CANTO", 1), exchange.GTC), "Trading is halted. asset=2"},
		{"far", d.buys("BTC", "1", d.at("BTC", 0.19), exchange.GTC),
			"Order price cannot be more than 80% away from the reference price. asset=0"},
		{"stop above the mark", trigger(d.sells("BTC", "0.01", btc, 0), d.at("BTC", 1.1), exchange.StopLoss),
			"Invalid TP/SL price. asset=0"},
		{"open interest capped", d.buys("MON", "1000", d.at("MON", 1.05), exchange.IOC),
			"Order would increase open interest while open interest is capped asset=13"},
		{"unknown asset", exchange.Order{Asset: 999, Size: dec(t, "1"), Price: dec(t, "1")},
			"Invalid asset: 999 asset=999"},
		{"spot", exchange.Order{Asset: 10_000, Size: dec(t, "1"), Price: dec(t, "1")},
			"Invalid asset: 10000 asset=10000"},
	}
	before := string(encode(d.m.clearinghouse(d.account(), "", noFaults)))
	for _, row := range orders {
		if got := d.send(&exchange.PlaceOrders{Orders: []exchange.Order{row.order}}).text(t); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	bid, ask := d.m.byName["BTC"].best()
	want := fmt.Sprintf("Post only order would have immediately matched, bbo was %s@%s. asset=0",
		d.m.byName["BTC"].px(bid), d.m.byName["BTC"].px(ask))
	if s := d.order(d.buys("BTC", "0.01", d.at("BTC", 1.01), exchange.ALO))[0]; s.Error != want {
		t.Errorf("%q, want %q", s.Error, want)
	}
	if after := string(encode(d.m.clearinghouse(d.account(), "", noFaults))); after != before {
		t.Errorf("refused orders changed the account:\n%s\n%s", before, after)
	}
	f, _ := parseFaults("one-sided")
	env := d.envelope(&exchange.PlaceOrders{Orders: []exchange.Order{d.buys("BTC", "1", btc, exchange.FrontendMarket)}})
	if err := env.Sign(d.key, exchange.Mainnet); err != nil {
		t.Fatal(err)
	}
	if got := parsed(t, d.m.act(env, f)).text(t); got != "No liquidity available for market order. asset=0" {
		t.Error(got)
	}
}

// Actions that are refused as a whole.
func TestRefusedActions(t *testing.T) {
	d := newDesk(t, 0)
	one := exchange.PlaceOrders{Orders: []exchange.Order{d.buys("BTC", "0.01", d.at("BTC", 0.9), exchange.GTC)}}
	stranger, err := exchange.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	foreign := *d
	foreign.key = stranger
	who := stranger.Address().String()
	expired, vault := d.envelope(&one), d.envelope(&one)
	expired.HasExpires, expired.Expires = true, uint64(d.ms-1)
	vault.HasVault, vault.Vault[19] = true, 7
	tpsl := one
	tpsl.Grouping = exchange.NormalTPSL
	approve := &exchange.ApproveAgent{Signing: exchange.Signing{ChainID: 1, Network: exchange.Testnet}}
	rows := []struct {
		name string
		got  answerIn
		want string
	}{
		{"stranger", foreign.send(&one), "User or API Wallet " + foreign.key.Address().String() + " does not exist."},
		{"stranger's own action", foreign.send(approve), "Must deposit before performing actions. User: " + who},
		{"expired", d.sign(expired), "Action already expired"},
		{"vault", d.sign(vault), "Vault not registered: 0x0000000000000000000000000000000000000007"},
		{"no orders", d.send(&exchange.PlaceOrders{}), "Empty batch of orders."},
		{"no children", d.send(&tpsl), "Unexpected number of trigger orders"},
		{"leverage", d.send(&exchange.UpdateLeverage{Leverage: 41, Cross: true}), "Invalid leverage value"},
		{"mode", d.send(&exchange.UpdateLeverage{Asset: 8, Leverage: 2, Cross: true}),
			"Cross margin is not allowed for this asset."},
		{"no position", d.send(&exchange.UpdateIsolatedMargin{USD: 1e6}), "Cannot update margin for empty position."},
		{"not simulated", d.send(&exchange.CreateSubAccount{Name: "a"}),
			"The simulated venue does not take the action createSubAccount."},
		{"gone", d.send(&exchange.Modify{Modification: exchange.Modification{OID: exchange.OrderID{Number: 5},
			Order: one.Orders[0]}}), "Cannot modify canceled or filled order"},
		{"TWAP", d.send(&exchange.TWAPOrder{TWAP: exchange.TWAP{Minutes: 1, Size: dec(t, "1")}}),
			"Invalid TWAP duration: 1 min(s)"},
		{"no order", d.send(&exchange.Cancel{Cancels: []exchange.CancelID{{Asset: 3, OID: 1}}}),
			"Order was never placed, already canceled, or filled. asset=3"},
	}
	for _, row := range rows {
		if got := row.got.text(t); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// Nonces are unique, in a window of days, and above the smallest of the hundred highest.
func TestNonces(t *testing.T) {
	d := newDesk(t, 0)
	now := uint64(d.ms)
	try := func(nonce uint64) string {
		env := d.envelope(&exchange.Noop{})
		env.Nonce = nonce
		return strings.TrimPrefix(d.sign(env).text(t), "Invalid nonce: ")
	}
	day := uint64(dayMs)
	rows := []struct {
		nonce uint64
		want  string
	}{
		{now, ""}, {now, fmt.Sprintf("duplicate nonce %d", now)}, {now - day, ""},
		{now - 2*day, fmt.Sprintf("nonce too low %d < %d", now-2*day, now-2*day)},
		{now + day, fmt.Sprintf("nonce too high %d > %d", now+day, now+day)},
		{0, fmt.Sprintf("nonce too low 0 < %d", now-2*day)},
	}
	for _, row := range rows {
		if got := try(row.nonce); got != row.want {
			t.Errorf("%d: %q, want %q", int64(row.nonce-now), got, row.want)
		}
	}
	for i := range uint64(99) {
		if got := try(now + 1000 + i); got != "" {
			t.Fatal(got)
		}
	}
	if got, want := try(now-1), fmt.Sprintf("nonce too low %d < %d", now-1, now); got != want {
		t.Errorf("below the hundred highest: %q, want %q", got, want)
	}
	other := d.with(Traders[0].AgentKey)
	if got := other.send(&exchange.Noop{}).text(t); got != "" {
		t.Errorf("the agent's first nonce: %q", got)
	}
}

// A market order takes the printed levels from the best on, and they are gone from the book until it moves.
func TestOrderWalksTheBook(t *testing.T) {
	d := newDesk(t, 2)
	a := d.m.byName["SOL"]
	book := d.m.book(a, 0, false, noFaults)
	size, value := 0.0, 0.0
	for _, l := range book.Levels[askSide][:3] {
		size, value = size+num(t, l.Sz), value+num(t, l.Sz)*num(t, l.Px)
	}
	s := d.order(d.buys("SOL", a.sz(int64(math.Round(size*100))), d.at("SOL", 1.05), exchange.IOC))[0]
	if s.Filled == nil {
		t.Fatal(s.Error)
	}
	near(t, "size", num(t, s.Filled.TotalSz), size, 1e-9)
	near(t, "price", num(t, s.Filled.AvgPx), value/size, 1e-6)
	after := d.m.book(a, 0, false, noFaults)
	if after.Levels[askSide][0] != book.Levels[askSide][3] || after.Levels[bidSide][0] != book.Levels[bidSide][0] {
		t.Errorf("after the order the best ask is %v, want %v", after.Levels[askSide][0], book.Levels[askSide][3])
	}
	d.later(time.Second)
	if a.state.ladder.taken != [2]int64{} {
		t.Error("the book stays thin")
	}
}
