package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache/venue/exchange"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
)

// Validate rejects what is no wallet that trades, and the real venues: the keys are public.
func (c *demoBotCmd) Validate() error {
	if c.trader() == nil {
		return fmt.Errorf("--wallet %q: want one of %s", c.Wallet, strings.Join(traderNames(), ", "))
	}
	switch url := strings.TrimRight(c.ExchangeURL, "/"); url {
	case "":
		return nil
	case hyperliquid.Mainnet, hyperliquid.Testnet:
		return errors.New("--exchange-url: the keys of the demonstration are public, so they are for the simulated " +
			"venue alone")
	}
	if err := checkServer(c.ExchangeURL); err != nil {
		return errors.New(strings.Replace(err.Error(), "--server", "--exchange-url", 1))
	}
	return nil
}

// trader returns the wallet of the simulated venue that trades, nil if there is none of that name.
func (c *demoBotCmd) trader() *sim.Trader {
	i := slices.IndexFunc(sim.Traders, func(t sim.Trader) bool { return t.Name == c.Wallet })
	if i < 0 {
		return nil
	}
	return &sim.Traders[i]
}

func traderNames() []string {
	var names []string
	for i := range sim.Traders {
		names = append(names, sim.Traders[i].Name)
	}
	return names
}

// Run trades: a market order, its stop, a resting order that is moved and cancelled, an order that is too large for
// the wallet, and the exit.
func (c *demoBotCmd) Run() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	base := strings.TrimRight(c.ExchangeURL, "/")
	if base == "" {
		m := &market{stop: func() {}}
		url, err := m.startSim(ctx, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer m.shutdown()
		base = url
	}
	trader := c.trader()
	key, err := exchange.ParseKey(trader.Key)
	if err != nil {
		return err
	}
	b := &demoBot{base: base, key: key, user: trader.Address, nonce: uint64(time.Now().UnixMilli()), out: os.Stdout}
	return b.run()
}

// demoBot signs orders and sends them to a venue, or to a gate in front of one.
type demoBot struct {
	base  string
	key   exchange.Key
	user  string
	nonce uint64
	out   io.Writer

	markets map[string]demoMarket
	value   float64 // of the account, USD
}

// demoMarket is what an order must know of its asset.
type demoMarket struct {
	id       uint32
	decimals int // of a size
	price    float64
}

// run sends the orders, each with its request and its answer in a line.
func (b *demoBot) run() error {
	if err := b.learn("BTC", "ETH"); err != nil {
		return fmt.Errorf("--exchange-url: %w: is the simulated venue, or its gate, running there?", err)
	}
	fmt.Fprintf(b.out, "%s trades at %s with %.0f USD\n", b.user, b.base, b.value)
	stop := b.order("BTC", false, 0, 0.9)
	stop.ReduceOnly, stop.IsTrigger, stop.TIF = true, true, exchange.GTC
	stop.Trigger = exchange.Trigger{IsMarket: true, Price: b.price("BTC", 0.95), TPSL: exchange.StopLoss}
	exit := b.order("BTC", false, 0.05, 0.95)
	exit.ReduceOnly = true
	rests := b.order("ETH", true, 0.05, 0.95)
	rests.TIF, rests.HasCloid = exchange.ALO, true
	for i := range 8 { // the nonce, which no other order has
		rests.Cloid[15-i] = byte(b.nonce >> (8 * i))
	}
	moved := rests
	moved.Price = b.price("ETH", 0.94)
	steps := []struct {
		about string
		form  exchange.Form
	}{
		{"buy at the market", place(exchange.Ungrouped, b.order("BTC", true, 0.05, 1.05))},
		{"stop for the whole position", place(exchange.PositionTPSL, stop)},
		{"buy 5 % below the market", place(exchange.Ungrouped, rests)},
		{"move it to 6 % below", &exchange.BatchModify{Modifies: []exchange.Modification{
			{OID: exchange.OrderID{ByCloid: true, Cloid: rests.Cloid}, Order: moved}}}},
		{"cancel it", &exchange.CancelByCloid{Cancels: []exchange.CancelCloid{
			{Asset: rests.Asset, Cloid: rests.Cloid}}}},
		{"buy thirty times what the account is worth", place(exchange.Ungrouped, b.order("BTC", true, 30, 1.05))},
		{"sell what was bought", place(exchange.Ungrouped, exit)},
	}
	for _, step := range steps {
		if err := b.send(step.about, step.form); err != nil {
			return err
		}
	}
	return nil
}

func place(grouping exchange.Grouping, o exchange.Order) *exchange.PlaceOrders {
	return &exchange.PlaceOrders{Orders: []exchange.Order{o}, Grouping: grouping}
}

// learn reads markets, prices and the account's value.
func (b *demoBot) learn(coins ...string) error {
	var meta struct {
		Universe []struct {
			Name       string
			SzDecimals int
		}
	}
	var mids map[string]string
	var state struct{ MarginSummary struct{ AccountValue string } }
	var spot struct {
		Balances []struct{ Coin, Total string }
	}
	for _, q := range []struct {
		text   string
		answer any
	}{
		{`{"type":"meta"}`, &meta},
		{`{"type":"allMids"}`, &mids},
		{`{"type":"clearinghouseState","user":"` + b.user + `"}`, &state},
		{`{"type":"spotClearinghouseState","user":"` + b.user + `"}`, &spot},
	} {
		if err := b.ask("/info", q.text, q.answer); err != nil {
			return err
		}
	}
	b.value, _ = strconv.ParseFloat(state.MarginSummary.AccountValue, 64) // 0 if it is no number
	for _, row := range spot.Balances {
		if total, err := strconv.ParseFloat(row.Total, 64); err == nil && row.Coin == "USDC" {
			b.value = max(b.value, total) // of a unified account, which backs positions with it
		}
	}
	if b.value <= 0 {
		return fmt.Errorf("%s: the wallet %s has nothing to trade with there", b.base, b.user)
	}
	b.markets = map[string]demoMarket{}
	for i, row := range meta.Universe {
		if price, err := strconv.ParseFloat(mids[row.Name], 64); err == nil {
			b.markets[row.Name] = demoMarket{uint32(i), row.SzDecimals, price}
		}
	}
	for _, coin := range coins {
		if b.markets[coin].price <= 0 {
			return fmt.Errorf("%s: there is no market of %s", b.base, coin)
		}
	}
	return nil
}

// order returns an immediate order whose size is that share of the account's value, at that many times the mid.
func (b *demoBot) order(coin string, buy bool, share, times float64) exchange.Order {
	m := b.markets[coin]
	return exchange.Order{Asset: m.id, Buy: buy, Price: b.price(coin, times), TIF: exchange.IOC,
		Size: rounded(share*b.value/m.price, m.decimals)}
}

// price returns a price that the venue takes, that many times the mid: of five figures at most.
func (b *demoBot) price(coin string, times float64) exchange.Decimal {
	m := b.markets[coin]
	figures := 4 - int(math.Floor(math.Log10(m.price*times)))
	return rounded(m.price*times, max(min(figures, 6-m.decimals), 0))
}

// rounded returns x >= 0 with that many decimals.
func rounded(x float64, decimals int) exchange.Decimal {
	d, err := exchange.ParseDecimal(strconv.FormatFloat(x, 'f', decimals, 64))
	if err != nil {
		panic("BUG: a number is no decimal: " + err.Error())
	}
	return d
}

// send signs an action, sends it, and prints both it and the answer.
func (b *demoBot) send(about string, form exchange.Form) error {
	b.nonce++
	env := exchange.Envelope{Action: exchange.Action{Form: form}, Nonce: b.nonce}
	if err := env.Sign(b.key, exchange.Testnet); err != nil {
		return err
	}
	body := env.AppendJSON(nil)
	var parts struct{ Action json.RawMessage }
	if err := json.Unmarshal(body, &parts); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n%s\n> %s\n", about, parts.Action)
	var answer json.RawMessage
	if err := b.ask("/exchange", string(body), &answer); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "< %s\n", answer)
	return nil
}

// ask sends a body and decodes the answer.
func (b *demoBot) ask(path, body string, into any) error {
	answer, err := overHTTP(b.base, "")(context.Background(), nil, path, []byte(body))
	if err != nil {
		return err
	}
	if answer.Status != http.StatusOK {
		return fmt.Errorf("%s%s: %d %s: %.200s", b.base, path, answer.Status, http.StatusText(answer.Status),
			bytes.TrimSpace(answer.Body))
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("%s%s: %w", b.base, path, err)
	}
	return nil
}
