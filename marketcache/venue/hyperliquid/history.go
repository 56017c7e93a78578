package hyperliquid

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"ballast/marketcache"
)

// history loads hourly bars and paid funding of every listed asset and keeps them up
// to date. A first pass makes every asset answerable: the newest warmRows bars, all of them
// only of the first wholeFirst assets, and no paid funding. A second one completes both.
// Workers take the most urgent job that is due:
//
//	0  bars of an asset that a caller waits for, never   priority forWanted
//	   loaded or hours behind
//	1  those of the others, by rank of open interest     forWarmUp
//	2  the newest closed hour, spread over the hour      forTopUp
//	3  the newest funding, every 2 to 4 hours
//	4  the second pass: older bars, then funding never
//	   loaded, by rank, wanted assets first
//
// All but the first are paced.
//
// What one asset's jobs write (cache and log) is written by one job at a time.
type history struct {
	f     *Feed
	mu    sync.Mutex
	of    map[marketcache.AssetID]*assetHistory
	paced marketcache.Instant // when the next history of the long tail may be asked for
}

// assetHistory is the state of one asset's histories; guarded by history.mu, but for
// the time in which its job is busy.
type assetHistory struct {
	disk     sync.Mutex // held while the log on disk is read
	restored bool       // that has ended; guarded by disk
	unread   int        // times that the disk would not give it; guarded by disk
	kinds    [historyParts]kindState

	// unchecked: the newest bar came from disk and has not been compared with the
	// venue's yet.
	unchecked bool
	emptyRead bool // the venue has answered [] once for an asset that trades
	ahead     bool // the cache held more than the log, which is to be written anew
	fundingMs int64
}

type historyKind int

const (
	barsKind historyKind = iota
	fundingKind
	wholeKind // bars older than those of the first pass
	historyParts
)

type kindState struct {
	loaded   bool // ever, from the venue or from disk
	behind   bool // loaded from disk, and more is due
	restored bool // loaded from disk and not due yet; when it is, next decides
	busy     bool
	due      marketcache.Instant
	failures int
}

// Times of the histories.
const (
	candleRows     = 5000 // bars that the venue keeps
	historyShare   = 0.64 // of the budget, what histories that nobody waits for may spend
	warmRows       = 240  // of the first pass, the forming one included: 24 weight
	wholeFirst     = 4    // assets that have all bars at once
	fundingRows    = 720  // rows wanted
	fundingPage    = 500  // rows of one answer
	rowsPerCandle  = 60   // rows to one more weight, candleSnapshot
	rowsPerFunding = 20   // and fundingHistory
	settleHour     = 20 * time.Second
	spreadHour     = 40 * time.Minute // top-ups of all assets, from settleHour on
	closeMargin    = 2 * time.Second  // a bar counts as closed that long after its end
	lateBar        = time.Minute      // a last bar may be missing that long after the hour
	emptyAgain     = 3 * time.Second
	fewFailures    = 4
	diskTries      = 5           // after which an asset's history is not kept in this life
	rowLate        = time.Second // a funding row may be stamped that long after the answer
	idlePoll       = 250 * time.Millisecond
)

func newHistory(f *Feed) *history {
	return &history{f: f, of: map[marketcache.AssetID]*assetHistory{}}
}

func (a *assetHistory) busy() bool {
	for i := range a.kinds {
		if a.kinds[i].busy {
			return true
		}
	}
	return false
}

func (h *history) asset(id marketcache.AssetID) *assetHistory {
	a := h.of[id]
	if a == nil {
		a = &assetHistory{}
		h.of[id] = a
	}
	return a
}

// pending returns how many listed assets have no bars loaded.
func (h *history) pending() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, a := range h.f.cache.Universe().Assets {
		if !a.Delisted && !h.asset(a.ID).kinds[barsKind].loaded {
			n++
		}
	}
	return n
}

// phase returns how far the warm-up is: the first pass under way, the second, or all done.
func (h *history) phase() phase {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := warm
	open := func(k *kindState) bool { return !k.loaded && k.failures < fewFailures } // nothing yields to what the venue refuses
	for _, id := range h.f.ranks.Load().ids {
		switch k := &h.asset(id).kinds; {
		case open(&k[barsKind]):
			return firstPass
		case open(&k[fundingKind]) || open(&k[wholeKind]):
			p = secondPass
		}
	}
	return p
}

type phase int

const (
	firstPass phase = iota
	secondPass
	warm
)

// short reports whether an asset's bars are those of the first pass and since.
func (h *history) short(id marketcache.AssetID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := &h.asset(id).kinds
	return k[barsKind].loaded && !k[wholeKind].loaded
}

func (h *history) fundingThrough(id marketcache.AssetID) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asset(id).fundingMs
}

// job is one thing to load.
type job struct {
	id       marketcache.AssetID
	name     string
	kind     historyKind
	priority priority
	rows     int // to ask for
}

// pace holds jobs back that nobody waits for, so that they spend the budget evenly and not in
// one burst a minute: then nothing else waits long for the next weight to come free.
func (h *history) pace(ctx context.Context, j job) error {
	if j.priority == forWanted || h.f.cfg.Budget == 0 {
		return nil
	}
	weight := 20 + perRows(j.rows, rowsPerCandle)
	if j.kind == fundingKind {
		weight = 20*((j.rows+fundingPage-1)/fundingPage) + perRows(j.rows, rowsPerFunding)
	}
	now := marketcache.Now()
	h.mu.Lock()
	at := max(h.paced, now)
	h.paced = at.Add(budgetWindow * time.Duration(weight) / time.Duration(1+historyShare*float64(h.f.cfg.Budget)))
	h.mu.Unlock()
	return sleep(ctx, at.Sub(now))
}

// work does jobs until ctx ends; with wantedOnly, those that a caller waits for.
func (h *history) work(ctx context.Context, wantedOnly bool) {
	var wanted <-chan struct{}
	if wantedOnly {
		wanted = h.f.cache.WantedAny()
	}
	for ctx.Err() == nil {
		j, ok := h.next(wantedOnly)
		if !ok {
			t := time.NewTimer(idlePoll)
			select {
			case <-ctx.Done():
			case <-wanted:
			case <-t.C:
			}
			t.Stop()
			continue
		}
		err := errPanic // until the job says otherwise
		func() {
			var again time.Duration
			defer func() { h.done(j, err, again) }()
			again, err = h.do(ctx, j)
		}()
		if err != nil && ctx.Err() == nil && !errors.Is(err, ErrBudget) {
			h.f.complain.warn(h.f.log, "history not loaded", "asset", j.name, "kind", int(j.kind), "error", err)
		}
	}
}

// next takes the most urgent job that is due and marks it busy.
func (h *history) next(wantedOnly bool) (best job, ok bool) {
	f := h.f
	u, r := f.cache.Universe(), f.ranks.Load()
	now := marketcache.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	bestScore := math.MaxInt
	for _, id := range r.ids {
		a := h.asset(id)
		if a.busy() {
			continue
		}
		wanted, rank, first := f.cache.Wanted(id), r.of(id), !a.kinds[barsKind].loaded
		for kind := range a.kinds {
			k := &a.kinds[kind]
			if k.restored {
				k.restored, k.due = false, now.Add(f.untilDue(id, historyKind(kind)))
			}
			if now < k.due || first && kind != int(barsKind) || k.loaded && kind == int(wholeKind) {
				continue
			}
			score, j := 0, job{id: id, kind: historyKind(kind), priority: forTopUp, rows: 1}
			switch {
			case kind == int(barsKind) && (first || k.behind):
				if j.priority = forWanted; !wanted {
					score, j.priority = 10_000+rank, forWarmUp
				}
				if first && (f.cfg.Budget == 0 || rank < wholeFirst) {
					j.rows = candleRows
				} else if first {
					j.rows = warmRows
				}
			case k.loaded:
				score = 50_000 + 10_000*kind + rank
			default:
				score, j.rows = 80_000+2*rank+int(wholeKind)-kind, candleRows
				if kind == int(fundingKind) {
					j.rows = fundingRows
				}
				if wanted {
					score -= 10_000
				}
			}
			if score < bestScore && (j.priority == forWanted || !wantedOnly) {
				bestScore = score
				best, ok = j, true
				best.name = u.Assets[id].Name
			}
		}
	}
	if ok {
		h.of[best.id].kinds[best.kind].busy = true
	}
	return best, ok
}

// done records the end of a job and when the next one is due.
func (h *history) done(j job, err error, again time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.of[j.id]
	k := &a.kinds[j.kind]
	k.busy = false
	if err == nil {
		k.loaded, k.behind, k.failures = true, false, 0
		k.due = marketcache.Now().Add(again)
		if j.kind == wholeKind { // brings the newest hour as well
			a.kinds[barsKind].due, a.kinds[barsKind].behind = k.due, false
		}
		return
	}
	k.failures++
	wait := backoff(k.failures+2, false) + 500*time.Millisecond
	if k.failures > 8 {
		wait += 5 * time.Minute
	}
	if errors.Is(err, errEmptyAnswer) {
		wait = emptyAgain
	}
	if w, ok := RetryAfter(err); ok {
		wait = w
	}
	k.due = marketcache.Now().Add(wait)
}

func (h *history) do(ctx context.Context, j job) (again time.Duration, err error) {
	if err := h.restore(j.id, j.name); err != nil {
		return 0, err
	}
	if err := h.pace(ctx, j); err != nil {
		return 0, err
	}
	if j.kind == fundingKind {
		return h.loadFunding(ctx, j)
	}
	return h.loadBars(ctx, j)
}

// restore reads an asset's log into the cache, once. What the cache already holds, of a feed
// before this one, goes on, with the older part that only the log has. A log that the disk
// does not give is tried again, for what is written before it has been read would stand in its
// place; after diskTries the service goes on without it, and the log stays as it is.
func (h *history) restore(id marketcache.AssetID, name string) error {
	h.mu.Lock()
	a := h.asset(id)
	h.mu.Unlock()
	a.disk.Lock()
	defer a.disk.Unlock()
	if a.restored {
		return nil
	}
	nowMs := h.f.clock.at(marketcache.Now())
	k := &kept{}
	if h.f.store != nil {
		read, err := h.f.store.load(name, nowMs)
		if err != nil {
			if a.unread++; a.unread < diskTries {
				return err
			}
		} else {
			k = read
		}
	}
	a.restored = true
	cache := h.f.cache
	ahead := k.join(cache, id)
	if k.barsThroughMs > 0 {
		cache.ReplaceBars(id, k.bars, k.barsThroughMs)
	}
	if held := cache.FundingStats(id); k.fundingThrough > 0 && (held == nil || held.ThroughVenueMs < k.fundingThrough) {
		cache.FundingRows(id).Replace(k.rows)
		cache.SetFunding(id, fundingStats(k.rows, k.fundingThrough))
	}
	h.answerable(id)
	if len(k.days) > 0 || k.capMs > 0 {
		h.f.interest.restore(id, k, nowMs)
	}

	h.mu.Lock()
	defer h.mu.Unlock()
	a.fundingMs = k.fundingThrough
	a.ahead = ahead
	a.unchecked = len(k.bars) > 0
	took := func(s *kindState, throughMs, next int64) {
		s.loaded = throughMs > 0
		s.behind = throughMs+next <= nowMs
		s.restored = s.loaded && !s.behind
	}
	took(&a.kinds[barsKind], k.barsThroughMs, hourMs)
	a.kinds[wholeKind].loaded = k.barsThroughMs > 0 && !k.short
	took(&a.kinds[fundingKind], k.fundingThrough, h.f.cfg.FundingEvery.Milliseconds())
	return nil
}

// answerable publishes empty statistics of paid funding that has not been read yet, so that an
// asset with bars can be assessed.
func (h *history) answerable(id marketcache.AssetID) {
	if _, through := h.f.cache.Bars(id); through > 0 && h.f.cache.FundingStats(id) == nil {
		h.f.cache.SetFunding(id, &marketcache.FundingStats{})
	}
}

// each calls fn for every listed asset, some at a time.
func (f *Feed) each(fn func(*marketcache.Asset)) {
	next := make(chan *marketcache.Asset)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		wg.Go(func() {
			for a := range next {
				f.guard("histories", func() error { fn(a); return nil })
			}
		})
	}
	for _, a := range f.cache.Universe().Assets {
		if !a.Delisted {
			next <- a
		}
	}
	close(next)
	wg.Wait()
}

// restoreHistories takes in every listed asset's history, of the disk and of the cache, unless
// it has been.
func (f *Feed) restoreHistories() {
	f.each(func(a *marketcache.Asset) { f.history.restore(a.ID, a.Name) })
}

// errEmptyAnswer marks an empty history of an asset that trades, read for the first
// time; it is believed when it is read again.
var errEmptyAnswer = venueError("no candles of an asset that trades")

// loadBars asks for the bars that are missing, of wholeKind for all, and puts them before and
// behind those held.
func (h *history) loadBars(ctx context.Context, j job) (again time.Duration, err error) {
	f := h.f
	h.forgetFuture(j)
	held, through := f.cache.Bars(j.id)
	h.mu.Lock()
	a := h.asset(j.id)
	unchecked, emptyRead := a.unchecked && len(held) > 0, a.emptyRead
	h.mu.Unlock()
	from, anew := through, through == 0 || j.kind == wholeKind
	switch {
	case anew && j.rows == warmRows: // the forming bar and two incomplete hours among them
		from = f.clock.at(marketcache.Now()) - (warmRows-2)*hourMs
	case anew:
		from = 0
	case unchecked:
		from = held[len(held)-1].OpenMs // once more, to compare
	}
	all := from == 0
	bars, newestMs, empty, askedMs, err := f.askCandles(ctx, j, from)
	if err != nil {
		return 0, err
	}
	if unchecked && differs(held[len(held)-1], bars) { // one answer is no proof
		if bars, newestMs, empty, askedMs, err = f.askCandles(ctx, j, 0); err != nil {
			return 0, err
		}
		if differs(held[len(held)-1], bars) {
			f.log.Warn("history on disk is not the venue's and is dropped", "asset", j.name, "bars", len(held))
			held, through, anew, all = nil, 0, true, true
			f.cache.ReplaceBars(j.id, nil, 0)
		}
	}
	if empty && anew && !emptyRead && f.trades(j.id) {
		h.mu.Lock()
		a.emptyRead = true
		h.mu.Unlock()
		return 0, errEmptyAnswer
	}
	last := int64(-1)
	if len(held) > 0 {
		last = held[len(held)-1].OpenMs
	}
	var older []marketcache.Bar
	if len(held) > 0 {
		n, _ := slices.BinarySearchFunc(bars, held[0].OpenMs, func(b marketcache.Bar, ms int64) int { return cmp.Compare(b.OpenMs, ms) })
		older, bars = bars[:n], bars[n:]
	}
	for len(bars) > 0 && bars[0].OpenMs <= last {
		bars = bars[1:]
	}
	if len(bars) > 0 {
		last = bars[len(bars)-1].OpenMs
	}
	// Bars are complete to the last full hour, unless the venue may still owe the last.
	closedMs := askedMs - closeMargin.Milliseconds()
	now := closedMs - closedMs%hourMs
	owed := last < now-hourMs && closedMs-now < lateBar.Milliseconds()
	complete := now
	if owed {
		complete -= hourMs
	}
	// An answer that ends hours ago although the asset trades proves nothing about the
	// hours since: the venue is behind, and the candles age. The forming bar, or a day
	// without a trade, tells a quiet asset.
	if last >= 0 && max(last, newestMs) < now-2*hourMs && f.trades(j.id) {
		complete = last + hourMs
	}
	complete = max(through, complete)
	if len(older) > 0 {
		f.cache.ReplaceBars(j.id, slices.Concat(older, held, bars), complete)
	} else {
		f.cache.AppendBars(j.id, bars, complete)
	}
	h.answerable(j.id)
	h.mu.Lock()
	a.unchecked, a.emptyRead = false, false
	a.kinds[barsKind].loaded = true
	a.kinds[wholeKind].loaded = a.kinds[wholeKind].loaded || all
	h.mu.Unlock()
	h.saveBars(j, bars, complete, anew)
	if owed {
		return lateBar, nil
	}
	return f.untilTopUp(j.id, now+hourMs), nil
}

// forgetFuture drops of what is held what the venue's clock has not reached: it came by a clock
// that was wrong, and would keep out what comes.
func (h *history) forgetFuture(j job) {
	f := h.f
	if !f.clock.verified() {
		return
	}
	nowMs := f.clock.at(marketcache.Now())
	bars, through := f.cache.Bars(j.id)
	past := len(bars)
	for past > 0 && bars[past-1].OpenMs+hourMs > nowMs {
		past--
	}
	ring := f.cache.FundingRows(j.id)
	rows := ring.View()
	paid := len(rows)
	for paid > 0 && rows[paid-1].VenueMs > nowMs+rowLate.Milliseconds() {
		paid--
	}
	h.mu.Lock()
	a := h.asset(j.id)
	late := a.fundingMs > nowMs
	a.fundingMs = min(a.fundingMs, nowMs)
	h.mu.Unlock()
	if past == len(bars) && paid == len(rows) && through <= nowMs && !late {
		return
	}
	f.setAside(asideFuture, j.name)
	f.cache.ReplaceBars(j.id, bars[:past], min(through, nowMs-nowMs%hourMs))
	ring.Replace(rows[:paid])
	if f.store != nil {
		f.store.rewrite(j.name, func() *kept { return f.keptOf(j.id) })
	}
}

// untilTopUp returns how long until an asset's next bar, which closes at closeMs, is
// asked for: the highest open interest first, the rest spread over the hour.
func (f *Feed) untilTopUp(id marketcache.AssetID, closeMs int64) time.Duration {
	r := f.ranks.Load()
	share := float64(r.of(id)) / float64(max(1, len(r.ids)))
	wait := time.Duration(closeMs-f.clock.at(marketcache.Now()))*time.Millisecond + settleHour
	return min(wait, time.Hour+settleHour) + time.Duration(share*float64(spreadHour))
}

// untilDue returns how long until a history that was complete on disk is asked for.
func (f *Feed) untilDue(id marketcache.AssetID, kind historyKind) time.Duration {
	if kind == barsKind {
		_, through := f.cache.Bars(id)
		return f.untilTopUp(id, through+hourMs)
	}
	return f.fundingPause(id)
}

// fundingPause returns how long after its funding was read an asset's is read again:
// half of the interval is fixed, half is spread, so that assets loaded together do not
// come back together.
func (f *Feed) fundingPause(id marketcache.AssetID) time.Duration {
	r := f.ranks.Load()
	share := float64(r.of(id)) / float64(max(1, len(r.ids)))
	return time.Duration((0.5 + 0.5*share) * float64(f.cfg.FundingEvery))
}

// trades reports whether the asset's context shows volume in the last day.
func (f *Feed) trades(id marketcache.AssetID) bool {
	c, _, ok := f.cache.Contexts(id).Latest(marketcache.Now(), marketcache.Forever)
	return ok && c.DayVolumeUSD > 0
}

// differs reports whether the venue's bar of the same hour is another one.
func differs(held marketcache.Bar, bars []marketcache.Bar) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }
	for _, b := range bars {
		if b.OpenMs == held.OpenMs {
			return !(near(b.Open, held.Open) && near(b.Close, held.Close) && near(b.High, held.High) && near(b.Low, held.Low))
		}
	}
	return false
}

// askCandles asks for the closed hourly bars that opened at or after fromMs. empty
// tells an answer without any row, the forming bar included; askedMs is the venue's
// time of the question.
func (f *Feed) askCandles(ctx context.Context, j job, fromMs int64) (bars []marketcache.Bar, newestMs int64, empty bool, askedMs int64, err error) {
	nowMs := f.clock.at(marketcache.Now())
	rows := candleRows
	if fromMs > 0 {
		rows = int(min((nowMs-fromMs)/hourMs+2, candleRows))
	}
	// A budget too small for the whole history gets its newest part.
	if most := (f.budget.largest(j.priority) - 20) * rowsPerCandle; most < rows {
		rows = max(most, 1)
		fromMs = max(fromMs, nowMs-int64(rows-1)*hourMs)
	}
	a, err := f.client.ask(ctx, request{
		what: "candleSnapshot " + j.name,
		body: `{"type":"candleSnapshot","req":{"coin":` + strconv.Quote(j.name) + `,"interval":"1h","startTime":` +
			strconv.FormatInt(fromMs, 10) + `,"endTime":` + strconv.FormatInt(nowMs+hourMs, 10) + `}}`,
		priority: j.priority, weight: 20, most: perRows(rows, rowsPerCandle), patience: -1,
		rows: func(b []byte) int { return perRows(countRows(b), rowsPerCandle) },
	})
	if err != nil {
		return nil, 0, false, 0, err
	}
	askedMs = f.clock.at(a.sent)
	bars, dropped, newestMs, ok := parseCandles(a.body, j.name, fromMs, askedMs-closeMargin.Milliseconds())
	if !ok {
		return nil, 0, false, 0, venueError("candleSnapshot %s: %q", j.name, printable(a.body))
	}
	if dropped > 0 {
		f.stats.droppedBars.Add(int64(dropped))
		f.setAside(asideCandle, j.name)
	}
	return bars, newestMs, countRows(a.body) == 0, askedMs, nil
}

// perRows is the surcharge for n rows.
func perRows(n, rows int) int { return (n + rows - 1) / rows }

func (h *history) saveBars(j job, bars []marketcache.Bar, throughMs int64, anew bool) {
	s := h.f.store
	if s == nil {
		return
	}
	if h.takeAhead(j.id) || anew {
		s.rewrite(j.name, func() *kept { return h.f.keptOf(j.id) })
		return
	}
	records := make([]record, 0, len(bars)+1)
	for _, b := range bars {
		records = append(records, barOf(b))
	}
	if len(bars) == 0 || bars[len(bars)-1].OpenMs+hourMs < throughMs {
		records = append(records, throughOf(throughMs, h.short(j.id)))
	}
	if s.append(j.name, records...) {
		s.rewrite(j.name, func() *kept { return h.f.keptOf(j.id) })
	}
}

// takeAhead reports, once, that an asset's log is to be written anew.
func (h *history) takeAhead(id marketcache.AssetID) (ahead bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.asset(id)
	ahead, a.ahead = a.ahead, false
	return ahead
}

// loadFunding asks for the paid funding that is missing and appends it.
func (h *history) loadFunding(ctx context.Context, j job) (again time.Duration, err error) {
	f := h.f
	h.forgetFuture(j)
	ring := f.cache.FundingRows(j.id)
	nowMs := f.clock.at(marketcache.Now())
	after := nowMs - (fundingRows+1)*hourMs
	if rows := ring.View(); len(rows) > 0 {
		after = max(after, rows[len(rows)-1].VenueMs)
	}
	var news []marketcache.FundingRow
	askedMs := nowMs
	for page := 0; page < 4; page++ {
		rows := int(min((nowMs-after)/hourMs+2, fundingPage))
		a, err := f.client.ask(ctx, request{
			what: "fundingHistory " + j.name,
			body: `{"type":"fundingHistory","coin":` + strconv.Quote(j.name) + `,"startTime":` +
				strconv.FormatInt(after+1, 10) + `}`,
			priority: j.priority, weight: 20, most: perRows(rows, rowsPerFunding), patience: -1,
			rows: func(b []byte) int { return perRows(countRows(b), rowsPerFunding) },
		})
		if err != nil {
			return 0, err
		}
		got, count, dropped, ok := parseFunding(a.body, j.name, after, f.clock.at(a.received.Add(rowLate)))
		if !ok {
			return 0, venueError("fundingHistory %s: %q", j.name, printable(a.body))
		}
		if dropped > 0 {
			f.setAside(asideFunding, j.name)
		}
		news = append(news, got...)
		askedMs = f.clock.at(a.sent)
		if count < fundingPage || len(got) == 0 {
			break
		}
		after = got[len(got)-1].VenueMs
	}
	ring.Append(news...)
	// The row of an hour comes some tens of ms after it, at the latest a minute.
	through := askedMs
	if hour := askedMs - askedMs%hourMs; askedMs-hour < lateBar.Milliseconds() && (len(news) == 0 || news[len(news)-1].VenueMs < hour) {
		through = hour - 1
	}
	h.mu.Lock()
	a := h.asset(j.id)
	through = max(through, a.fundingMs)
	a.fundingMs = through
	h.mu.Unlock()
	f.cache.SetFunding(j.id, fundingStats(ring.View(), through))
	if f.store != nil {
		records := make([]record, 0, len(news)+1)
		for _, r := range news {
			records = append(records, record{kind: fundingRecord, timeMs: r.VenueMs, v: [5]float64{r.RateHourly}})
		}
		records = append(records, record{kind: fundingThrough, timeMs: through})
		if f.store.append(j.name, records...) || h.takeAhead(j.id) {
			f.store.rewrite(j.name, func() *kept { return f.keptOf(j.id) })
		}
	}
	return f.fundingPause(j.id), nil
}
