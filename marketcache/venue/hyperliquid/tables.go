package hyperliquid

import (
	"context"
	"errors"
	"slices"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// Intervals between reads of the universe, of the lists of caps and predicted fundings, and of the venue's clock and
// notice.
const universeEvery, tablesEvery, clockEvery = time.Minute, time.Minute, 9 * time.Second

// bootstrap reads the universe and the clock for the first time. It tries every few seconds until
// the venue answers.
func (f *Feed) bootstrap(ctx context.Context) {
	for n := 1; ctx.Err() == nil; n++ {
		if f.fetchClock(ctx); f.fetchUniverse(ctx, "", feed.ForStart, tablePatience) == nil {
			if f.fetchDexs(ctx, feed.ForStart) == nil { // otherwise followDexes tries again
				f.readDexes(ctx, false, tablePatience)
			}
			return
		}
		if feed.Sleep(ctx, min(feed.BackoffMin<<min(n, 4), feed.ProbeEvery)) != nil {
			return
		}
	}
}

// followMeta reads the universe of the main dex every universeEvery, and at once when contexts did not match it.
func (f *Feed) followMeta(ctx context.Context) {
	f.replan()
	ranked := marketcache.Now()
	wait := universeEvery
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.metaDue:
			if feed.Sleep(ctx, time.Second) != nil { // a burst of mismatches causes one read
				return
			}
		case <-time.After(wait):
		}
		wait = nextTry(universeEvery, f.fetchUniverse(ctx, "", feed.ForLive, tablePatience))
		if now := marketcache.Now(); now.Sub(ranked) >= rankEvery {
			ranked = now
			f.replan()
		}
	}
}

// warmUpSlower is the factor on the intervals of books, and of tables that change slowly, during the first pass of
// histories.
const warmUpSlower = 4

// warmingUp returns an interval as it is now: during the first pass of histories it is longer.
func (f *Feed) warmingUp(every time.Duration) time.Duration {
	if f.history.Phase() == feed.FirstPass {
		return warmUpSlower * every
	}
	return every
}

// rankEvery is the interval at which assets are ranked by open interest and subscriptions planned.
const rankEvery = 10 * time.Minute

// tablePatience is how long a table's request waits for weight: it is due again before long.
const tablePatience = 15 * time.Second

// fetchUniverse reads the universe and all contexts of a dex and publishes both, or neither if their
// lengths differ.
func (f *Feed) fetchUniverse(ctx context.Context, dex string, class feed.Class, patience time.Duration) error {
	var a answer
	take := func(got answer) bool { a = got; return true }
	if err := f.askTable(ctx, "universe not read", "metaAndAssetCtxs", dex, class, patience, take); err != nil {
		return err
	}
	f.tables.Lock()
	defer f.tables.Unlock()
	if a.sent < f.tablesSent[dex] {
		return nil // a later request was answered first
	}
	m, rows, ok := parseMetaAndContexts(a.body, f.restRows)
	if !ok {
		f.stats.badMeta.Add(1)
		err := venueError("metaAndAssetCtxs: not a universe with its contexts: %q", printable(a.body))
		f.supervisor.Warn("universe refused", "dex", dex, "error", err)
		return err
	}
	f.restRows = rows
	m.dex = dex
	changed, aside, err := f.universe.apply(m)
	if err != nil {
		f.stats.badMeta.Add(1)
		f.supervisor.Warn("universe refused", "dex", dex, "error", err)
		return err
	}
	f.tablesSent[dex] = a.sent
	for _, name := range aside {
		f.setAside(asideListing, name)
	}
	if m.badTables > 0 {
		f.setAside(asideTable, "")
	}
	// The answer has no venue time; it is no older than the request. Its contexts are in the order
	// of its own names.
	f.publishNamed(dex, rows, a.sent)
	if changed || len(aside) == 0 { // otherwise keep the last file in which every listing was good
		f.saveMeta(dex, a.body, changed)
	}
	if changed {
		f.replan()
	}
	return nil
}

// replan ranks the assets and sets the sockets' streams.
func (f *Feed) replan() {
	f.planning.Lock()
	defer f.planning.Unlock()
	r := feed.Rank(f.cache)
	f.ranks.Store(r)
	// another program may have freed subscriptions
	f.subscribe.Store(int64(f.room.subscriptions) - f.streams.reserved.Load())
	f.subscribeFor(r.IDs)
}

// every calls fn at an interval until ctx ends, sooner after an error and when the venue answers again. phase lengthens
// the first interval, so that loops that start together spread over a minute.
func (f *Feed) every(ctx context.Context, interval, phase time.Duration, fn func() error) {
	for ctx.Err() == nil {
		back := f.queue.Recovered()
		wait := nextTry(interval, fn())
		if wait == interval {
			back = nil
		}
		rest(ctx, phase+wait, back)
		phase = 0
	}
}

// rest waits for a time, or until a channel is closed, which it reports.
func rest(ctx context.Context, wait time.Duration, back <-chan struct{}) (isBack bool) {
	select {
	case <-back:
		return true
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return false
}

// nextTry returns the time until the next call: the interval, or a quarter of it after an error,
// unless the venue does not know the request.
func nextTry(interval time.Duration, err error) time.Duration {
	var e *marketcache.VenueError
	if err == nil || errors.As(err, &e) && e.Status >= 400 && e.Status < 500 {
		return interval
	}
	return interval / 4
}

// followClock measures the venue's clock. It starts with ten reads 110 ms apart, which determine the
// clock to a tenth of a second although the Date header has whole seconds.
func (f *Feed) followClock(ctx context.Context) {
	for range 10 {
		if f.fetchClock(ctx) != nil || feed.Sleep(ctx, 110*time.Millisecond) != nil {
			break
		}
	}
	f.every(ctx, clockEvery, 0, func() error { return f.fetchClock(ctx) })
}

// fetchClock measures the venue's clock and reads its notice.
func (f *Feed) fetchClock(ctx context.Context) error {
	var ms int64
	var status string
	a, err := f.client.ask(ctx, request{
		what: "exchangeStatus", body: `{"type":"exchangeStatus"}`, class: feed.ForStart, weight: 2,
		patience: 10 * time.Second, take: func(a answer) (ok bool) {
			ms, status, ok = parseStatus(a.body)
			return ok
		},
	})
	if err != nil {
		return err
	}
	f.clock.ObserveStatus(ms, a.sent, a.received)
	notice := noticeText(status)
	if was := f.cache.Rules().Notice; notice != was {
		f.supervisor.Warn("venue notice", "text", notice, "before", was)
	}
	f.setRules(func(r *marketcache.VenueRules) { r.Notice, r.NoticeRead = notice, a.sent })
	return nil
}

// followCaps reads the list of caps of the main dex.
func (f *Feed) followCaps(ctx context.Context) {
	class := feed.ForStart
	f.everyTable(ctx, func(every time.Duration) error {
		defer func() { class = feed.ForLive }()
		return f.fetchCaps(ctx, "", every, class)
	})
}

// everyTable calls read, with the present interval between its calls.
func (f *Feed) everyTable(ctx context.Context, read func(every time.Duration) error) {
	n := 0
	f.every(ctx, tablesEvery, tablesEvery/4, func() error {
		now := f.warmingUp(tablesEvery)
		if now > tablesEvery && n%warmUpSlower != 0 {
			n++
			return nil
		}
		err := read(now)
		if err == nil { // else it stays due
			n++
		}
		return err
	})
}

// fetchCaps reads which assets of a dex are at their open-interest cap. every is the present
// interval between reads.
func (f *Feed) fetchCaps(ctx context.Context, dex string, every time.Duration, class feed.Class) error {
	const failed, kind, patience = "caps not read", "perpsAtOpenInterestCap", 30 * time.Second
	return f.askTable(ctx, failed, kind, dex, class, patience, func(a answer) bool {
		names, ok := parseNames(a.body)
		if ok {
			f.takeCaps(names, dex, every, a)
		}
		return ok
	})
}

func (f *Feed) takeCaps(names []string, dex string, every time.Duration, a answer) {
	if slices.Contains(names, "") {
		f.setAside(asideCap, "")
	}
	for _, asset := range f.cache.Universe().Assets {
		if asset.Dex != dex || asset.Delisted {
			continue
		}
		ring, next := f.cache.Caps(asset.ID), marketcache.Cap{Reached: slices.Contains(names, asset.Name),
			Cadence: every * 5 / 4}
		if held := ring.Newest(); held != nil && held.Value == next {
			ring.Confirm(a.sent)
		} else {
			ring.Publish(next, a.sent)
		}
		if next.Reached {
			f.openInterest.ObserveAtCap(asset.ID, f.clock.VenueMs(a.received))
		}
	}
}

// followPredicted reads the predicted funding of other exchanges and, to compare it, of the venue itself.
func (f *Feed) followPredicted(ctx context.Context) {
	if f.cfg.Budget > 0 && feed.Sleep(ctx, tablesEvery/2) != nil { // the start takes much of the weight
		return
	}
	f.everyTable(ctx, func(time.Duration) error { return f.fetchPredicted(ctx) })
}

func (f *Feed) fetchPredicted(ctx context.Context) error {
	const failed, patience = "predicted fundings not read", 30 * time.Second
	u := f.cache.Universe()
	var again error
	take := func(a answer) bool {
		return parsePredicted(a.body, func(coin []byte, c marketcache.CEXFunding, own float64) {
			if id := u.Lookup(coin); id != marketcache.NoAsset {
				f.cache.CEX(id).Publish(c, a.sent)
				if f.predicted(id, own, a.sent) {
					again = venueError("predictedFundings: not the rate of the context of %s", coin)
				}
			} else if coin == nil {
				f.setAside(asidePredicted, "")
			}
		})
	}
	if err := f.askTable(ctx, failed, "predictedFundings", "", feed.ForLive, patience, take); err != nil {
		return err
	}
	return again
}
