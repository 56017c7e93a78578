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
	"ballast/marketcache"
)

// Config is what a Loop may be told. The zero value works.
type Config struct {
	// Name is the calibration's name, "fhs-px" if empty.
	Name string
	// EngineConstants is the digest of the constants of the assessment that the fits are for.
	EngineConstants [32]byte
	// PublishEvery is the longest time for which finished fits wait for others to be
	// published with them; 0 takes 100 ms. The last ones of a pass never wait, nor
	// does the first fit of a requested asset.
	PublishEvery time.Duration
	// Now is the clock that ages and durations count on; marketcache.Now if nil.
	Now func() marketcache.Instant
	// Log receives failed fits; slog.Default() if nil. An asset fails at most once
	// for each change of its bars.
	Log *slog.Logger
	// Busy and Idle, if not nil, are called before and after each fit, for whoever gives
	// out processors.
	Busy, Idle func()
}

// Stats counts what a Loop has done since its start.
type Stats struct {
	Fits     uint64 // models made
	Failures uint64 // attempts that failed, panics among them
	Panics   uint64
	Rebuilds uint64 // histories begun again because earlier bars had changed
	Refused  uint64 // bars left out because they cannot be
	LastFit  time.Duration
	Slowest  time.Duration // the longest fit
	Busy     time.Duration // all of them together

	Pairs     uint64 // pairs of assets fitted
	PairsBusy time.Duration
}

// Loop is the background calibrator. It is the only writer of the cache's model.
type Loop struct {
	cache  *marketcache.Cache
	config Config

	// All below belongs to the goroutine in Run.
	assets    []tracked // by AssetID
	fits      []*marketcache.AssetModel
	publisher *publisher
	correlated
	paired
	scratch   Scratch
	published marketcache.Instant
	dirty     bool // a fit waits to be published
	urgent    bool // and somebody waits for it

	// fault lets a test break the fit of an asset, and of a pair ("A/B").
	fault func(name string)

	fitCount, failures, panics, rebuilds, refused atomic.Uint64
	lastFit, slowest, busy                        atomic.Int64
	pairCount                                     atomic.Uint64
	pairBusy                                      atomic.Int64
}

// tracked is what the loop remembers of an asset between two changes of its bars.
type tracked struct {
	history *History // nil: begin again
	// seen is the view of the bars that the history has taken, closedHour the newest
	// hour known to have closed then.
	seen       []marketcache.Bar
	closedHour int64
	tried      bool
	prepared   prepared
}

// NewLoop returns a calibrator of the cache.
func NewLoop(cache *marketcache.Cache, config Config) *Loop {
	if config.Name == "" {
		config.Name = "fhs-px"
	}
	if config.PublishEvery == 0 {
		config.PublishEvery = 100 * time.Millisecond
	}
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
		cache: cache, config: config, publisher: newPublisher(config.Name, config.EngineConstants), paired: paired{fitter: copula.NewFitter()},
	}
}

// Run calibrates until ctx ends and returns its error. It publishes an empty model
// at once, then fits every asset whose history has been loaded, requested ones first
// and the others by open interest, and again whenever a bar closes. An asset whose
// fit fails keeps its last good one, with FitError set. When all fits are up to date
// follow the sums behind the correlations (correlate) and the pairs (fitPairs).
//
// It runs once; it must not be started twice.
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

// laggards is how long a table waits for the assets whose newest bar has not come: the
// feed asks for the bars of an hour within 41 minutes of its end, and the next hour's first
// ones come after 60.
const laggards = 50 * time.Minute

// after returns a channel that receives after a wait; none after a wait of 0.
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
		LastFit: time.Duration(l.lastFit.Load()), Slowest: time.Duration(l.slowest.Load()),
		Busy:  time.Duration(l.busy.Load()),
		Pairs: l.pairCount.Load(), PairsBusy: time.Duration(l.pairBusy.Load()),
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
		if l.urgent || l.config.Now().Sub(l.published) >= l.config.PublishEvery {
			l.publish()
		}
	}
	if l.dirty {
		l.publish()
	}
}

// next returns the asset to fit next, nil when all are up to date. It looks at the
// whole universe each time, so that an asset requested meanwhile goes first.
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
		wanted, interest := l.cache.Wanted(a.ID), l.openInterestUSD(a.ID)
		if best == nil || (wanted && !bestWanted) || (wanted == bestWanted && interest > bestInterest) {
			best, bestWanted, bestInterest = a, wanted, interest
		}
	}
	return best
}

// pending reports whether an asset's history is loaded and has changed since it was
// last fitted.
func (l *Loop) pending(id marketcache.AssetID) bool {
	bars, throughMs := l.cache.Bars(id)
	if throughMs == 0 {
		return false // never loaded, which is not the same as without history
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

// refit brings one asset up to date.
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
		return // nothing has happened to it
	} else {
		fit.FitDuration = took
		l.fitCount.Add(1)
		l.lastFit.Store(int64(took))
		l.slowest.Store(max(l.slowest.Load(), int64(took)))
	}
	l.fits[asset.ID] = fit
	l.dirty = true
	l.urgent = l.urgent || (before == nil && l.cache.Wanted(asset.ID))
}

var errPanic = errors.New("panic in a fit")

// attempt takes the bars that are new and returns the fit, nil when no hour has been
// added to the last one. After an error, or a panic, which is one, the history is
// thrown away: the next change of the bars begins it again.
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

	fresh, goesOn := bars, false
	if t.history != nil {
		if fresh, goesOn = continuation(seen, bars, t.history); !goesOn {
			l.rebuilds.Add(1)
		}
	}
	if !goesOn {
		t.history, fresh = NewHistory(), bars
	}
	if l.fault != nil {
		l.fault(asset.Name)
	}
	before, refused := t.history.Bars(), t.history.Refused()
	if err := t.history.Extend(fresh); err != nil {
		return nil, err
	}
	l.refused.Add(uint64(t.history.Refused() - refused))
	if err := t.history.FlatThrough(throughMs); err != nil {
		return nil, err
	}
	if goesOn && t.history.Bars() == before && l.fits[asset.ID] != nil && l.fits[asset.ID].FitError == "" {
		return nil, nil
	}
	return t.history.Model(asset.ID, asset.Name, &l.scratch), nil
}

// continuation returns the bars that a new view has beyond the one a history has
// taken. It reports false when the history cannot simply go on: earlier bars were
// added, taken away or changed, or a bar has come for an hour already taken as flat.
func continuation(seen, bars []marketcache.Bar, h *History) (fresh []marketcache.Bar, ok bool) {
	if len(seen) == 0 {
		return bars, h.Bars() == 0
	}
	if len(bars) == 0 {
		return nil, false
	}
	// The ring may have dropped the oldest: then the history remembers more than it.
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
	// A view never changes, so the same memory holds the same bars.
	if &bars[0] != &common[0] && !slices.Equal(bars[:len(common)], common) {
		return nil, false
	}
	fresh = bars[len(common):]
	if len(fresh) > 0 && h.Bars() > 0 && fresh[0].OpenMs <= h.state.Last().OpenMs {
		return nil, false
	}
	return fresh, true
}

// sameView reports whether two views of a ring are one and the same.
func sameView(a, b []marketcache.Bar) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// publish makes the fits so far the cache's model.
func (l *Loop) publish() {
	m := l.publisher.model(l.fits, l.cache.Universe().Bitcoin, l.correlations)
	m.Published = l.config.Now()
	l.cache.SetModel(m)
	l.published, l.dirty, l.urgent = m.Published, false, false
}
