package feed

import (
	"context"
	"time"

	"ballast/marketcache"
)

// RestoreAll reads the saved histories of all listed assets that have not been read into the cache yet.
func (h *History) RestoreAll() {
	eachListed(h.Cache, h.Supervisor, func(a *marketcache.Asset) { h.restore(a.ID, a.Name) })
}

// restore reads an asset's saved history into the cache, once. History that a previous feed left in the cache
// stays; the saved one adds older parts. A failed read is tried again, because nothing must be
// written before it has been read. After diskTries failures the service runs without the saved history and
// leaves it as it is.
func (h *History) restore(id marketcache.AssetID, name string) error {
	a := &h.of[id]
	a.disk.Lock()
	defer a.disk.Unlock()
	if a.read {
		return nil
	}
	now, nowMs, l := marketcache.Now(), h.nowMs(), &savedHistory{}
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
	l.join(h.Cache, id)
	h.set(id, func(a *assetHistory) {
		a.unchecked, a.whole, a.oddMs = len(l.bars) > 0, l.BarsThroughMs > 0 && !l.Short, l.OddMs
	})
	h.tell(id) // before a fit of the bars can be used
	if l.BarsThroughMs > 0 {
		h.Cache.ReplaceBars(id, l.bars, l.BarsThroughMs)
	}
	if l.FundingThroughMs > h.fundingThrough(id) {
		h.Cache.FundingRows(id).Replace(l.funding)
		h.Cache.SetFunding(id, fundingStats(l.funding, l.FundingThroughMs))
	}
	h.answerable(id)
	h.Interest.restore(id, l, nowMs)
	h.tell(id)
	h.set(id, func(a *assetHistory) {
		a.offset = h.offset(now)
		if a.behind = l.BarsThroughMs+hourMs <= nowMs; !a.behind {
			a.due[barsPart] = now.Add(h.untilTopUp(id, l.BarsThroughMs+hourMs))
		}
		if l.FundingThroughMs+h.FundingEvery.Milliseconds() > nowMs {
			a.due[fundingPart] = now.Add(h.fundingPause(id))
		}
	})
	return nil
}

// clockStep is a change of the venue's clock after which histories are compared with it again.
const clockStep = time.Minute

// FollowClock compares all histories with the venue's clock until ctx ends. After a step of the clock what is later
// is dropped, and all is due again: what was read before the step may lack what has happened since.
func (h *History) FollowClock(ctx context.Context) {
	for Sleep(ctx, time.Second) == nil {
		if !h.Clock.Verified() {
			continue
		}
		h.Interest.forgetFuture(h.nowMs())
		for _, id := range h.Ranking().IDs {
			h.followStep(id)
		}
	}
}

// followStep drops what of an asset's history is later than the venue's clock, and has all of it read again, if the
// clock has stepped since the last job, or a feed before this one had another clock. An asset with a running job
// waits for its end.
func (h *History) followStep(id marketcache.AssetID) {
	now := marketcache.Now()
	offset := h.offset(now)
	stepped := false
	h.set(id, func(a *assetHistory) {
		stepped = !a.busy && (a.offset != 0 && (a.offset-offset).Abs() > clockStep ||
			max(h.barsThrough(id), h.fundingThrough(id)) > h.nowMs()+clockStep.Milliseconds())
		if stepped {
			a.busy, a.offset = true, offset
		}
	})
	if !stepped {
		return
	}
	defer h.set(id, func(a *assetHistory) {
		a.busy, a.behind = false, h.barsThrough(id)+hourMs <= h.nowMs()
		for part := range a.due {
			a.due[part] = min(a.due[part], now)
		}
	})
	h.forgetFuture(id, h.Cache.Universe().Assets[id].Name)
}

// offset returns the venue's clock minus the Instant.
func (h *History) offset(now marketcache.Instant) time.Duration {
	return time.Duration(h.Clock.VenueNs(now) - int64(now))
}

// forgetFuture drops history later than the venue's clock. Such rows were accepted while the clock
// was wrong, and would block the correct rows for the same hours. A history that was complete up to a time in
// the future is then complete up to its last row.
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
	if past < len(bars) || through > nowMs {
		if through = 0; past > 0 {
			through = bars[past-1].OpenMs + hourMs
		}
		h.Cache.ReplaceBars(id, bars[:past], through)
	}
	ring.Replace(rows[:paid])
	if stats != nil && (paid < len(rows) || stats.ThroughVenueMs > nowMs) {
		last := int64(0)
		if paid > 0 {
			last = rows[paid-1].VenueMs
		}
		h.Cache.SetFunding(id, fundingStats(rows[:paid], last))
	}
	h.save(id, name)
}

// save saves an asset's history as the cache has it.
func (h *History) save(id marketcache.AssetID, name string) {
	if h.Store == nil {
		return
	}
	h.Store.save(name, func() *savedHistory {
		l := &savedHistory{funding: h.Cache.FundingRows(id).View()}
		l.FundingThroughMs = h.fundingThrough(id)
		l.bars, l.BarsThroughMs = h.Cache.Bars(id)
		h.set(id, func(a *assetHistory) { l.Short, l.OddMs = l.BarsThroughMs > 0 && !a.whole, a.oddMs })
		h.Interest.addTo(l, id)
		return l
	})
}

// saveEvery is how often the current day's maxima of open interest are saved.
const saveEvery = time.Hour

// SaveInterest saves maxima of open interest, and what could not be written before, every saveEvery and when ctx ends.
func (h *History) SaveInterest(ctx context.Context) {
	for h.Store != nil {
		ended := Sleep(ctx, saveEvery) != nil
		for _, a := range h.Cache.Universe().Assets {
			if !a.Delisted && h.restore(a.ID, a.Name) == nil {
				h.save(a.ID, a.Name)
			}
		}
		if ended {
			return
		}
	}
}
