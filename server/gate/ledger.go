package gate

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"ballast/compute/risk"
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
	sent    sent
	// MarginShows is from when a state of the account surely shows the last change of margin. It is for who has the lock.
	MarginShows marketcache.Instant
}

// Reservation is an action with the orders that it places.
type Reservation struct {
	ledger *Ledger
	orders []Pending
	until  int64 // ms since 1970: when the venue takes the action no more
}

// Pending is an order that counts as resting. Without an asset it is one that cannot enlarge a position; it has a place
// because the venue answers each order of an action.
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

// tidy forgets a ledger that nobody uses and that has nothing to remember. The caller holds the lock of Ledgers.
func (l *Ledger) tidy() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 && len(l.held) == 0 && l.sent.day == 0 && l.MarginShows == 0 {
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
		for _, p := range r.orders {
			if p.Asset != marketcache.NoAsset {
				to = append(to, p)
			}
		}
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

// sent counts the orders of an account that were handed on and could increase a position.
type sent struct {
	minute []int64              // when those of the last minute were, ms since 1970
	today  int64                // the UTC day that day counts, days since 1970
	day    int                  // orders of that day
	last   map[risk.Trade]int64 // when an order was last sent
}

// sameWithin is how long an order is remembered as sent, ms: the longest window of a policy.
const sameWithin = 86400 * 1000

// Sent returns how many orders that can increase a position were handed on in the last minute and on this UTC day.
func (l *Ledger) Sent(nowMs int64) (minute, day int) {
	s := &l.sent
	s.minute = slices.DeleteFunc(s.minute, func(at int64) bool { return nowMs-at >= time.Minute.Milliseconds() })
	if today := nowMs / sameWithin; today != s.today {
		s.today, s.day = today, 0
	}
	return len(s.minute), s.day
}

// SinceSame returns how long ago the same order was handed on, seconds; infinite if it was not.
func (l *Ledger) SinceSame(t *risk.Trade, nowMs int64) float64 {
	if at, ok := l.sent.last[*t]; ok {
		return float64(nowMs-at) / 1000
	}
	return math.Inf(1)
}

// Count notes an order that is about to be handed on.
func (l *Ledger) Count(t *risk.Trade, nowMs int64) {
	l.Sent(nowMs)
	s := &l.sent
	s.minute, s.day = append(s.minute, nowMs), s.day+1
	if s.last == nil {
		s.last = map[risk.Trade]int64{}
	}
	maps.DeleteFunc(s.last, func(_ risk.Trade, at int64) bool { return nowMs-at > sameWithin })
	s.last[*t] = nowMs
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
