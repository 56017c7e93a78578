package hyperliquid

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ballast/internal/similar"
	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// dexes is the state of the followed builder-deployed dexes. Reading the universe of one costs as much
// weight as that of the main dex, so they take turns: one is read for each read of the main dex.
type dexes struct {
	wanted   []string // from the configuration
	universe *universe
	due      chan struct{} // one token: the contexts of a dex did not match its universe

	mu         sync.Mutex
	all        []string // all of the venue's dexes in its order; immutable, replaced as a whole
	names      []string // the followed dexes, immutable like all
	listed     marketcache.Instant
	asked      map[string]marketcache.Instant // when the universe of each dex was last requested
	mismatches map[string]bool
}

// Two names with a special meaning in Config.Dexes.
const (
	MainDex  = "main"
	AllDexes = "all"
)

const (
	dexsEvery = 10 * time.Minute // interval between reads of the list of dexes
	// deadEvery is how much later than the others a dex without a live market is read again.
	deadEvery = 30 * time.Minute
	// capsTurn is the time for reading every dex's list of open-interest caps once.
	capsTurn = 100 * time.Second
	// startPause is between two lists of caps at the start, which takes much of the weight, lateCaps between two that
	// are late.
	startPause, lateCaps = 5 * time.Second, time.Second
)

func newDexes(wanted []string, u *universe) dexes {
	return dexes{
		wanted: wanted, universe: u, due: make(chan struct{}, 1),
		asked: map[string]marketcache.Instant{}, mismatches: map[string]bool{},
	}
}

// follows reports whether a dex is followed; the main dex always is.
func (d *dexes) follows(dex string) bool {
	return dex == "" || slices.Contains(d.wanted, dex) || slices.Contains(d.wanted, AllDexes)
}

// live returns the dexes, except the main one, that have a listed asset.
func (d *dexes) live() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.names), func(dex string) bool { return !d.universe.isLive(dex) })
}

// mayHold returns the dexes on which a wallet may have positions: all except the main one and those
// known to have no live market.
func (d *dexes) mayHold() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.all), func(dex string) bool {
		return d.universe.positions(dex) != nil && !d.universe.isLive(dex)
	})
}

// mismatched requests an early read of a dex's universe.
func (d *dexes) mismatched(dex string) {
	d.mu.Lock()
	d.mismatches[dex] = true
	d.mu.Unlock()
	marketcache.Signal(d.due)
}

// next returns the dex whose universe is to be read now, "" for none: the one read longest ago. With
// mismatch it must be new, or have contexts that did not match and not be read in the last minute.
func (d *dexes) next(now marketcache.Instant, mismatch bool) (next string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var oldest marketcache.Instant
	for _, dex := range d.names {
		at, asked := d.asked[dex]
		switch {
		case !asked:
			at = 0
		case mismatch && (!d.mismatches[dex] || now.Sub(at) < universeEvery):
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

// fetchDexs reads the list of dexes with their open-interest caps.
func (f *Feed) fetchDexs(ctx context.Context, class feed.Class) error {
	var names []string
	var caps map[string]float64
	var sent marketcache.Instant
	err := f.askTable(ctx, "dexes not read", "perpDexs", "", class, tablePatience, func(a answer) (ok bool) {
		sent = a.sent
		names, caps, ok = parseDexs(a.body)
		return ok
	})
	if err != nil {
		return err
	}
	f.checkDexes(names)
	f.universe.published(caps, names, f.fetchTokens(ctx, names, class))
	all := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !f.dexes.follows(name) })
	d := &f.dexes
	d.mu.Lock()
	d.all, d.names, d.listed = all, names, sent
	d.mu.Unlock()
	f.queue.First.Store(int64(f.firstWeight()))
	return nil
}

// fetchTokens reads the collateral token of each dex, if some dex is not followed: those of followed dexes stand in
// their own lists of assets. names are all dexes in the venue's order.
func (f *Feed) fetchTokens(ctx context.Context, names []string, class feed.Class) (tokens map[string]int) {
	if !slices.ContainsFunc(names, func(dex string) bool { return !f.dexes.follows(dex) }) {
		return nil
	}
	f.askTable(ctx, "collateral tokens not read", "allPerpMetas", "", class, tablePatience, func(a answer) bool {
		tokens = parseTokens(a.body, names)
		return tokens != nil
	})
	return tokens
}

// checkDexes compares the configured dexes with those that the venue lists; "" stands for an unreadable one.
func (f *Feed) checkDexes(names []string) {
	for _, name := range f.dexes.wanted {
		if name == MainDex || name == AllDexes || slices.Contains(names, name) {
			continue
		}
		f.dexes.mu.Lock()
		first := f.dexes.listed == 0
		f.dexes.mu.Unlock()
		if !first || f.cfg.NoDex == nil || slices.Contains(names, "") {
			f.supervisor.Warn("the venue has no such dex", "dex", name)
			continue
		}
		hint := ""
		if near := similar.Name(name, names); near != "" {
			hint = ", did you mean " + near
		}
		f.cfg.NoDex(fmt.Errorf("the venue has no dex %q%s; it has main, %s", name, hint,
			strings.Join(names, ", ")))
		return
	}
}

// readDexes reads the universes not requested yet: with known those restored from disk, else the others.
func (f *Feed) readDexes(ctx context.Context, known bool, patience time.Duration) (failed error) {
	for _, dex := range f.dexes.unasked(known) {
		if err := f.fetchUniverse(ctx, dex, feed.ForLive, patience); err != nil {
			failed = err
			f.dexes.mu.Lock()
			delete(f.dexes.asked, dex)
			f.dexes.mu.Unlock()
		}
	}
	return failed
}

// unasked returns the dexes that readDexes is to read, and records that they are being read.
func (d *dexes) unasked(known bool) (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dex := range d.names {
		if _, asked := d.asked[dex]; !asked && (d.universe.positions(dex) != nil) == known {
			d.asked[dex] = marketcache.Now()
			names = append(names, dex)
		}
	}
	return names
}

// followDexes reads the universe of one dex every universeEvery, and at once when contexts did not
// match it.
func (f *Feed) followDexes(ctx context.Context) {
	f.readDexes(ctx, true, tablePatience)
	for range 3 { // what bootstrap could not read: the assets are unknown until then
		if f.readDexes(ctx, false, time.Minute) == nil || feed.Sleep(ctx, 10*time.Second) != nil {
			break
		}
	}
	next := marketcache.Now().Add(f.warmingUp(universeEvery))
	for ctx.Err() == nil {
		mismatch := false
		select {
		case <-ctx.Done():
			return
		case <-f.dexes.due:
			mismatch = true
		case <-time.After(next.Sub(marketcache.Now())):
		}
		now := marketcache.Now()
		f.dexes.mu.Lock()
		old := f.dexes.listed == 0 || now.Sub(f.dexes.listed) >= dexsEvery
		f.dexes.mu.Unlock()
		var err error
		if old && !mismatch {
			err = f.fetchDexs(ctx, feed.ForLive)
		}
		if dex := f.dexes.next(now, mismatch); dex != "" && err == nil {
			err = f.fetchUniverse(ctx, dex, feed.ForLive, tablePatience)
		}
		if !mismatch {
			next = now.Add(nextTry(f.warmingUp(universeEvery), err))
		}
	}
}

// followDexCaps reads the lists of caps of the live dexes evenly, the oldest first. At the start and after a silence,
// when several are due, pauses are short.
func (f *Feed) followDexCaps(ctx context.Context) {
	read, failed := map[string]marketcache.Instant{}, map[string]marketcache.Instant{}
	for ctx.Err() == nil {
		live, every, back := f.dexes.live(), f.warmingUp(capsTurn), f.queue.Recovered()
		pause := every / time.Duration(max(1, len(live)))
		if len(live) > 0 {
			due := func(dex string) marketcache.Instant {
				return max(read[dex].Add(every), failed[dex].Add(every/4))
			}
			oldest := func() string {
				return slices.MinFunc(live, func(a, b string) int { return cmp.Compare(due(a), due(b)) })
			}
			dex, now := oldest(), marketcache.Now()
			if nextTry(every, f.fetchCaps(ctx, dex, every, feed.ForLive)) == every {
				read[dex] = now
				delete(failed, dex)
			} else {
				failed[dex] = now
			}
			if dex = oldest(); read[dex] == 0 {
				pause = min(pause, startPause)
			} else {
				pause = min(pause, max(lateCaps, due(dex).Sub(marketcache.Now())))
			}
		}
		if len(failed) == 0 {
			back = nil
		}
		if rest(ctx, pause, back) {
			clear(failed)
		}
	}
}

// tableWeight is the request weight of a table.
const tableWeight = 20

// askTable requests a table, of one dex if each dex has its own. failed is the warning if it fails.
func (f *Feed) askTable(
	ctx context.Context, failed, kind, dex string, class feed.Class, patience time.Duration, take func(answer) bool,
) error {
	body := `{"type":"` + kind + `"}`
	if dex != "" {
		body = `{"type":"` + kind + `","dex":` + strconv.Quote(dex) + `}`
	}
	_, err := f.client.ask(ctx, request{what: kind, body: body, class: class, weight: tableWeight, patience: patience,
		take: take})
	if err != nil {
		f.supervisor.Warn(failed, "dex", dex, "error", err)
	}
	return err
}
