package risk

import (
	"cmp"
	"math"

	mc "ballast/marketcache"
)

// SizeTarget names the figure that bounds a size.
type SizeTarget uint8

const (
	TargetScore SizeTarget = iota
	TargetProbability24h
	TargetLoss99
	TargetBreakeven
	SizeTargets // their number
)

// String returns the target's public name.
func (t SizeTarget) String() string {
	return [...]string{
		"max_score", "max_probability_24h", "max_loss_99_pct_of_account", "max_breakeven_pct",
	}[t]
}

// SizeQuestion asks for the largest order of which a figure is within a limit.
type SizeQuestion struct {
	Target SizeTarget
	Limit  float64
	Curve  bool // the figures of smaller and larger sizes
	Ladder bool // the largest size with each of several leverages
}

// SizeAnswer is the largest order that the venue takes and that meets the target, in whole lots. The search ends
// below the first probe that does not meet it.
type SizeAnswer struct {
	SizeUSD, SizeCoin float64 // 0: none
	// Leverage is that of the question; without one the smallest whole one that allows the largest size.
	Leverage float64
	// Binding is what stops one lot more: the target, a rule of the venue by the code of its Issue, one of the operator
	// by its name, or maxSize.
	Binding string
	Nearest SizeFigures // of the smallest order, where SizeUSD is 0
	// VenueLimitUSD is the size from which on the venue refuses the order, 0 when that is above the curve.
	VenueLimitUSD float64
	// PolicyLimitUSD is the size from which on the operator forbids the order, 0 when that is above the curve.
	PolicyLimitUSD float64
	Curve          []SizeFigures
	Ladder         []Rung // by leverage
}

// SizeFigures are figures of the assessment of one size.
type SizeFigures struct {
	SizeUSD, SizeCoin float64
	RiskScore         float64
	Rule              string // the hard rule that sets the score; "" for none
	Forbidden         string // the operator's rule that does not allow the size, of a point of a curve; "" for none
	Probability24h    float64
	HasProbability    bool
	LiquidationPrice  float64 // USD; 0 where there is none
	DistancePct       float64 // to it, from mark
	EntryBps          float64 // total cost of entry
	BreakevenPct      float64
	// Loss99Pct is what the wallet loses at 99 % within a day, each other pool at most its equity, in percent of
	// the account.
	Loss99Pct float64
}

const (
	// maxSize binds where nothing but the largest size of a request does.
	maxSize = "max_size"
	// narrowEnough is the distance, in lots, at which bisection does the rest.
	narrowEnough    = 4
	maxNarrowRounds = 12
	// shownDigits: figures are compared with their limits as answers show them, rounded to nine decimals.
	shownHalf = 0.5e-9
)

// sizer searches the sizes of a trade. Sizes are whole lots.
type sizer struct {
	SizeQuestion
	score scoreLimit // of TargetScore

	mark    float64
	perCoin float64 // lots
	// smallest is the venue's smallest order, most the largest that it and a request allow, by the rule called
	// mostBinds, and opposite the one that closes the position that the trade is against, 0 without one. An order
	// with prices that close the position begins beyond opposite: they are of the side that it turns to.
	smallest, most, opposite float64
	mostBinds                string
	tried                    []triedSize
	loss                     float64 // of the last size of which meets reported, unless rule forbids it
	rule                     string  // the operator's that forbids that size
	rungs                    []Rung
}

// triedSize is a size of which is known whether it meets the target. Its order is one that the venue takes.
type triedSize struct {
	lots   float64
	toLess bool // see outcome.flipsToLess
	meets  bool
	rule   string  // the operator's that forbids it; "" for none
	loss   float64 // percent of the account, of TargetLoss99; where an upper bound is enough, that
}

// Size answers a question about the trade in s.In, whose size does not count. s.Out is then the assessment of
// the answer, or else of the smallest order. It answers nothing and sets s.Refused where no size would be assessed.
func (e *Engine) Size(s *Scratch, q *SizeQuestion, a *SizeAnswer) {
	s.Late = false
	*a = SizeAnswer{Curve: a.Curve[:0], Ladder: a.Ladder[:0]}
	if s.beginSizes(q); s.Refused != nil {
		return
	}
	z, asked, best := &s.sizer, s.In.Trade.Leverage, Rung{}
	if asked > 0 {
		best = s.rung(asked)
	}
	if q.Ladder || asked == 0 {
		rungs, highest := s.climbLadder(z.rungs[:0])
		if z.rungs = rungs; asked == 0 {
			best = highest
		}
		if q.Ladder {
			a.Ladder = append(a.Ladder, rungs...)
		}
	}
	if s.late() {
		return
	}
	s.lever(best.Leverage)
	a.SizeCoin, a.SizeUSD, a.Leverage, a.Binding = best.SizeCoin, best.SizeUSD, best.Leverage, best.Binding
	lots := best.lots
	if lots == 0 {
		lots = z.smallest
		s.measureLots(lots, &a.Nearest)
	}
	_, first := z.order(z.smallest)
	_, last := z.order(max(curveTimes*cmp.Or(best.lots, best.venue), z.smallest))
	last = min(last, MaxSizeUSD)
	if limit := max(best.venue+1, z.smallest); limit <= z.most || z.mostBinds != maxSize {
		if _, usd := z.order(limit); usd <= last {
			a.VenueLimitUSD = usd
		}
	}
	if q.Curve {
		a.Curve = s.curve(a.Curve, first, last)
		a.PolicyLimitUSD = s.firstForbidden(a.Curve)
	}
	if s.Late {
		return
	}
	_, s.In.Trade.SizeUSD = z.order(lots)
	e.Assess(s)
}

// beginSizes prepares the search for every leverage. It sets Refused.
func (s *Scratch) beginSizes(q *SizeQuestion) {
	z, asset := &s.sizer, s.In.Target.Market.Asset
	*z = sizer{SizeQuestion: *q, score: limitOf(q.Limit), tried: z.tried[:0], rungs: z.rungs[:0]}
	z.mark, z.perCoin = s.In.Target.Market.Context.MarkPrice, math.Pow10(asset.SizeDigits)
	lotUSD := z.mark / z.perCoin
	z.smallest = math.Ceil(minOrderUSD / lotUSD * (1 - roundingSlack))
	_, s.In.Trade.SizeUSD = z.order(z.smallest)

	largest := float64(MaxSizeUSD)
	z.mostBinds = maxSize
	if limit := s.In.Rules.LargestMarketOrder(asset.MaxLeverage) * (1 + roundingSlack); limit < largest {
		largest, z.mostBinds = limit, IssueMaxMarketOrder.String()
	}
	z.most = math.Floor(largest / lotUSD)

	s.begin()
	v := &s.view
	s.sumReplay(&v.plan)
	v.before, _ = s.before(&v.outcome)
	s.probe.stressed.at = 0
	s.beginLimits()
	if t := &v.plan; t.opposes() {
		opposite := math.Floor(math.Abs(t.before) * z.perCoin * (1 + roundingSlack))
		if t.order.protects() {
			z.smallest += opposite
		} else {
			z.opposite = opposite
		}
	}
	_, usd := z.order(z.smallest)
	s.resize(usd)
	s.Refused = s.probe.plan.refusedExit()
}

// order returns the size of a number of lots.
func (z *sizer) order(lots float64) (coins, usd float64) {
	coins = lots / z.perCoin
	return coins, coins * z.mark
}

// lever makes the plan one with another leverage.
func (s *Scratch) lever(leverage float64) {
	t := &s.view.plan
	s.In.Trade.Leverage = leverage
	t.resolve(&s.In.Trade, false, s.In.Account, &s.account, &s.view.market)
	// Otherwise what the venue takes at all does not depend on it.
	if t.mode == Isolated || s.account.empty || s.Limits.has(BoundLeverage) {
		s.sizer.tried = s.sizer.tried[:0]
	}
}

// mostTaken is the largest order that the venue takes, lots; it takes the smallest.
func (s *Scratch) mostTaken() float64 {
	z := &s.sizer
	takes := func(lots float64) bool { return s.refusedBy(lots) == "" }
	lo := z.smallest
	if z.opposite > lo && takes(z.opposite) {
		lo = z.opposite
	}
	return mostLots(lo, z.most+1, takes)
}

// refusedBy names the rule by which the venue refuses an order, "" for none.
func (s *Scratch) refusedBy(lots float64) string {
	z := &s.sizer
	if lots > z.most {
		return z.mostBinds
	}
	_, usd := z.order(lots)
	s.resize(usd)
	return s.stopper(&s.probe.outcome)
}

// mostMeeting is the largest order up to one that the venue takes that meets the target, lots; 0 for none. Of
// sizes against a position those that turn it are tried first: a smaller one may be worse.
func (s *Scratch) mostMeeting(taken float64) float64 {
	z := &s.sizer
	if z.opposite > 0 && taken > z.opposite {
		if lots := s.climb(z.opposite, taken); lots > 0 {
			return lots
		}
		taken = z.opposite
	}
	return s.climb(0, taken)
}

// climb tries base plus each probed size up to a largest order, which it tries last, and bisects below the
// first that does not meet the target. It returns 0 where none does. A base of 0 is no order.
func (s *Scratch) climb(base, largest float64) float64 {
	probe := func(j int) float64 {
		return base + max(math.Floor(probeSize[j]*s.sizer.perCoin/s.sizer.mark), s.sizer.smallest)
	}
	end := 0 // the first probe from largest on
	for end < sizeProbes-1 && probe(end) < largest {
		end++
	}
	bad := 0
	if s.growsWithSize() {
		for hi := end + 1; bad < hi; {
			if mid := (bad + hi) / 2; s.meets(min(probe(mid), largest)) {
				bad = mid + 1
			} else {
				hi = mid
			}
		}
	} else {
		for bad <= end && s.meets(min(probe(bad), largest)) {
			bad++
		}
	}
	switch {
	case bad > end:
		return largest
	case bad > 0:
		base = probe(bad - 1)
	case base == 0 || !s.meets(base):
		return 0
	}
	over := probe(bad)
	if s.sizer.Target == TargetLoss99 {
		base, over = s.narrow(base, min(over, largest))
	}
	return mostLots(base, over, func(lots float64) bool { return lots < largest && s.meets(lots) })
}

// narrow brings two sizes, one that meets the target and one that does not, closer together, by regula falsi in
// the Illinois variant: the loss is nearly linear in the size.
func (s *Scratch) narrow(good, bad float64) (lo, hi float64) {
	z := &s.sizer
	short := func(lots float64) float64 {
		s.meets(lots)
		return z.loss - z.Limit
	}
	low, high := short(good), short(bad)
	for round := 0; bad-good > narrowEnough && round < maxNarrowRounds && z.rule == ""; round++ {
		at := math.Floor(good + (bad-good)*(low/(low-high)))
		at = min(max(at, good+1), bad-1)
		if x := short(at); s.meets(at) {
			good, low, high = at, x, high/2
		} else {
			bad, high, low = at, x, low/2
		}
	}
	return good, bad
}

// meets reports whether an order that the venue takes meets the target, and the operator allows it.
func (s *Scratch) meets(lots float64) bool {
	z := &s.sizer
	_, usd := z.order(lots)
	s.resize(usd)
	toLess := s.probe.flipsToLess(&s.account)
	for i := range z.tried {
		if t := &z.tried[i]; t.lots == lots && t.toLess == toLess {
			z.loss, z.rule = t.loss, t.rule
			return t.meets
		}
	}
	z.rule = s.forbidsAmount(usd)
	meets := z.rule == "" && s.probeMeets()
	if meets {
		z.rule = s.forbidsRisk()
		meets = z.rule == ""
	}
	z.tried = append(z.tried, triedSize{lots, toLess, meets, z.rule, z.loss})
	return meets
}

// ruleAbove names the operator's rule that forbids the next larger size that does not pass; "" where it is the target.
func (s *Scratch) ruleAbove(lots float64) (rule string) {
	next := math.Inf(1)
	for i := range s.sizer.tried {
		if t := &s.sizer.tried[i]; !t.meets && t.lots > lots && t.lots < next {
			next, rule = t.lots, t.rule
		}
	}
	return rule
}

// probeMeets reports whether the probe meets the target.
func (s *Scratch) probeMeets() bool {
	z, o := &s.sizer, &s.probe.outcome
	limit := z.Limit + shownHalf
	switch z.Target {
	case TargetScore:
		return o.plan.increaseUSD == 0 && z.Limit >= reduceCap || s.scoresWithin(&z.score, true)
	case TargetProbability24h:
		s.placeProbe()
		return s.knowsChance(&o.plan) && s.chance(o, mc.Excursion24h, limit) <= limit
	case TargetLoss99:
		s.placeProbe()
		if s.replay.recorded && s.replay.whole.Len() > 0 {
			if z.loss = s.ofAccount(s.mostLoss(&o.position)); z.loss <= limit {
				return true
			}
		}
		z.loss = s.ofAccount(s.probeLoss())
		return z.loss <= limit
	}
	s.complete(o, &o.plan)
	return cost(&o.plan, &o.execution, o.funding.Expected24h).BreakevenMovePct <= limit
}

// ofAccount is a loss in percent of the account.
func (s *Scratch) ofAccount(lossUSD float64) float64 {
	return pctPerUnit * lossUSD / max(s.account.value, minRatioUSD)
}

// measureLots fills in the figures of an order.
func (s *Scratch) measureLots(lots float64, f *SizeFigures) {
	coins, usd := s.sizer.order(lots)
	s.measureSize(usd, f)
	f.SizeCoin = coins
}

// measureSize fills in the figures of a size, those of its assessment.
func (s *Scratch) measureSize(usd float64, f *SizeFigures) {
	s.resize(usd)
	o, x := &s.probe.outcome, &s.probe.terms
	s.placeProbe()
	hedges := s.stressProbe(math.Inf(1))
	s.complete(o, &o.plan)
	s.probability(o, &[mc.ExcursionHorizons]float64{}, &noLimit)
	*f = SizeFigures{
		SizeUSD: usd, RiskScore: s.scoreWithLosses(hedges),
		Probability24h: o.liquidation.Probability24h, HasProbability: o.liquidation.HasProbability,
		LiquidationPrice: o.liquidation.Price, DistancePct: o.liquidation.DistancePct,
		EntryBps:     o.execution.entryBps,
		BreakevenPct: cost(&o.plan, &o.execution, o.funding.Expected24h).BreakevenMovePct,
		Loss99Pct:    s.ofAccount(s.probe.loss99),
	}
	if x.Floor > 0 && x.RawScore == x.Floor {
		f.Rule = x.Decisive()
	}
}
