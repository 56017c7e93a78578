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
	second := marketcache.Instant(time.Second)
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
		{"no answer, expired", nil, state(0, 0), int64(nonce) + 5001, nonce + 5000, 0},
		{"no answer in two days", nil, state(0, 0), int64(nonce) + 48*3600*1000 + 1, 0, 0},
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
		r := l.Reserve([]Pending{{Asset: 3, Units: 1}, {Asset: 4, Units: -2}},
			&exchange.Envelope{Nonce: nonce, HasExpires: row.expires > 0, Expires: row.expires})
		l.Unlock()
		if row.answer != nil {
			r.Answered(row.answer, 100*second)
		}
		l = all.Lock(t.Context(), marketcache.Wallet{1})
		if got := l.Pending(nil, row.state, row.nowMs); len(got) != row.want {
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
