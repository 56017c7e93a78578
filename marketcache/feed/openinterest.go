package feed

import (
	"cmp"
	"slices"
	"sync"

	"ballast/marketcache"
)

const (
	interestDays = 180 // window of the maximum
	capDays      = 30  // window of the open interest at the cap
)

// OpenInterestTracker records every asset's open interest and publishes
// marketcache.OpenInterestStats: the maximum of each UTC day, and the value while the asset was
// at the venue's cap (docs/model.md). Times are the venue's. Safe for concurrent use.
type OpenInterestTracker struct {
	cache *marketcache.Cache
	mu    sync.Mutex
	of    map[marketcache.AssetID]*openInterest
}

// openInterest is the record of one asset.
type openInterest struct {
	days      []marketcache.DayMaximum // oldest first; the last day is still running
	usd       float64                  // newest value
	capMs     int64
	capUSD    float64
	published marketcache.OpenInterestStats
}

// NewOpenInterestTracker returns a tracker that starts from the cache's statistics.
func NewOpenInterestTracker(c *marketcache.Cache) *OpenInterestTracker {
	return &OpenInterestTracker{cache: c, of: map[marketcache.AssetID]*openInterest{}}
}

func (t *OpenInterestTracker) asset(id marketcache.AssetID) *openInterest {
	a := t.of[id]
	if a == nil {
		a = &openInterest{}
		if held := t.cache.InterestStats(id); held != nil {
			a.days, a.capMs, a.capUSD = slices.Clone(held.Maxima), held.AtCapMs, held.AtCapUSD30d
		}
		t.of[id] = a
	}
	return a
}

// restore adds an asset's data from disk.
func (t *OpenInterestTracker) restore(id marketcache.AssetID, l *savedHistory, nowMs int64) {
	if len(l.days) == 0 && l.CapMs == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.asset(id)
	a.days = mergeMaxima(a.days, l.days)
	if l.CapMs > a.capMs {
		a.capMs, a.capUSD = l.CapMs, l.CapUSD
	}
	t.publish(id, a, nowMs)
}

// forgetFuture drops what was recorded under a clock that was ahead of the venue's.
func (t *OpenInterestTracker) forgetFuture(nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, a := range t.of {
		days := len(a.days)
		a.days = slices.DeleteFunc(a.days, func(d marketcache.DayMaximum) bool { return d.DayMs > nowMs })
		capped := a.capMs > nowMs
		if capped {
			a.capMs, a.capUSD = 0, 0
		}
		if capped || len(a.days) < days {
			t.publish(id, a, nowMs)
		}
	}
}

// mergeMaxima returns the larger maximum of each day.
func mergeMaxima(a, b []marketcache.DayMaximum) []marketcache.DayMaximum {
	merged := slices.Concat(a, b)
	slices.SortFunc(merged, func(a, b marketcache.DayMaximum) int {
		return cmp.Or(cmp.Compare(a.DayMs, b.DayMs), cmp.Compare(b.USD, a.USD))
	})
	return slices.CompactFunc(merged, func(a, b marketcache.DayMaximum) bool { return a.DayMs == b.DayMs })
}

// Observe records an asset's open interest in USD.
func (t *OpenInterestTracker) Observe(id marketcache.AssetID, usd float64, nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.asset(id)
	a.usd = usd
	day := nowMs - nowMs%dayMs
	n := len(a.days)
	switch {
	case n > 0 && day < a.days[n-1].DayMs: // the clock stepped back across midnight
		return
	case n == 0 || a.days[n-1].DayMs != day:
		a.days = append(a.days[max(0, n-interestDays):], marketcache.DayMaximum{DayMs: day, USD: usd})
	case usd > a.days[n-1].USD:
		a.days[n-1].USD = usd
	default:
		return
	}
	// A rise below 0.1 % waits for the next Publish.
	if usd > a.published.MaxUSD180d*1.001 {
		t.publish(id, a, nowMs)
	}
}

// ObserveAtCap records that an asset is at its cap.
func (t *OpenInterestTracker) ObserveAtCap(id marketcache.AssetID, nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.of[id]; a != nil && a.usd > 0 {
		a.capMs, a.capUSD = nowMs, a.usd
		t.publish(id, a, nowMs)
	}
}

// Publish publishes changed and expired values. Call it every minute.
func (t *OpenInterestTracker) Publish(nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, a := range t.of {
		t.publish(id, a, nowMs)
	}
}

func (t *OpenInterestTracker) publish(id marketcache.AssetID, a *openInterest, nowMs int64) {
	s := marketcache.OpenInterestStats{Maxima: make([]marketcache.DayMaximum, 0, len(a.days))}
	for _, d := range a.days {
		if d.DayMs > nowMs-interestDays*dayMs {
			s.MaxUSD180d = max(s.MaxUSD180d, d.USD)
			s.Maxima = append(s.Maxima, d)
		}
	}
	s.Days = len(s.Maxima)
	if a.capMs > nowMs-capDays*dayMs && a.capMs > 0 {
		s.AtCapUSD30d, s.AtCapMs = a.capUSD, a.capMs
	}
	if was := &a.published; s.MaxUSD180d != was.MaxUSD180d || s.AtCapUSD30d != was.AtCapUSD30d ||
		s.AtCapMs != was.AtCapMs || !slices.Equal(s.Maxima, was.Maxima) {
		a.published = s
		t.cache.SetInterest(id, &s)
	}
}

// addTo adds the tracker's data of an asset to its history.
func (t *OpenInterestTracker) addTo(l *savedHistory, id marketcache.AssetID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.of[id]; a != nil {
		l.days, l.CapMs, l.CapUSD = slices.Clone(a.days), a.capMs, a.capUSD
	}
}
