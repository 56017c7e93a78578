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
func (mk *marketView) sizing(in *Input, acct *account, t *tradePlan, out *Assessment, state marketcache.LiquidityRegime) Sizing {
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
		s.MarginHeadroom = mk.safeMarginSize(in, acct, t, opposite)
		consider(s.OICapacity, LimitOICapacity)
		consider(s.MarginHeadroom, LimitMarginHeadroom)
	}
	consider(s.MarketImpact, LimitMarketImpact)
	s.MaxSafeUSD = min(max(limit, 0), MaxSizeUSD)
	s.SuggestedUSD = roundDown3(s.MaxSafeUSD * suggestedShare[state])
	return s
}

// roundDown3 rounds down to three significant digits.
func roundDown3(x float64) float64 {
	if x <= 0 {
		return 0
	}
	k := math.Floor(math.Log10(x)) - 2
	unit := math.Pow(10, k)
	return math.Floor(x/unit*(1+1e-9)) * unit
}

// safeBookSize is the largest size whose average slippage is at most 25 bps and that
// takes at most half of its side's own depth within 100 bps, USD at mark.
func (mk *marketView) safeBookSize(d float64) float64 {
	side := mk.side(d)
	n := side.Len()
	if n == 0 {
		return 0
	}
	depth := safeDepthShare * side.DepthUSD(mk.mid, safeDepthBps)
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
	r := safeImpactBps / (bpsPerUnit * lastingShare * mk.dailySigma())
	return min(v*r*r, MaxSizeUSD)
}

// safeMarginSize is the largest size that the wallet's own money carries: initial margin
// within four fifths of the free margin, liquidation beyond 1.25 daily 99 % moves, and a
// daily 99 % loss of at most a quarter of the account.
func (mk *marketView) safeMarginSize(in *Input, acct *account, t *tradePlan, opposite float64) float64 {
	h := headroom{mk: mk, in: in, acct: acct}
	// Both new legs share the trade's direction, so the losses do not depend on size.
	_, h.loss = mk.loss24h(t.direction)
	byDistance := opposite
	switch {
	case h.holds(MaxSizeUSD):
		byDistance = MaxSizeUSD
	case h.holds(opposite + 1):
		lo, hi := opposite, float64(MaxSizeUSD)
		for range bisections {
			mid := (lo + hi) / 2
			if h.holds(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		byDistance = lo
	}
	if h.assumed {
		return byDistance
	}
	return min(opposite+safeMarginShare*acct.freeMargin*t.asked, byDistance)
}

// headroom answers whether a size keeps distance and loss within bounds.
type headroom struct {
	mk      *marketView
	in      *Input
	acct    *account
	loss    float64 // 24 h 99 % VaR of the new side, percent
	assumed bool    // the last size asked about met the zero-equity assumption
}

func (h *headroom) holds(sizeUSD float64) bool {
	trade := h.in.Trade
	trade.SizeUSD = sizeUSD
	t := planTrade(&trade, false, h.in.Account, h.acct, h.mk)
	price, _ := h.mk.walk(t.direction, math.Abs(t.units))
	rate := h.acct.takerRate * h.mk.asset.FeeMultiplier
	pos := t.fill(h.acct, price, rate, false)
	h.assumed = pos.assumedEquity
	_, distance, _ := t.tiers.distance(pos.equity, pos.otherMaintenance, t.after, t.mark)
	if distance < safeDistanceTimes*h.loss {
		return false
	}
	return pos.assumedEquity || t.valueAfter*h.loss/pctPerUnit <= safeLossShare*h.acct.value
}
