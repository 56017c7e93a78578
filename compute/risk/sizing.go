package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Sizing is the largest size within every constraint, and a suggested size below it.
type Sizing struct {
	MaxSafeUSD   float64 // 0 to 100,000,000
	SuggestedUSD float64
	Limit        SizeLimit
	Rule         string // of the operator, where one keeps the sizes down more than Limit does; "" otherwise

	// The individual constraints, USD; explanation only.
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
	safeDepthShare    = 0.5 // share of the side's depth within safeDepthBps
	safeDepthBps      = 100
	safeOIShare       = 0.10
	safeRoomShare     = 0.50 // share of the room below the open-interest cap
	safeMarginShare   = 0.80 // share of the free margin
	safeDistanceTimes = 1.25 // multiple of the 24 h 99 % move
	safeLossShare     = 0.25 // share of the account
	safeImpactBps     = 25
	// Sizes beyond the opposite position are probed at 10*10^(7j/47) USD, j = 0 to 47: from
	// the venue's smallest order to the largest allowed request.
	sizeProbes     = 48
	sizeTolerance  = 1e-6 // relative, of the bisection between two probes
	maxSizeHalving = 16   // maximum number of divisions of max_safe by sqrt(2) in the search for proceed
	// edgeTolerance is the relative precision of the size that edge returns.
	edgeTolerance = 1e-11
	maxEdgeRounds = 100
)

// suggestedShare is the suggested part of the safe size, by liquidity regime.
var suggestedShare = [3]float64{0.80, 0.60, 0.40}

// probeSize is the size that probe j adds to the opposite position, USD.
var probeSize = func() (size [sizeProbes]float64) {
	for j := range size {
		size[j] = minOrderUSD * math.Pow(10, 7*float64(j)/(sizeProbes-1))
	}
	return size
}()

// halving[j] is 2^(-j/2): j divisions by sqrt(2).
var halving = func() (share [maxSizeHalving + 1]float64) {
	for j := range share {
		share[j] = math.Pow(2, -float64(j)/2)
	}
	return share
}()

// size finds the largest size that each constraint allows for the same action, leverage and
// wallet, and confirms the suggested size by scoring it. A size up to that of an opposite position
// only reduces that position, which margin and open interest always allow.
func (s *Scratch) size(out *Sizing) {
	v := &s.view
	t, mk := &v.plan, &v.market
	s.probe.stressed.at = v.stressed.at
	if t.kind == held { // no trade to size
		return
	}
	out.BookDepth, out.MarketImpact = mk.safeBookSize(t.direction), mk.safeImpactSize()
	if t.exits {
		out.OICapacity, out.MarginHeadroom = MaxSizeUSD, s.oppositeUSD()
	} else {
		opposite := s.oppositeUSD()
		out.OICapacity = opposite
		if oi := &v.interest; !oi.AtCap {
			out.OICapacity += min(safeOIShare*oi.CurrentUSD, safeRoomShare*max(0, oi.CapUSD-oi.CurrentUSD))
		}
		out.MarginHeadroom = s.safeMarginSize(opposite, min(out.BookDepth, out.OICapacity, out.MarketImpact))
	}
	out.MaxSafeUSD = out.BookDepth
	for l, size := range [...]float64{out.BookDepth, out.OICapacity, out.MarginHeadroom, out.MarketImpact} {
		if size < out.MaxSafeUSD {
			out.MaxSafeUSD, out.Limit = size, SizeLimit(l)
		}
	}
	if largest := s.In.Rules.LargestMarketOrder(mk.asset.MaxLeverage); largest < out.MaxSafeUSD {
		out.MaxSafeUSD, out.Limit = largest, LimitBookDepth // a rule on what one order may take from the book
	}
	out.MaxSafeUSD = min(max(out.MaxSafeUSD, 0), MaxSizeUSD)
	allowed := out.MaxSafeUSD
	if !t.exits && !s.Limits.none() {
		s.beginLimits()
		allowed, out.Rule = s.allowedSize(s.oppositeUSD(), out.MaxSafeUSD)
	}
	s.confirm(out, allowed)
	if s.Limits.none() || t.exits || !(out.MaxSafeUSD > out.SuggestedUSD) {
		return
	}
	s.resize(out.MaxSafeUSD) // whose score may be above a limit that the suggested size keeps
	if rule := s.forbids(out.MaxSafeUSD); rule != "" {
		out.MaxSafeUSD, out.Rule = out.SuggestedUSD, rule
	}
}

// confirm suggests the regime's share of the safe size, at most what the operator allows, and reduces it until the
// score says proceed and the operator's limits hold. The whole of an opposite position may always go.
func (s *Scratch) confirm(out *Sizing, allowed float64) {
	share := suggestedShare[s.view.regime.state]
	safe := out.MaxSafeUSD
	size := func(j int) float64 { return roundDown3(min(safe*halving[j]*share, allowed)) }
	j := s.fewestHalvings(size)
	if j > 0 {
		larger := size(j - 1) // does not pass
		if out.Limit, out.Rule = LimitMarginHeadroom, s.onlyForbidden(larger); out.Rule == "" && s.Explain {
			s.Out.Explanation.SizeRule = s.refusal(larger)
		}
	}
	out.SuggestedUSD, out.MaxSafeUSD = 0, 0
	if j <= maxSizeHalving {
		out.SuggestedUSD, out.MaxSafeUSD = size(j), min(safe*halving[j], allowed)
	}
	if opposite := s.oppositeUSD(); opposite > 0 && allowed >= opposite {
		out.SuggestedUSD = max(out.SuggestedUSD, opposite)
		out.MaxSafeUSD = max(out.MaxSafeUSD, opposite)
	}
}

// fewestHalvings returns the number of halvings with which a size proceeds, maxSizeHalving+1 if that many
// do not suffice, by bisection.
func (s *Scratch) fewestHalvings(size func(int) float64) int {
	if s.proceeds(size(0)) {
		return 0
	}
	bad, good := 0, maxSizeHalving+1
	if s.growsWithSize() { // bisection from any number ends at the same
		for at, tries := s.probe.halvings(), 3; tries > 0 && bad < at && at < good; tries-- {
			if s.proceeds(size(at)) {
				good, at = at, at-1
			} else {
				bad, at = at, at+1
			}
		}
	}
	if good > maxSizeHalving && bad < maxSizeHalving {
		if !s.proceeds(size(maxSizeHalving)) {
			return good
		}
		good = maxSizeHalving
	}
	for good-bad > 1 {
		if mid := (bad + good) / 2; s.proceeds(size(mid)) {
			good = mid
		} else {
			bad = mid
		}
	}
	return good
}

// growsWithSize reports whether the trade's score never falls with its size: the trade opens the wallet's only
// leg. From one margin tier to the next H5 may begin to apply.
func (s *Scratch) growsWithSize() bool {
	r := &s.account.rest
	return s.view.plan.kind == opens && r.count == 0 && len(s.account.collateral) == 0
}

// halvings guesses from a refused size how many halvings make its margin or its stress acceptable.
func (o *outcome) halvings() int {
	times := o.after.needed / o.after.available // the size is that many times too large
	if !o.after.marginShort {
		// The room is what is left of the equity beside the maintenance margin, which grows with the size.
		loss, load := o.stressed.loss/o.after.equity, o.stressed.load
		times = 1 + loss - loss/load
	}
	j := 1
	for j < maxSizeHalving && !(halving[j]*times <= 1) {
		j++
	}
	return j
}

// oppositeUSD is the notional of the position that the trade is against, 0 without one.
func (s *Scratch) oppositeUSD() float64 {
	if t := &s.view.plan; t.opposes() {
		return math.Abs(t.before) * t.mark
	}
	return 0
}

// roundDown3 rounds down to three significant digits.
func roundDown3(x float64) float64 {
	k := len(powersOf10) - 1
	for k >= 0 && powersOf10[k] > x {
		k--
	}
	if k < 2 { // below any size that matters
		return 0
	}
	return math.Floor(x/powersOf10[k-2]*(1+roundingSlack)) * powersOf10[k-2]
}

// powersOf10 are the powers from 1e-12 to 1e8.
var powersOf10 = func() (p [21]float64) {
	for k := range p {
		p[k] = math.Pow10(k - 12)
	}
	return p
}()

// proceeds reports whether the same trade at another size scores proceed, and the operator allows it.
func (s *Scratch) proceeds(sizeUSD float64) bool {
	if sizeUSD == 0 || s.view.plan.exits {
		return true
	}
	s.resize(sizeUSD)
	o := &s.probe.outcome
	return o.plan.increaseUSD == 0 ||
		!o.after.marginShort && s.forbidsAmount(sizeUSD) == "" && // H3
			s.scoresWithin(&proceedLimit, true) && s.forbidsRisk() == ""
}

// refusal names what decides the score of a size that does not proceed.
func (s *Scratch) refusal(sizeUSD float64) string {
	s.resize(sizeUSD)
	s.scoresWithin(&proceedLimit, false)
	return s.probe.terms.Decisive()
}

// safeBookSize is the largest size whose average slippage is at most 25 bps and that takes
// at most half of its side's own depth within 100 bps, USD at mark.
func (mk *marketView) safeBookSize(d float64) float64 {
	side := mk.side(d)
	if side.empty() {
		return 0
	}
	depth := safeDepthShare * side.depthUSD(safeDepthBps, mk.book.TwoSided())
	units := side.sizeWithin(mk.mid * (1 + d*safeSlippageBps/bpsPerUnit))
	return min(max(units*mk.mark, 0), depth, MaxSizeUSD)
}

// safeImpactSize is the notional at which the expected impact is 25 bps, USD, at most MaxSizeUSD.
func (mk *marketView) safeImpactSize() float64 {
	v, _ := mk.volume()
	r := safeImpactBps / (bpsPerUnit * lastingShare * mk.averageSigma())
	return min(v*r*r, MaxSizeUSD)
}

// safeMarginSize is the largest size, USD, such that the wallet's own money carries (see carries)
// every probed size below it. The search ends at bound, which another constraint sets.
//
// Within one margin tier, the account value minus the requirement is a concave function of the size. So
// the carried sizes form one interval, and the search looks for its upper end.
func (s *Scratch) safeMarginSize(opposite, bound float64) float64 {
	acct, t := &s.account, &s.view.plan
	if acct.negative || acct.empty {
		return opposite
	}
	// Every new position has the trade's direction, so the losses do not depend on size.
	m := s.view.market.model
	_, s.probe.lossPct = lossPct24h(m, tailSide(t.direction))
	// A position outlives the quiet day that it is opened on.
	s.probe.lossPct *= max(1, math.Sqrt(m.AverageVariance[mc.H24]/m.Variance[mc.H24]))
	size := func(j int) float64 { return min(MaxSizeUSD, opposite+probeSize[j]) }
	held := t.direction * t.before * t.mark // the existing position in the trade's direction, USD; negative: opposite
	tiers := t.tiers.list()
	for j, tier := 0, 0; ; tier++ {
		end := sizeProbes // one past the last probe in this tier
		if tier+1 < len(tiers) {
			end = firstAtLeast(probeSize[:], tiers[tier+1].LowerBoundUSD*(1-boundSlack)-held-opposite)
		}
		if end <= j {
			continue
		}
		if !s.carries(size(j)) {
			if j == 0 {
				return opposite
			}
			return s.bisect(size(j-1), size(j), math.NaN())
		}
		last, bounded := size(end-1), false
		if last >= bound {
			last, bounded = max(bound, size(j)), true
		}
		edge, all := s.edge(size(j), last)
		switch {
		case !all:
			j = max(j, min(end-1, firstAtLeast(probeSize[:], edge-opposite))-1)
			return s.bisect(size(j), size(j+1), edge)
		case bounded:
			return math.Nextafter(last, math.Inf(1)) // another constraint binds
		case end == sizeProbes:
			return MaxSizeUSD
		}
		j = end
	}
}

// edge returns the largest carried size from lo to last, two sizes in the same margin tier. lo must be
// carried and be the newest size measured. all reports that last is carried too.
func (s *Scratch) edge(lo, last float64) (edge float64, all bool) {
	acct, p := &s.account, &s.probe
	// Margin and loss are linear in the size.
	hi := min(last, lo+(safeMarginShare*acct.freeMargin-p.delta)*p.plan.leverage,
		lo+pctPerUnit*safeLossShare*acct.value/p.lossPct-p.plan.valueAfter)
	low := p.distance
	if !(hi > lo) {
		return lo, last <= lo
	}
	s.measure(hi)
	high := p.distance
	if high >= 0 {
		return hi, hi == last
	}
	// The distance is not linear in the size: regula falsi in the Illinois variant, and bisection if
	// that does not converge.
	for round := 0; hi-lo > edgeTolerance*hi && round < maxEdgeRounds; round++ {
		at := lo + (hi-lo)*(low/(low-high))
		if round >= maxEdgeRounds/2 || !(at > lo && at < hi) {
			at = (lo + hi) / 2
		}
		if s.measure(at); p.distance >= 0 {
			lo, low, high = at, p.distance, high/2
		} else {
			hi, high, low = at, p.distance, low/2
		}
	}
	return lo, false
}

// bisect returns the largest carried size between good, which is carried, and bad, which is not.
// It does not test sizes clearly on one side of a known edge.
func (s *Scratch) bisect(good, bad, edge float64) float64 {
	near := 2 * edgeTolerance * edge
	for bad-good > sizeTolerance*bad {
		mid := (good + bad) / 2
		if mid < edge-near || !(mid > edge+near) && s.carries(mid) { // edge is NaN when it is unknown
			good = mid
		} else {
			bad = mid
		}
	}
	return good
}

// carries reports whether the wallet's own money carries a size: initial margin at most four
// fifths of the free margin, liquidation at least 1.25 daily 99 % moves away, and a daily 99 %
// loss of at most a quarter of the account.
func (s *Scratch) carries(sizeUSD float64) bool {
	acct, p := &s.account, &s.probe
	s.measure(sizeUSD)
	return p.plan.increaseUSD == 0 || p.delta <= safeMarginShare*acct.freeMargin && p.distance >= 0 &&
		p.plan.valueAfter*p.lossPct/pctPerUnit <= safeLossShare*acct.value
}

// measure sets delta and distance of the probe for a size.
func (s *Scratch) measure(sizeUSD float64) {
	p := &s.probe
	t, after := &p.plan, &p.after
	s.resize(sizeUSD)
	p.delta = t.deltaInitial(&s.account, after)
	_, p.distance, _ = t.tiers.distance(after.equity, after.otherMaintenance, t.after, t.mark)
	p.distance -= safeDistanceTimes * p.lossPct
}
