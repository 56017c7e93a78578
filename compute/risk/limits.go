package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Bound is a figure of a trade that a rule of an operator bounds.
type Bound uint8

const (
	BoundLeverage Bound = iota
	BoundOrder
	BoundPosition
	BoundGross
	BoundShare
	BoundPriceAway
	BoundScore // this one and the rest are about the risk of the position
	BoundProbability24h
	BoundProbability7d
	BoundDistance
	Bounds // their number
)

// String returns the name of the rule.
func (b Bound) String() string {
	return [...]string{
		"max_leverage", "max_order_usd", "max_position_usd", "max_gross_leverage", "max_asset_share_pct",
		"price_collar_pct", "max_score", "max_probability_24h", "max_probability_7d", "min_liquidation_distance_pct",
	}[b]
}

// Limits are what an operator allows of a trade that adds to a position. What only reduces is always allowed. The zero
// value allows everything.
type Limits struct {
	// Barred names the rule that allows no trade of any size; "" for none.
	Barred string
	set    uint16 // bit b: bound b is set
	limit  [Bounds]float64
}

// Set sets a bound.
func (l *Limits) Set(b Bound, limit float64) {
	l.limit[b] = limit
	l.set |= 1 << b
}

func (l *Limits) none() bool { return l.Barred == "" && l.set == 0 }

func (l *Limits) has(b Bound) bool { return l.set>>b&1 != 0 }

// keeps reports whether a figure keeps a bound.
func (l *Limits) keeps(b Bound, figure float64) bool {
	return !l.has(b) || Keeps(figure, l.limit[b], b == BoundDistance)
}

// limitSlack is the share of a limit by which a figure may be beyond it through rounding.
const limitSlack = 1e-9

// Keeps reports whether a figure keeps an operator's limit: is at most the limit, or with least at least. One that is
// not known, NaN, does not.
func Keeps(figure, limit float64, least bool) bool {
	if least {
		return figure >= limit*(1-limitSlack)
	}
	return figure <= limit*(1+limitSlack)
}

// beginLimits prepares forbids for other sizes of the trade.
func (s *Scratch) beginLimits() {
	p, a := &s.probe, &s.account
	p.restGross = 0
	for i := range a.positions {
		if i != a.target {
			p.restGross += a.positions[i].notional()
		}
	}
	if s.Limits.has(BoundScore) {
		p.mostScore = limitOf(s.Limits.limit[BoundScore] * (1 + limitSlack))
	}
}

// forbids names the first of the operator's rules that the probe breaks, a filled trade of a size; "" for none.
func (s *Scratch) forbids(sizeUSD float64) string {
	if s.Limits.none() || s.probe.plan.increaseUSD == 0 {
		return ""
	}
	if rule := s.forbidsAmount(sizeUSD); rule != "" {
		return rule
	}
	return s.forbidsRisk()
}

// forbidsAmount is forbids for the rules about the order and the amounts of the wallet's positions, which cost less.
func (s *Scratch) forbidsAmount(sizeUSD float64) string {
	l, o := &s.Limits, &s.probe.outcome
	switch {
	case o.plan.increaseUSD == 0:
		return ""
	case l.Barred != "" || l.set&(1<<BoundScore-1) == 0:
		return l.Barred
	}
	s.placeProbe()
	e := s.exposure(o, sizeUSD, s.probe.restGross+o.position.notional())
	figures := e.Figures(s.account.marginAfter(o).After.AccountValue)
	for b, figure := range figures {
		if b := Bound(b); !l.keeps(b, figure) {
			return b.String()
		}
	}
	return ""
}

// forbidsRisk is forbids for the other rules.
func (s *Scratch) forbidsRisk() string {
	l, o := &s.Limits, &s.probe.outcome
	if o.plan.increaseUSD == 0 || l.set>>BoundScore == 0 {
		return ""
	}
	s.placeProbe()
	if l.has(BoundDistance) {
		s.complete(o, &o.plan)
	}
	known := s.knowsChance(&o.plan)
	within := func(b Bound, h int) bool {
		return known && l.keeps(b, s.chance(o, h, l.limit[b]))
	}
	switch {
	case l.has(BoundDistance) && !(known && l.keeps(BoundDistance, o.liquidation.DistancePct)):
		return BoundDistance.String()
	case l.has(BoundProbability24h) && !within(BoundProbability24h, mc.Excursion24h):
		return BoundProbability24h.String()
	case l.has(BoundProbability7d) && // which is at least that of a day
		!(within(BoundProbability7d, mc.Excursion24h) && within(BoundProbability7d, mc.Excursion168h)):
		return BoundProbability7d.String()
	case l.has(BoundScore) && !s.scoresWithin(&s.probe.mostScore, true):
		return BoundScore.String()
	}
	return ""
}

// allowedSize returns the largest size up to most that the operator's rules about amounts allow, and names the rule
// that does not allow more, "" where most is allowed. Up to opposite a size only reduces.
func (s *Scratch) allowedSize(opposite, most float64) (usd float64, rule string) {
	breaks := func(usd float64) string {
		s.resize(usd)
		return s.forbidsAmount(usd)
	}
	if rule = breaks(most); rule == "" {
		return most, ""
	}
	good, bad := opposite+minOrderUSD, most
	if good > most {
		return min(opposite, most), rule
	}
	if rule = breaks(good); rule != "" {
		return opposite, rule
	}
	// Mostly one of these binds, and is exact.
	l, t := &s.Limits, &s.view.plan
	near, by := most, BoundOrder
	if l.has(BoundOrder) {
		near = min(near, l.limit[BoundOrder]/t.dearness())
	}
	if l.has(BoundPosition) {
		if x := l.limit[BoundPosition] - t.direction*t.before*t.mark; x < near {
			near, by = x, BoundPosition
		}
	}
	if good < near && near < bad {
		if breaks(near) == "" {
			return near, by.String()
		}
		bad = near
	}
	for rule = breaks(bad); bad-good > sizeTolerance*bad; {
		mid := math.Sqrt(good * bad)
		if found := breaks(mid); found == "" {
			good = mid
		} else {
			bad, rule = mid, found
		}
	}
	return good, rule
}

// onlyForbidden names the operator's rule that a size breaks which otherwise proceeds.
func (s *Scratch) onlyForbidden(sizeUSD float64) string {
	if s.Limits.none() {
		return ""
	}
	s.resize(sizeUSD)
	if s.probe.after.marginShort || !s.scoresWithin(&proceedLimit, true) {
		return ""
	}
	return s.forbids(sizeUSD)
}

// AccountBefore is the account value of the wallet in s.In before the trade, USD, as an assessment will tell it; NaN
// where some of it could not be read.
func (s *Scratch) AccountBefore() float64 {
	if s.In.incomplete() {
		return math.NaN()
	}
	s.account.read(&s.In)
	return s.account.value
}
