package hyperliquid

import (
	"math"
	"time"

	"ballast/marketcache"
)

// The venue says much of a market twice. The figures of a pair in one context (differs) are of one moment: one that
// differs makes the context unreadable. saidBySources are the figures of the slow part, which the stream of
// whole contexts and REST both tell. What one source says is used only while it is near what the other said last.
// Where the two are far apart REST is read again, and until both agree the asset keeps its last context, which ages.
// Figures of two moments differ in any market, so the bounds are wide. A mark is compared so only when it is far from
// the last closed bar: small differences of marks are judged over time (dispute.go).

// figures are what one context states beside what is kept of it; 0 for what it lacks.
type figures struct {
	marketcache.Context
	premium        float64    // fraction of the oracle price, NaN if not stated
	impact         [2]float64 // bid and ask for a trade of some size, USD
	dayVolumeUnits float64
}

const (
	unitFactor  = 10 // figures of one kind that are further apart are in different units
	dayFactor   = 2  // in a million hours of candles the mean price of a day was at most 1.75 times outside of its ends
	movedBasis  = 0.02
	movedFactor = 1.25
	// The premium is sampled every 5 s, oracle and impact prices are newer.
	premiumMoves = marketcache.DivergingPct / 100.0
	fundingMoves = 1e-5 // an hour; a smaller difference between two moments says nothing
	trifleUSD    = 1e4  // nor does a smaller difference of open interest or volume
)

// unlike reports whether two figures of one kind are in different units; 0 is like 0 only.
func unlike(a, b float64) bool { return max(a, b) > unitFactor*min(a, b) }

// differs reports whether a pair of a context differs: mid and impact prices, premium and impact prices, the day's
// volume in USD and in units. A pair that lacks a figure does not.
func (c *figures) differs() bool {
	if bid, ask := c.impact[0], c.impact[1]; bid > 0 && ask > 0 {
		mid := c.MidPrice
		if mid > 0 && (bid > mid || ask < mid || unlike(bid, mid) || unlike(ask, mid)) {
			return true
		}
		impact := min(max(c.OraclePrice, bid), ask)
		if c.OraclePrice > 0 && math.Abs(c.OraclePrice*(1+c.premium)/impact-1) > premiumMoves { // false for NaN
			return true
		}
	}
	if c.DayVolumeUSD > 0 && c.dayVolumeUnits > 0 {
		price := c.DayVolumeUSD / c.dayVolumeUnits
		low, high := c.MarkPrice, c.MarkPrice
		if c.PrevDayPrice > 0 {
			low, high = min(low, c.PrevDayPrice), max(high, c.PrevDayPrice)
		}
		return price*dayFactor < low || price > dayFactor*high
	}
	return false
}

// saidBySources are the figures that are compared between two contexts of different moments.
var saidBySources = []struct {
	name string
	far  func(a, b marketcache.Context) bool
}{
	{"oraclePx", func(a, b marketcache.Context) bool { // beside the mark, which is compared by itself (dispute.go)
		return math.Abs(a.OraclePrice*b.MarkPrice/(a.MarkPrice*b.OraclePrice)-1) > movedBasis
	}},
	{"prevDayPx", func(a, b marketcache.Context) bool {
		return a.PrevDayPrice > 0 && b.PrevDayPrice > 0 && farFactor(a.PrevDayPrice, b.PrevDayPrice)
	}},
	{"funding", func(a, b marketcache.Context) bool {
		return a.HasFunding && b.HasFunding && farRates(a.FundingRateHourly, b.FundingRateHourly)
	}},
	{"openInterest", func(a, b marketcache.Context) bool {
		return farAmounts(a.OpenInterestUnits*a.MarkPrice, b.OpenInterestUnits*a.MarkPrice)
	}},
	{"dayNtlVlm", func(a, b marketcache.Context) bool { return farAmounts(a.DayVolumeUSD, b.DayVolumeUSD) }},
}

// farRates reports whether two funding rates are too far apart for a move.
func farRates(a, b float64) bool {
	apart := math.Abs(a - b)
	return apart > fundingMoves && 2*apart > max(math.Abs(a), math.Abs(b))
}

// farAmounts reports whether two amounts, USD, are too far apart for a move.
func farAmounts(a, b float64) bool { return math.Abs(a-b) > trifleUSD && farFactor(a, b) }

// farFactor reports whether two figures are further apart than these move in the minutes between two contexts.
func farFactor(a, b float64) bool { return max(a, b) > movedFactor*min(a, b) }

// saidLately is how long what a source said is compared with.
const saidLately = 2 * universeEvery

// sources is what is known of an asset's slow figures by source. Guarded by Feed.contexts.
type sources struct {
	last     [2]contextAt // by markSource
	far      string       // the figure for which the newest context is not used, "" if it is
	funding  float64      // the rate that the list of predicted fundings has
	refuted  int          // reads of that list in a row whose rate was far from all sources
	refuteAt marketcache.Instant
}

// markSource is the source of a whole context.
type markSource int

const (
	fromStream markSource = iota
	fromREST
)

type contextAt struct {
	marketcache.Context
	at marketcache.Instant
}

// lately reports whether there is a context that is young enough to compare others with.
func (c *contextAt) lately(now marketcache.Instant) bool {
	return c.at != 0 && now.Sub(c.at) <= saidLately
}

// confirmed records a context from a source and reports whether it may be used: it must be near the other source's last
// context, or, when that is too old to compare, near the same source's last one. The caller holds f.contexts.
func (f *Feed) confirmed(id marketcache.AssetID, c *marketcache.Context, at, now marketcache.Instant,
	source markSource) bool {
	s := f.sources[id]
	if s == nil {
		s = &sources{}
		f.sources[id] = s
	}
	if at <= s.last[source].at {
		return s.far == ""
	}
	before := s.last[source]
	if other := s.last[1-source]; other.lately(now) {
		before = other
	}
	s.last[source] = contextAt{*c, at}
	mark := before.MarkPrice
	if told, _, ok := f.marks.told(id, now, marksLately); ok && source == fromREST {
		mark = told.mark
	} else if !before.lately(now) {
		mark = 0
	}
	switch s.far = s.farFrom(c, &before, now); {
	case s.far == "" && f.farFromBar(id, c.MarkPrice, now) && !near(c.MarkPrice, mark, otherMark*mark):
		s.far = "markPx"
	case s.far == "":
		return true
	}
	f.contradicted(id, s.far)
	return false
}

// farFrom returns the name of a figure that is far from the context before or from the list of predicted fundings, ""
// if none is.
func (s *sources) farFrom(c *marketcache.Context, before *contextAt, now marketcache.Instant) string {
	for i := range saidBySources {
		if before.lately(now) && saidBySources[i].far(*c, before.Context) {
			return saidBySources[i].name
		}
	}
	if s.refuted > 1 && now.Sub(s.refuteAt) <= saidLately && farRates(c.FundingRateHourly, s.funding) {
		return "funding beside predictedFundings"
	}
	return ""
}

// contradicted counts a figure that is not used, and has REST read.
func (f *Feed) contradicted(id marketcache.AssetID, figure string) {
	marketcache.Signal(f.unsure)
	f.setAside(asideContext, f.cache.Universe().Assets[id].Name+" "+figure)
}

const (
	barBound  = 0.20          // relative to the last close
	farSigmas = 20            // hourly standard deviations; the larger of the two bounds applies
	barOld    = 2 * time.Hour // a bar that closed longer ago is not compared
)

// farFromBar reports whether a mark is so far from the last closed bar that a second source must say it too.
func (f *Feed) farFromBar(id marketcache.AssetID, mark float64, now marketcache.Instant) bool {
	bars, _ := f.cache.Bars(id)
	if len(bars) == 0 {
		return false
	}
	last, limit := &bars[len(bars)-1], barBound
	if m := f.cache.Model().Asset(id); m != nil && m.Bars > 0 {
		limit = max(limit, farSigmas*math.Sqrt(m.Variance[marketcache.H1]))
	}
	return math.Abs(mark/last.Close-1) > limit && f.clock.VenueMs(now)-(last.OpenMs+hourMs) <= barOld.Milliseconds()
}

// believes reports whether a mark of the stream of marks may be used: it is near the last bar, or what REST said. The
// caller holds f.contexts.
func (f *Feed) believes(id marketcache.AssetID, mark float64, now marketcache.Instant) bool {
	if !f.farFromBar(id, mark, now) {
		return true
	}
	s := f.sources[id]
	return s != nil && s.last[fromREST].lately(now) &&
		near(mark, s.last[fromREST].MarkPrice, otherMark*s.last[fromREST].MarkPrice)
}

// predicted compares the venue's own rate in the list of predicted fundings with the contexts. again reports whether
// the list must be read again, because the rate is far from both sources.
func (f *Feed) predicted(id marketcache.AssetID, rate float64, at marketcache.Instant) (again bool) {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	s := f.sources[id]
	if s == nil {
		return false
	}
	known := false
	for _, c := range s.last {
		if !c.lately(at) || !c.HasFunding {
			continue
		}
		if known = true; !farRates(rate, c.FundingRateHourly) {
			s.refuted = 0
			return false
		}
	}
	if !known || math.IsNaN(rate) {
		return false
	}
	s.refuted++
	s.funding, s.refuteAt = rate, at
	return s.refuted == 1
}

// unconfirmed reports whether the newest context of an asset is not used. The caller holds f.contexts.
func (f *Feed) unconfirmed(id marketcache.AssetID, now marketcache.Instant) bool {
	s := f.sources[id]
	return s != nil && s.far != "" && now.Sub(max(s.last[0].at, s.last[1].at)) <= saidLately
}
