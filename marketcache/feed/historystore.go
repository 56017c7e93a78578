package feed

import (
	"context"
	"time"

	"ballast/marketcache"
)

// RestoreAll reads the logs of all listed assets that have not been read into the cache yet.
func (h *History) RestoreAll() {
	eachListed(h.Cache, h.Supervisor, func(a *marketcache.Asset) { h.restore(a.ID, a.Name) })
}

// restore reads an asset's log into the cache, once. History that a previous feed left in the cache
// stays; the log adds older parts. A failed read is tried again, because the log must not be
// written before it has been read. After diskTries failures the service runs without this log and
// leaves the file as it is.
func (h *History) restore(id marketcache.AssetID, name string) error {
	a := &h.of[id]
	a.disk.Lock()
	defer a.disk.Unlock()
	if a.read {
		return nil
	}
	now, nowMs, l := marketcache.Now(), h.nowMs(), &assetLog{}
	if h.Store != nil {
		read, err := h.Store.load(name, nowMs)
		if err == nil {
			l = read
		} else if a.unread++; a.unread < diskTries {
			return err
		}
	}
	a.read = true
	if l.future > 0 {
		h.OnFuture(name)
	}
	lacked := l.join(h.Cache, id)
	h.set(id, func(a *assetHistory) {
		a.lacking, a.unchecked, a.whole = lacked, len(l.bars) > 0, l.barsThroughMs > 0 && !l.short
	})
	h.tell(id) // before a fit of the bars can be used
	if l.barsThroughMs > 0 {
		h.Cache.ReplaceBars(id, l.bars, l.barsThroughMs)
	}
	if l.fundingThroughMs > h.fundingThrough(id) {
		h.Cache.FundingRows(id).Replace(l.funding)
		h.Cache.SetFunding(id, fundingStats(l.funding, l.fundingThroughMs))
	}
	h.answerable(id)
	h.Interest.restore(id, l, nowMs)
	h.tell(id)
	h.set(id, func(a *assetHistory) {
		if a.behind = l.barsThroughMs+hourMs <= nowMs; !a.behind {
			a.due[barsPart] = now.Add(h.untilTopUp(id, l.barsThroughMs+hourMs))
		}
		if l.fundingThroughMs+h.FundingEvery.Milliseconds() > nowMs {
			a.due[fundingPart] = now.Add(h.fundingPause(id))
		}
	})
	return nil
}

// forgetFuture drops history later than the venue's clock. Such rows were accepted while the clock
// was wrong, and would block the correct rows for the same hours.
func (h *History) forgetFuture(id marketcache.AssetID, name string) {
	if !h.Clock.Verified() {
		return
	}
	nowMs := h.nowMs()
	bars, through := h.Cache.Bars(id)
	ring, stats := h.Cache.FundingRows(id), h.Cache.FundingStats(id)
	rows := ring.View()
	past, paid := search(bars, nowMs-hourMs+1), len(rows)
	for paid > 0 && rows[paid-1].VenueMs > nowMs+RowLate.Milliseconds() {
		paid--
	}
	if past == len(bars) && paid == len(rows) && through <= nowMs && h.fundingThrough(id) <= nowMs {
		return
	}
	h.OnFuture(name)
	h.Cache.ReplaceBars(id, bars[:past], min(through, nowMs-nowMs%hourMs))
	ring.Replace(rows[:paid])
	if stats != nil {
		h.Cache.SetFunding(id, fundingStats(rows[:paid], min(stats.ThroughVenueMs, nowMs)))
	}
	h.save(id, name, true)
}

// save appends records to an asset's log, or rewrites the log from the cache: with anew, or
// when the log lacks data.
func (h *History) save(id marketcache.AssetID, name string, anew bool, records ...record) {
	if h.Store == nil {
		return
	}
	h.set(id, func(a *assetHistory) { anew, a.lacking = anew || a.lacking, false })
	h.Store.write(name, records, anew, func() *assetLog {
		l := &assetLog{funding: h.Cache.FundingRows(id).View(), fundingThroughMs: h.fundingThrough(id)}
		l.bars, l.barsThroughMs = h.Cache.Bars(id)
		h.set(id, func(a *assetHistory) { l.short = l.barsThroughMs > 0 && !a.whole })
		h.Interest.addTo(l, id)
		return l
	})
}

// saveEvery is how often the current day's maxima of open interest are saved.
const saveEvery = time.Hour

// SaveInterest saves maxima of open interest every saveEvery, and when ctx ends.
func (h *History) SaveInterest(ctx context.Context) {
	for h.Store != nil {
		ended := Sleep(ctx, saveEvery) != nil
		for _, a := range h.Cache.Universe().Assets {
			if h.Interest.changed(a.ID) && h.restore(a.ID, a.Name) == nil {
				h.save(a.ID, a.Name, false, h.Interest.unsaved(a.ID)...)
			}
		}
		if ended {
			return
		}
	}
}
