package hyperliquid

import (
	"context"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// contextMode is where contexts come from.
type contextMode int32

const (
	fromAll  contextMode = iota // one subscription to all contexts
	fromEach                    // one subscription an asset
	fromREST                    // metaAndAssetCtxs every few seconds
)

// String names the mode.
func (m contextMode) String() string { return [...]string{"all", "each", "rest"}[m] }

// modes is how contexts are obtained now, and what the venue has refused.
type modes struct {
	now                     atomic.Int32
	refusedAll, refusedEach atomic.Bool // an error frame named the subscription
	probing                 atomic.Bool // fromAll is tried again beside another mode
}

func (m *modes) mode() contextMode { return contextMode(m.now.Load()) }

// Times of the fallback.
const (
	restYields    = 2 * time.Second  // REST contexts never replace socket ones younger than this
	restEvery     = 3 * time.Second  // how often REST is asked while contexts are missing
	restSlowly    = 10 * time.Second // how often while only a few are
	contextsOld   = 4 * time.Second  // age from which contexts count as missing
	fewContexts   = 0.20             // share of assets that counts as a few
	probeAllEvery = 5 * time.Minute  // how often fromAll is tried again
	probeAllFor   = 10 * time.Second
	trialOfEach   = 8 * time.Second // fromEach must serve half of the assets by then
)

// publishContexts publishes contexts that are matched to assets by position, and
// reports false, publishing nothing, when their number is not that of the universe;
// the universe is then read again. With yield > 0, assets whose context is younger
// than that are left alone.
func (f *Feed) publishContexts(rows []contextRow, at marketcache.Instant, yield time.Duration) bool {
	order := f.universe.positions()
	if len(rows) != len(order) {
		if order != nil {
			signal(f.metaDue)
		}
		return false
	}
	f.contexts.Lock()
	defer f.contexts.Unlock()
	now := marketcache.Now()
	for i := range rows {
		if order[i] != marketcache.NoAsset {
			f.putContext(order[i], &rows[i], at, now, yield)
		}
	}
	return true
}

// publishContext publishes one asset's context.
func (f *Feed) publishContext(id marketcache.AssetID, row *contextRow, at marketcache.Instant, yield time.Duration) {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	f.putContext(id, row, at, marketcache.Now(), yield)
}

func (f *Feed) putContext(id marketcache.AssetID, row *contextRow, at, now marketcache.Instant, yield time.Duration) {
	ring := f.cache.Contexts(id)
	if !row.ok {
		if a := f.cache.Universe().Asset(id); a != nil && !a.Delisted {
			f.stats.rejectedContexts.Add(1)
			f.setAside(asideContext, a.Name)
		}
		return
	}
	held, age, have := ring.Latest(now, marketcache.Forever)
	switch {
	case have && yield > 0 && age < yield:
		return
	case have && *held == row.ctx:
		ring.Confirm(at)
	default:
		ring.Publish(row.ctx, at)
	}
	f.interest.see(id, row.ctx.OpenInterestUnits*row.ctx.MarkPrice, f.clock.at(now))
}

// contextSocket is the connection that carries contexts.
func (f *Feed) contextSocket() *socket { return f.sockets[bookSockets] }

// planContexts sets the context socket's streams for the mode.
func (f *Feed) planContexts() {
	f.planning.Lock()
	defer f.planning.Unlock()
	var streams []stream
	m := &f.feedModes
	if m.mode() == fromAll || m.probing.Load() {
		streams = append(streams, stream{kind: allContextsStream})
	}
	if m.mode() == fromEach {
		u := f.cache.Universe()
		for _, id := range f.ranks.Load().ids {
			streams = append(streams, stream{kind: contextStream, id: id, coin: u.Assets[id].Name})
		}
	}
	f.contextSocket().want(streams)
}

// followContexts watches over the source of contexts and changes it when it does not
// serve: all at once, else asset by asset while the subscriptions suffice, else REST.
func (f *Feed) followContexts(ctx context.Context) {
	tick := time.NewTicker(keepTick)
	defer tick.Stop()
	m := &f.feedModes
	var since, polled, probe marketcache.Instant
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := marketcache.Now()
		before := m.mode()
		switch {
		case m.probing.Load():
			if f.allServes(now) {
				m.probing.Store(false)
				m.now.Store(int32(fromAll))
			} else if now.Sub(probe) >= probeAllFor {
				m.probing.Store(false)
				probe = now
				f.planContexts()
			}
		case before == fromAll:
			if m.refusedAll.Load() || f.allSilent(now) {
				m.now.Store(int32(f.fallback()))
				probe = now
			}
		case now.Sub(probe) >= probeAllEvery:
			m.refusedAll.Store(false)
			m.probing.Store(true)
			probe = now
			f.planContexts()
		case before == fromEach:
			if m.refusedEach.Load() || (now.Sub(since) >= trialOfEach && f.eachSilent(now)) {
				m.refusedEach.Store(true)
				m.now.Store(int32(fromREST))
			}
		}
		if mode := m.mode(); mode != before {
			since = now
			f.log.Info("contexts come from another source", "from", before.String(), "to", mode.String())
			f.planContexts()
		}
		missing := f.missing(now, contextsOld)
		pause := restEvery
		if missing < fewContexts && m.mode() != fromREST {
			pause = restSlowly
		}
		if (missing > 0 || m.mode() == fromREST) && now.Sub(polled) >= pause {
			polled = now
			f.readUniverse(ctx, forLive)
		}
	}
}

// allStream returns the subscription to all contexts and whether it is asked for on a
// live connection.
func (f *Feed) allStream() (sub *subscription, live bool) {
	s := f.contextSocket()
	sub = (*s.lookup.Load())[""]
	return sub, sub != nil && s.up.Load() && sub.subscribedAt.Load() != 0
}

func (f *Feed) allServes(now marketcache.Instant) bool {
	sub, live := f.allStream()
	return live && now.Sub(marketcache.Instant(sub.lastMessage.Load())) < contextsSilence
}

// allSilent reports whether the subscription has said nothing since it was made, for
// twice the watchdog's time: it was then renewed once in vain.
func (f *Feed) allSilent(now marketcache.Instant) bool {
	sub, live := f.allStream()
	if !live {
		return false
	}
	s := f.contextSocket()
	since := max(marketcache.Instant(s.connectedAt.Load()), marketcache.Instant(sub.lastMessage.Load()))
	if sub.lastMessage.Load() == 0 { // never served: the venue may not know it
		return now.Sub(since) >= contextsSilence
	}
	return now.Sub(since) >= 3*contextsSilence
}

// eachSilent reports whether most of the assets' own subscriptions have said nothing
// for trialOfEach on a live connection.
func (f *Feed) eachSilent(now marketcache.Instant) bool {
	s := f.contextSocket()
	if !s.up.Load() || now.Sub(marketcache.Instant(s.connectedAt.Load())) < trialOfEach {
		return false
	}
	silent, all := 0, 0
	for _, sub := range *s.lookup.Load() {
		if sub.kind == contextStream {
			all++
			if now.Sub(marketcache.Instant(sub.lastMessage.Load())) >= trialOfEach {
				silent++
			}
		}
	}
	return 2*silent > all
}

// fallback chooses the source when all contexts at once are not to be had.
func (f *Feed) fallback() contextMode {
	books := 0
	for _, s := range f.sockets[:bookSockets] {
		books += len(*s.lookup.Load())
	}
	if f.feedModes.refusedEach.Load() || books+len(f.ranks.Load().ids) > bookSubscription {
		return fromREST
	}
	return fromEach
}

// missing returns the share of listed assets whose context is older than a limit.
func (f *Feed) missing(now marketcache.Instant, limit time.Duration) float64 {
	ids := f.ranks.Load().ids
	if len(ids) == 0 {
		return 0
	}
	n := 0
	for _, id := range ids {
		if _, _, ok := f.cache.Contexts(id).Latest(now, limit); !ok {
			n++
		}
	}
	return float64(n) / float64(len(ids))
}

// refreshBooks drops coarse precisions that have become too old from the merged books.
func (f *Feed) refreshBooks(ctx context.Context) {
	every(ctx, time.Second, func() error {
		now := marketcache.Now()
		for _, id := range f.ranks.Load().ids {
			f.cells[id].refresh(f.cache.Books(id), now)
		}
		return nil
	})
}
