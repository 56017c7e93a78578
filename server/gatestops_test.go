package server

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/server/gate"
)

// A cancellation or change that takes the last stop of a position away passes, and those who watch are told once.
func TestGateTellsOfTheLastStop(t *testing.T) {
	g := newGated(t, nil)
	var listed []marketcache.OpenOrder // guarded by g.fixture.mu
	list := func(orders ...marketcache.OpenOrder) {
		g.fixture.mu.Lock()
		defer g.fixture.mu.Unlock()
		listed = orders
	}
	g.setLoad(func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		a := testAccount(w)
		g.fixture.mu.Lock()
		now := marketcache.Now()
		a.Received, a.Orders = now, &marketcache.OpenOrders{Read: now, Asked: now, Orders: listed}
		g.fixture.mu.Unlock()
		g.cache.StoreAccount(a)
		return a, nil
	})
	cloid := wire.Cloid{0xc1}
	stop := func(oid uint64) marketcache.OpenOrder {
		return marketcache.OpenOrder{Asset: btc, OID: oid, Units: 1, LimitPrice: 50_000, Trigger: true, Stop: true,
			TriggerPrice: 60_000, ReduceOnly: true}
	}
	byCloid := stop(22)
	byCloid.Cloid = cloid.String()
	entry := marketcache.OpenOrder{Asset: btc, OID: 30, Units: 0.01, LimitPrice: 50_000, Buy: true}
	list(stop(21), byCloid, entry)
	g.passed("an order, by which the account is known", g.act(g.sign(order(true, "0.01", "67000", false),
		wire.Mainnet)))

	ws := g.subscribeAs(t, "?details=true", nil, g.account.String())
	told := make(chan map[string]any, 10)
	go func() {
		for {
			var a map[string]any
			if ws.ReadJSON(&a) != nil {
				close(told)
				return
			}
			told <- a
		}
	}()
	end := func(name string, form wire.Form, answer string, left ...marketcache.OpenOrder) {
		g.mu.Lock()
		g.answer = `{"status":"ok","response":` + answer + `}`
		g.mu.Unlock()
		g.act(g.sign(form, wire.Mainnet))
		list(left...)
		time.Sleep(20 * time.Millisecond)
	}
	success := `{"type":"cancel","data":{"statuses":["success"]}}`
	end("one of two", &wire.Cancel{Cancels: []wire.CancelID{{Asset: uint32(btc), OID: 21}}}, success, byCloid, entry)
	end("an entry", &wire.Cancel{Cancels: []wire.CancelID{{Asset: uint32(btc), OID: 30}}}, success, byCloid)
	failed := `{"type":"cancel","data":{"statuses":[{"error":"gone"}]}}`
	end("refused", &wire.Cancel{Cancels: []wire.CancelID{{Asset: uint32(btc), OID: 22}}}, failed, byCloid)
	select {
	case a := <-told:
		t.Fatalf("told although a stop is left: %v", a)
	case <-time.After(2 * checkEvery):
	}
	end("the last", &wire.CancelByCloid{Cancels: []wire.CancelCloid{{Asset: uint32(btc), Cloid: cloid}}}, success)
	select {
	case a := <-told:
		delete(a, "timestamp")
		delete(a, "since")
		want := fmt.Sprint(map[string]any{"alert_type": "stop_removed", "wallet": g.account.String(), "asset": "BTC",
			"severity": "warning", "message": "BTC: the last stop of the position was cancelled", "current_value": 0,
			"threshold": 1, "count": 1})
		if got := fmt.Sprint(a); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was told of the last stop")
	}
}

// A stop that rests only since the last list counts as one.
func TestGateKnowsNewStops(t *testing.T) {
	g := newGated(t, nil)
	g.passed("known", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)))
	place := order(false, "0.1", "60000", true)
	place.Orders[0].IsTrigger = true
	place.Orders[0].Trigger = wire.Trigger{IsMarket: true, Price: place.Orders[0].Price, TPSL: wire.StopLoss}
	g.passed("a stop", g.act(g.sign(place, wire.Mainnet)))
	ws := g.subscribe(t, g.account.String())
	g.mu.Lock()
	g.answer = `{"status":"ok","response":{"type":"cancel","data":{"statuses":["success"]}}}`
	g.mu.Unlock()
	g.passed("its end", g.act(g.sign(&wire.Cancel{Cancels: []wire.CancelID{{Asset: uint32(btc), OID: 7}}},
		wire.Mainnet)))
	if a := g.readAlert(t, ws); a["alert_type"] != "stop_removed" {
		t.Errorf("%v", a)
	}
}

// A gate with a listener of its own is there and on no other. What is not served says where it is, and is suggested to
// nobody.
func TestGateListen(t *testing.T) {
	g := newGated(t, func(c *gate.Config) { c.Apart = true })
	on := g.fixture
	both := func(name string, status int, method, path, body, text string) {
		t.Helper()
		r := on.raw(g.request(method, path, body))
		said := string(r.body)
		if r.status != status || !strings.Contains(said, text) || strings.Contains(said, "suggestion") {
			t.Errorf("%s: %d %s, want %d, %s", name, r.status, r.body, status, text)
		}
	}
	question := `{"type":"userRole","user":"` + g.account.String() + `"}`
	const own = "because the gate has a listener of its own"
	both("gate on the main listener", 404, "POST", "/exchange", "{}", own)
	both("questions on the main listener", 404, "POST", "/info", question, own)
	both("answers on the main listener", 200, "GET", "/health", "", "")
	on = newFixture(t, nil)
	both("no gate", 404, "POST", "/exchange", "{}", "because the gate is off: ballast serve --gate")
	on = g.fixture
	g.serveOn(g.s.ServeGate, func(ln net.Listener) net.Listener { return ln })
	g.passed("an order", g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)))
	both("questions", 200, "POST", "/info", question, "")
	both("everything else", 404, "GET", "/health", "", "on the gate's listener")
}
