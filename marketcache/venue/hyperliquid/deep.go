package hyperliquid

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"ballast/marketcache"
)

// bookReader reads books by REST: on a schedule those whose depth no stream brings, and at once
// those whose stream has fallen silent. It keeps to a share of the request weight.
type bookReader struct {
	f      *Feed
	window *window // reads in a minute

	mu       sync.Mutex
	every    time.Duration // between two scheduled readings of a book
	due      []scheduledBook
	urgently map[marketcache.AssetID]marketcache.Instant // when a silent book was last read
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
	// A scheduled book is read every minScheduled at most, and half as often as the share of
	// the weight would allow, so that silent ones find room.
	minScheduled = 10 * time.Second
	// silentBook is how long a quick book may be silent before it is asked for; again after as
	// long.
	silentBook = 5 * time.Second
)

func newBookReader(f *Feed, weight int) *bookReader {
	n := freeReads
	if weight > 0 {
		n = max(1, int(float64(weight)*bookShare)/bookWeight)
	}
	return &bookReader{f: f, window: newWindow(n), urgently: map[marketcache.AssetID]marketcache.Instant{}}
}

// interval returns how often a scheduled book comes anew, what delays it included.
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
	r.every = max(minScheduled, time.Duration(float64(len(ids))*2*float64(time.Minute)/float64(r.window.limit)))
}

// run reads books until ctx ends.
func (r *bookReader) run(ctx context.Context) {
	for sleep(ctx, 50*time.Millisecond) == nil {
		for {
			id, p, ok := r.next(marketcache.Now())
			if !ok {
				break
			}
			if err := r.f.guard("book", func() error { return r.read(ctx, id, p) }); err != nil && ctx.Err() == nil {
				r.f.complain.warn(r.f.log, "book not read", "asset", r.f.cache.Universe().Assets[id].Name, "error", err)
			}
		}
	}
}

// next returns the book to read now: a silent one, else the one that has been due for longest.
func (r *bookReader) next(now marketcache.Instant) (id marketcache.AssetID, p precision, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.f
	for _, id := range f.ranks.Load().ids {
		age := f.cells[id].age(fast, now)
		if whole := f.cells[id].age(full, now); whole >= 0 && (age < 0 || whole < age) {
			age = whole
		}
		if age >= 0 && age < silentBook || now.Sub(f.started) < silentBook {
			continue
		}
		if last := r.urgently[id]; last != 0 && now.Sub(last) < silentBook {
			continue
		}
		if _, room := r.window.take(now, 0); !room {
			return 0, 0, false
		}
		r.urgently[id] = now
		return id, full, true
	}
	if len(r.due) == 0 {
		return 0, 0, false
	}
	first := slices.MinFunc(r.due, func(a, b scheduledBook) int { return int(min(max(a.next-b.next, -1), 1)) })
	if first.next > now {
		return 0, 0, false
	}
	// Half of the reads are kept for silent books.
	if _, room := r.window.take(now, r.window.limit/2); !room {
		return 0, 0, false
	}
	for i := range r.due {
		if r.due[i].id == first.id {
			r.due[i].next = now.Add(r.every)
		}
	}
	return first.id, figures3, true
}

// read reads one book and takes it in as one that a stream has brought.
func (r *bookReader) read(ctx context.Context, id marketcache.AssetID, p precision) error {
	f := r.f
	coin := f.cache.Universe().Assets[id].Name
	a, err := f.client.ask(ctx, request{
		what: "l2Book " + coin + " " + strconv.Itoa(sigFigs[p]), body: bookBody(coin, p),
		priority: forLive, weight: bookWeight, patience: 5 * time.Second,
	})
	if err != nil {
		return err
	}
	var m bookMessage
	if !m.readAll(a.body) || string(m.coin) != coin {
		return venueError("not a book of %s: %q", coin, printable(a.body))
	}
	if !m.plausible() {
		f.stats.rejectedBooks.Add(1)
		return venueError("impossible book of %s", coin)
	}
	f.stats.bookReads.Add(1)
	f.cells[id].update(f.cache.Books(id), p, &m, a.received, f.clock.lateness(m.timeMs, a.received), f.clock.at(a.received))
	return nil
}
