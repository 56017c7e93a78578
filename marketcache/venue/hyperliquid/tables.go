package hyperliquid

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"ballast/marketcache"
)

// bootstrap reads the universe and the clock for the first time, for as long as it
// takes. A venue that is down is tried every few seconds.
func (f *Feed) bootstrap(ctx context.Context) {
	for n := 1; ctx.Err() == nil; n++ {
		if f.fetchClock(ctx); f.fetchUniverse(ctx, "", forTables) == nil {
			f.bootstrapDexes(ctx)
			return
		}
		if sleep(ctx, min(backoffMin<<min(n, 4), pilotPause)) != nil {
			return
		}
	}
}

// followMeta reads the universe every MetaEvery, and at once when contexts did not
// match it.
func (f *Feed) followMeta(ctx context.Context) {
	f.replan()
	ranked := marketcache.Now()
	wait := f.cfg.MetaEvery
	for {
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-f.metaDue:
			t.Stop()
			if sleep(ctx, time.Second) != nil { // one answer to a burst of mismatches
				return
			}
		case <-t.C:
		}
		wait = nextTry(f.cfg.MetaEvery, f.fetchUniverse(ctx, "", forTables))
		if now := marketcache.Now(); now.Sub(ranked) >= rankEvery {
			ranked = now
			f.replan()
		}
	}
}

// rankEvery is how often the order of open interest, and with it the plan of
// subscriptions, is made anew.
const rankEvery = 10 * time.Minute

// fetchUniverse asks for the universe and all contexts of a dex and publishes both. The pair is
// refused whole when their lengths differ.
func (f *Feed) fetchUniverse(ctx context.Context, dex string, p priority) error {
	a, err := f.client.ask(ctx, request{
		what: "metaAndAssetCtxs", body: dexBody("metaAndAssetCtxs", dex), priority: p, weight: 20, patience: 10 * time.Second,
	})
	if err != nil {
		f.complain.warn(f.log, "universe not read", "dex", dex, "error", err)
		return err
	}
	f.tables.Lock()
	defer f.tables.Unlock()
	if a.sent < f.tablesSent[dex] {
		return nil // an answer to a later question was quicker
	}
	m, rows, ok := parseMetaAndContexts(a.body, f.restRows)
	if !ok {
		f.stats.badMeta.Add(1)
		err := venueError("metaAndAssetCtxs: not a universe with its contexts: %q", printable(a.body))
		f.complain.warn(f.log, "universe refused", "dex", dex, "error", err)
		return err
	}
	f.restRows = rows
	m.asked, m.dex = a.sent, dex
	changed, aside, err := f.universe.take(m)
	if err != nil {
		f.stats.badMeta.Add(1)
		f.complain.warn(f.log, "universe refused", "dex", dex, "error", err)
		return err
	}
	f.tablesSent[dex] = a.sent
	for _, name := range aside {
		f.setAside(asideListing, name)
	}
	if m.badTables > 0 {
		f.setAside(asideTable, "")
	}
	// The answer has no time of its own: it is no older than the question. Its contexts are in
	// the order of its own names.
	f.putContexts(rows, f.universe.positions(dex), a.sent, fromREST)
	if f.store != nil && (changed || len(aside) == 0) { // a restart is to find the last good listing of each
		f.store.saveMeta(dex, a.body, changed)
	}
	if changed {
		f.replan()
	}
	return nil
}

// ranking is the listed assets by falling open interest. Immutable.
type ranking struct {
	ids  []marketcache.AssetID
	rank []int // by AssetID; len(ids) for one that is not listed
	head int   // how many of ids carry headShare of all open interest
}

// headShare of the open interest decides which assets' histories are loaded before the
// others': the same share that makes the service ready.
const headShare = 0.80

func (r *ranking) of(id marketcache.AssetID) int {
	if int(id) < len(r.rank) {
		return r.rank[id]
	}
	return len(r.ids)
}

// replan ranks the assets and sets what the sockets carry.
func (f *Feed) replan() {
	f.planning.Lock()
	defer f.planning.Unlock()
	u := f.cache.Universe()
	r := &ranking{rank: make([]int, len(u.Assets))}
	usd := make([]float64, len(u.Assets))
	total := 0.0
	now := marketcache.Now()
	for _, a := range u.Assets {
		if a.Delisted {
			continue
		}
		r.ids = append(r.ids, a.ID)
		if c, _, ok := f.cache.Contexts(a.ID).Latest(now, marketcache.Forever); ok {
			usd[a.ID] = c.OpenInterestUnits * c.MarkPrice
			total += usd[a.ID]
		}
	}
	slices.SortStableFunc(r.ids, func(a, b marketcache.AssetID) int { return cmp.Compare(usd[b], usd[a]) })
	for i := range r.rank {
		r.rank[i] = len(r.ids)
	}
	sum := 0.0
	for i, id := range r.ids {
		r.rank[id] = i
		if sum < headShare*total {
			r.head = i + 1
		}
		sum += usd[id]
	}
	f.ranks.Store(r)
	f.subscribe.Store(int64(f.room.subscriptions)) // another program may have left
	f.subscribeFor(r.ids)
}

// every calls fn now and then at the interval until ctx ends, sooner after an error. The first
// interval is longer by phase, so that what starts together is spread over a minute.
func every(ctx context.Context, interval, phase time.Duration, fn func() error) {
	for sleep(ctx, phase+nextTry(interval, fn())) == nil {
		phase = 0
	}
}

// nextTry returns when to do again what is done at an interval: after a failure at a
// quarter of it, unless the venue does not know the question.
func nextTry(interval time.Duration, err error) time.Duration {
	var e *Error
	if err == nil || errors.As(err, &e) && e.Status >= 400 && e.Status < 500 {
		return interval
	}
	return interval / 4
}

// followClock measures the venue's clock.
func (f *Feed) followClock(ctx context.Context) {
	every(ctx, f.cfg.ClockEvery, 0, func() error { return f.fetchClock(ctx) })
}

func (f *Feed) fetchClock(ctx context.Context) error {
	defer func() { f.cache.Venue.ClockSkewMs.Store(f.clock.skewMs()) }()
	a, err := f.client.ask(ctx, request{
		what: "exchangeStatus", body: `{"type":"exchangeStatus"}`, priority: forLive, weight: 2, patience: 10 * time.Second,
	})
	if err != nil {
		return err
	}
	ms, notice, ok := parseStatus(a.body)
	if !ok {
		return venueError("exchangeStatus: %q", printable(a.body))
	}
	f.clock.readStatus(ms, a.sent, a.received)
	if notice != "" && notice != "null" {
		f.complain.warn(f.log, "venue notice", "text", notice)
	}
	return nil
}

// followCaps reads which assets of the main dex are at their open-interest cap.
func (f *Feed) followCaps(ctx context.Context) {
	every(ctx, f.cfg.TablesEvery, f.cfg.TablesEvery/2, func() error { return f.fetchCaps(ctx, "") })
}

// capsRead is the newest list of a dex's assets at their cap.
type capsRead struct {
	names []string
	sent  marketcache.Instant
}

// fetchCaps reads one dex's list and publishes those of all; the oldest tells the age.
func (f *Feed) fetchCaps(ctx context.Context, dex string) error {
	a, err := f.client.ask(ctx, request{
		what: "perpsAtOpenInterestCap", body: dexBody("perpsAtOpenInterestCap", dex), priority: forTables, weight: 20, patience: 30 * time.Second,
	})
	if err != nil {
		f.complain.warn(f.log, "caps not read", "dex", dex, "error", err)
		return err
	}
	names, ok := parseNames(a.body)
	if !ok {
		return venueError("perpsAtOpenInterestCap: %q", printable(a.body))
	}
	f.tables.Lock()
	defer f.tables.Unlock()
	if a.sent < f.caps[dex].sent {
		return nil
	}
	f.caps[dex] = capsRead{names, a.sent}
	u, oldest := f.cache.Universe(), a.sent
	caps := &marketcache.Caps{AtCap: make([]bool, len(u.Assets))}
	for of, list := range f.caps {
		if of != "" && !f.universe.isLive(of) { // not read any more
			delete(f.caps, of)
			continue
		}
		oldest = min(oldest, list.sent)
		for _, name := range list.names {
			if id := u.LookupString(name); id != marketcache.NoAsset {
				caps.AtCap[id] = true
			} else if name == "" && of == dex {
				f.setAside(asideCap, "")
			}
		}
	}
	f.cache.Caps().Publish(caps, oldest)
	f.interest.atCap(caps, f.clock.at(a.received))
	return nil
}

// fewPredicted: while the first pass of histories is under way, predicted fundings are read that
// many times more seldom: they serve for ten minutes.
const fewPredicted = 5

// followPredicted reads the predicted funding of other exchanges.
func (f *Feed) followPredicted(ctx context.Context) {
	skipped := 0
	every(ctx, f.cfg.TablesEvery, f.cfg.TablesEvery/4, func() error {
		if skipped++; skipped%fewPredicted != 1 && f.history.phase() == firstPass {
			return nil
		}
		return f.fetchPredicted(ctx)
	})
}

func (f *Feed) fetchPredicted(ctx context.Context) error {
	a, err := f.client.ask(ctx, request{
		what: "predictedFundings", body: `{"type":"predictedFundings"}`, priority: forTables, weight: 20, patience: 30 * time.Second,
	})
	if err != nil {
		f.complain.warn(f.log, "predicted fundings not read", "error", err)
		return err
	}
	u := f.cache.Universe()
	if !parsePredicted(a.body, func(coin []byte, c marketcache.CEXFunding) {
		if id := u.Lookup(coin); id != marketcache.NoAsset {
			f.cache.CEX(id).Publish(c, a.sent)
		} else if coin == nil {
			f.setAside(asidePredicted, "")
		}
	}) {
		return venueError("predictedFundings: %q", printable(a.body))
	}
	return nil
}
