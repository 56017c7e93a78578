package gate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// Sent is an order that was handed on and can increase a position.
type Sent struct {
	AtMs int64 // ms since 1970
	// Same is the digest of what makes orders the same: asset, side, size, price and kind.
	Same uint64
	// UntilMs is until when it counts: later no rule of the policy that was in force asks for it. 0: it is not kept
	// beyond the process.
	UntilMs int64
}

// SameOrder returns the digest of an order. A trigger order is a market order, whatever it waits for. The FNV hash is
// the same in every process; a collision refuses an order that is not the same.
func SameOrder(o *exchange.Order) uint64 {
	price, tif := o.Price.Float64(), o.TIF
	switch {
	case o.IsTrigger || price == 0:
		price, tif = 0, exchange.IOC
	case tif == exchange.FrontendMarket:
		tif = exchange.IOC
	}
	h := fnv.New64a()
	var b [8]byte
	for _, n := range [...]uint64{uint64(o.Asset), bit(o.Buy), math.Float64bits(o.Size.Float64()),
		math.Float64bits(price), uint64(tif)} {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

func bit(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// sent counts the orders of an account that were handed on and could increase a position.
type sent struct {
	minute []int64          // when those of the last minute were, ms since 1970
	today  int64            // the UTC day that day counts, days since 1970
	day    int              // orders of that day
	last   map[uint64]int64 // when the same order was last sent, of those that a rule asks for
	swept  int64            // when old ones were last taken out of last
}

const (
	dayMs    = 86400 * 1000
	minuteMs = 60 * 1000
)

func (s *sent) roll(nowMs int64) {
	s.minute = slices.DeleteFunc(s.minute, func(at int64) bool { return nowMs-at >= minuteMs })
	if today := nowMs / dayMs; today != s.today {
		s.today, s.day = today, 0
	}
	if nowMs-s.swept >= minuteMs {
		s.swept = nowMs
		maps.DeleteFunc(s.last, func(_ uint64, at int64) bool { return nowMs-at > dayMs }) // the longest window
	}
}

// empty reports whether there is nothing to remember.
func (s *sent) empty() bool { return s.day == 0 && len(s.minute) == 0 && len(s.last) == 0 }

func (s *sent) add(o *Sent) {
	s.roll(max(o.AtMs, s.today*dayMs))
	s.minute = append(s.minute, o.AtMs)
	if o.AtMs/dayMs == s.today {
		s.day++
	}
	if o.UntilMs > 0 {
		if s.last == nil {
			s.last = map[uint64]int64{}
		}
		s.last[o.Same] = max(s.last[o.Same], o.AtMs)
	}
}

// takeBack counts an order no more that has not reached the venue.
func (s *sent) takeBack(o *Sent) {
	if i := slices.Index(s.minute, o.AtMs); i >= 0 {
		s.minute = slices.Delete(s.minute, i, i+1)
	}
	if o.AtMs/dayMs == s.today {
		s.day--
	}
	if s.last[o.Same] == o.AtMs {
		delete(s.last, o.Same)
	}
}

// Sent returns how many orders that can increase a position were handed on in the last minute and on this UTC day.
func (l *Ledger) Sent(nowMs int64) (minute, day int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent.roll(nowMs)
	return len(l.sent.minute), l.sent.day
}

// SinceSame returns how long ago the same order was handed on, seconds; infinite if it was not.
func (l *Ledger) SinceSame(same uint64, nowMs int64) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.sent.last[same]; ok {
		return float64(nowMs-at) / 1000
	}
	return math.Inf(1)
}

// Store keeps orders that count.
type Store interface {
	SentOrders(nowMs int64) ([]store.SentOrder, error)
	// PutSentOrders keeps orders, forgets others, and those that do not count any more.
	PutSentOrders(keep, forget []store.SentOrder, nowMs int64) error
}

// Restore reads what counted when the process before ended, and keeps what counts from now on, by a clock in ms since
// 1970.
func (s *Ledgers) Restore(from Store, clock func() int64) error {
	nowMs := clock()
	kept, err := from.SentOrders(nowMs)
	if err != nil {
		return fmt.Errorf("orders that count: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store, s.nowMs, s.writing = from, clock, make(chan struct{}, maxWrites)
	for _, o := range kept {
		w, ok := marketcache.ParseWallet([]byte(o.Account))
		if !ok {
			return fmt.Errorf("orders that count: %.64q is no account", o.Account)
		}
		l := s.get(w)
		l.sent.roll(nowMs)
		l.sent.add(&Sent{AtMs: o.AtMs, Same: uint64(o.Same), UntilMs: o.UntilMs})
	}
	return nil
}

// rows are the orders of the reservation that are kept beyond the process: all, or none.
func (r *Reservation) rows() []store.SentOrder {
	if r.ledger.of.store == nil || len(r.counted) == 0 || r.counted[0].UntilMs == 0 {
		return nil
	}
	name, all := r.ledger.account.String(), make([]store.SentOrder, len(r.counted))
	for i, o := range r.counted {
		all[i] = store.SentOrder{Account: name, AtMs: o.AtMs, Same: int64(o.Same), UntilMs: o.UntilMs}
	}
	return all
}

// maxWrites is how many writes to the store may be under way.
const maxWrites = 256

var errSlowDisk = errors.New("the disk takes too long")

// Kept writes the orders that count towards a limit to the store. If ctx ends first it fails, and they may have been
// written all the same.
func (r *Reservation) Kept(ctx context.Context) error {
	rows := r.rows()
	if rows == nil {
		return nil
	}
	of, done := r.ledger.of, make(chan error, 1)
	select {
	case of.writing <- struct{}{}:
	case <-ctx.Done():
		return errSlowDisk
	}
	go func() {
		done <- of.store.PutSentOrders(rows, nil, of.nowMs())
		<-of.writing
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errSlowDisk
	}
}

// forget has the orders forgotten that were kept. It waits for no disk: what is not forgotten counts until its time.
func (r *Reservation) forget() {
	rows, of := r.rows(), r.ledger.of
	if rows == nil {
		return
	}
	select {
	case of.writing <- struct{}{}:
		go func() {
			_ = of.store.PutSentOrders(nil, rows, of.nowMs())
			<-of.writing
		}()
	default:
	}
}
