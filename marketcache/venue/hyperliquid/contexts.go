package hyperliquid

import (
	"context"
	"slices"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// An asset context has a fast and a slow part. Mark and mid come by asset name every second
// (marks.go). The rest, with a mark of its own, comes about every 14 s by position in the universe,
// and by REST with every read of the universe.

// Times of the REST fallback.
const (
	marksLately = 3 * time.Second  // marks of the fast stream younger than this win over those of other sources
	marksByREST = 10 * time.Second // minimum time between REST reads
	contextLate = 6 * time.Second  // REST is asked when the slow part is late by this much
	// minimum time between REST reads because marks have moved; doubles while they do not help
	movedByREST = 3 * time.Second
	movedAtMost = time.Minute // up to this
	// These reads take at most one part in refreshShare of the request weight.
	refreshShare = 3
)

// publishContexts publishes the slow part of a dex's contexts, which it matches to assets by
// position. It returns false and publishes nothing when the list does not match the known
// universe: its length differs, or its marks differ from those known by name. Single rows that belong to
// another asset are left out. When the order is in doubt, the universe is read again. While no marks are
// known by name, publishContexts publishes nothing and returns true for a list of the right length.
func (f *Feed) publishContexts(dex string, rows []contextRow, at marketcache.Instant) bool {
	order := f.universe.positions(dex)
	if len(rows) == len(order) && (!f.universe.isLive(dex) || !f.marksKnown()) {
		return true
	}
	l := f.universe.compare(dex, rows, f.markByName)
	proved := len(rows) == len(order) && l.proved()
	if !proved || l.exchanged {
		switch {
		case order == nil:
		case dex == "":
			marketcache.Signal(f.metaDue)
		default:
			f.dexes.mismatched(dex)
		}
	}
	if proved {
		f.putContexts(rows, order, at, fromStream)
	}
	return proved
}

// publishNamed publishes the contexts of an answer that also has the names. If many marks contradict the
// marks known by name, it publishes none; otherwise it leaves out the rows that contradict them.
func (f *Feed) publishNamed(dex string, rows []contextRow, at marketcache.Instant) {
	if l := f.universe.compare(dex, rows, f.markByName); l.refuted() {
		f.stats.rejectedContexts.Add(1)
		f.setAside(asideContext, "all of dex "+dex)
		return
	}
	f.putContexts(rows, f.universe.positions(dex), at, fromREST)
}

// marksKnown reports whether the fast stream has sent marks within marksLately.
func (f *Feed) marksKnown() bool {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	return f.marks.at != 0 && marketcache.Now().Sub(f.marks.at) <= marksLately
}

// markByName returns the mark that the fast stream sent for an asset within marksLately. ok is false if
// there is none or it waits for a second source.
func (f *Feed) markByName(id marketcache.AssetID) (mark float64, ok bool) {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	now := marketcache.Now()
	told, _, ok := f.marks.told(id, now, marksLately)
	return told.mark, ok && f.believes(id, told.mark, now)
}

// putContexts publishes the contexts of known assets.
func (f *Feed) putContexts(rows []contextRow, order []marketcache.AssetID, at marketcache.Instant, source markSource) {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	f.marks.say(rows, order, at)
	now := marketcache.Now()
	for i := range rows {
		if order[i] != marketcache.NoAsset {
			f.putContext(order[i], &rows[i], at, now, source)
		}
	}
}

// putContext publishes one asset's context as of an Instant, with mark and mid of the fast stream
// where it has them.
func (f *Feed) putContext(id marketcache.AssetID, row *contextRow, at, now marketcache.Instant, source markSource) {
	a := f.cache.Universe().Asset(id)
	if a == nil || a.Delisted {
		return // a delisted asset keeps its last prices forever
	}
	if !row.ok {
		f.stats.rejectedContexts.Add(1)
		f.setAside(asideContext, a.Name)
		return
	}
	ring := f.cache.Contexts(id)
	held, _, have := ring.Latest(now, marketcache.Forever)
	if have && held.SlowProof >= at {
		return // never replace a newer state
	}
	if !f.confirmed(id, &row.ctx, at, now, source) {
		return
	}
	next, proof := row.ctx, at
	next.PairMark = row.ctx.MarkPrice
	if f.marks.disputed(id) {
		proof = at.Add(-f.silence(stream{kind: marksStream}))
	} else if told, when, ok := f.marks.told(id, now, marksLately); ok && when >= at.Add(-marksLately) &&
		f.believes(id, told.mark, now) {
		next.MarkPrice, next.MidPrice, proof = told.mark, told.mid, when
	}
	next.SlowProof = at
	ring.Publish(next, proof)
	f.openInterest.Observe(id, row.ctx.OpenInterestUnits*row.ctx.MarkPrice, f.clock.VenueMs(now))
}

// followContexts reads marks and contexts by REST when the streams do not bring them: those of the main
// dex and of one other dex, each at most once in marksByREST. It also publishes their cadences.
func (f *Feed) followContexts(ctx context.Context) {
	var askedMain, askedOther, askedMoved marketcache.Instant
	movedOften := movedByREST
	if f.cfg.Budget > 0 {
		movedOften = max(movedOften, refreshShare*tableWeight*time.Minute/time.Duration(f.cfg.Budget))
	}
	turn, moved := 0, movedOften
	for ctx.Err() == nil {
		select {
		case <-time.After(time.Second):
		case <-f.unsure:
		case <-f.queue.Recovered(): // what was asked in vain is asked again
			askedMain, askedOther = 0, 0
		case <-ctx.Done():
			return
		}
		now := marketcache.Now()
		slow := f.cadences.contexts.Every()
		f.cache.Venue.MarkCadence.Store(int64(f.cadences.marks.Every()))
		f.cache.Venue.SlowCadence.Store(int64(slow))
		late := func(dex string) bool {
			marksLate, slowLate := f.oldest(dex, now)
			return marksLate > f.silence(stream{kind: marksStream}) || slowLate > slow+contextLate
		}
		if dex, any := f.movedDex(); !any {
			moved = movedOften
		} else if now.Sub(askedMoved) >= moved {
			moved = min(2*moved, movedAtMost)
			askedMoved = now
			if dex == "" {
				askedMain = now
			}
			f.fetchUniverse(ctx, dex, feed.ForLive, tablePatience)
		}
		if now.Sub(askedMain) >= marksByREST && late("") {
			askedMain = now
			f.fetchUniverse(ctx, "", feed.ForLive, tablePatience)
		}
		if live := f.dexes.live(); now.Sub(askedOther) >= marksByREST {
			for i := range live {
				if dex := live[(turn+i)%len(live)]; late(dex) {
					askedOther, turn = now, turn+i+1
					f.fetchUniverse(ctx, dex, feed.ForLive, tablePatience)
					break
				}
			}
		}
	}
}

// movedDex returns a dex with an asset whose mark has moved away from the one that came with its oracle price, or
// whose mark or other figures are contradicted. Of several it returns the one whose context is the oldest.
func (f *Feed) movedDex() (dex string, any bool) {
	u, now := f.cache.Universe(), marketcache.Now()
	var oldest marketcache.Instant
	for _, id := range f.ranks.Load().IDs {
		c, _, ok := f.cache.Contexts(id).Latest(now, marketcache.Forever)
		if !ok {
			continue
		}
		if _, paired := c.Pair(); (!paired || f.inDoubt(id, now)) && (!any || c.SlowProof < oldest) {
			dex, any, oldest = u.Assets[id].Dex, true, c.SlowProof
		}
	}
	return dex, any
}

// oldest returns the 90th percentile of the ages of a dex's marks and of the slow parts: one asset
// without updates is no reason to read all.
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

// upperTenth returns the 90th percentile of durations, 0 for none.
func upperTenth(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)-1-len(d)/10]
}
