package gate

import (
	"context"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// A reservation ends in one of three ways: the venue refuses the order; the account is read after the venue's answer;
// or, without an answer, the action expires.
func TestReservationEnds(t *testing.T) {
	const nonce = uint64(1_790_000_000_000)
	state := func(at, listed marketcache.Instant) *marketcache.Account {
		return &marketcache.Account{Received: at, Orders: &marketcache.OpenOrders{Read: listed}}
	}
	statuses := func(kinds ...exchange.StatusKind) *exchange.Answer {
		a := &exchange.Answer{OK: true}
		for _, k := range kinds {
			a.Statuses = append(a.Statuses, exchange.Status{Kind: k})
		}
		return a
	}
	for _, row := range []struct {
		name    string
		answer  *exchange.Answer // at 100 s; nil: none
		state   *marketcache.Account
		nowMs   int64
		expires uint64
		want    int // of two orders
	}{
		{"no answer", nil, state(500*second, 500*second), int64(nonce) + 1000, 0, 2},
		{"no answer, expired, not read since", nil, state(299*second, 299*second), int64(nonce) + 5001,
			nonce + 5000, 2},
		{"no answer, expired", nil, state(302*second, 302*second), int64(nonce) + 5001, nonce + 5000, 0},
		{"no answer in two days", nil, state(302*second, 302*second), int64(nonce) + 48*3600*1000 + 1, 0, 0},
		{"read before the answer", statuses(exchange.Filled, exchange.Resting), state(99*second, 99*second), 0, 0, 2},
		{"perhaps sent before it", statuses(exchange.Filled, exchange.Resting), state(101*second, 101*second), 0, 0, 2},
		{"orders not read since", statuses(exchange.Filled, exchange.Resting), state(110*second, 90*second), 0, 0, 2},
		{"both read since", statuses(exchange.Filled, exchange.Resting), state(110*second, 102*second), 0, 0, 0},
		{"one refused", statuses(exchange.Failed, exchange.Resting), state(99*second, 99*second), 0, 0, 1},
		{"one error for all", statuses(exchange.Failed), state(99*second, 99*second), 0, 0, 2},
		{"refused whole", &exchange.Answer{}, state(99*second, 99*second), 0, 0, 0},
		{"without a list", statuses(exchange.Filled, exchange.Filled), &marketcache.Account{Received: 500 * second}, 0,
			0, 2},
	} {
		var all Ledgers
		l := all.Lock(t.Context(), marketcache.Wallet{1})
		r := l.Reserve([]Pending{{Asset: 3, Units: 1}, {Asset: 4, Units: -2}}, nil,
			&exchange.Envelope{Nonce: nonce, HasExpires: row.expires > 0, Expires: row.expires})
		l.Unlock()
		if row.answer != nil {
			r.Answered(row.answer, 100*second)
		}
		l = all.Lock(t.Context(), marketcache.Wallet{1})
		if got := l.Pending(nil, row.state, 300*second, row.nowMs); len(got) != row.want {
			t.Errorf("%s: %d orders are pending, want %d", row.name, len(got), row.want)
		}
		l.Unlock()
		if len(all.all) != min(row.want, 1) {
			t.Errorf("%s: %d ledgers are kept", row.name, len(all.all))
		}
	}
}

func TestLedgerIsLockedForOneOrderAtATime(t *testing.T) {
	var all Ledgers
	first := all.Lock(t.Context(), marketcache.Wallet{1})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if l := all.Lock(ctx, marketcache.Wallet{1}); l != nil {
		t.Error("locked twice")
	}
	all.Lock(t.Context(), marketcache.Wallet{2}).Unlock() // another account does not wait
	first.Unlock()
	again := all.Lock(t.Context(), marketcache.Wallet{1})
	again.Unlock()
	if len(all.all) != 0 {
		t.Errorf("%d ledgers are kept", len(all.all))
	}
}

const second = marketcache.Instant(time.Second)

func units(list []Pending) (sum float64) {
	for _, p := range list {
		sum += p.Units
	}
	return sum
}

// An order that rests counts once, in the list or as reserved, and as much of it as may have filled.
func TestListedOrderCountsOnce(t *testing.T) {
	var all Ledgers
	l := all.Lock(t.Context(), marketcache.Wallet{1})
	defer l.Unlock()
	r := l.Reserve([]Pending{{Asset: 3, Units: -10}}, nil, &exchange.Envelope{Nonce: 1_790_000_000_000})
	r.Answered(&exchange.Answer{OK: true, Statuses: []exchange.Status{{Kind: exchange.Resting, OID: 7}}}, 100*second)
	a := &marketcache.Account{Received: 100 * second, Orders: &marketcache.OpenOrders{Read: 100*second + second/2,
		Orders: []marketcache.OpenOrder{{Asset: 3, OID: 7, Units: 4}, {Asset: 3, OID: 8, Units: 1, Buy: true},
			{Asset: 3, OID: 9, Units: 5, ReduceOnly: true}}}}
	if got := units(l.Pending(nil, a, 0, 0)); got != -9 {
		t.Errorf("%g units, want the whole order once and the other: -9", got)
	}
	a.Received, a.Orders.Read = 102*second, 102*second
	if got := units(l.Pending(nil, a, 0, 0)); got != -3 {
		t.Errorf("%g units, want what the list has: -3", got)
	}
}

// An order that the venue has cancelled or replaced counts until positions show what it may have filled before.
func TestEndedOrderCountsUntilPositionsAreRead(t *testing.T) {
	var all Ledgers
	l := all.Lock(t.Context(), marketcache.Wallet{1})
	defer l.Unlock()
	all.Gone(marketcache.Wallet{1}, []uint64{7}, 100*second)
	a := &marketcache.Account{Orders: &marketcache.OpenOrders{Read: 95 * second,
		Orders: []marketcache.OpenOrder{{Asset: 3, OID: 7, Units: 4, Buy: true}}}}
	for at, want := range map[marketcache.Instant]float64{99: 4, 101: 4, 102: 0} {
		if a.Received = at * second; units(l.Pending(nil, a, 0, 0)) != want {
			t.Errorf("positions of second %d: %g units, want %g", at, units(l.Pending(nil, a, 0, 0)), want)
		}
	}
	a.Received, a.Orders.Read = 110*second, 102*second
	if got := units(l.Pending(nil, a, 0, 0)); got != 4 {
		t.Errorf("a list of later has it: %g units, want 4", got)
	}
}

// A TWAP counts until its time is over or the venue has ended it; an order that has filled until positions are read.
func TestHowLongOrdersCount(t *testing.T) {
	var all Ledgers
	l := all.Lock(t.Context(), marketcache.Wallet{1})
	defer l.Unlock()
	place := func(p Pending, s exchange.Status) {
		r := l.Reserve([]Pending{p}, nil, &exchange.Envelope{Nonce: 1_790_000_000_000})
		r.Answered(&exchange.Answer{OK: true, Statuses: []exchange.Status{s}}, 100*second)
	}
	at := func(received, listed marketcache.Instant) float64 {
		return units(l.Pending(nil, &marketcache.Account{Received: received * second,
			Orders: &marketcache.OpenOrders{Read: listed * second}}, 0, 0))
	}
	ten, _ := exchange.ParseDecimal("10")
	part, _ := exchange.ParseDecimal("9.9")
	place(Pending{Asset: 3, Units: 10}, exchange.Status{Kind: exchange.Filled, OID: 5, Size: ten})
	place(Pending{Asset: 3, Units: 10}, exchange.Status{Kind: exchange.Filled, OID: 6, Size: part})
	if got := at(102, 99); got != 10 {
		t.Errorf("filled: %g units, want those of the order of which some may rest", got)
	}
	if got := at(102, 102); got != 0 {
		t.Errorf("listed since: %g units", got)
	}
	place(Pending{Asset: 3, Units: 10, Lasts: 5 * time.Minute}, exchange.Status{Kind: exchange.Running, OID: 7})
	if a, b := at(390, 390), at(402, 402); a != 10 || b != 0 {
		t.Errorf("a TWAP: %g units at its end, %g after it", a, b)
	}
	place(Pending{Asset: 3, Units: 10, Lasts: 5 * time.Minute}, exchange.Status{Kind: exchange.Running, OID: 8})
	all.TWAPEnded(marketcache.Wallet{1}, 7, 110*second)
	all.TWAPEnded(marketcache.Wallet{1}, 8, 120*second)
	if a, b := at(120, 120), at(122, 122); a != 10 || b != 0 {
		t.Errorf("a TWAP that was ended: %g units at once, %g later", a, b)
	}
}

// What has left the list may have filled after the positions were read.
func TestWhatHasLeftTheListCounts(t *testing.T) {
	var all Ledgers
	l := all.Lock(t.Context(), marketcache.Wallet{1})
	defer l.Unlock()
	a := &marketcache.Account{Orders: &marketcache.OpenOrders{Read: 100 * second,
		Left: []marketcache.OpenOrder{{Asset: 3, OID: 7, Units: 4, Buy: true}}}}
	for at, want := range map[marketcache.Instant]float64{99: 4, 101: 4, 102: 0} {
		if a.Received = at * second; units(l.Pending(nil, a, 0, 0)) != want {
			t.Errorf("positions of second %d: %g units, want %g", at, units(l.Pending(nil, a, 0, 0)), want)
		}
	}
}
