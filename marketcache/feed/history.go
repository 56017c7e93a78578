package feed

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// History keeps the hourly bars and the paid funding of every listed asset complete, in the
// cache and on disk. A first pass makes every asset answerable: it loads the newest warmRows
// bars of each asset and no funding. A second pass loads the rest; that of the first wholeFirst assets' bars
// begins when the assets of Ranking.Head are answerable. Workers take the most urgent job that is due:
//
//	0  bars that a caller waits for: never loaded, or hours behind (ForWanted; all others ForHistory)
//	1  the same of other assets, by open interest
//	2  the newest closed hour, spread over the hour
//	3  the newest funding, every FundingEvery/2 to FundingEvery
//	4  the second pass: older bars, then funding never loaded, by open interest, wanted assets first
//
// Until a job has its weight, a more urgent one may take its place. Only one job of an asset runs at a time; it is the
// only writer of the asset's histories in the cache.
type History struct {
	HistoryConfig

	turn chan struct{} // holds a token while a job waits for weight, so that the most urgent job waits alone

	mu sync.Mutex
	of []assetHistory // indexed by AssetID
}

// HistoryConfig configures a History. All fields except Store and Hold are required.
type HistoryConfig struct {
	Cache      *marketcache.Cache
	Clock      *Clock
	Interest   *OpenInterestTracker
	Supervisor *supervise.Supervisor
	Source     Source
	Store      *Store // nil: nothing is kept
	// Ranking returns the current ranking of listed assets.
	Ranking func() *Ranking
	// Budget is the request weight per minute, 0: no limit.
	Budget int
	// Pace returns the weight per minute that histories may spend now, 0 if unknown.
	Pace func() float64
	// MaxBars is the number of bars of an asset that the venue keeps.
	MaxBars int
	// FundingEvery is the maximum interval between requests for an asset's funding.
	FundingEvery time.Duration
	// Hold reports whether the second pass must wait, for data that are needed sooner; nil: never.
	Hold func() bool
	// OnFuture is called after data of an asset was dropped for being later than the venue's clock.
	OnFuture func(asset string)
}

// Source requests histories from a venue. Its methods fail with a marketcache.VenueError or the
// context's error.
type Source interface {
	// Bars returns hourly bars.
	Bars(ctx context.Context, q HistoryRequest) (BarsAnswer, error)
	// Funding returns the paid funding later than q.FromMs, oldest first.
	Funding(ctx context.Context, q HistoryRequest) (rows []marketcache.FundingRow, askedMs int64, err error)
	// Weight returns the request weight of a number of rows of paid funding, or of bars.
	Weight(funding bool, rows int) int
}

// HistoryRequest is a request for part of an asset's history.
type HistoryRequest struct {
	Name     string
	FromMs   int64
	Class    Class
	Patience time.Duration // for the first request; those that follow from it wait as long as they must
	Granted  func()        // called when the first request has its weight
}

// assetHistory is the state of one asset's histories. History.mu guards it except where noted.
type assetHistory struct {
	disk   sync.Mutex // held while the saved history is read
	read   bool       // it was read, or given up; guarded by disk
	unread int        // failed reads; guarded by disk

	busy      bool          // a job is running
	behind    bool          // the bars from disk end hours ago
	whole     bool          // the venue has no older bars
	unchecked bool          // the newest bar from disk has not yet been compared with the venue's
	emptyRead bool          // one answer had no bars although the asset trades
	oddRead   bool          // one answer had a bar that cannot be used
	oddMs     int64         // opening time of the newest hour whose bar could not be used; 0: none
	offset    time.Duration // of the venue's clock when the last job began
	due       [historyParts]marketcache.Instant
	readyIn   [historyParts]time.Duration // until the part is loaded, while it is not; negative: unknown
	failures  [historyParts]int           // consecutive failures
	failing   marketcache.Instant         // when the first of the bars' consecutive failures was
}

// historyPart is a part of an asset's histories that has its own jobs.
type historyPart int

const (
	barsPart historyPart = iota
	fundingPart
	olderPart // bars older than those of the first pass
	historyParts
)

const (
	warmRows     = 240 // bars of the first pass, the unfinished bar included
	wholeFirst   = 4   // assets that get all bars during the first pass
	fundingRows  = 720 // rows of funding to keep
	settleHour   = 20 * time.Second
	spreadHour   = 40 * time.Minute       // top-ups of all assets, starting settleHour after the hour
	lateBar      = time.Minute            // the last row of an hour may come this late
	unreadable   = 3 * time.Minute        // failures for this long: nothing waits for the asset's candles
	emptyAgain   = 3 * time.Second        // wait after the first answer without bars
	maxFailures  = 4                      // consecutive failures after which nothing waits for the asset's history
	manyFailures = 8                      // consecutive failures after which it is requested less often
	diskTries    = 5                      // failed reads after which the saved history is not used until a restart
	jobEvery     = 250 * time.Millisecond // how often a worker without weight or a job looks for the most urgent job

	// CloseMargin is how long after its end a bar counts as closed.
	CloseMargin = 2 * time.Second
	// RowLate is how much later than the answer that contains it a funding row may be stamped.
	RowLate = time.Second
)

// NewHistory returns a History that runs no goroutine; call Work.
func NewHistory(c HistoryConfig) *History {
	h := &History{HistoryConfig: c, turn: make(chan struct{}, 1), of: make([]assetHistory, c.Cache.Limits().Assets)}
	for i := range h.of {
		h.of[i].readyIn = [historyParts]time.Duration{-1, -1, -1}
	}
	return h
}

// set changes an asset's state under the lock.
func (h *History) set(id marketcache.AssetID, fn func(a *assetHistory)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn(&h.of[id])
}

func (h *History) barsThrough(id marketcache.AssetID) int64 {
	_, through := h.Cache.Bars(id)
	return through
}

func (h *History) fundingThrough(id marketcache.AssetID) int64 {
	if s := h.Cache.FundingStats(id); s != nil {
		return s.ThroughVenueMs
	}
	return 0
}

func (h *History) nowMs() int64 { return h.Clock.VenueMs(marketcache.Now()) }

// Pending returns the number of listed assets without bars.
func (h *History) Pending() (n int) {
	for _, a := range h.Cache.Universe().Assets {
		if !a.Delisted && h.barsThrough(a.ID) == 0 {
			n++
		}
	}
	return n
}

// Phase is the loading phase of all histories together.
type Phase int

const (
	FirstPass  Phase = iota // some asset has no bars
	SecondPass              // some asset lacks older bars or funding
	Warm
)

// Phase returns the loading phase. It ignores assets that the venue keeps refusing.
func (h *History) Phase() Phase {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := Warm
	for _, id := range h.Ranking().IDs {
		a := &h.of[id]
		lacks := func(part historyPart, loaded bool) bool { return !loaded && a.failures[part] < maxFailures }
		if lacks(barsPart, h.barsThrough(id) > 0) {
			return FirstPass
		}
		if lacks(fundingPart, h.fundingThrough(id) > 0) || lacks(olderPart, a.whole) {
			p = SecondPass
		}
	}
	return p
}

// job is one thing to load.
type job struct {
	id    marketcache.AssetID
	name  string
	part  historyPart
	class Class
	rows  int // approximate number to request

	granted func() // as HistoryRequest.Granted
}

// Work runs jobs until ctx ends; with wantedOnly, only those that a caller waits for.
func (h *History) Work(ctx context.Context, wantedOnly bool) {
	var wanted <-chan struct{}
	if wantedOnly {
		wanted = h.Cache.WantedAny()
	}
	for ctx.Err() == nil {
		granted := func() {}
		if !wantedOnly {
			h.turn <- struct{}{}
			granted = sync.OnceFunc(func() { <-h.turn })
		}
		j, ok := h.next(wantedOnly)
		if !ok {
			granted()
			select {
			case <-ctx.Done():
			case <-wanted:
			case <-time.After(jobEvery):
			}
			continue
		}
		j.granted = granted
		again, err := time.Duration(0), supervise.ErrPanic // in case the job panics
		func() {
			defer func() {
				granted()
				h.done(j, again, err)
			}()
			again, err = h.do(ctx, j)
		}()
		if err != nil && ctx.Err() == nil && !errors.Is(err, marketcache.ErrBudget) {
			h.Supervisor.Warn("history not loaded", "asset", j.name, "part", int(j.part), "error", err)
		}
	}
}

// next returns the most urgent job that is due and marks its asset busy.
func (h *History) next(wantedOnly bool) (best job, ok bool) {
	now := marketcache.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	bestScore := math.MaxInt
	for rank, id := range h.Ranking().IDs {
		a := &h.of[id]
		if a.busy {
			continue
		}
		for part := range historyParts {
			if now < a.due[part] {
				continue
			}
			j, score, needed := h.judge(id, a, part, rank)
			if needed && score < bestScore && (j.class == ForWanted || !wantedOnly) {
				best, bestScore, ok = j, score, true
			}
		}
	}
	if ok {
		best.name = h.Cache.Universe().Assets[best.id].Name
		h.of[best.id].busy, h.of[best.id].offset = true, h.offset(now)
	}
	return best, ok
}

// Scores of jobs; assets that a caller waits for come first with a score of 0.
const other, topUp, newFunding, secondPass, wantedFirst = 10_000, 50_000, 60_000, 80_000, 10_000

// judge returns the job that is due for a part of an asset's histories, and its score: the lower,
// the more urgent.
func (h *History) judge(id marketcache.AssetID, a *assetHistory, part historyPart, rank int) (j job, score int,
	needed bool) {
	wanted, first := h.Cache.Wanted(id), h.barsThrough(id) == 0
	j = job{id: id, part: part, class: ForHistory, rows: 1}
	switch {
	case part == barsPart && (first || a.behind):
		if j.class = ForWanted; !wanted {
			score, j.class = other+rank, ForHistory
		}
		if first {
			if j.rows = warmRows; h.Budget == 0 {
				j.rows = h.MaxBars
			}
		}
		return j, score, true
	case part == barsPart:
		return j, topUp + rank, true
	case first || part == olderPart && a.whole:
		return j, 0, false
	case part == fundingPart && h.fundingThrough(id) > 0:
		return j, newFunding + rank, true
	case !wanted && h.Hold != nil && h.Hold():
		return j, 0, false
	}
	score, j.rows = h.second(part, rank, wanted)
	return j, score, true
}

// errEmptyAnswer marks the first answer without bars of an asset that trades. The second such
// answer is accepted.
var errEmptyAnswer = &marketcache.VenueError{Kind: marketcache.ErrVenue, Wait: emptyAgain,
	Detail: "no candles of an asset that trades"}

// done records the end of a job and the time of the next job of its part.
func (h *History) done(j job, again time.Duration, err error) {
	h.set(j.id, func(a *assetHistory) {
		a.busy = false
		if e, ok := errors.AsType[*marketcache.VenueError](err); ok && e.Kind == marketcache.ErrBudget &&
			e.Status == 0 {
			return // no weight yet
		}
		if err == nil {
			a.failures[j.part] = 0
			a.due[j.part] = marketcache.Now().Add(again)
			if j.part != fundingPart { // a request for older bars returns the newest hour too
				a.due[barsPart], a.behind = a.due[j.part], false
			}
			return
		}
		if a.failures[j.part]++; j.part == barsPart && a.failures[barsPart] == 1 {
			a.failing = marketcache.Now()
		}
		wait := Backoff(a.failures[j.part]+2) + 500*time.Millisecond
		if a.failures[j.part] > manyFailures {
			wait += 5 * time.Minute
		}
		if w, ok := marketcache.RetryAfter(err); ok {
			wait = w
		}
		a.due[j.part] = marketcache.Now().Add(wait)
	})
}

// do runs a job and returns the time until the next job of its part.
func (h *History) do(ctx context.Context, j job) (again time.Duration, err error) {
	if err := h.restore(j.id, j.name); err != nil {
		return 0, err
	}
	h.forgetFuture(j.id, j.name)
	if j.part == fundingPart {
		return h.loadFunding(ctx, j)
	}
	return h.loadBars(ctx, j)
}

// answerable publishes empty funding statistics for an asset without funding, so that an
// asset with bars can be assessed.
func (h *History) answerable(id marketcache.AssetID) {
	if h.barsThrough(id) > 0 && h.Cache.FundingStats(id) == nil {
		h.Cache.SetFunding(id, &marketcache.FundingStats{})
	}
}

// loadBars requests missing bars, for olderPart all bars, and joins them with those in the cache.
func (h *History) loadBars(ctx context.Context, j job) (again time.Duration, err error) {
	held, through := h.Cache.Bars(j.id)
	var unchecked, emptyRead, oddRead bool
	var oddMs int64
	h.set(j.id, func(a *assetHistory) {
		unchecked, emptyRead = a.unchecked && len(held) > 0, a.emptyRead
		oddRead, oddMs = a.oddRead, a.oddMs
	})
	anew := through == 0 || j.part == olderPart
	q := HistoryRequest{Name: j.name, FromMs: through, Class: j.class, Patience: jobEvery, Granted: j.granted}
	switch {
	// two hours less: warmRows counts the unfinished bar, and hours are cut at both ends
	case anew && j.rows == warmRows:
		q.FromMs = h.nowMs() - (warmRows-2)*hourMs
	case anew:
		q.FromMs = 0
	case unchecked:
		q.FromMs = held[len(held)-1].OpenMs // requested again, to compare
	}
	if oddMs > h.nowMs()-warmRows*hourMs && oddMs < q.FromMs {
		q.FromMs = oddMs // the venue may have it right by now
	}
	got, err := h.Source.Bars(ctx, q)
	if err == nil && unchecked && differs(held[len(held)-1], got.Bars) { // a second answer must confirm the difference
		q.FromMs, q.Patience, anew = 0, -1, true
		if got, err = h.Source.Bars(ctx, q); err == nil && differs(held[len(held)-1], got.Bars) {
			h.Supervisor.Log.Warn("history on disk is not the venue's and is dropped", "asset", j.name, "bars",
				len(held))
			held, through = nil, 0
			h.Cache.ReplaceBars(j.id, nil, 0)
		}
	}
	mark := h.mark(j.id)
	if err == nil {
		err = got.contradicts(mark)
	}
	if err != nil {
		return 0, err
	}
	if got.NewestMs == 0 && anew && !emptyRead && h.trades(j.id) {
		h.set(j.id, func(a *assetHistory) { a.emptyRead = true })
		return 0, errEmptyAnswer
	}
	before := 0.0
	if len(got.Bars) > 0 {
		if n := search(held, got.Bars[0].OpenMs); n > 0 {
			before = held[n-1].Close
		}
	}
	if got.setOddAside(before, mark) {
		held = nil
	}
	if got.OddMs != 0 && got.OddMs != oddMs && !oddRead {
		h.set(j.id, func(a *assetHistory) { a.oddRead = true })
		return 0, errOddAnswer
	}
	return h.join(j, held, through, &got, q.FromMs), nil
}

// loadFunding requests missing paid funding and appends it.
func (h *History) loadFunding(ctx context.Context, j job) (again time.Duration, err error) {
	ring := h.Cache.FundingRows(j.id)
	q := HistoryRequest{Name: j.name, FromMs: h.nowMs() - (fundingRows+1)*hourMs, Class: j.class, Patience: jobEvery,
		Granted: j.granted}
	if held := ring.View(); len(held) > 0 {
		q.FromMs = max(q.FromMs, held[len(held)-1].VenueMs)
	}
	rows, through, err := h.Source.Funding(ctx, q)
	if err != nil {
		return 0, err
	}
	ring.Append(rows...)
	// The row of an hour appears some tens of ms after the hour, at the latest after lateBar.
	hour := through - through%hourMs
	if n := len(rows); through-hour < lateBar.Milliseconds() && (n == 0 || rows[n-1].VenueMs < hour) {
		through = hour - 1
	}
	through = max(through, h.fundingThrough(j.id))
	h.Cache.SetFunding(j.id, fundingStats(ring.View(), through))
	h.tell(j.id)
	h.save(j.id, j.name)
	return h.fundingPause(j.id), nil
}

// untilTopUp returns the time until the bar that closes at closeMs is requested: at once for the
// asset with the highest open interest, the others spread over spreadHour.
func (h *History) untilTopUp(id marketcache.AssetID, closeMs int64) time.Duration {
	wait := time.Duration(closeMs-h.nowMs())*time.Millisecond + settleHour
	return min(wait, time.Hour+settleHour) + time.Duration(h.Ranking().share(id)*float64(spreadHour))
}

// fundingPause returns the time between two reads of an asset's funding. Half of it varies by
// asset, so that assets loaded together are not read together again.
func (h *History) fundingPause(id marketcache.AssetID) time.Duration {
	return time.Duration((0.5 + 0.5*h.Ranking().share(id)) * float64(h.FundingEvery))
}

// trades reports whether the asset's context shows volume in the last day.
func (h *History) trades(id marketcache.AssetID) bool {
	c, _, ok := h.Cache.Contexts(id).Latest(marketcache.Now(), marketcache.Forever)
	return ok && c.DayVolumeUSD > 0
}
