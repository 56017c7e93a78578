package calib

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"ballast/compute/copula"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// Config configures a Loop. The zero value is valid.
type Config struct {
	// Now is the clock for ages and durations; marketcache.Now if nil.
	Now func() marketcache.Instant
	// Log receives failed fits; slog.Default() if nil. An asset fails at most once
	// for each change of its bars.
	Log *slog.Logger
	// Busy and Idle, if not nil, are called before and after each fit, to reserve a processor.
	Busy, Idle func()
}

// Stats counts the work of a Loop since its start.
type Stats struct {
	Fits     uint64 // models made
	Failures uint64 // failed attempts, panics included
	Panics   uint64
	Rebuilds uint64        // histories started again because earlier bars had changed
	Refused  uint64        // invalid bars left out
	Busy     time.Duration // total duration of all fits

	Pairs uint64 // pairs of assets fitted
}

// Loop is the background calibrator. It is the only writer of the cache's model.
type Loop struct {
	cache  *marketcache.Cache
	config Config

	// The fields below belong to Run's goroutine.
	assets    []tracked // by AssetID
	fits      []*marketcache.AssetModel
	publisher *publisher
	correlated
	paired
	scratch   Scratch
	published marketcache.Instant
	dirty     bool // a finished fit is not published yet
	urgent    bool // a caller waits for that fit

	// fault lets a test make the fit of an asset, or of a pair ("A/B"), panic.
	fault func(name string)

	fitCount, failures, panics, rebuilds, refused atomic.Uint64
	pairCount                                     atomic.Uint64
	busy, pairBusy                                atomic.Int64
}

// tracked is the loop's state for one asset.
type tracked struct {
	history *History // nil: to be computed from all bars
	// seen are the cache's bars at the last attempt to fit; closedHour is the newest hour closed by then.
	seen       []marketcache.Bar
	closedHour int64
	tried      bool
	prepared   prepared
}

// NewLoop returns a calibrator for the cache.
func NewLoop(cache *marketcache.Cache, config Config) *Loop {
	if config.Now == nil {
		config.Now = marketcache.Now
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if config.Busy == nil || config.Idle == nil {
		config.Busy, config.Idle = func() {}, func() {}
	}
	return &Loop{
		cache: cache, config: config, publisher: newPublisher(),
		paired: paired{fitter: copula.NewFitter()},
	}
}

// Run calibrates until ctx ends and returns the context's error. It publishes an empty model at
// once, then fits every asset whose history is loaded, requested assets first and the others by
// open interest, and fits again whenever a bar closes. An asset whose fit fails keeps its last
// good fit, with FitError set. When all fits are current, it updates the sums for the
// correlations (correlate) and the pairs (fitPairs).
//
// Call it once only.
func (l *Loop) Run(ctx context.Context) error {
	l.publish()
	for {
		l.pass(ctx)
		again := l.correlate()
		later, interrupted := l.fitPairs(ctx)
		if interrupted {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.cache.BarsChanged():
		case <-l.cache.HeldAny():
		case <-after(again):
		case <-after(later):
		}
	}
}

// publishEvery is the maximum time that finished fits wait to be published together with others. The last
// fits of a pass and the first fit of a requested asset never wait.
const publishEvery = 100 * time.Millisecond

// laggards is how long a table waits for assets whose newest bar is missing: the feed requests the
// bars of an hour within 41 minutes of its end, and the next hour's first bars come after 60.
const laggards = 50 * time.Minute

// after returns a channel that receives after a wait, or never for a wait of 0.
func after(wait time.Duration) <-chan time.Time {
	if wait <= 0 {
		return nil
	}
	return time.After(wait)
}

// Stats may be called from any goroutine.
func (l *Loop) Stats() Stats {
	return Stats{
		Fits: l.fitCount.Load(), Failures: l.failures.Load(), Panics: l.panics.Load(),
		Rebuilds: l.rebuilds.Load(), Refused: l.refused.Load(),
		Busy:  time.Duration(l.busy.Load()),
		Pairs: l.pairCount.Load(),
	}
}

// pass fits every asset whose bars have changed and publishes the result.
func (l *Loop) pass(ctx context.Context) {
	for ctx.Err() == nil {
		asset := l.next()
		if asset == nil {
			break
		}
		l.refit(asset)
		if l.urgent || l.config.Now().Sub(l.published) >= publishEvery {
			l.publish()
		}
	}
	if l.dirty {
		l.publish()
	}
}

// next returns the asset to fit next, nil when all are current. It checks the whole universe
// each time, so that an asset requested meanwhile goes first.
func (l *Loop) next() (best *marketcache.Asset) {
	universe := l.cache.Universe()
	for len(l.assets) < len(universe.Assets) {
		l.assets = append(l.assets, tracked{})
		l.fits = append(l.fits, nil)
	}
	var bestWanted bool
	var bestInterest float64
	for _, a := range universe.Assets {
		if !l.pending(a.ID) {
			continue
		}
		wanted, openInterest := l.cache.Wanted(a.ID), l.openInterestUSD(a.ID)
		if best == nil || (wanted && !bestWanted) || (wanted == bestWanted && openInterest > bestInterest) {
			best, bestWanted, bestInterest = a, wanted, openInterest
		}
	}
	return best
}

// pending reports whether an asset's history is loaded and has changed since it was last fitted.
func (l *Loop) pending(id marketcache.AssetID) bool {
	bars, throughMs := l.cache.Bars(id)
	if throughMs == 0 {
		return false // not loaded yet; a loaded asset without bars has a throughMs above 0
	}
	t := &l.assets[id]
	return !t.tried || !sameView(bars, t.seen) || lastClosedHour(throughMs) != t.closedHour
}

func (l *Loop) openInterestUSD(id marketcache.AssetID) float64 {
	c, _, ok := l.cache.Contexts(id).Latest(l.config.Now(), marketcache.Forever)
	if !ok {
		return 0
	}
	return c.OpenInterestUnits * c.MarkPrice
}

// refit updates the fit of one asset.
func (l *Loop) refit(asset *marketcache.Asset) {
	l.config.Busy()
	defer l.config.Idle()
	start := l.config.Now()
	before := l.fits[asset.ID]
	fit, err := l.attempt(asset)
	took := l.config.Now().Sub(start)
	l.busy.Add(int64(took))
	if err != nil {
		l.failures.Add(1)
		l.config.Log.Error("calibration failed, the last good fit stays", "asset", asset.Name, "error", err)
		if before == nil {
			return
		}
		stale := *before
		stale.FitError = err.Error()
		fit = &stale
	} else if fit == nil {
		return // its bars have not changed
	} else {
		fit.FitDuration = took
		l.fitCount.Add(1)
	}
	l.fits[asset.ID] = fit
	l.dirty = true
	l.urgent = l.urgent || (before == nil && l.cache.Wanted(asset.ID))
}

var errPanic = errors.New("panic in a fit")

// attempt adds the new bars to the history and returns the fit, nil when no hour was added. After
// an error or a panic (reported as an error) it discards the history: the next change of the
// bars computes it from all bars.
func (l *Loop) attempt(asset *marketcache.Asset) (fit *marketcache.AssetModel, err error) {
	t := &l.assets[asset.ID]
	defer func() {
		if r := recover(); r != nil {
			l.panics.Add(1)
			l.config.Log.Error("panic in a fit", "asset", asset.Name, "panic", r, "stack", string(debug.Stack()))
			l.scratch = Scratch{}
			fit, err = nil, fmt.Errorf("%w: %v", errPanic, r)
		}
		if err != nil {
			t.history = nil
		}
	}()
	bars, throughMs := l.cache.Bars(asset.ID)
	seen := t.seen
	t.tried, t.seen, t.closedHour = true, bars, lastClosedHour(throughMs)

	newBars, continues := bars, false
	class := vol.ClassOf(asset.Name, l.cache.Universe().ListsTicker)
	if t.history != nil && t.history.state.Class() != class {
		t.history = nil // the main dex has listed the ticker since
	}
	if t.history != nil {
		if newBars, continues = continuation(seen, bars, t.history); !continues {
			l.rebuilds.Add(1)
		}
	}
	if !continues {
		t.history, newBars = NewHistory(class), bars
	}
	if l.fault != nil {
		l.fault(asset.Name)
	}
	before, refused := t.history.state.NextHour(), t.history.Refused()
	if err := t.history.Extend(newBars); err != nil {
		return nil, err
	}
	l.refused.Add(uint64(t.history.Refused() - refused))
	if err := t.history.FlatThrough(throughMs); err != nil {
		return nil, err
	}
	if continues && t.history.state.NextHour() == before && l.fits[asset.ID] != nil &&
		l.fits[asset.ID].FitError == "" {
		return nil, nil
	}
	return t.history.Model(asset.ID, asset.Name, &l.scratch), nil
}

// continuation returns the bars of a new view that follow those in a history. It reports false
// when the history must start again: earlier bars were added, removed or changed, or a bar has
// come for an hour that the history filled with a flat bar.
func continuation(seen, bars []marketcache.Bar, h *History) (newBars []marketcache.Bar, ok bool) {
	if len(seen) == 0 {
		return bars, h.Bars() == 0
	}
	if len(bars) == 0 {
		return nil, false
	}
	// The ring may have dropped the oldest bars, which the history still has.
	dropped, found := slices.BinarySearchFunc(seen, bars[0].OpenMs, func(b marketcache.Bar, ms int64) int {
		return int(min(1, max(-1, b.OpenMs-ms)))
	})
	if !found {
		return nil, false
	}
	common := seen[dropped:]
	if len(bars) < len(common) {
		return nil, false
	}
	// A view never changes, so the same memory means the same bars.
	if &bars[0] != &common[0] && !slices.Equal(bars[:len(common)], common) {
		return nil, false
	}
	newBars = bars[len(common):]
	if len(newBars) > 0 && h.Bars() > 0 && newBars[0].OpenMs <= h.state.Last().OpenMs {
		return nil, false
	}
	return newBars, true
}

// sameView reports whether two views of a ring are identical.
func sameView(a, b []marketcache.Bar) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// publish publishes the finished fits as the cache's model.
func (l *Loop) publish() {
	m := l.publisher.model(l.fits, l.cache.Universe().Bitcoin, l.correlations)
	m.Published = l.config.Now()
	l.cache.SetModel(m)
	l.published, l.dirty, l.urgent = m.Published, false, false
}
