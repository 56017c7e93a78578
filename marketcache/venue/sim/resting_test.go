package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ballast/internal/race"
	"ballast/marketcache/venue/exchange"
)

func reduceOnly(o exchange.Order) exchange.Order { o.ReduceOnly = true; return o }

// triggered returns the order as one that waits for its trigger price.
func triggered(t *testing.T, o exchange.Order, price string, kind exchange.TPSL) exchange.Order {
	o.IsTrigger, o.TIF = true, exchange.GTC
	o.Trigger = exchange.Trigger{IsMarket: true, Price: dec(t, price), TPSL: kind}
	return o
}

// open returns the coins, sides and sizes of the account's open orders.
func (d *desk) open() string {
	var all []string
	for _, row := range d.account().openOrderRows("") {
		all = append(all, fmt.Sprint(row["coin"], " ", row["side"], " ", row["sz"], " ", row["orderType"]))
	}
	return strings.Join(all, ", ")
}

func (d *desk) position(coin string) int64 {
	if p := d.account().position(d.m.byName[coin]); p != nil {
		return p.size
	}
	return 0
}

// status returns what orderStatus says of the newest order of the account.
func (d *desk) status() string {
	return d.account().historicalOrders()[0]["status"].(string)
}

// A resting order fills at its price as maker when the market trades through it.
func TestRestingOrderFills(t *testing.T) {
	d := newDesk(t, 0)
	limit := d.at("ETH", 0.97)
	s := d.order(d.buys("ETH", "1", limit, exchange.GTC))[0]
	if s.Resting == nil {
		t.Fatal(s.Error)
	}
	d.later(time.Second)
	if d.position("ETH") != 0 || d.open() != "ETH B 1.0 Limit" {
		t.Fatalf("before its price: %d, %s", d.position("ETH"), d.open())
	}
	d.jump("ETH", 0.96)
	if d.position("ETH") != 10_000 || d.open() != "" || d.status() != "filled" {
		t.Fatalf("after its price: %d, %s, %s", d.position("ETH"), d.open(), d.status())
	}
	row := fillRows(d.account().fills.rows, 0, math.MaxInt64)[0]
	fee := math.Trunc(num(t, limit)*0.00015*1e6) / 1e6
	near(t, "fee", num(t, row["fee"].(string)), fee, 1.1e-6)
	if row["px"] != limit || row["crossed"] != false || row["dir"] != "Open Long" {
		t.Errorf("%v", row)
	}
}

// A resting order whose margin has gone is cancelled when it would fill.
func TestRestingOrderLosesItsMargin(t *testing.T) {
	d := newDesk(t, 1)
	d.order(d.buys("ETH", "5", d.at("ETH", 0.9), exchange.GTC))
	d.account().pools[""].cash -= 900
	d.jump("ETH", 0.89)
	if d.position("ETH") != 0 || d.status() != statusMargin {
		t.Errorf("%d, %s", d.position("ETH"), d.status())
	}
}

// Children wait for their parent, then for their prices; one ends the other.
func TestTPSL(t *testing.T) {
	d := newDesk(t, 0)
	place := func(parent exchange.Order) []statusIn {
		return d.send(&exchange.PlaceOrders{Grouping: exchange.NormalTPSL, Orders: []exchange.Order{parent,
			triggered(t, reduceOnly(d.sells("ETH", "1", d.at("ETH", 0.8), 0)), d.at("ETH", 0.9), exchange.StopLoss),
			triggered(t, reduceOnly(d.sells("ETH", "1", d.at("ETH", 1.1), 0)), d.at("ETH", 1.15), exchange.TakeProfit),
		}}).statuses(t)
	}
	s := place(d.buys("ETH", "1", d.at("ETH", 0.98), exchange.GTC))
	if s[0].Resting == nil || s[1].Word != "waitingForFill" || s[2].Word != "waitingForFill" {
		t.Fatalf("%+v", s)
	}
	if rows := d.account().openOrderRows(""); len(rows) != 1 || len(rows[0]["children"].([]object)) != 2 {
		t.Errorf("open %v", rows)
	}
	d.jump("ETH", 0.97)
	if d.position("ETH") != 10_000 || d.open() != "ETH A 1.0 Stop Market, ETH A 1.0 Take Profit Market" {
		t.Fatalf("%d, %s", d.position("ETH"), d.open())
	}
	d.jump("ETH", 0.9)
	if d.position("ETH") != 0 || d.open() != "" || d.status() != statusSibling {
		t.Errorf("after the stop: %d, %s, %s", d.position("ETH"), d.open(), d.status())
	}
	s = place(d.buys("ETH", "1", d.at("ETH", 1.05), exchange.IOC))
	if s[0].Filled == nil || s[1].Word != "waitingForTrigger" {
		t.Fatalf("%+v", s)
	}
	d.order(reduceOnly(d.sells("ETH", "1", d.at("ETH", 0.95), exchange.IOC)))
	place(d.buys("ETH", "1", d.at("ETH", 0.9), exchange.GTC))
	parent := d.account().history[len(d.account().history)-3]
	d.send(&exchange.Cancel{Cancels: []exchange.CancelID{{Asset: 1, OID: uint64(parent.id)}}})
	if strings.Contains(d.open(), "Limit") || len(d.account().orders) != 2 {
		t.Errorf("children without parent: %s", d.open())
	}
}

// A position TP/SL closes whatever the position is, and ends with it.
func TestPositionTPSL(t *testing.T) {
	d := newDesk(t, 0)
	stop := &exchange.PlaceOrders{Grouping: exchange.PositionTPSL, Orders: []exchange.Order{
		triggered(t, reduceOnly(d.buys("SOL", "0", d.at("SOL", 1.3), 0)), d.at("SOL", 1.1), exchange.StopLoss)}}
	if got := d.send(stop).text(t); got != "Reduce only order would increase position. asset=3" {
		t.Errorf("without a position: %q", got)
	}
	d.order(d.sells("SOL", "10", d.at("SOL", 0.95), exchange.IOC))
	if s := d.send(stop).statuses(t)[0]; s.Word != "waitingForTrigger" {
		t.Fatalf("%+v", s)
	}
	d.order(d.sells("SOL", "5", d.at("SOL", 0.95), exchange.IOC))
	d.jump("SOL", 1.12)
	if d.position("SOL") != 0 || d.status() != statusFilled {
		t.Errorf("after the stop: %d, %s", d.position("SOL"), d.status())
	}
	d.order(d.sells("SOL", "5", d.at("SOL", 0.95), exchange.IOC))
	stop.Orders[0].Trigger.Price = dec(t, d.at("SOL", 1.1))
	d.send(stop)
	d.order(d.buys("SOL", "5", d.at("SOL", 1.05), exchange.IOC))
	if d.open() != "" {
		t.Errorf("a stop without a position: %s", d.open())
	}
}

// Reduce-only orders are capped at the position; of resting ones that exceed it together the older ends.
func TestReduceOnly(t *testing.T) {
	d := newDesk(t, 0)
	d.order(d.buys("BTC", "0.1", d.at("BTC", 1.05), exchange.IOC))
	s := d.order(reduceOnly(d.buys("BTC", "0.1", d.at("BTC", 1.05), exchange.IOC)))[0]
	if s.Error != refusedReduce+" asset=0" {
		t.Errorf("%+v", s)
	}
	d.order(reduceOnly(d.sells("BTC", "0.08", d.at("BTC", 1.1), exchange.GTC)),
		reduceOnly(d.sells("BTC", "0.07", d.at("BTC", 1.2), exchange.GTC)))
	if d.open() != "BTC A 0.07 Limit" {
		t.Errorf("resting: %s", d.open())
	}
	s = d.order(reduceOnly(d.sells("BTC", "0.5", d.at("BTC", 0.95), exchange.IOC)))[0]
	if s.Filled == nil || s.Filled.TotalSz != "0.1" || d.position("BTC") != 0 || d.open() != "" {
		t.Errorf("%+v, %d, %s", s, d.position("BTC"), d.open())
	}
}

func TestModifyAndCancel(t *testing.T) {
	d := newDesk(t, 0)
	o := d.buys("ETH", "1", d.at("ETH", 0.9), exchange.GTC)
	o.HasCloid, o.Cloid[15] = true, 9
	first := d.order(o)[0].Resting
	moved := o
	moved.Price = dec(t, d.at("ETH", 0.91))
	byCloid := exchange.OrderID{ByCloid: true, Cloid: o.Cloid}
	s := d.send(&exchange.BatchModify{Modifies: []exchange.Modification{{OID: byCloid, Order: moved}}}).statuses(t)[0]
	if s.Resting == nil || s.Resting.OID == first.OID || s.Resting.Cloid != first.Cloid ||
		d.open() != "ETH B 1.0 Limit" {
		t.Fatalf("%+v, %s", s, d.open())
	}
	crossing := exchange.Modification{OID: exchange.OrderID{Number: uint64(s.Resting.OID)}, Order: d.buys("ETH", "1",
		d.at("ETH", 1.02), exchange.GTC)}
	text := d.send(&exchange.Modify{Modification: crossing}).text(t)
	if !strings.HasPrefix(text, "Error placing new order during modify: Post only order would have") || d.open() != "" {
		t.Errorf("%q, %s", text, d.open())
	}
	got := d.send(&exchange.Modify{Modification: crossing, Always: true})
	if got.Status != "ok" || d.position("ETH") != 10_000 {
		t.Errorf("%s %s, %d", got.Status, got.Response, d.position("ETH"))
	}
	d.order(o)
	cancel := exchange.CancelCloid{Asset: 1, Cloid: o.Cloid}
	both := d.send(&exchange.CancelByCloid{Cancels: []exchange.CancelCloid{cancel, cancel}}).statuses(t)
	if both[0].Word != "success" || both[1].Error != refusedMissing+" asset=1" {
		t.Errorf("%+v", both)
	}
	if got := d.account().orderStatus(`"` + o.Cloid.String() + `"`); got["status"] != "order" ||
		got["order"].(object)["status"] != statusCanceled {
		t.Errorf("%v", got)
	}
}

func TestScheduledCancel(t *testing.T) {
	d := newDesk(t, 0)
	d.order(d.buys("ETH", "1", d.at("ETH", 0.9), exchange.GTC), d.buys("BTC", "1", d.at("BTC", 0.9), exchange.GTC))
	soon := &exchange.ScheduleCancel{HasTime: true, Time: uint64(d.ms + 4000)}
	if got := d.send(soon).text(t); !strings.HasPrefix(got, "Scheduled cancel time too early") {
		t.Errorf("%q", got)
	}
	soon.Time += 2000
	d.send(soon)
	if d.later(5 * time.Second); d.open() == "" {
		t.Fatal("cancelled early")
	}
	if d.later(time.Second); d.open() != "" || d.status() != statusScheduled {
		t.Errorf("%s, %s", d.open(), d.status())
	}
}

// A TWAP trades an even slice every half minute.
func TestTWAP(t *testing.T) {
	d := newDesk(t, 0)
	d.send(&exchange.TWAPOrder{TWAP: exchange.TWAP{Asset: 1, Buy: true, Size: dec(t, "2"), Minutes: 5}})
	for i := range int64(10) {
		if got := d.position("ETH"); got != 2000*(i+1) {
			t.Fatalf("%d size units after %d slices", got, i+1)
		}
		d.later(30 * time.Second)
	}
	if len(d.account().twaps) != 0 || fillRows(d.account().fills.rows, 0, math.MaxInt64)[0]["twapId"] == nil {
		t.Error("not over, or without id")
	}
	d.send(&exchange.TWAPOrder{TWAP: exchange.TWAP{Asset: 1, Size: dec(t, "2"), Minutes: 5, ReduceOnly: true}})
	id := uint64(d.account().twaps[0].id)
	if a := d.send(&exchange.TWAPCancel{Asset: 1, ID: id}); !strings.Contains(string(a.Response), `"success"`) {
		t.Errorf("%s", a.Response)
	}
	d.later(time.Minute)
	if d.position("ETH") != 18_000 {
		t.Errorf("%d size units after the first slice of a cancelled TWAP", d.position("ETH"))
	}
}

// Below the maintenance margin the venue cancels the orders and closes the positions.
func TestLiquidation(t *testing.T) {
	d := newDesk(t, 1)
	d.order(d.buys("ETH", "8", d.at("ETH", 1.05), exchange.IOC), d.buys("SOL", "1", d.at("SOL", 0.9), exchange.GTC))
	if d.position("ETH") == 0 {
		t.Fatal("no position")
	}
	d.jump("ETH", 0.94)
	if d.position("ETH") != 0 || d.open() != "" {
		t.Errorf("%d, %s", d.position("ETH"), d.open())
	}
	row := fillRows(d.account().fills.rows, 0, math.MaxInt64)[0]
	if row["liquidation"] == nil || num(t, d.state("").MarginSummary.AccountValue) >= 700 {
		t.Errorf("%v, %s", row, d.state("").MarginSummary.AccountValue)
	}
}

// Funding is paid for each hour: units times oracle times rate.
func TestFundingIsPaid(t *testing.T) {
	d := newDesk(t, 0)
	d.order(d.sells("BTC", "1", d.at("BTC", 0.95), exchange.IOC))
	a := d.m.byName["BTC"]
	cash := d.account().pools[""].cash
	d.later(40 * time.Minute)
	rate, _ := a.paid(floorDiv(testStart.UnixMilli(), hourMs))
	paid := roundUSD(-a.usdOf(a.state.oracle) * rate)
	near(t, "cash", d.account().pools[""].cash, cash-paid, 1e-6)
	if p := d.account().position(a); p.funding.sinceOpen != paid || rate == 0 {
		t.Errorf("%v at %v, want %v", *p.funding, rate, paid)
	}
}

// ledgerOf recomputes an account from its printed fills: size, entry and realised profit by coin.
type ledgerOf struct {
	size, entry map[string]float64
	pnl, fees   float64
}

func (l *ledgerOf) book(t *testing.T, row object) {
	coin := row["coin"].(string)
	q, px := num(t, row["sz"].(string)), num(t, row["px"].(string))
	if row["side"] == "A" {
		q = -q
	}
	l.fees += num(t, row["fee"].(string))
	near(t, "startPosition", num(t, row["startPosition"].(string)), l.size[coin], 1e-9)
	held := l.size[coin]
	if held*q < 0 {
		closed := math.Copysign(min(math.Abs(q), math.Abs(held)), q)
		pnl := -closed * (px - l.entry[coin])
		near(t, "closedPnl", num(t, row["closedPnl"].(string)), pnl, 1e-5)
		l.pnl += pnl
		held, q = held+closed, q-closed
	}
	if math.Abs(q) > 1e-12 {
		l.entry[coin] = (l.entry[coin]*math.Abs(held) + px*math.Abs(q)) / (math.Abs(held) + math.Abs(q))
		held += q
	}
	if math.Abs(held) < 1e-9 {
		held = 0
	}
	l.size[coin] = held
}

// A thousand random orders leave the account that a plain recomputation of its fills gives.
func TestRandomOrders(t *testing.T) {
	race.Sequential(t)
	for trader := range Traders {
		d := newDesk(t, trader)
		r := rand.New(rand.NewPCG(uint64(trader), 5))
		start := num(t, d.state("").MarginSummary.AccountValue)
		if d.account().pooled {
			start = d.account().equity
		}
		coins := []string{"BTC", "ETH", "SOL", "HYPE", "MEGA"}
		d.send(&exchange.UpdateLeverage{Asset: 3, Leverage: 5}) // SOL isolated; MEGA is so anyway
		d.send(&exchange.UpdateLeverage{Asset: 1, Leverage: 10, Cross: true})
		for range 1000 {
			coin := coins[r.IntN(len(coins))]
			a := d.m.byName[coin]
			usd := start * 0.01 * math.Exp(4*r.Float64())
			size := a.sz(int64(usd / a.markUSD() * float64(pow10[a.szDecimals])))
			o := d.buys(coin, size, d.at(coin, 1+0.02*(r.Float64()-0.4)), exchange.TIF(r.IntN(3)))
			if o.Buy = r.IntN(2) == 0; !o.Buy {
				o.Price = dec(t, d.at(coin, 1+0.02*(r.Float64()-0.6)))
			}
			o.ReduceOnly = r.IntN(4) == 0
			d.order(o)
			if r.IntN(5) == 0 {
				d.later(time.Duration(r.IntN(3000)) * time.Millisecond)
			}
			if len(d.account().orders) > 20 {
				d.send(&exchange.Cancel{Cancels: []exchange.CancelID{{Asset: uint32(d.account().orders[0].asset.index),
					OID: uint64(d.account().orders[0].id)}}})
			}
		}
		d.checkAgainst(start)
	}
}

// checkAgainst compares the account with a recomputation from its fills.
func (d *desk) checkAgainst(start float64) {
	t := d.t
	l := &ledgerOf{size: map[string]float64{}, entry: map[string]float64{}}
	rows := fillRows(d.account().fills.rows, 0, math.MaxInt64)
	if len(rows) < 200 || len(rows) == historyMax || d.account().fills.dropped > 0 {
		t.Fatalf("%d fills", len(rows))
	}
	for i := len(rows) - 1; i >= 0; i-- {
		l.book(t, rows[i])
	}
	s := d.state("")
	value, used, unrealised, open := start+l.pnl-l.fees, 0.0, 0.0, 0
	for _, ap := range s.AssetPositions {
		p := ap.Position
		mark := d.m.byName[p.Coin].markUSD()
		near(t, p.Coin+" size", num(t, p.Szi), l.size[p.Coin], 1e-9)
		near(t, p.Coin+" entry", num(t, p.EntryPx), l.entry[p.Coin], 1e-4*l.entry[p.Coin])
		unrealised += l.size[p.Coin] * (mark - l.entry[p.Coin])
		if p.Leverage.Type == "cross" {
			used += math.Abs(l.size[p.Coin]) * mark / float64(p.Leverage.Value)
		}
		open++
	}
	for _, q := range l.size {
		if q != 0 {
			open--
		}
	}
	if open != 0 || len(s.AssetPositions) < 2 {
		t.Errorf("%d positions too many of %d", open, len(s.AssetPositions))
	}
	near(t, "cross margin used", num(t, s.CrossMarginSummary.TotalMarginUsed), used, 1e-4)
	got := num(t, s.MarginSummary.AccountValue)
	if d.account().pooled {
		got = num(t, read[spotIn](t, d.account().spotState()).Balances[0].Total)
	}
	near(t, d.account().Name+" account value", got, value+unrealised, 0.01)
	if l.fees <= 0 || l.pnl == 0 {
		t.Errorf("fees %v, realised %v", l.fees, l.pnl)
	}
	checkWallet(t, d.m, d.account())
}
