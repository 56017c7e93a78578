package hyperliquid

import (
	"context"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// cadences are the cadences of each kind of stream: the venue's documented values at first, then
// measured ones.
type cadences struct {
	quick, deep, marks, contexts *feed.Cadence
}

func newCadences() cadences {
	return cadences{
		quick: feed.NewCadence(540*time.Millisecond, 8*time.Second),
		deep:  feed.NewCadence(5400*time.Millisecond, 20*time.Second),
		marks: feed.NewCadence(time.Second, 5*time.Second),
		// An oracle price older than 20 s is stale, whatever the cadence.
		contexts: feed.NewCadence(13600*time.Millisecond, 19*time.Second),
	}
}

// cadence returns the cadence of a stream's kind.
func (f *Feed) cadence(st stream) *feed.Cadence {
	switch {
	case st.kind == marksStream:
		return f.cadences.marks
	case st.kind == contextsStream:
		return f.cadences.contexts
	case st.precision == fast:
		return f.cadences.quick
	}
	return f.cadences.deep
}

// subscribeFor sets the streams of all sockets, given the listed assets by descending open interest,
// and the books that are read by schedule instead. The caller holds f.planning.
func (f *Feed) subscribeFor(ids []marketcache.AssetID) {
	const contexts = 2 // number of streams that are not books
	f.plannedFor = f.subscribe.Load()
	f.planned = planBooks(ids, int(f.plannedFor)-contexts)
	u, n := f.cache.Universe(), len(f.sockets)
	streams := make([][]stream, n)
	var scheduled []marketcache.AssetID
	for _, id := range ids {
		wants := f.planned[id]
		for p := range precisions {
			if !wants[p] {
				continue
			}
			if at := socketOf(id, p, n); at >= 0 {
				streams[at] = append(streams[at], stream{bookStream, id, u.Assets[id].Name, p})
			}
		}
		if !wants[figures3] {
			scheduled = append(scheduled, id)
		}
	}
	streams[0] = append(streams[0], stream{kind: marksStream})
	streams[n-1] = append(streams[n-1], stream{kind: contextsStream})
	for i, s := range streams {
		f.sockets[i].want(s)
	}
	now := marketcache.Now()
	f.books.during(f.history.Phase(), now)
	f.books.schedule(scheduled, now)
	f.tellCadences(ids)
}

// tellCadences sets the cadences of every book's precisions.
func (f *Feed) tellCadences(ids []marketcache.AssetID) {
	quick, deep, scheduled := f.cadences.quick.Every(), f.cadences.deep.Every(), f.books.intervals()
	for _, id := range ids {
		var every [precisions]time.Duration
		for p, want := range f.planned[id] {
			switch {
			case !want:
			case precision(p) == fast:
				every[p] = quick
			case socketOf(id, precision(p), len(f.sockets)) >= 0:
				every[p] = deep
			}
		}
		if every[figures3] == 0 {
			every[figures3] = scheduled[id]
		}
		f.cells[id].follow(every)
	}
}

// refreshBooks republishes books whose parts have become too old, and plans again when the venue
// allows fewer subscriptions than assumed.
func (f *Feed) refreshBooks(ctx context.Context) {
	for feed.Sleep(ctx, time.Second) == nil {
		now, ids := marketcache.Now(), f.ranks.Load().IDs
		f.books.during(f.history.Phase(), now)
		f.planning.Lock()
		if f.subscribe.Load() != f.plannedFor {
			f.subscribeFor(ids)
		}
		f.tellCadences(ids)
		f.planning.Unlock()
		for _, id := range ids {
			f.cells[id].refresh(f.cache.Books(id), now)
		}
	}
}

// minSubscriptions is the number of subscriptions that are requested even if the venue allows fewer.
const minSubscriptions = 20

// limitSubscriptions is called when the venue allows no more subscriptions, because another program
// at this address uses them. Until the next ranking the plan has 90 % of those acknowledged (rankEvery).
func (f *Feed) limitSubscriptions() {
	granted := int64(0)
	for _, s := range f.sockets {
		for _, sub := range s.routes.Load().all {
			if sub.Answered() {
				granted++
			}
		}
	}
	f.subscribe.Store(max(minSubscriptions, granted*9/10))
}
