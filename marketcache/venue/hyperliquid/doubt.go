package hyperliquid

import (
	"math"
	"time"

	"ballast/marketcache"
)

// A mark far from the last closed bar is used only when a second source confirms it. Until then the
// asset keeps its last good context, whose age grows.

// markSource is the source of a mark.
type markSource int

const (
	fromStream markSource = iota
	fromREST
)

// doubt is a mark far from the last bar that waits for confirmation.
type doubt struct {
	mark      float64
	seen      marketcache.Instant
	confirmed marketcache.Instant // by REST; 0: not confirmed
}

const (
	farFromBar   = 0.20             // relative to the last close
	farSigmas    = 20               // hourly standard deviations; the larger of the two bounds applies
	barOld       = 2 * time.Hour    // a bar that closed longer ago is not compared
	sameDoubt    = 0.02             // marks within this relative distance confirm each other
	confirmedFor = 10 * time.Minute // how long a confirmation holds
	doubtedFor   = time.Minute      // a doubtful mark not repeated within this time is forgotten
	doubtsEvery  = 10 * time.Second // minimum time between REST reads for doubted marks
)

// believes reports whether a mark may be used. The caller holds f.contexts.
func (f *Feed) believes(id marketcache.AssetID, mark float64, source markSource) bool {
	bars, _ := f.cache.Bars(id)
	if len(bars) == 0 {
		return true
	}
	now := marketcache.Now()
	last := &bars[len(bars)-1]
	limit := farFromBar
	if m := f.cache.Model().Asset(id); m != nil && m.Bars > 0 {
		limit = max(limit, farSigmas*math.Sqrt(m.Variance[marketcache.H1]))
	}
	if math.Abs(mark/last.Close-1) <= limit || f.clock.VenueMs(now)-(last.OpenMs+hourMs) > barOld.Milliseconds() {
		if source == fromStream { // a REST answer may be older than the doubt
			delete(f.doubts, id)
		}
		return true
	}
	near := func(share float64) bool { return math.Abs(mark/f.doubts[id].mark-1) <= share }
	d, known := f.doubts[id]
	known = known && now.Sub(d.seen) <= doubtedFor
	switch {
	case known && d.confirmed != 0 && now.Sub(d.confirmed) <= confirmedFor && near(farFromBar):
		d.mark, d.seen = mark, now
	case known && source == fromREST && near(sameDoubt):
		d = doubt{mark, now, now}
	default:
		d = doubt{mark: mark, seen: now}
		f.setAside(asideContext, f.cache.Universe().Assets[id].Name)
		if f.doubted == 0 || now.Sub(f.doubted) >= doubtsEvery {
			f.doubted = now
			marketcache.Signal(f.metaDue)
		}
	}
	f.doubts[id] = d
	return d.confirmed != 0
}
