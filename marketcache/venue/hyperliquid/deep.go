package hyperliquid

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// bookReader reads books by REST: on a schedule those whose depth no stream brings, and at once
// those whose stream has fallen silent. It keeps to a share of the request weight.
type bookReader struct {
	f                 *Feed
	scheduled, urgent *feed.SlidingLimit // reads in a minute

	mu    sync.Mutex
	every time.Duration // between two scheduled readings of a book
	keep  int           // of the scheduled reads of a minute, left to the warm-up
	due   []scheduledBook
	asked map[marketcache.AssetID]marketcache.Instant // when a silent book was last read
}

// scheduledBook is a book that no stream brings.
type scheduledBook struct {
	id   marketcache.AssetID
	next marketcache.Instant
}

const (
	bookShare  = 0.25 // of the request weight
	bookWeight = 2
	freeReads  = 600 // a minute without a budget
	// Two thirds of the reads are for scheduled books, each of which comes no more often than
	// every minScheduled; the rest is for silent ones.
	minScheduled = 10 * time.Second
)

// scheduledShare is the part of the scheduled reads that is used while histories warm up.
var scheduledShare = [...]float64{feed.FirstPass: 0.2, feed.SecondPass: 0.5, feed.Warm: 1}

func newBookReader(f *Feed, weight int) *bookReader {
	n := freeReads
	if weight > 0 {
		n = max(1, int(float64(weight)*bookShare)/bookWeight)
	}
	urgent := max(1, n/3)
	return &bookReader{
		f: f, scheduled: feed.NewSlidingLimit(max(1, n-urgent)), urgent: feed.NewSlidingLimit(urgent), asked: map[marketcache.AssetID]marketcache.Instant{},
	}
}

// interval returns how often a scheduled book is renewed, with a quarter added for delays.
func (r *bookReader) interval() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.every + r.every/4
}

// schedule sets which books are read by schedule.
func (r *bookReader) schedule(ids []marketcache.AssetID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := map[marketcache.AssetID]marketcache.Instant{}
	for _, d := range r.due {
		next[d.id] = d.next
	}
	r.due = r.due[:0]
	for _, id := range ids {
		r.due = append(r.due, scheduledBook{id, next[id]})
	}
	r.pace()
}

// yield leaves reads to the warm-up.
func (r *bookReader) yield(p feed.Phase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	keep := r.scheduled.PerMinute() - max(1, int(scheduledShare[p]*float64(r.scheduled.PerMinute())))
	if keep == r.keep || r.f.cfg.Budget == 0 {
		return
	}
	r.keep = keep
	r.pace()
	soonest := marketcache.Now().Add(r.every)
	for i := range r.due {
		r.due[i].next = min(r.due[i].next, soonest)
	}
}

// pace sets how often a scheduled book is read. The caller holds the lock.
func (r *bookReader) pace() {
	r.every = max(minScheduled, time.Duration(float64(len(r.due))*float64(time.Minute)/float64(r.scheduled.PerMinute()-r.keep)))
}

// run reads books until ctx ends.
func (r *bookReader) run(ctx context.Context) {
	for feed.Sleep(ctx, 50*time.Millisecond) == nil {
		for {
			id, p, ok := r.next(marketcache.Now())
			if !ok {
				break
			}
			if err := r.f.supervisor.Guard("book", func() error { return r.read(ctx, id, p) }); err != nil && ctx.Err() == nil {
				r.f.supervisor.Warn("book not read", "asset", r.f.cache.Universe().Assets[id].Name, "error", err)
				r.again(id, marketcache.Now())
			}
		}
	}
}

// next returns the book to read now: a silent one, else the one that has been due for longest.
func (r *bookReader) next(now marketcache.Instant) (id marketcache.AssetID, p precision, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.f
	silent := f.silence(stream{kind: bookStream, precision: fast})
	for _, id := range f.ranks.Load().IDs {
		age := f.cells[id].age(fast, now)
		if whole := f.cells[id].age(full, now); whole >= 0 && (age < 0 || whole < age) {
			age = whole
		}
		if age >= 0 && age < silent || now.Sub(f.started) < silent {
			continue
		}
		if last := r.asked[id]; last != 0 && now.Sub(last) < silent {
			continue
		}
		if _, room := r.urgent.Acquire(now, 0); !room {
			break
		}
		r.asked[id] = now
		return id, full, true
	}
	if len(r.due) == 0 {
		return 0, 0, false
	}
	first := slices.MinFunc(r.due, func(a, b scheduledBook) int { return int(min(max(a.next-b.next, -1), 1)) })
	if first.next > now {
		return 0, 0, false
	}
	if _, room := r.scheduled.Acquire(now, r.keep); !room {
		return 0, 0, false
	}
	r.put(first.id, now.Add(r.every))
	return first.id, figures3, true
}

// put sets when a scheduled book is due. The caller holds the lock.
func (r *bookReader) put(id marketcache.AssetID, next marketcache.Instant) {
	for i := range r.due {
		if r.due[i].id == id {
			r.due[i].next = next
		}
	}
}

// again makes a scheduled book that could not be read due soon.
func (r *bookReader) again(id marketcache.AssetID, now marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(id, now.Add(r.every/16))
}

// read reads one book and takes it in as one that a stream has brought.
func (r *bookReader) read(ctx context.Context, id marketcache.AssetID, p precision) error {
	f := r.f
	coin := f.cache.Universe().Assets[id].Name
	a, err := f.client.ask(ctx, request{
		what: "l2Book " + coin + " " + strconv.Itoa(sigFigs[p]), body: bookBody(coin, p),
		priority: feed.ForLive, weight: bookWeight, patience: 5 * time.Second,
	})
	if err != nil {
		return err
	}
	var m bookMessage
	if !m.parse(a.body) || string(m.coin) != coin {
		return venueError("not a book of %s: %q", coin, printable(a.body))
	}
	if !m.plausible() {
		f.stats.rejectedBooks.Add(1)
		return venueError("impossible book of %s", coin)
	}
	f.stats.bookReads.Add(1)
	f.cells[id].update(f.cache.Books(id), p, &m, a.received, f.clock.Lateness(m.timeMs, a.received), f.clock.VenueMs(a.received))
	return nil
}
