package hyperliquid

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// bookReader reads books by REST: on a schedule if no stream carries their depth (figures3), at once if
// their stream has fallen silent or jumped.
type bookReader struct {
	f *Feed

	mu      sync.Mutex
	every   time.Duration // interval between two scheduled reads of a book
	early   bool          // during the first pass of histories
	planned bool          // due is set
	due     []scheduledBook
	asked   map[marketcache.AssetID]marketcache.Instant // when each silent book was last read
	silence int                                         // reads in a row that were not answered
	back    marketcache.Instant                         // when one was answered again; streams come back then, too
}

// scheduledBook is a book that is read on a schedule.
type scheduledBook struct {
	id   marketcache.AssetID
	next marketcache.Instant // when it is due
	// every is the interval as of the book's last read; for a book not read yet, the present interval.
	every time.Duration
	read  bool // or tried
}

const (
	bookWeight = 2
	// bookShare is the share of the request weight for scheduled books. None is read more often than every
	// minScheduled; during the first pass of histories all are read warmUpSlower times less often.
	bookShare    = 1.0 / 6
	minScheduled = 10 * time.Second
	unreadWithin = 80 * time.Second // after the first pass, books never read are read evenly within this time
	doubtedBook  = 3 * time.Second  // minimum time between reads of a book that has jumped
	bookPatience = 5 * time.Second  // maximum wait for request weight; a more urgent book may then come first
)

func newBookReader(f *Feed) *bookReader {
	return &bookReader{f: f, asked: map[marketcache.AssetID]marketcache.Instant{}}
}

// intervals returns the cadence of each scheduled book: the interval as of its last read, plus a
// quarter for delays.
func (r *bookReader) intervals() map[marketcache.AssetID]time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := make(map[marketcache.AssetID]time.Duration, len(r.due))
	for i := range r.due {
		of[r.due[i].id] = r.due[i].every * 5 / 4
	}
	return of
}

// schedule sets the scheduled books.
func (r *bookReader) schedule(ids []marketcache.AssetID, now marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.planned = true
	known := map[marketcache.AssetID]scheduledBook{}
	for _, d := range r.due {
		known[d.id] = d
	}
	r.due = r.due[:0]
	for _, id := range ids {
		d, is := known[id]
		if d.id = id; !is {
			d.next = now.Add(time.Hour)
		}
		r.due = append(r.due, d)
	}
	r.pace(now)
}

// holdsHistories reports whether the second pass of histories must wait for books never read.
func (r *bookReader) holdsHistories() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.early && (!r.planned || slices.ContainsFunc(r.due, func(d scheduledBook) bool { return !d.read }))
}

// during sets the phase of the loads of histories, whose first pass gets more of the weight.
func (r *bookReader) during(p feed.Phase, now marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if early := p == feed.FirstPass && r.f.cfg.Budget > 0; early != r.early {
		r.early = early
		r.pace(now)
	}
}

// pace sets the interval of scheduled reads. Books due later than one interval from now are moved forward, in their
// order. The caller holds the lock.
func (r *bookReader) pace(now marketcache.Instant) {
	r.every = minScheduled
	if budget := r.f.cfg.Budget; budget > 0 {
		r.every = max(r.every,
			time.Duration(float64(len(r.due)*bookWeight)*float64(time.Minute)/(bookShare*float64(budget))))
	}
	if r.early {
		r.every *= warmUpSlower
	}
	slices.SortStableFunc(r.due, func(a, b scheduledBook) int { return cmp.Compare(a.next, b.next) })
	for i := range r.due {
		d, within := &r.due[i], r.every
		if !d.read {
			if d.every = r.every; !r.early {
				within = unreadWithin
			}
		}
		d.next = min(d.next, now.Add(within*time.Duration(i+1)/time.Duration(len(r.due))))
	}
}

// run reads books until ctx ends.
func (r *bookReader) run(ctx context.Context) {
	for feed.Sleep(ctx, 50*time.Millisecond) == nil {
		for {
			id, p, ok := r.next(marketcache.Now())
			if !ok {
				break
			}
			err := r.f.supervisor.Guard("book", func() error { return r.read(ctx, id, p) })
			r.answered(err, marketcache.Now())
			if err != nil && ctx.Err() == nil {
				r.f.supervisor.Warn("book not read", "asset", r.f.cache.Universe().Assets[id].Name, "error", err)
				r.again(id, marketcache.Now())
			}
		}
	}
}

// answered records whether a read was answered. The end of a silence is that of more than bad books.
func (r *bookReader) answered(err error, now marketcache.Instant) {
	const silent = 3
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(err, marketcache.ErrUnavailable), errors.Is(err, marketcache.ErrVenue):
		r.silence++
	case err == nil:
		if r.silence >= silent {
			r.back = now
		}
		r.silence = 0
	}
}

// next returns the book to be read now: one that is silent or has jumped, else the one that has been due longest.
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
		again := silent
		if f.cells[id].waits(now) {
			again = doubtedBook
		} else if age >= 0 && age < silent || now.Sub(max(f.started, r.back)) < silent {
			continue
		}
		if last := r.asked[id]; last != 0 && now.Sub(last) < again {
			continue
		}
		r.asked[id] = now
		return id, full, true
	}
	var d *scheduledBook
	for i := range r.due {
		if r.due[i].next <= now && (d == nil || r.due[i].next < d.next) {
			d = &r.due[i]
		}
	}
	if d == nil {
		return 0, 0, false
	}
	d.next, d.every, d.read = now.Add(r.every), r.every, true
	return d.id, figures3, true
}

// again makes a scheduled book that could not be read due again soon.
func (r *bookReader) again(id marketcache.AssetID, now marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.due {
		if d := &r.due[i]; d.id == id {
			d.next = now.Add(r.every / 16)
		}
	}
}

// read reads one book and applies it like one from a stream.
func (r *bookReader) read(ctx context.Context, id marketcache.AssetID, p precision) error {
	f := r.f
	coin := f.cache.Universe().Assets[id].Name
	a, err := f.client.ask(ctx, request{
		what: "l2Book " + coin + " " + strconv.Itoa(sigFigs[p]), body: bookBody(coin, p),
		class: feed.ForDepth, weight: bookWeight, patience: bookPatience,
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
	if f.cells[id].update(f.cache.Books(id), p, &m, a.received, f.clock.Lateness(m.timeMs, a.received),
		f.clock.VenueMs(a.received)) == doubtful {
		f.stats.rejectedBooks.Add(1)
		f.setAside(asideBook, coin)
	}
	return nil
}
