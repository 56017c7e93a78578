package hyperliquid

import (
	"context"
	"slices"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// Contexts have a quick and a slow part. Mark and mid come by name every second (marks.go). The
// rest, with a mark of its own moment, comes every quarter of a minute by position, and by REST
// with every reading of the universe.

// Times of the fallback to REST.
const (
	marksLately   = 3 * time.Second  // told marks younger than this go before those of other sources
	marksByREST   = 10 * time.Second // how often
	contextsOften = 2                // cadences of the slow part, after which REST is asked for that
)

// publishContexts publishes the slow part of a dex's contexts, matched to assets by position.
// It is false, publishing nothing, when the list cannot be that of the universe held: its
// length is another, or its marks are not those that are known by name. The universe is then
// read again. While no marks are known by name nothing is published either.
func (f *Feed) publishContexts(dex string, rows []contextRow, at marketcache.Instant) bool {
	order := f.universe.positions(dex)
	if len(rows) == len(order) && (!f.universe.isLive(dex) || !f.marksKnown()) {
		return true
	}
	if !f.universe.matches(dex, rows, f.markByName) {
		switch {
		case order == nil:
		case dex == "":
			signal(f.metaDue)
		default:
			f.dexes.mismatched(dex)
		}
		return false
	}
	f.putContexts(rows, order, at, fromStream)
	return true
}

// marksKnown reports whether the stream of marks has told any lately.
func (f *Feed) marksKnown() bool {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	return f.marks.at != 0 && marketcache.Now().Sub(f.marks.at) <= marksLately
}

// markByName returns an asset's mark as the stream of marks told it lately.
func (f *Feed) markByName(id marketcache.AssetID) (mark float64, ok bool) {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	told, _, ok := f.marks.told(id, marketcache.Now(), marksLately)
	return told.mark, ok
}

// putContexts publishes contexts whose assets are known.
func (f *Feed) putContexts(rows []contextRow, order []marketcache.AssetID, at marketcache.Instant, source markSource) {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	now := marketcache.Now()
	for i := range rows {
		if order[i] != marketcache.NoAsset {
			f.putContext(order[i], &rows[i], at, now, source)
		}
	}
}

// putContext publishes one asset's context as of an Instant, with the mark and mid of the
// stream of marks where that tells them.
func (f *Feed) putContext(id marketcache.AssetID, row *contextRow, at, now marketcache.Instant, source markSource) {
	a := f.cache.Universe().Asset(id)
	if a == nil || a.Delisted {
		return // what is delisted keeps its last prices for ever
	}
	if !row.ok {
		f.stats.rejectedContexts.Add(1)
		f.setAside(asideContext, a.Name)
		return
	}
	ring := f.cache.Contexts(id)
	held, _, have := ring.Latest(now, marketcache.Forever)
	if have && held.SlowProof >= at {
		return // an older state never replaces a newer one
	}
	next, proof := row.ctx, at
	if !f.believes(id, next.MarkPrice, source) {
		return
	}
	if told, when, ok := f.marks.told(id, now, marksLately); ok && when >= at.Add(-marksLately) && f.believes(id, told.mark, fromStream) {
		next.MarkPrice, next.MidPrice, proof = told.mark, told.mid, when
	}
	next.SlowProof = at
	ring.Publish(next, proof)
	f.interest.Observe(id, row.ctx.OpenInterestUnits*row.ctx.MarkPrice, f.clock.VenueMs(now))
}

// followContexts asks REST for marks and contexts that the streams leave out: for the main dex
// and for one other dex, each at most once in marksByREST. It tells the cache how often marks and
// contexts are renewed.
func (f *Feed) followContexts(ctx context.Context) {
	var askedMain, askedOther marketcache.Instant
	turn := 0
	for feed.Sleep(ctx, time.Second) == nil {
		now := marketcache.Now()
		slow := f.cadences.contexts.Every()
		f.cache.Venue.MarkCadence.Store(int64(f.cadences.marks.Every()))
		f.cache.Venue.SlowCadence.Store(int64(slow))
		late := func(dex string) bool {
			marksLate, slowLate := f.oldest(dex, now)
			return marksLate > f.silence(stream{kind: marksStream}) || slowLate > contextsOften*slow
		}
		if now.Sub(askedMain) >= marksByREST && late("") {
			askedMain = now
			f.fetchUniverse(ctx, "", feed.ForLive)
		}
		if live := f.dexes.live(); now.Sub(askedOther) >= marksByREST {
			for i := range live {
				if dex := live[(turn+i)%len(live)]; late(dex) {
					askedOther, turn = now, turn+i+1
					f.fetchUniverse(ctx, dex, feed.ForLive)
					break
				}
			}
		}
	}
}

// oldest returns the age that a tenth of the marks of a dex's listed assets, and of the rest of
// their contexts, is above: a single asset that is left out is no reason to ask for all.
func (f *Feed) oldest(dex string, now marketcache.Instant) (marks, slow time.Duration) {
	u := f.cache.Universe()
	var m, s []time.Duration
	for _, id := range f.ranks.Load().IDs {
		if u.Assets[id].Dex != dex {
			continue
		}
		c, age, ok := f.cache.Contexts(id).Latest(now, marketcache.Forever)
		if !ok {
			age = marketcache.Forever
			s = append(s, age)
		} else {
			s = append(s, now.Sub(c.SlowProof))
		}
		m = append(m, age)
	}
	return upperTenth(m), upperTenth(s)
}

// upperTenth returns what a tenth of the durations is above, 0 of none.
func upperTenth(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)-1-len(d)/10]
}
