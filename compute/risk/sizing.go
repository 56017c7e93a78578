package risk

import "math"

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
	// Sizes beyond the opposite position are probed at 10*10^(7j/47) USD, j = 0 to 47: from
	// the venue's smallest order to the largest request.
	sizeProbes     = 48
	sizeTolerance  = 1e-6 // relative, of the bisection between two probes
	maxSizeHalving = 16   // halvings of max_safe by the root of 2 until the score agrees
)

// suggestedShare is the part of the safe size that is suggested, by liquidity regime.
var suggestedShare = [3]float64{0.80, 0.60, 0.40}

// probeSize is what probe j adds to the opposite position, USD.
var probeSize = func() (size [sizeProbes]float64) {
	for j := range size {
		size[j] = minOrderUSD * math.Pow(10, 7*float64(j)/(sizeProbes-1))
	}
	return size
}()

// halving is 2^(-j/2).
var halving = func() (share [maxSizeHalving + 1]float64) {
	for j := range share {
		share[j] = math.Pow(2, -float64(j)/2)
	}
	return share
}()

// probe is another size of the trade: what it leaves, and its assessment as far as the
// score needs it.
type probe struct {
	plan     tradePlan
	after    poolAfterFill
	position position
	lossPct  float64 // 24 h 99 % VaR of the new side, percent
	out      Assessment
}

// size solves every constraint for the largest size of the same action, leverage and
// wallet, and lets the score confirm the suggestion. A size up to the opposite position
// reduces it, which margin and open interest always allow.
func (s *Scratch) size(out *Sizing) {
	v := &s.view
	t, mk := &v.plan, &v.market
	*out = Sizing{}
	if t.kind == held { // nothing to size
		return
	}
	out.BookDepth, out.MarketImpact = mk.safeBookSize(t.direction), mk.safeImpactSize()
	if t.action == ActionClose {
		out.OICapacity, out.MarginHeadroom = MaxSizeUSD, math.Abs(t.before)*t.mark
	} else {
		opposite := 0.0
		if t.before != 0 && sign(t.before) != t.direction {
			opposite = math.Abs(t.before) * t.mark
		}
		out.OICapacity = opposite
		if oi := &s.Out.OpenInterest; !oi.AtCap {
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
	out.MaxSafeUSD = min(max(out.MaxSafeUSD, 0), MaxSizeUSD)
	s.confirm(out)
}

// confirm takes the share of the safe size that suits the regime, and goes down from there
// until the score says proceed.
func (s *Scratch) confirm(out *Sizing) {
	share := suggestedShare[s.view.regime.state]
	size := func(j int) float64 { return roundDown3(out.MaxSafeUSD * halving[j] * share) }
	good := func(j int) bool { return s.proceeds(size(j)) }
	if good(0) {
		out.SuggestedUSD = size(0)
		return
	}
	out.Limit = LimitMarginHeadroom
	if !good(maxSizeHalving) {
		out.MaxSafeUSD = 0
		return
	}
	lo, hi := 0, maxSizeHalving // lo is bad, hi is good
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; good(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	out.SuggestedUSD = size(hi)
	out.MaxSafeUSD *= halving[hi]
}

// roundDown3 rounds down to three significant digits.
func roundDown3(x float64) float64 {
	if x <= 0 {
		return 0
	}
	unit := math.Pow10(int(math.Floor(math.Log10(x))) - 2)
	return math.Floor(x/unit*(1+roundingSlack)) * unit
}

// proceeds reports whether the same trade with another size scores proceed.
func (s *Scratch) proceeds(sizeUSD float64) bool {
	v, p := &s.view, &s.probe
	t, out, mk := &p.plan, &p.out, &v.market
	if sizeUSD == 0 || v.plan.action == ActionClose {
		return true
	}
	*t = v.plan
	t.resize(sizeUSD / t.mark)
	if t.increaseUSD == 0 {
		return true
	}
	mk.execute(&out.Slippage, t)
	t.fill(&p.after, &s.account, out.Slippage.FillPrice, v.taker, true)
	t.positionAfter(&p.position, mk.in, &p.after, out.Slippage.FillPrice)
	mk.lossPct(&out.VaR, t)
	t.liquidation(&out.Liquidation, &s.account, &p.after, out.VaR.Pct99_1h)
	s.probability(&out.Liquidation, mk, t, &p.after)
	out.Funding, out.Impact, out.OpenInterest = mk.funding(t), mk.impact(t.notional), s.Out.OpenInterest
	out.Fees.TakerBps = s.Out.Fees.TakerBps
	out.Cost = mk.cost(t, out)
	stressBook(&out.PortfolioStress, t, &p.position, &p.after, &s.account.rest, len(s.account.positions))
	positions, var99 := s.account.rest.count, 0.0
	if t.after != 0 {
		positions++
	}
	if positions >= minPortfolioPositions {
		var99, _ = s.portfolioLoss(&p.position, false)
	}
	v.score(&s.account, t, &p.after, out, positions, var99)
	return out.Recommendation == Proceed
}

// safeBookSize is the largest size whose average slippage is at most 25 bps and that
// takes at most half of its side's own depth within 100 bps, USD at mark.
func (mk *marketView) safeBookSize(d float64) float64 {
	side := mk.side(d)
	if side.empty() {
		return 0
	}
	depth := safeDepthShare * side.depthUSD(safeDepthBps, mk.book.TwoSided())
	units := side.sizeWithin(mk.mid * (1 + d*safeSlippageBps/bpsPerUnit))
	return min(max(units*mk.mark, 0), depth, MaxSizeUSD)
}

// safeImpactSize inverts the impact law at 25 bps.
func (mk *marketView) safeImpactSize() float64 {
	v, _ := mk.volume()
	r := safeImpactBps / (bpsPerUnit * lastingShare * mk.model.DailySigma)
	return min(v*r*r, MaxSizeUSD)
}

// safeMarginSize is the largest size, USD, below which no probe leaves the wallet's own money
// too thin (carries). A search that has passed the bound, which another constraint sets,
// ends there.
//
// Within one margin tier the room that a size leaves is a concave function of it, so the
// sizes that are carried are an interval: only its ends are looked for.
func (s *Scratch) safeMarginSize(opposite, bound float64) float64 {
	acct, t := &s.account, &s.view.plan
	if acct.negative || acct.empty {
		return opposite
	}
	// Both new legs share the trade's direction, so the losses do not depend on size.
	_, s.probe.lossPct = lossPct24h(s.view.market.model, tailSide(t.direction))
	size := func(j int) float64 { return min(MaxSizeUSD, opposite+probeSize[j]) }
	carried := func(j int) bool { return s.carries(size(j)) }
	if !carried(0) {
		return opposite
	}
	good := 0 // the last probe known to be carried, and all before it
	for good < sizeProbes-1 && size(good) < bound {
		last := s.lastOfTier(good+1, size)
		if !carried(good + 1) {
			return s.bisect(size(good), size(good+1))
		}
		if !carried(last) {
			lo, hi := good+1, last
			for hi-lo > 1 {
				if mid := (lo + hi) / 2; carried(mid) {
					lo = mid
				} else {
					hi = mid
				}
			}
			return s.bisect(size(lo), size(hi))
		}
		good = last
	}
	if good == sizeProbes-1 {
		return MaxSizeUSD
	}
	return size(good)
}

// lastOfTier is the last probe from j on whose position lies in the same margin tier and is
// of the same kind of trade.
func (s *Scratch) lastOfTier(j int, size func(int) float64) int {
	t := &s.probe.plan
	*t = s.view.plan
	at := func(j int) (change, float64) {
		t.resize(size(j) / t.mark)
		return t.kind, t.tierMax
	}
	kind, tier := at(j)
	lo, hi := j, sizeProbes
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if k, m := at(mid); k == kind && m == tier {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// bisect returns the largest size between one that is carried and one that is not.
func (s *Scratch) bisect(good, bad float64) float64 {
	for bad-good > sizeTolerance*bad {
		if mid := (good + bad) / 2; s.carries(mid) {
			good = mid
		} else {
			bad = mid
		}
	}
	return good
}

// carries reports whether the wallet's own money carries a size: initial margin within four
// fifths of the free margin, liquidation beyond 1.25 daily 99 % moves, and a daily 99 % loss
// of at most a quarter of the account.
func (s *Scratch) carries(sizeUSD float64) bool {
	acct, v, p := &s.account, &s.view, &s.probe
	t, after := &p.plan, &p.after
	*t = v.plan
	t.resize(sizeUSD / t.mark)
	if t.increaseUSD == 0 {
		return true
	}
	if t.valueAfter*p.lossPct/pctPerUnit > safeLossShare*acct.value {
		return false
	}
	t.fill(after, acct, v.market.side(t.direction).fill(math.Abs(t.units)), v.taker, false)
	if t.deltaInitial(acct, after) > safeMarginShare*acct.freeMargin {
		return false
	}
	_, distance, _ := t.tiers.distance(after.equity, after.otherMaintenance, t.after, t.mark)
	return distance >= safeDistanceTimes*p.lossPct
}
