package hyperliquid

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

const (
	dayMs        = 24 * hourMs
	interestDays = 180 // days whose maximum counts
	capDays      = 30  // days for which the open interest at the cap counts
)

// interest keeps what this service has seen of every asset's open interest: the
// maximum of each UTC day, and the value while the asset was at the venue's cap
// (docs/model.md). It publishes marketcache.OpenInterestStats.
type interest struct {
	cache *marketcache.Cache
	mu    sync.Mutex
	of    map[marketcache.AssetID]*assetInterest
}

type assetInterest struct {
	days      []marketcache.DayMaximum // rising, the last one is still growing
	usd       float64                  // newest
	capMs     int64
	capUSD    float64
	published marketcache.OpenInterestStats
	unsaved   bool
	capSaved  int64 // capMs as saved
}

func newInterest(c *marketcache.Cache) *interest {
	return &interest{cache: c, of: map[marketcache.AssetID]*assetInterest{}}
}

func (t *interest) asset(id marketcache.AssetID) *assetInterest {
	a := t.of[id]
	if a == nil {
		a = &assetInterest{}
		if held := t.cache.InterestStats(id); held != nil { // what was known before this feed
			a.days, a.capMs, a.capUSD = slices.Clone(held.Maxima), held.AtCapMs, held.AtCapUSD30d
		}
		t.of[id] = a
	}
	return a
}

// restore takes in what is on disk.
func (t *interest) restore(id marketcache.AssetID, k *kept, nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.asset(id)
	a.days, a.capSaved = mergeMaxima(a.days, k.days), k.capMs
	if k.capMs > a.capMs {
		a.capMs, a.capUSD = k.capMs, k.capUSD
	}
	t.publish(id, a, nowMs)
}

// mergeMaxima returns the maxima of both, by day.
func mergeMaxima(a, b []marketcache.DayMaximum) []marketcache.DayMaximum {
	merged := slices.Concat(a, b)
	slices.SortFunc(merged, func(a, b marketcache.DayMaximum) int {
		return cmp.Or(cmp.Compare(a.DayMs, b.DayMs), cmp.Compare(b.USD, a.USD))
	})
	return slices.CompactFunc(merged, func(a, b marketcache.DayMaximum) bool { return a.DayMs == b.DayMs })
}

// see takes in an open interest in USD.
func (t *interest) see(id marketcache.AssetID, usd float64, nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.asset(id)
	a.usd = usd
	day := nowMs - nowMs%dayMs
	n := len(a.days)
	switch {
	case n > 0 && day < a.days[n-1].DayMs: // the clock stepped back over midnight
		return
	case n == 0 || a.days[n-1].DayMs != day:
		a.days = append(a.days[max(0, n-interestDays):], marketcache.DayMaximum{DayMs: day, USD: usd})
	case usd > a.days[n-1].USD:
		a.days[n-1].USD = usd
	default:
		return
	}
	a.unsaved = true
	// A tick that raises the maximum by less than a thousandth is not worth a
	// publication of its own; the next minute brings it.
	if usd > a.published.MaxUSD180d*1.001 {
		t.publish(id, a, nowMs)
	}
}

// atCap takes in the list of assets at their cap.
func (t *interest) atCap(caps *marketcache.Caps, nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, at := range caps.AtCap {
		if a := t.of[marketcache.AssetID(id)]; at && a != nil && a.usd > 0 {
			a.capMs, a.capUSD = nowMs, a.usd
			t.publish(marketcache.AssetID(id), a, nowMs)
		}
	}
}

// minute publishes what has changed or expired.
func (t *interest) minute(nowMs int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, a := range t.of {
		t.publish(id, a, nowMs)
	}
}

func (t *interest) publish(id marketcache.AssetID, a *assetInterest, nowMs int64) {
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
	if was := &a.published; s.MaxUSD180d != was.MaxUSD180d || s.AtCapUSD30d != was.AtCapUSD30d || s.AtCapMs != was.AtCapMs || !slices.Equal(s.Maxima, was.Maxima) {
		a.published = s
		t.cache.SetInterest(id, &s)
	}
}

// saveEvery is how often the running day's maxima are written down.
const saveEvery = time.Hour

// saveInterest writes maxima down every saveEvery, and at the end.
func (f *Feed) saveInterest(ctx context.Context) {
	if f.store == nil {
		return
	}
	for feed.Sleep(ctx, saveEvery) == nil {
		f.interest.save(f)
	}
	f.interest.save(f)
}

func (t *interest) save(f *Feed) {
	u := f.cache.Universe()
	type change struct {
		id      marketcache.AssetID
		records []record
	}
	var changes []change
	t.mu.Lock()
	for id, a := range t.of {
		c := change{id: id}
		if a.unsaved {
			// A day that ended since the last save is among the last two.
			for _, d := range a.days[max(0, len(a.days)-2):] {
				c.records = append(c.records, record{kind: interestRecord, timeMs: d.DayMs, v: [5]float64{d.USD}})
			}
			a.unsaved = false
		}
		if a.capMs != a.capSaved {
			c.records = append(c.records, record{kind: capRecord, timeMs: a.capMs, v: [5]float64{a.capUSD}})
			a.capSaved = a.capMs
		}
		if len(c.records) > 0 {
			changes = append(changes, c)
		}
	}
	t.mu.Unlock()
	for _, c := range changes {
		a := u.Asset(c.id)
		if a == nil {
			continue
		}
		if f.history.restore(c.id, a.Name) != nil { // a log must be read before it is written
			t.mu.Lock()
			t.of[c.id].unsaved, t.of[c.id].capSaved = true, 0
			t.mu.Unlock()
			continue
		}
		if f.store.append(a.Name, c.records...) {
			f.store.rewrite(a.Name, func() *kept { return f.keptOf(c.id) })
		}
	}
}

// keptOf gathers what the log of an asset should hold. It takes the locks of history
// and interest, which nobody holds while he waits for the store.
func (f *Feed) keptOf(id marketcache.AssetID) *kept {
	bars, through := f.cache.Bars(id)
	k := &kept{bars: bars, barsThroughMs: through, rows: f.cache.FundingRows(id).View(), fundingThrough: f.history.fundingThrough(id), short: f.history.short(id)}
	f.interest.mu.Lock()
	defer f.interest.mu.Unlock()
	if a := f.interest.of[id]; a != nil {
		k.days, k.capMs, k.capUSD = append([]marketcache.DayMaximum(nil), a.days...), a.capMs, a.capUSD
	}
	return k
}
