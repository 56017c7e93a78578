package feed

import (
	"math"
	"time"

	"ballast/marketcache"
)

// join adds the bars of an answer to those held and returns the time until the next request.
func (h *History) join(
	j job, held []marketcache.Bar, through int64, got *BarsAnswer, fromMs int64) (again time.Duration,
) {
	all := union(held, got.Bars)
	last := int64(-1)
	if n := len(all); n > 0 {
		last = all[n-1].OpenMs
	}
	closedMs := got.AskedMs - CloseMargin.Milliseconds()
	hour := closedMs - closedMs%hourMs
	// Bars are complete to the last full hour, unless the venue has not sent that hour's bar yet.
	owed := last < hour-hourMs && closedMs-hour < lateBar.Milliseconds()
	complete := hour
	if owed {
		complete -= hourMs
	}
	// If the newest bar is hours old although the asset trades, the venue is behind. An
	// unfinished bar, or a day without volume, shows that the asset is just quiet.
	if last >= 0 && max(last, got.NewestMs) < hour-2*hourMs && h.trades(j.id) {
		complete = last + hourMs
	}
	complete = max(through, complete)
	if n := len(held); n > 0 && all[n-1] == held[n-1] { // none before or among those held
		h.Cache.AppendBars(j.id, all[n:], complete)
	} else {
		h.Cache.ReplaceBars(j.id, all, complete)
	}
	h.answerable(j.id)
	h.set(j.id, func(a *assetHistory) {
		a.unchecked, a.emptyRead, a.oddRead, a.whole = false, false, false, a.whole || fromMs == 0
		if got.OddMs != 0 || fromMs <= a.oddMs {
			a.oddMs = got.OddMs
		}
	})
	h.tell(j.id)
	h.save(j.id, j.name)
	if owed {
		return lateBar
	}
	return h.untilTopUp(j.id, hour+hourMs)
}

// union returns two lists of bars as one; of an hour that both have, the first list's bar.
func union(a, b []marketcache.Bar) []marketcache.Bar {
	all := make([]marketcache.Bar, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].OpenMs <= b[0].OpenMs {
			if a[0].OpenMs == b[0].OpenMs {
				b = b[1:]
			}
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// differs reports whether bars has a different bar for the hour of held.
func differs(held marketcache.Bar, bars []marketcache.Bar) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }
	n := search(bars, held.OpenMs)
	if n == len(bars) || bars[n].OpenMs != held.OpenMs {
		return false
	}
	b := bars[n]
	return !(near(b.Open, held.Open) && near(b.Close, held.Close) && near(b.High, held.High) && near(b.Low, held.Low))
}
