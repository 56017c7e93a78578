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

// dexes are the builder-deployed dexes that are followed beside the main one. What is asked of
// each costs as much as of the main dex, so they take turns: the main dex is read as if it were
// alone, one of the others each time beside it (docs/venue.md).
type dexes struct {
	wanted   []string // as configured
	universe *universe
	due      chan struct{} // one token: a dex's contexts did not match its universe

	mu         sync.Mutex
	all        []string // of the venue, in its order; immutable, replaced whole
	names      []string // those that are followed, likewise
	listed     marketcache.Instant
	asked      map[string]marketcache.Instant // when each one's universe was asked for
	mismatches map[string]bool
}

// Names in Config.Dexes that are not those of a builder-deployed dex.
const (
	MainDex  = "main"
	AllDexes = "all"
)

const (
	dexsEvery = 10 * time.Minute // how often the list of dexes is read
	// deadEvery is how often a dex without a live market is read, if the others leave a turn.
	deadEvery = 30 * time.Minute
	// capsTurn is the time in which every dex's list of caps is read once, slowCapsTurn while the
	// first pass of histories is under way.
	capsTurn, slowCapsTurn = 100 * time.Second, 4 * time.Minute
)

func newDexes(wanted []string, u *universe) dexes {
	return dexes{
		wanted: wanted, universe: u, due: make(chan struct{}, 1),
		asked: map[string]marketcache.Instant{}, mismatches: map[string]bool{},
	}
}

// follows reports whether a dex is to be followed; the main one always is.
func (d *dexes) follows(dex string) bool {
	return dex == "" || slices.Contains(d.wanted, dex) || slices.Contains(d.wanted, AllDexes)
}

// live returns the dexes with a listed asset, but for the main one.
func (d *dexes) live() []string {
	d.mu.Lock()
	names := d.names
	d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(names), func(dex string) bool { return !d.universe.isLive(dex) })
}

// mayHold returns the dexes on which a wallet may have positions: all but the main one and those
// that are known to have no live market.
func (d *dexes) mayHold() []string {
	d.mu.Lock()
	all := d.all
	d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(all), func(dex string) bool {
		return d.universe.positions(dex) != nil && !d.universe.isLive(dex)
	})
}

// mismatched asks for a dex's universe to be read soon.
func (d *dexes) mismatched(dex string) {
	d.mu.Lock()
	d.mismatches[dex] = true
	d.mu.Unlock()
	signal(d.due)
}

// next returns the dex whose universe is to be read now, "" for none: one whose contexts did
// not match, if it was not asked for in the last minute, else the one that has waited longest.
func (d *dexes) next(now marketcache.Instant, minute time.Duration, mismatch bool) (next string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var oldest marketcache.Instant
	for _, dex := range d.names {
		at, asked := d.asked[dex]
		switch {
		case !asked:
			at = 0
		case mismatch && (!d.mismatches[dex] || now.Sub(at) < minute):
			continue
		case d.universe.positions(dex) != nil && !d.universe.isLive(dex):
			at = at.Add(deadEvery)
		}
		if next == "" || at < oldest {
			next, oldest = dex, at
		}
	}
	if next != "" {
		d.asked[next] = now
		delete(d.mismatches, next)
	}
	return next
}

// fetchDexs reads the list of dexes, with the open-interest caps that they publish.
func (f *Feed) fetchDexs(ctx context.Context) error {
	a, err := f.client.ask(ctx, tableRequest("perpDexs", "", 10*time.Second))
	if err != nil {
		f.supervisor.Warn("dexes not read", "error", err)
		return err
	}
	names, caps, ok := parseDexs(a.body)
	if !ok {
		err := venueError("perpDexs: %q", printable(a.body))
		f.supervisor.Warn("dexes not read", "error", err)
		return err
	}
	for _, name := range f.dexes.wanted {
		if name != MainDex && name != AllDexes && !slices.Contains(names, name) {
			f.supervisor.Warn("the venue has no such dex", "dex", name)
		}
	}
	all := slices.DeleteFunc(names, func(name string) bool { return name == "" })
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !f.dexes.follows(name) })
	f.universe.publishedCaps(caps)
	d := &f.dexes
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all, d.names, d.listed = all, names, a.sent
	return nil
}

// bootstrapDexes reads the universe of every followed dex once.
func (f *Feed) bootstrapDexes(ctx context.Context) {
	if f.fetchDexs(ctx) != nil {
		return // followDexes tries again
	}
	for range f.dexes.names {
		if dex := f.dexes.next(marketcache.Now(), 0, false); ctx.Err() == nil {
			f.fetchUniverse(ctx, dex, feed.ForTables)
		}
	}
}

// dexMetaEvery is how often the universe of one dex is read now.
func (f *Feed) dexMetaEvery() time.Duration {
	if f.history.Phase() == feed.FirstPass {
		return warmUpSlower * f.cfg.MetaEvery
	}
	return f.cfg.MetaEvery
}

// followDexes reads the universe of one dex at an interval (dexMetaEvery), and at once when contexts did not
// match it.
func (f *Feed) followDexes(ctx context.Context) {
	next := marketcache.Now().Add(f.dexMetaEvery())
	for ctx.Err() == nil {
		t := time.NewTimer(next.Sub(marketcache.Now()))
		mismatch := false
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-f.dexes.due:
			t.Stop()
			mismatch = true
		case <-t.C:
		}
		now := marketcache.Now()
		f.dexes.mu.Lock()
		old := f.dexes.listed == 0 || now.Sub(f.dexes.listed) >= dexsEvery
		f.dexes.mu.Unlock()
		var err error
		if old && !mismatch {
			err = f.fetchDexs(ctx)
		}
		if dex := f.dexes.next(now, f.cfg.MetaEvery, mismatch); dex != "" && err == nil {
			err = f.fetchUniverse(ctx, dex, feed.ForTables)
		}
		if !mismatch {
			next = now.Add(nextTry(f.dexMetaEvery(), err))
		}
	}
}

// followDexCaps reads the lists of caps of the live dexes in turn, the first time without pause.
func (f *Feed) followDexCaps(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		live, every := f.dexes.live(), capsTurn
		if f.history.Phase() == feed.FirstPass {
			every = slowCapsTurn
		}
		if len(live) > 0 {
			f.fetchCaps(ctx, live[turn%len(live)], every)
		}
		if turn+1 >= len(live) {
			feed.Sleep(ctx, every/time.Duration(max(1, len(live))))
		}
	}
}

// tableRequest is the question for a table, of one dex where each has its own.
func tableRequest(kind, dex string, patience time.Duration) request {
	body := `{"type":"` + kind + `"}`
	if dex != "" {
		body = `{"type":"` + kind + `","dex":` + strconv.Quote(dex) + `}`
	}
	return request{what: kind, body: body, priority: feed.ForTables, weight: 20, patience: patience}
}
