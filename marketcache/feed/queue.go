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
	ForWallet               // the first read of a wallet that a caller waits for, and what else it may lack
	ForKnown                // a wallet that was read before, again
	ForWanted               // the history of an asset that a caller waits for
	ForDepth                // books that no stream carries
	ForHistory              // all other histories
	ForOrders               // actions of clients: counted, never waited for
	ForClients              // questions of clients
	classes
)

// Queue decides which read of the venue comes next, and when. Every read is one row, in one of two lanes.
//
// The light lane has reads of wallets that were read before, and books: they weigh little and must come soon. The heavy
// lane has all others. Its tables, its histories that callers wait for, and its refused reads whose callers will ask
// again soon come first, as they are due. Otherwise, and in the light lane, keys take turns: API keys, and each class
// of the service's own reads. A row that does not fit holds up those behind it in its lane. While rows wait in both
// lanes, each gets half of the weight that comes free: see purse.
//
// Histories, and keys that were served in the last minute, leave the weight of a wallet's first read to keys that were
// not. Safe for concurrent use.
type Queue struct {
	mu     sync.Mutex
	meter  meter
	purse  purse
	rows   []*row // waiting
	keys   map[keyID]*keyState
	served marketcache.Instant // when the last row was served, later than all before it
	// dueServed is when the last row of each class was served that was due.
	dueServed [classes]marketcache.Instant
	timer     *time.Timer // serves rows when weight comes free
	closed    bool

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
	Last   marketcache.Instant // ForKnown: when the wallet was read before
	// Spare: a wallet's read that takes only what nobody else needs.
	Spare bool
	// Patience is the longest wait; negative: as long as the context lives. A wallet's read is refused at once if its
	// wait would be longer, or if the venue is failing. A key that is alone waits for at least alonePatience, unless
	// Patience is 0 or the read is Spare.
	Patience time.Duration
	// Later is called with the weight of a wallet's read that was refused, as soon as its turn comes: then its caller
	// finds it read. One first read of each key waits so, and one of a wallet that was read before.
	Later func(*Grant)
}

// alonePatience: see Read.Patience.
const alonePatience = 8 * time.Second

// keyID identifies who has a place in the queue.
type keyID struct {
	class Class
	key   string
}

// keyState is what a key has in the queue, and had.
type keyState struct {
	served  marketcache.Instant // when the last of its rows was; 0: never
	waiting int                 // rows
	later   *row                // refused, and still waiting
}

// row is a read that waits for weight.
type row struct {
	Read
	key     *keyState
	due     marketcache.Instant // from when on it comes before others of the heavy lane; 0: never
	granted chan *Grant
}

// NewQueue returns a queue for limit weight in any minute; 0 means no limit. Weight that log records from a previous
// process counts as spent. log may be nil.
func NewQueue(limit int, log *BudgetLog) *Queue {
	q := &Queue{meter: meter{limit: limit}, keys: map[keyID]*keyState{}, log: log, recovered: make(chan struct{}),
		Venue: &marketcache.VenueStatus{}}
	if log != nil {
		now := marketcache.Now()
		for _, s := range log.past {
			q.meter.assume(ForHistory, s.weight, now.Add(-s.ago))
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
		q.meter.assume(ForHistory, min(part, weight), at)
		weight, at = weight-part, at.Add(-time.Second)
	}
}

// key returns the state of a key.
func (q *Queue) key(c Class, key string) *keyState {
	id := keyID{c, key}
	k := q.keys[id]
	if k == nil {
		k = &keyState{}
		q.keys[id] = k
	}
	return k
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
	maps.DeleteFunc(q.keys, func(_ keyID, k *keyState) bool { return k.waiting == 0 && k.isNew(now) })
	w := &row{Read: r, key: q.key(r.Class, r.Key), granted: make(chan *Grant, 1)}
	if w.Patience > 0 && !w.Spare && q.alone(w) {
		w.Patience = max(w.Patience, alonePatience)
	}
	if w.Class == ForLive || w.Class == ForWanted {
		w.due = now
	}
	w.key.waiting++
	q.rows = append(q.rows, w)
	q.serve(now)
	if len(w.granted) == 0 && r.Class.ofCallers() && r.Patience >= 0 {
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
	if q.closed {
		return
	}
	q.meter.roll(now)
	for {
		q.purse.fill(q.pace(now), now)
		w, soonest := q.next(now)
		if w == nil {
			q.arm(soonest)
			return
		}
		q.remove(w)
		q.served = max(q.served+1, now)
		if w.isDue(now) {
			q.dueServed[w.Class] = q.served
		}
		if w.key.served = q.served; !w.isLight() {
			q.purse.level = max(0, q.purse.level-float64(w.Weight))
		}
		g := q.grant(w, now)
		if w.key.later == w {
			w.key.later = nil
			go w.Later(g)
			continue
		}
		w.granted <- g
	}
}

// arm sets the timer.
func (q *Queue) arm(soonest time.Duration) {
	if q.timer != nil {
		q.timer.Stop()
	}
	if len(q.rows) > 0 {
		q.timer = time.AfterFunc(max(soonest, time.Millisecond), func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.serve(marketcache.Now())
		})
	}
}

// refused takes a row that was not served out of the queue, or leaves it there for later, and returns its error.
func (q *Queue) refused(w *row, wait time.Duration, cause error, now marketcache.Instant) error {
	paused := q.paused(w.Class, now) > 0
	stays := w.Later != nil && !w.Spare && w.key.later == nil && !q.alone(w) && !paused
	if w.Class == ForWallet && !w.Spare && !q.alone(w) && !paused {
		var due marketcache.Instant
		if wait, due = q.promise(w, now); stays {
			w.due = due
		}
	}
	if stays {
		w.key.later = w
	} else {
		q.remove(w)
	}
	q.arm(0) // not at once: who asks again finds its place
	e := &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: wait, Err: cause}
	switch p := &q.pauses[w.Class.kind()]; {
	case w.Class.ofCallers() && !paused:
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
		Wallets: n[ForWallet] + n[ForKnown], Live: n[ForDepth], Tables: n[ForStart] + n[ForLive],
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

// Close ends all grants. Later requests are refused.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.timer != nil {
		q.timer.Stop()
	}
	q.log.close()
}
