package gate

import (
	"context"
	"maps"
	"math"
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

// Ledgers has a ledger of each account with reservations. The zero value is ready and keeps nothing beyond the process.
// Safe for concurrent use.
type Ledgers struct {
	store   Store // nil: nothing is kept
	nowMs   func() int64
	writing chan struct{} // has a token for each write: a disk that hangs must not collect them

	mu  sync.Mutex
	all map[marketcache.Wallet]*Ledger
}

// Ledger has the orders of an account that may not show in its state yet.
type Ledger struct {
	of      *Ledgers
	account marketcache.Wallet
	users   int           // who hold the ledger, or wait for it
	turn    chan struct{} // has one token: the lock
	// MarginShows is from when a state of the account surely shows the last change of margin, for who has the lock.
	MarginShows marketcache.Instant
	knowsTWAPs  bool // likewise

	mu   sync.Mutex // of all below
	held []*Reservation
	gone map[uint64]marketcache.Instant // orders of which the venue has said that they are no more, by number, and when
	sent sent
}

// Reservation is an action with the orders that it places.
type Reservation struct {
	ledger  *Ledger
	orders  []Pending
	counted []Sent
	until   int64 // ms since 1970: when the venue takes the action no more
}

// Pending is an order that counts as resting. Units of 0: it cannot enlarge a position, and is listed only so that the
// list has one entry for each order that the venue answers. NoAsset with units: its asset is unknown to this service.
type Pending struct {
	Asset marketcache.AssetID
	Units float64
	// Lasts is how long it goes on to fill without resting: a TWAP.
	Lasts    time.Duration
	number   uint64              // the venue's of the order, or of the TWAP; 0: not known
	filled   bool                // wholly: a newer position shows it, whatever rests
	answered marketcache.Instant // when the venue's answer came, 0 before
}

// Lock waits for the turn of an order of the account, until ctx ends; nil if that came first.
func (s *Ledgers) Lock(ctx context.Context, account marketcache.Wallet) *Ledger {
	s.mu.Lock()
	l := s.get(account)
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

// get returns the ledger of an account, a new one if there is none. The caller holds the lock.
func (s *Ledgers) get(account marketcache.Wallet) *Ledger {
	l := s.all[account]
	if l == nil {
		if s.all == nil {
			s.all = map[marketcache.Wallet]*Ledger{}
		}
		l = &Ledger{of: s, account: account, turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		s.all[account] = l
	}
	return l
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
	if l.users == 0 && len(l.held) == 0 && len(l.gone) == 0 && l.sent.empty() && l.MarginShows == 0 {
		delete(l.of.all, l.account)
	}
}

// Pending appends what counts as filled: the orders of a state's list that can enlarge a position, what has left the
// list and positions may not show yet, and the orders that do not show in the state yet. A trigger order counts: it may
// fire at any time. now and nowMs are the same moment.
func (l *Ledger) Pending(to []Pending, state *marketcache.Account, now marketcache.Instant, nowMs int64) []Pending {
	var resting []marketcache.OpenOrder
	var shown marketcache.Instant // positions and resting orders have both been read after it
	if state.Orders != nil {
		resting, shown = state.Orders.Orders, min(state.Received, state.Orders.Read)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.gone, func(_ uint64, at marketcache.Instant) bool { return shown.Sub(at) > shownAfter })
	to = l.rests(to, resting, state.Received)
	if state.Orders != nil && state.Received.Sub(state.Orders.Read) <= shownAfter {
		to = l.rests(to, state.Orders.Left, state.Received)
	}
	for _, r := range l.held {
		r.expire(now, nowMs)
	}
	l.held = slices.DeleteFunc(l.held, func(r *Reservation) bool {
		r.orders = slices.DeleteFunc(r.orders, func(p Pending) bool {
			switch {
			case p.answered == 0:
				return false
			case p.filled:
				return state.Received.Sub(p.answered) > shownAfter
			}
			return shown.Sub(p.answered) > shownAfter+p.Lasts
		})
		return len(r.orders) == 0
	})
	for _, r := range l.held {
		for _, p := range r.orders {
			if p.Units = l.unlisted(&p, resting, state.Received); p.Units != 0 {
				to = append(to, p)
			}
		}
	}
	return to
}

// expire takes the end of an action's time for the venue's answer, if there is none: the venue may have taken it until
// then.
func (r *Reservation) expire(now marketcache.Instant, nowMs int64) {
	for i := range r.orders {
		if p := &r.orders[i]; p.answered == 0 && nowMs > r.until {
			p.answered = now
		}
	}
}

// rests appends the orders of a list that can enlarge a position.
func (l *Ledger) rests(to []Pending, list []marketcache.OpenOrder, received marketcache.Instant) []Pending {
	for i := range list {
		o := &list[i]
		if !o.Enlarges() || l.isGone(o, received) {
			continue
		}
		units := o.Units
		if !o.Buy {
			units = -units
		}
		to = append(to, Pending{Asset: o.Asset, Units: units})
	}
	return to
}

// isGone reports whether an order is listed that the venue has cancelled or replaced, and whose fills until then show
// in positions that were received at an instant.
func (l *Ledger) isGone(o *marketcache.OpenOrder, received marketcache.Instant) bool {
	at, gone := l.gone[o.OID]
	return gone && received.Sub(at) > shownAfter
}

// unlisted returns the units of an order beyond those that count because they rest in the list.
func (l *Ledger) unlisted(p *Pending, resting []marketcache.OpenOrder, received marketcache.Instant) float64 {
	for i := range resting {
		o := &resting[i]
		if p.number != 0 && o.OID == p.number && o.Asset == p.Asset && p.Lasts == 0 && o.Enlarges() &&
			!l.isGone(o, received) {
			return math.Copysign(max(0, math.Abs(p.Units)-o.Units), p.Units)
		}
	}
	return p.Units
}

// Gone notes orders, by number, of which the venue has said at an instant that it has cancelled or replaced them. They
// count until positions have been read after that: they may have filled before. Of an account without a ledger nothing
// is noted, and its orders count until they are not listed.
func (s *Ledgers) Gone(account marketcache.Wallet, orders []uint64, at marketcache.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.all[account]
	if l == nil || len(orders) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone == nil || len(l.gone) > maxGone {
		l.gone = map[uint64]marketcache.Instant{}
	}
	for _, number := range orders {
		l.gone[number] = at
	}
}

// TWAPEnded notes that the venue has ended a TWAP at an instant.
func (s *Ledgers) TWAPEnded(account marketcache.Wallet, number uint64, at marketcache.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.all[account]
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.held {
		for i := range r.orders {
			if p := &r.orders[i]; p.Lasts > 0 && p.number == number && number != 0 {
				p.Lasts, p.answered = 0, at
			}
		}
	}
}

// maxGone is how many orders are remembered as gone. Those that are forgotten count until the next list.
const maxGone = 10_000

// Reserve notes the orders of an action that is about to be handed on, and what of them is counted. Only who has locked
// the ledger may call it.
func (l *Ledger) Reserve(orders []Pending, counted []Sent, e *exchange.Envelope) *Reservation {
	r := &Reservation{ledger: l, orders: slices.Clone(orders), counted: slices.Clone(counted),
		until: int64(e.Nonce) + nonceLives.Milliseconds()}
	if e.HasExpires {
		r.until = min(r.until, int64(e.Expires))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = append(l.held, r)
	for i := range counted {
		l.sent.add(&counted[i])
	}
	return r
}

// Account returns whose orders are reserved.
func (r *Reservation) Account() marketcache.Wallet { return r.ledger.account }

// Answered notes what the venue has said at an instant. Orders that it has refused are not reserved any more; an action
// that it has refused as a whole does not count as sent either.
func (r *Reservation) Answered(a *exchange.Answer, at marketcache.Instant) {
	l := r.ledger
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.mu.Lock()
	if !a.OK {
		r.orders = nil
		for i := range r.counted {
			l.sent.takeBack(&r.counted[i])
		}
		r.forget()
		r.counted = nil
	}
	each := len(a.Statuses) == len(r.orders)
	kept := r.orders[:0]
	for i, p := range r.orders {
		if p.answered = at; each {
			switch s := &a.Statuses[i]; s.Kind {
			case exchange.Failed:
				continue
			case exchange.Resting, exchange.Running:
				p.number = s.OID
			case exchange.Filled:
				p.filled = s.Size.Float64() >= math.Abs(p.Units)
			}
		}
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
