package feed

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Class is what a read is for.
type Class int

const (
	ForStart   Class = iota // the clock and the list of assets, without which nothing can be answered
	ForLive                 // live data without a stream, tables, the venue's clock
	ForWallet               // a wallet that a caller waits for
	ForWanted               // the history of an asset that a caller waits for
	ForDepth                // books that no stream carries
	ForHistory              // all other histories
	ForOrders               // actions of clients: counted, never waited for
	ForClients              // questions of clients
	classes
)

// Queue decides which read of the venue comes next, and when. Every read is one row. Rows that are due come first, then
// refused reads whose callers will ask again soon, then the row whose key has had the least weight in the last minute.
// Each API key is a key; so is each class of the service's own reads. A row that does not fit holds up those behind it.
//
// Histories, and keys that were served in the last minute, leave the weight of a wallet's first read to keys that were
// not. Safe for concurrent use.
type Queue struct {
	mu     sync.Mutex
	meter  meter
	rows   []*row // waiting
	keys   map[keyID]*keyState
	timer  *time.Timer // serves rows when weight comes free
	closed bool

	pauses    [kinds]pause
	recovered chan struct{} // see Recovered
	log       *BudgetLog    // nil: not kept on disk

	First atomic.Int64             // weight of the first read of a wallet
	Venue *marketcache.VenueStatus // its BreakerOpen is kept, its Trouble told
}

// Read is a request for weight.
type Read struct {
	Class  Class
	Key    string              // of a wallet's read: id of the API key
	Weight int                 // the most that it can weigh
	Last   marketcache.Instant // when the wallet was read before; 0: never
	// Spare: a wallet's read that takes only what nobody else needs.
	Spare bool
	// Patience is the longest wait; negative: as long as the context lives. A wallet's read is refused at once if its
	// wait would be longer, or if the venue is failing. A key that is alone waits for at least alonePatience for the
	// first read of a wallet, unless Patience is 0.
	Patience time.Duration
	// Later is called with the weight of a wallet's first read that was refused, as soon as its turn comes: then its
	// caller finds the wallet known. One of each key waits so.
	Later func(*Grant)
}

const (
	// A wallet that was read before comes first, and may use all of the burst, when its key was not served for
	// walletDue, the age from which copies are flagged; of a key that is alone, when it was not read for aloneDue. So
	// does a history that a caller waits for when none was read for wantedDue, and a table that waited for tableDue.
	walletDue, aloneDue, wantedDue, tableDue = 2 * time.Second, 3 * time.Second, 5 * time.Second, 9 * time.Second

	alonePatience = 8 * time.Second // see Read.Patience
)

// keyID identifies who has a place in the queue.
type keyID struct {
	class Class
	key   string
}

// keyState is what a key has had.
type keyState struct {
	class   Class
	had     int                 // weight, in flight or of the last minute
	served  marketcache.Instant // when it was last granted weight
	waiting int                 // rows
	later   *row                // refused, and still waiting
}

// row is a read that waits for weight.
type row struct {
	Read
	key      *keyState
	since    marketcache.Instant
	promised marketcache.Instant // from when on a refused read has promisedTurn; 0: not refused
	granted  chan *Grant
}

// NewQueue returns a queue for limit weight in any minute; 0 means no limit. Weight that log records from a previous
// process counts as spent. log may be nil.
func NewQueue(limit int, log *BudgetLog) *Queue {
	q := &Queue{meter: meter{limit: limit}, keys: map[keyID]*keyState{}, log: log, recovered: make(chan struct{}),
		Venue: &marketcache.VenueStatus{}}
	if log != nil {
		now := marketcache.Now()
		for _, s := range log.past {
			q.meter.assume(q.key(ForHistory, ""), s.weight, now.Add(-s.ago))
		}
	}
	return q
}

// Assume counts weight as spent by another process in the minute before an Instant: a burst, and before that evenly.
func (q *Queue) Assume(weight int, at marketcache.Instant) {
	q.mu.Lock()
	defer q.mu.Unlock()
	limit, burst := q.meter.bounds(marketcache.Now())
	if limit == 0 {
		burst = weight
	}
	for part := burst; weight > 0; part = max(1, (limit-burst)/60) {
		q.meter.assume(q.key(ForHistory, ""), min(part, weight), at)
		weight, at = weight-part, at.Add(-time.Second)
	}
}

// key returns the state of a key.
func (q *Queue) key(c Class, key string) *keyState {
	id := keyID{c, key}
	k := q.keys[id]
	if k == nil {
		k = &keyState{class: c}
		q.keys[id] = k
	}
	return k
}

// leave returns the weight of the burst that a row leaves to others.
func (q *Queue) leave(w *row, now marketcache.Instant) int {
	_, burst := q.meter.bounds(now)
	first := min(int(q.First.Load()), burst)
	switch {
	case w.Class == ForHistory, w.Spare:
		return max(burst-q.meter.counts[ForWallet], first)
	case w.Class == ForWallet && w.key.had > 0 && q.due(w, now) > 0:
		return first
	}
	return 0
}

// alone reports whether a row's key is the only API key that has read wallets within a minute.
func (q *Queue) alone(w *row) bool {
	for _, k := range q.keys {
		if k.class == ForWallet && k != w.key {
			return false
		}
	}
	return w.Class == ForWallet
}

// fits returns the time until a row's weight may be spent, after that of the rows ahead of it. A key that is alone
// need not leave anything to others.
func (q *Queue) fits(w *row, ahead, leave int, now marketcache.Instant) time.Duration {
	if q.alone(w) {
		leave = 0
	}
	return q.meter.wait(ahead, w.Weight, leave, w.Class == ForStart, now)
}

// due returns the time until a row is due; 0 or less: it comes before all rows that are not.
func (q *Queue) due(w *row, now marketcache.Instant) time.Duration {
	limit, _ := q.meter.bounds(now)
	switch {
	case w.promised != 0:
		return w.promised.Sub(now)
	case w.Class == ForLive:
		return tableDue - now.Sub(w.since)
	case w.Class == ForWanted:
		return wantedDue - now.Sub(w.key.served)
	case w.Class != ForWallet || w.Last == 0 || w.Spare:
		return budgetWindow
	case q.alone(w) && w.key.had <= limit/2:
		return aloneDue - now.Sub(w.Last)
	}
	return walletDue - now.Sub(w.key.served)
}

// promisedTurn is the turn of refused reads whose callers will ask again soon. The longest promised comes first.
const promisedTurn = 2

// turn is the order of rows: those for the start, those that are due, refused reads whose callers will ask again soon,
// all others.
func (q *Queue) turn(w *row, now marketcache.Instant) int {
	switch due := q.due(w, now) <= 0; {
	case w.Class == ForStart:
		return 0
	case due && w.promised == 0:
		return 1
	case due:
		return promisedTurn
	}
	return 3
}

// Acquire waits until the weight of a read is granted; the caller must settle or release all of it. It fails with
// marketcache.ErrBudget when the weight can never fit or the venue has refused reads of this kind, with
// marketcache.ErrShare when a wallet's read would wait too long, and with marketcache.ErrUnavailable when reads of this
// kind keep failing, and after Close.
func (q *Queue) Acquire(ctx context.Context, r Read) (*Grant, error) {
	w, err := q.enqueue(r)
	if err != nil {
		return nil, err
	}
	if len(w.granted) == 0 && w.Patience >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.Patience)
		defer cancel()
	}
	select {
	case g := <-w.granted:
		return g, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := marketcache.Now()
	if len(w.granted) > 0 { // in the meantime
		return <-w.granted, nil
	}
	return nil, q.refused(w, q.wait(w, now), context.Cause(ctx), now)
}

// enqueue adds a row and serves the queue.
func (q *Queue) enqueue(r Read) (*row, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := marketcache.Now()
	limit, _ := q.meter.bounds(now)
	switch {
	case q.closed:
		return nil, &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Detail: "shutting down"}
	case q.meter.limit != 0 && r.Weight > limit:
		const detail = "one request weighs more than the budget"
		return nil, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: budgetWindow, Detail: detail}
	}
	maps.DeleteFunc(q.keys, func(_ keyID, k *keyState) bool { return k.waiting == 0 && k.had == 0 })
	w := &row{Read: r, key: q.key(r.Class, r.Key), since: now, granted: make(chan *Grant, 1)}
	if w.Patience > 0 && w.Last == 0 && !w.Spare && q.alone(w) {
		w.Patience = max(w.Patience, alonePatience)
	}
	w.key.waiting++
	q.rows = append(q.rows, w)
	q.serve(now)
	if len(w.granted) == 0 && r.Class == ForWallet && r.Patience >= 0 {
		failing := q.pauses[walletKind].failing() && q.paused(ForWallet, now) > 0
		if wait := q.wait(w, now); wait > w.Patience || failing {
			return nil, q.refused(w, wait, nil, now)
		}
	}
	return w, nil
}

// remove takes a row out of the queue and reports whether it was still there.
func (q *Queue) remove(w *row) bool {
	n := slices.Index(q.rows, w)
	if n < 0 {
		return false
	}
	q.rows = slices.Delete(q.rows, n, n+1)
	w.key.waiting--
	return true
}

// serve grants weight to rows in order while it fits, and sets the timer for the next change.
func (q *Queue) serve(now marketcache.Instant) {
	q.meter.roll(now)
	for {
		w, soonest := q.next(now)
		if w == nil {
			q.arm(soonest)
			return
		}
		q.remove(w)
		w.key.served = now
		g := q.grant(w, now)
		if w.key.later == w {
			w.key.later = nil
			go w.Later(g)
			continue
		}
		w.granted <- g
	}
}

// next returns the row to be served now, or nil and the time until one may be. A row that does not fit holds up the
// rows behind it, except those that may use weight which it must leave to them.
func (q *Queue) next(now marketcache.Instant) (w *row, soonest time.Duration) {
	slices.SortStableFunc(q.rows, func(a, b *row) int {
		turn := q.turn(a, now)
		if order := turn - q.turn(b, now); order != 0 || turn != promisedTurn {
			return cmp.Or(order, a.key.had-b.key.had)
		}
		return cmp.Compare(a.promised, b.promised)
	})
	soonest = budgetWindow
	held := 1 << 30 // rows that leave as much are held up
	for _, w := range q.rows {
		if pause := q.paused(w.Class, now); pause > 0 {
			soonest = min(soonest, pause)
			continue
		}
		if due := q.due(w, now); due > 0 {
			soonest = min(soonest, due)
		}
		leave := q.leave(w, now)
		if leave >= held {
			continue
		}
		wait := q.fits(w, 0, leave, now)
		if wait == 0 {
			return w, 0
		}
		held, soonest = leave, min(soonest, wait)
	}
	return nil, soonest
}

// arm sets the timer.
func (q *Queue) arm(soonest time.Duration) {
	if q.timer != nil {
		q.timer.Stop()
	}
	if len(q.rows) > 0 && !q.closed {
		q.timer = time.AfterFunc(max(soonest, time.Millisecond), func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if !q.closed {
				q.serve(marketcache.Now())
			}
		})
	}
}

// wait estimates the time until a row is served, if no further rows come: neither of other keys nor of its own.
func (q *Queue) wait(w *row, now marketcache.Instant) time.Duration {
	if pause := q.paused(w.Class, now); pause > 0 {
		return pause
	}
	turn, leave := q.turn(w, now), q.leave(w, now)
	ahead, had := 0, map[*keyState]int{} // weight of the rows before this one, and of the rows of each key
	for _, o := range q.rows {
		before := q.turn(o, now) < turn && (had[o.key] == 0 || o.Class == ForLive) || // else its key was just served
			q.turn(o, now) >= turn && o.key.had+had[o.key] <= w.key.had
		if had[o.key] += o.Weight; o != w && before && q.leave(o, now) <= leave && q.paused(o.Class, now) == 0 {
			ahead += o.Weight
		}
	}
	wait := q.fits(w, ahead, leave, now)
	if w.Last != 0 && !w.Spare {
		wait = min(wait, max(q.due(w, now), q.fits(w, 0, 0, now)))
	}
	return max(wait, time.Millisecond)
}

// refused takes a row that was not served out of the queue, or leaves it there for later, and returns its error. The
// caller of a row that is left is told twice the estimate: meanwhile reads that are due come before it, and it has to
// come only once more.
func (q *Queue) refused(w *row, wait time.Duration, cause error, now marketcache.Instant) error {
	paused := q.paused(w.Class, now) > 0
	if w.Later != nil && w.Last == 0 && !w.Spare && w.Patience > 0 && w.key.later == nil && !q.alone(w) && !paused {
		w.key.later = w
		wait *= 2
		w.promised = now.Add(wait - q.meter.paced(w.Weight, now))
	} else {
		q.remove(w)
	}
	q.arm(0) // not at once: who asks again finds its place
	e := &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: wait, Err: cause}
	switch p := &q.pauses[w.Class.kind()]; {
	case w.Class == ForWallet && !paused:
		e.Kind = marketcache.ErrShare
		e.Detail = fmt.Sprintf("to read this wallet costs %d request weight, which this key can have in %.0f s: %s",
			w.Weight, wait.Seconds()+0.5, fewer)
	case p.failing() && p.refusals == 0:
		e.Kind = marketcache.ErrUnavailable
		e.Detail = cmp.Or(q.Venue.Trouble(now), "the venue kept failing until now")
	}
	return e
}

// fewer tells a caller how to stay within its share.
const fewer = "ask for fewer new wallets a minute (a wallet that was read in the last ten minutes costs a tenth of a " +
	"new one), or spread them over time"

// Weight returns the weight that counts now: spent in the last minute, or in flight. Weight of a previous process
// counts as that of histories.
func (q *Queue) Weight() marketcache.VenueWeight {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.meter.roll(marketcache.Now())
	n := &q.meter.counts
	return marketcache.VenueWeight{
		Wallets: n[ForWallet], Live: n[ForDepth], Tables: n[ForStart] + n[ForLive],
		Histories: n[ForHistory] + n[ForWanted], Clients: n[ForOrders] + n[ForClients], Limit: q.meter.limit,
	}
}

// HistoryPace returns the weight that histories may have in a minute beside the other reads of the last one; 0:
// unknown.
func (q *Queue) HistoryPace() float64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := marketcache.Now()
	q.meter.roll(now)
	limit, _ := q.meter.bounds(now)
	if q.pauses[historyKind].refusals > 0 {
		return 0
	}
	others := q.meter.used() - q.meter.counts[ForHistory] - q.meter.counts[ForWanted]
	return float64(max(0, limit-others-q.leave(&row{Read: Read{Class: ForHistory}}, now)))
}

// Largest returns the largest weight that a read of a history may have beside the live data of the last minute.
func (q *Queue) Largest() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := marketcache.Now()
	q.meter.roll(now)
	limit, burst := q.meter.bounds(now)
	if limit == 0 {
		return 1 << 30
	}
	return max(limit-burst-q.meter.counts[ForLive], burst)
}

// Close stops the timer. Later requests are refused.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.timer != nil {
		q.timer.Stop()
	}
	q.log.close()
}
