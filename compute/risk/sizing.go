package risk

import (
	"math"
	"sort"

	"ballast/marketcache"
)

// Sizing is the largest size that keeps every constraint, and a suggestion below it.
type Sizing struct {
	MaxSafeUSD   float64 // 0 to 100,000,000
	SuggestedUSD float64
	Limit        SizeLimit

	// The constraints one by one, USD; explanation only.
	BookDepth, OICapacity, MarginHeadroom, MarketImpact float64
}

// SizeLimit names the binding constraint.
type SizeLimit uint8

const (
	LimitBookDepth SizeLimit = iota
	LimitOICapacity
	LimitMarginHeadroom
	LimitMarketImpact
)

// String returns the constraint's public name.
func (l SizeLimit) String() string {
	return [...]string{"book_depth", "oi_capacity", "margin_headroom", "market_impact"}[l]
}

const (
	safeSlippageBps   = 25
	safeDepthShare    = 0.5 // of the side's depth within safeDepthBps
	safeDepthBps      = 100
	safeOIShare       = 0.10
	safeRoomShare     = 0.50 // of the room below the open-interest cap
	safeMarginShare   = 0.80 // of the free margin
	safeDistanceTimes = 1.25 // times the 24 h 99 % move
	safeLossShare     = 0.25 // of the account
	safeImpactBps     = 25
	bisections        = 60
)

// suggestedShare is the part of the safe size that is suggested, by liquidity regime.
var suggestedShare = [3]float64{0.80, 0.60, 0.40}

// sizing solves every constraint for the largest size of the same action, leverage and
// wallet. A size up to the opposite position reduces it, which margin and open interest
// always allow.
func (mk *marketView) sizing(h *headroom, acct *account, t *tradePlan, takerRate float64, out *Assessment, state marketcache.LiquidityRegime) Sizing {
	d := t.direction
	s := Sizing{
		BookDepth:    mk.safeBookSize(d),
		MarketImpact: mk.safeImpactSize(),
	}
	limit := s.BookDepth
	consider := func(size float64, l SizeLimit) {
		if size < limit {
			limit, s.Limit = size, l
		}
	}
	if t.action == ActionClose {
		s.MarginHeadroom = math.Abs(t.before) * t.mark
		s.OICapacity = MaxSizeUSD
		consider(s.MarginHeadroom, LimitMarginHeadroom)
	} else {
		opposite := 0.0
		if t.before != 0 && sign(t.before) != d {
			opposite = math.Abs(t.before) * t.mark
		}
		s.OICapacity = opposite
		if !out.OpenInterest.AtCap {
			s.OICapacity += min(safeOIShare*out.OpenInterest.CurrentUSD,
				safeRoomShare*max(0, out.OpenInterest.CapUSD-out.OpenInterest.CurrentUSD))
		}
		s.MarginHeadroom = h.safeSize(mk, acct, t, takerRate, opposite)
		consider(s.OICapacity, LimitOICapacity)
		consider(s.MarginHeadroom, LimitMarginHeadroom)
	}
	consider(s.MarketImpact, LimitMarketImpact)
	s.MaxSafeUSD = min(max(limit, 0), MaxSizeUSD)
	s.SuggestedUSD = roundDown3(s.MaxSafeUSD * suggestedShare[state])
	return s
}

// roundDown3 rounds down to three significant digits. What is less than any size that
// counts as a position is 0.
func roundDown3(x float64) float64 {
	if x < flatUSD {
		return 0
	}
	k := math.Floor(math.Log10(x)) - 2
	unit := math.Pow(10, k)
	return math.Floor(x/unit*(1+roundingSlack)) * unit
}

// safeBookSize is the largest size whose average slippage is at most 25 bps and that
// takes at most half of its side's own depth within 100 bps, USD at mark.
func (mk *marketView) safeBookSize(d float64) float64 {
	side := mk.side(d)
	n := side.Len()
	if n == 0 {
		return 0
	}
	depth := safeDepthShare * mk.within(side, safeDepthBps)
	target := mk.mid * (1 + d*safeSlippageBps/bpsPerUnit) // worst average price T
	// worse reports that the average over the first i+1 levels is beyond the target.
	worse := func(i int) bool { return d*(side.CumUSD[i]-target*side.CumUnits[i]) > 0 }
	i := sort.Search(n, worse)
	var units float64
	switch {
	case i == n:
		units = mk.safeBeyond(side, d, target)
	case d*(side.Price[0]-target) > 0:
		units = 0
	default:
		before, cost := 0.0, 0.0
		if i > 0 {
			before, cost = side.CumUnits[i-1], side.CumUSD[i-1]
		}
		units = before + (cost-target*before)/(target-side.Price[i])
	}
	return min(max(units*mk.mark, 0), depth, MaxSizeUSD)
}

// safeBeyond solves the walk beyond the visible book for the units at which the average
// reaches the target: with the rest R priced at mid*(1+d*o_K*(1+u/B)/2),
//
//	C + R*price(B+R) = T*(B+R)
//
// is a quadratic in R; without a positive root there is no bound.
func (mk *marketView) safeBeyond(side *marketcache.Side, d, target float64) float64 {
	n := side.Len()
	visible, cost := side.CumUnits[n-1], side.CumUSD[n-1]
	last := math.Abs(side.Price[n-1]/mk.mid - 1)
	a := mk.mid * last / (2 * visible)
	b := d * (mk.mid*(1+d*last) - target)
	c := d * (cost - target*visible) // <= 0: the visible part is within the target
	disc := b*b - 4*a*c
	if a <= 0 || disc < 0 {
		if b > 0 {
			return visible - c/b
		}
		return math.Inf(1)
	}
	root := math.Sqrt(disc)
	var rest float64
	if b > 0 { // the form without cancellation
		rest = 2 * c / (-b - root)
	} else {
		rest = (-b + root) / (2 * a)
	}
	if !(rest > 0) {
		if c == 0 {
			return visible
		}
		return math.Inf(1)
	}
	return visible + rest
}

// safeImpactSize inverts the impact law at 25 bps.
func (mk *marketView) safeImpactSize() float64 {
	v, _ := mk.volume()
	r := safeImpactBps / (bpsPerUnit * lastingShare * mk.fit.dailySigma)
	return min(v*r*r, MaxSizeUSD)
}

// safeSize is the largest size that the wallet's own money carries: initial margin
// within four fifths of the free margin, liquidation beyond 1.25 daily 99 % moves, and a
// daily 99 % loss of at most a quarter of the account.
func (h *headroom) safeSize(mk *marketView, acct *account, t *tradePlan, takerRate, opposite float64) float64 {
	h.mk, h.acct, h.plan, h.takerRate = mk, acct, *t, takerRate
	// Both new legs share the trade's direction, so the losses do not depend on size.
	_, loss := mk.loss24h(t.direction)
	h.loss = loss / pctPerUnit
	margin := opposite + safeMarginShare*acct.freeMargin*t.asked
	h.at(opposite+1, &h.first)
	switch {
	case h.assumed:
		return h.largest(opposite)
	case h.plan.mode == Cross:
		return h.largestCross(opposite, margin)
	}
	return min(margin, h.largest(opposite))
}

// headroom answers how much room a size leaves to the limits on distance and loss. It is
// memory only: safeSize begins anew.
type headroom struct {
	mk        *marketView
	acct      *account
	plan      tradePlan // of the last size asked about
	takerRate float64
	loss      float64 // 24 h 99 % VaR of the new side, fraction
	assumed   bool    // the size met the zero-equity assumption
	first     room    // of one USD beyond the opposite position
	span      span
}

// room is what a size leaves, USD: negative when a limit is broken.
type room struct {
	afterMove float64 // equity less maintenance margin after 1.25 daily 99 % moves
	loss      float64 // a quarter of the account less the daily 99 % loss
	segment   segment
}

// segment names a range of sizes in which both figures are linear in the size: it ends
// in one level of the book, and the notional lies in one margin tier now and in one
// after the move.
type segment struct {
	linear      bool
	kind        change
	level       int
	tier, after *marketcache.Tier
}

func (r *room) holds() bool { return r.afterMove >= 0 && r.loss >= 0 }

// largest bisects for the largest size above the opposite position that leaves room.
// More of a position may carry itself where less did not, so that which sizes are asked
// about is part of the answer.
func (h *headroom) largest(opposite float64) float64 {
	hi, hopeless := float64(MaxSizeUSD), 2*h.lossLimit()
	for h.first.holds() && (opposite+hi)/2 > hopeless {
		hi = (opposite + hi) / 2 // what bisection would find of each
	}
	b := &h.span
	h.at(hi, &b.high)
	if b.high.holds() {
		return hi
	}
	if !h.first.holds() {
		return opposite
	}
	b.lo, b.hi, b.low = opposite, hi, room{}
	return h.between(false)
}

// lossLimit is the size whose loss is all that it may be, USD.
func (h *headroom) lossLimit() float64 {
	if h.assumed || h.loss <= 0 {
		return math.Inf(1)
	}
	return safeLossShare*h.acct.value/h.loss - h.plan.direction*h.plan.before*h.plan.mark
}

// largestCross is largest in the cross pool, up to a bound. There the room falls from some
// size on and never rises again, as the pool pays for every further unit more than for the
// one before: what holds at the bound, or where the loss alone is all that it may be, holds
// below, and in between the search may aim.
func (h *headroom) largestCross(opposite, bound float64) float64 {
	if !h.first.holds() {
		return opposite
	}
	hi := min(bound, MaxSizeUSD, h.lossLimit())
	if hi <= opposite+1 {
		return hi
	}
	b := &h.span
	h.at(hi, &b.high)
	if b.high.afterMove >= 0 {
		return hi
	}
	b.lo, b.hi, b.low = opposite+1, hi, h.first
	return h.between(true)
}

// span is a size that leaves room, or is as good, and a larger one that does not.
type span struct {
	lo, hi    float64
	low, high room // that of lo is zero where it is not known
	mid       room // of the size asked about last
}

// between returns the largest size of the span that leaves room: by bisection, or aimed,
// which takes the crossing of the chord and the geometric mean in turns, and, once both
// ends lie in one segment, where the straight line crosses zero.
func (h *headroom) between(aimed bool) float64 {
	b := &h.span
	for round := range bisections {
		if b.low.segment.linear && b.low.segment == b.high.segment {
			return min(crossing(b.lo, b.hi, b.low.afterMove, b.high.afterMove), crossing(b.lo, b.hi, b.low.loss, b.high.loss))
		}
		mid := (b.lo + b.hi) / 2
		if aimed {
			at := math.Sqrt(b.lo * b.hi) // a book is small beside what the loss allows
			if round&1 == 0 {
				at = crossing(b.lo, b.hi, b.low.afterMove, b.high.afterMove)
			}
			if at > b.lo && at < b.hi {
				mid = at
			}
		}
		if h.at(mid, &b.mid); b.mid.holds() {
			b.lo, b.low = mid, b.mid
		} else {
			b.hi, b.high = mid, b.mid
		}
	}
	return b.lo
}

// crossing returns where the line through (lo, a) and (hi, b), a not negative, meets
// zero; hi when it does not.
func crossing(lo, hi, a, b float64) float64 {
	if b >= 0 {
		return hi
	}
	return lo + (hi-lo)*(a/(a-b))
}

// at finds the room that a size leaves. The distance condition is asked at the far
// end of the move: equity there against the maintenance margin there, which is the same
// as comparing distances because equity less maintenance crosses zero once.
func (h *headroom) at(sizeUSD float64, r *room) {
	t := &h.plan
	t.resize(sizeUSD / t.mark)
	price, level := h.mk.walkTo(t.direction, math.Abs(t.units))
	var pos position
	t.fill(&pos, h.acct, price, h.takerRate, false)
	h.assumed = pos.assumedEquity
	r.loss, r.afterMove = math.Inf(1), math.Inf(1)
	if !h.assumed {
		r.loss = safeLossShare*h.acct.value - t.valueAfter*h.loss
	}
	move := safeDistanceTimes * h.loss
	notional := t.valueAfter * (1 - t.side*move)
	tier := t.tiers.tierFor(notional)
	switch {
	case move > 1: // no distance is more than 100 %
		r.afterMove = math.Inf(-1)
	case move > 0: // every distance is at least 0
		r.afterMove = pos.equity - t.valueAfter*move - pos.otherMaintenance -
			(notional*tier.MaintenanceRate - tier.DeductionUSD)
	}
	// Beyond the visible book the fill bends, and the new leg of an isolated flip carries
	// only its part of the average fill.
	g := &r.segment
	g.linear = level < h.mk.side(t.direction).Len() && !(t.kind == flips && t.mode == Isolated)
	g.kind, g.level, g.tier, g.after = t.kind, level, t.tiers.tierFor(t.valueAfter), tier
}
