package hyperliquid

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// bookReader reads books by REST: on a schedule if no stream carries their depth (figures3), at once if
// their stream has fallen silent. It uses a share of the request weight.
type bookReader struct {
	f *Feed
	// Limits per minute for reads of scheduled books and of silent books.
	scheduled, urgent *feed.SlidingLimit
	// unreadEvery is the interval between two books never read. All at once would leave wallets no weight for a minute.
	unreadEvery time.Duration

	mu         sync.Mutex
	nextUnread marketcache.Instant
	every      time.Duration // interval between two scheduled reads of a book
	keep       int           // scheduled reads per minute left unused for the warm-up
	early      bool          // during the first pass of histories
	// lateSince is when the first pass ended, or the start of the process if it had ended before that.
	lateSince marketcache.Instant
	planned   bool // due is set
	due       []scheduledBook
	asked     map[marketcache.AssetID]marketcache.Instant // when each silent book was last read
}

// scheduledBook is a book that is read on a schedule.
type scheduledBook struct {
	id   marketcache.AssetID
	next marketcache.Instant // when it is due
	// every is the interval as of the book's last read; for a book not read yet, the present interval.
	every time.Duration
	read  bool
}

const (
	bookShare  = 0.25 // of the request weight
	bookWeight = 2
	freeReads  = 600 // reads per minute when the request weight has no limit
	// Two thirds of the reads are for scheduled books, each at most every minScheduled; the rest is
	// for silent books.
	minScheduled = 10 * time.Second
	// unreadShare is the share of the request weight for books never read, once every asset has a
	// history: after a restart only books are missing.
	unreadShare = 0.5
	// Maximum wait for request weight, for books and for books never read. A waiting book delays
	// histories.
	bookPatience, unreadPatience = 5 * time.Second, 30 * time.Second
	// maxHold is how long books never read may hold up the second pass of histories.
	maxHold = 2 * time.Minute
)

// scheduledShare is the share of the scheduled reads that may be used in each phase of the warm-up.
var scheduledShare = [...]float64{feed.FirstPass: 0.2, feed.SecondPass: 1, feed.Warm: 1}

func newBookReader(f *Feed, weight int) *bookReader {
	n := readsOf(weight, bookShare)
	urgent := max(1, n/3)
	return &bookReader{
		f: f, scheduled: feed.NewSlidingLimit(max(1, n-urgent)), unreadEvery: time.Minute / time.Duration(readsOf(weight, unreadShare)),
		urgent: feed.NewSlidingLimit(urgent), asked: map[marketcache.AssetID]marketcache.Instant{}, lateSince: f.started,
	}
}

// readsOf returns how many requests of bookWeight fit into a share of weight per minute; weight 0: no limit.
func readsOf(weight int, share float64) int {
	if weight == 0 {
		return int(share / bookShare * freeReads)
	}
	return max(1, int(float64(weight)*share)/bookWeight)
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
		d := known[id]
		d.id = id
		r.due = append(r.due, d)
	}
	r.pace(now)
}

// holdsHistories reports whether the second pass of histories must wait for books never read.
func (r *bookReader) holdsHistories() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.early || marketcache.Now().Sub(r.lateSince) > maxHold {
		return false
	}
	return !r.planned || slices.ContainsFunc(r.due, func(d scheduledBook) bool { return !d.read })
}

// yield sets how much of the scheduled reads' weight is left to the loads of histories in phase p.
func (r *bookReader) yield(p feed.Phase, now marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	early := p == feed.FirstPass && r.f.cfg.Budget > 0
	if r.early && !early {
		r.lateSince = now
	}
	r.early = early
	keep := r.scheduled.PerMinute() - max(1, int(scheduledShare[p]*float64(r.scheduled.PerMinute())))
	if keep == r.keep || r.f.cfg.Budget == 0 {
		return
	}
	r.keep = keep
	r.pace(now)
}

// pace sets the interval of scheduled reads. Books due later than one interval from now are moved
// forward, in their order. The caller holds the lock.
func (r *bookReader) pace(now marketcache.Instant) {
	r.every = max(minScheduled, time.Duration(float64(len(r.due))*float64(time.Minute)/float64(r.scheduled.PerMinute()-r.keep)))
	slices.SortStableFunc(r.due, func(a, b scheduledBook) int { return cmp.Compare(a.next, b.next) })
	for i := range r.due {
		d := &r.due[i]
		d.next = min(d.next, now.Add(r.every*time.Duration(i+1)/time.Duration(len(r.due))))
		if !d.read {
			d.every = r.every
		}
	}
}

// run reads books until ctx ends.
func (r *bookReader) run(ctx context.Context) {
	for feed.Sleep(ctx, 50*time.Millisecond) == nil {
		for {
			b, ok := r.next(marketcache.Now())
			if !ok {
				break
			}
			if err := r.f.supervisor.Guard("book", func() error { return r.read(ctx, b) }); err != nil && ctx.Err() == nil {
				r.f.supervisor.Warn("book not read", "asset", r.f.cache.Universe().Assets[b.id].Name, "error", err)
				r.again(b.id, marketcache.Now())
			}
		}
	}
}

// bookToRead is a book to be read now.
type bookToRead struct {
	id        marketcache.AssetID
	precision precision
	patience  time.Duration // maximum wait for request weight
}

// next returns the book to be read now: a silent book, else the one that has been due longest.
func (r *bookReader) next(now marketcache.Instant) (b bookToRead, ok bool) {
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
		return bookToRead{id, full, bookPatience}, true
	}
	var d *scheduledBook
	for i := range r.due {
		if r.due[i].next <= now && (d == nil || r.due[i].next < d.next) {
			d = &r.due[i]
		}
	}
	if d == nil {
		return b, false
	}
	patience := bookPatience
	if !d.read && !r.early {
		if now < r.nextUnread {
			return b, false
		}
		patience, r.nextUnread = unreadPatience, now.Add(r.unreadEvery)
	} else if _, room := r.scheduled.Acquire(now, r.keep); !room {
		return b, false
	}
	d.next, d.every, d.read = now.Add(r.every), r.every, true
	return bookToRead{d.id, figures3, patience}, true
}

// again makes a scheduled book that could not be read due again soon.
func (r *bookReader) again(id marketcache.AssetID, now marketcache.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.due {
		if d := &r.due[i]; d.id == id {
			d.next, d.read = now.Add(r.every/16), false
		}
	}
}

// read reads one book and applies it like one from a stream.
func (r *bookReader) read(ctx context.Context, b bookToRead) error {
	f, id, p := r.f, b.id, b.precision
	coin := f.cache.Universe().Assets[id].Name
	a, err := f.client.ask(ctx, request{
		what: "l2Book " + coin + " " + strconv.Itoa(sigFigs[p]), body: bookBody(coin, p),
		priority: feed.ForLive, weight: bookWeight, patience: b.patience,
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
