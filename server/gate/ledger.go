package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// shownAfter is how long after the venue's answer a state of the account must have been received to show what the
// answer did: a state sent before the answer may arrive after it.
const shownAfter = time.Second

// nonceLives is how long after its nonce the venue takes an action that does not say when it expires.
const nonceLives = 48 * time.Hour

// Ledgers has a ledger of each account with reservations. The zero value is ready. Safe for concurrent use.
type Ledgers struct {
	mu  sync.Mutex
	all map[marketcache.Wallet]*Ledger
}

// Ledger has the orders of an account that may not show in its state yet.
type Ledger struct {
	of      *Ledgers
	account marketcache.Wallet
	users   int           // who hold the ledger, or wait for it
	turn    chan struct{} // has one token: the lock
	mu      sync.Mutex    // of reserved
	held    []*Reservation
}

// Reservation is an action with the orders that it places.
type Reservation struct {
	ledger *Ledger
	orders []Pending
	until  int64 // ms since 1970: when the venue takes the action no more
}

// Pending is an order that counts as resting.
type Pending struct {
	Asset    marketcache.AssetID
	Units    float64
	answered marketcache.Instant // when the venue's answer came, 0 before
}

// Lock waits for the turn of an order of the account, until ctx ends; nil if that came first.
func (s *Ledgers) Lock(ctx context.Context, account marketcache.Wallet) *Ledger {
	s.mu.Lock()
	l := s.all[account]
	if l == nil {
		if s.all == nil {
			s.all = map[marketcache.Wallet]*Ledger{}
		}
		l = &Ledger{of: s, account: account, turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		s.all[account] = l
	}
	l.users++
	s.mu.Unlock()
	select {
	case <-l.turn:
		return l
	case <-ctx.Done():
		l.leave()
		return nil
	}
}

// Unlock lets the next order of the account be judged.
func (l *Ledger) Unlock() {
	l.turn <- struct{}{}
	l.leave()
}

func (l *Ledger) leave() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.users--
	l.tidy()
}

// tidy forgets the ledger when nobody uses it and it has no reservation. The lock of all must be held.
func (l *Ledger) tidy() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 && len(l.held) == 0 {
		delete(l.of.all, l.account)
	}
}

// Pending appends the orders that do not show in a state of the account.
func (l *Ledger) Pending(to []Pending, state *marketcache.Account, nowMs int64) []Pending {
	var shown marketcache.Instant // positions and resting orders have both been read after it
	if state.Orders != nil {
		shown = min(state.Received, state.Orders.Read)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = slices.DeleteFunc(l.held, func(r *Reservation) bool {
		r.orders = slices.DeleteFunc(r.orders, func(p Pending) bool {
			if p.answered == 0 {
				return nowMs > r.until
			}
			return shown.Sub(p.answered) > shownAfter
		})
		return len(r.orders) == 0
	})
	for _, r := range l.held {
		to = append(to, r.orders...)
	}
	return to
}

// Reserve notes the orders of an action that is about to be handed on. Only who has locked the ledger may call it.
func (l *Ledger) Reserve(orders []Pending, e *exchange.Envelope) *Reservation {
	r := &Reservation{ledger: l, orders: slices.Clone(orders), until: int64(e.Nonce) + nonceLives.Milliseconds()}
	if e.HasExpires {
		r.until = min(r.until, int64(e.Expires))
	}
	l.mu.Lock()
	l.held = append(l.held, r)
	l.mu.Unlock()
	return r
}

// Answered notes what the venue has said at an instant. Orders that it has refused count no more.
func (r *Reservation) Answered(a *exchange.Answer, at marketcache.Instant) {
	l := r.ledger
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.mu.Lock()
	if !a.OK {
		r.orders = nil
	}
	each := len(a.Statuses) == len(r.orders)
	kept := r.orders[:0]
	for i, p := range r.orders {
		if each && a.Statuses[i].Kind == exchange.Failed {
			continue
		}
		p.answered = at
		kept = append(kept, p)
	}
	if r.orders = kept; len(kept) == 0 {
		l.held = slices.DeleteFunc(l.held, func(o *Reservation) bool { return o == r })
	}
	l.mu.Unlock()
	l.tidy()
}

// Withdraw takes a reservation back: the action has not left.
func (r *Reservation) Withdraw() { r.Answered(&exchange.Answer{}, 0) }
