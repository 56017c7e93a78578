package risk

import (
	"math"
	"sort"

	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// OrderFill is what becomes of a limit order, USD at mark. The three parts add up to the trade.
type OrderFill struct {
	Known              bool    // the order is a limit order
	TakerUSD, MakerUSD float64 // filled at once; resting until the price meets it
	UnfilledUSD        float64 // the venue cancels or refuses it
	FillPrice          float64 // USD, average over both filled parts; 0: nothing fills
	FeeUSD             float64 // of both filled parts; negative: a rebate
	FillProbability24h float64 // that all of it has filled within 24 hours
}

// limitFill is a limit order against the book.
type limitFill struct {
	taken    float64 // units filled at once
	takenUSD float64 // their cost
	price    float64 // average price once the whole order has filled, the rest of it at the limit
	feeRate  float64 // the fee of all that, as a fraction of its cost
}

// fillLimit walks the book up to the order's price. The rest waits at that price and pays the maker's rate; the
// rest of an ioc order would still take, if the book had it. A post-only order takes nothing.
func (mk *marketView) fillLimit(t *tradePlan, taker, maker float64) (f limitFill) {
	side, units := mk.side(t.direction), math.Abs(t.units)
	if t.order.TIF != ALO {
		f.taken = min(side.within(t.order.Price), units)
	}
	f.price, f.feeRate = side.fill(f.taken), taker
	f.takenUSD = float64(f.taken * f.price)
	rest := units - f.taken
	if rest <= 0 {
		return f
	}
	restUSD, restRate := float64(rest*t.order.Price), maker
	if t.order.TIF == IOC {
		restRate = taker
	}
	f.price = (f.takenUSD + restUSD) / units
	f.feeRate = (float64(f.takenUSD*taker) + float64(restUSD*restRate)) / (f.takenUSD + restUSD)
	return f
}

// within returns the units that an order takes at no worse than a price; infinite when it takes any number.
func (b *bookSide) within(price float64) float64 {
	s, d := b.levels, b.direction
	n := s.Len()
	i := sort.Search(n, func(i int) bool { return d*(s.Price[i]-price) > 0 })
	switch {
	case i == 0:
		return 0
	case i < n:
		return max(0, s.CumUnits[i-1]-b.taken)
	}
	reach := d * (price/b.mid - 1) // how far beyond mid the price allows to go, as a fraction of it
	if reach >= maxOffset || b.offset == 0 {
		return math.Inf(1)
	}
	return max(0, max(b.visible, reach*b.visible/b.offset)-b.taken)
}

// best is the best price that is left on the side, 0 if there is none in sight.
func (b *bookSide) best() float64 {
	for i, units := range b.levels.CumUnits {
		if units > b.taken {
			return b.levels.Price[i]
		}
	}
	return 0
}

// crosses reports whether an order at a price would fill at once, in part at least.
func (b *bookSide) crosses(price float64) bool {
	best := b.best()
	return best > 0 && b.direction*(price-best) >= 0
}

// maker is the fee of a resting order in the asset as a fraction of its notional; negative: a rebate, which a
// dex with higher fees does not raise.
func (s *Scratch) maker() float64 {
	rate, times := s.In.Account.MakerRate, s.view.market.asset.FeeMultiplier
	if rate < 0 {
		times = min(times, 1)
	}
	return rate * times
}

// orderFill fills in the block.
func (s *Scratch) orderFill(out *OrderFill) {
	v := &s.view
	t := &v.plan
	order := &t.order
	if !order.Limit {
		return
	}
	out.Known = true
	units, rest := math.Abs(t.units), t.rests
	taken := units - rest
	switch {
	case t.kind == noFill || order.TIF == ALO && v.market.side(t.direction).crosses(order.Price):
		out.UnfilledUSD = t.notional
		return
	case order.TIF == IOC:
		out.UnfilledUSD, rest = rest*t.mark, 0
	default:
		out.MakerUSD = rest * t.mark
	}
	out.TakerUSD = taken * t.mark
	if filled := taken + rest; filled > 0 {
		restUSD := float64(rest * order.Price)
		out.FillPrice = (v.limit.takenUSD + restUSD) / filled
		out.FeeUSD = float64(v.limit.takenUSD*v.taker) + float64(restUSD*s.maker())
	}
	switch {
	case t.rests == 0:
		out.FillProbability24h = 1
	case order.TIF != IOC:
		out.FillProbability24h = touch24h(v.market.model, t.mark, order.Price, t.direction)
	}
}

// touch24h is the probability that the price touches another within 24 hours, by the asset's recorded excursions. side
// is the direction against which it moves: 1 for a fall, -1 for a rise. 1 if the price is there already.
func touch24h(m *mc.AssetModel, from, to, side float64) float64 {
	d := side * math.Log(from/to) / math.Sqrt(m.Variance[mc.H24])
	return vol.TouchProbability(&m.Excursions[mc.Excursion24h][tailSide(side)], d)
}

// taking is the part of the trade that the book fills at once, units and USD at mark.
func (t *tradePlan) taking() (units, usd float64) {
	units, usd = math.Abs(t.units), t.notional
	if t.rests > 0 {
		units -= t.rests
		usd = units * t.mark
	}
	return units, usd
}

// start is the price at which the position after the trade begins: that of an order that opens it and rests, else
// the mark.
func (t *tradePlan) start() float64 {
	if o := &t.order; o.Limit && (t.kind == opens || t.kind == flips) && t.direction*(t.mark-o.Price) > 0 {
		return o.Price
	}
	return t.mark
}

// restValue is by how much the notional of the exposure added is larger at the order's price than at mark, for
// the part that rests, USD; negative: smaller.
func (t *tradePlan) restValue() float64 {
	if t.rests == 0 {
		return 0
	}
	rests := t.rests
	if t.kind == flips {
		rests = min(rests, math.Abs(t.after))
	}
	return float64(rests * (t.order.Price - t.mark))
}

// The venue's rules for the price of an order.
const (
	maxFigures    = 5   // significant figures
	maxDecimals   = 6   // together with those of a size
	maxPriceShare = 0.8 // of the mark, on both sides
	restingTimes  = 10  // a resting order may be this many times as large as a market order
)

// priceIssues checks the price of a limit order.
func (s *Scratch) priceIssues(out *Admissibility) {
	t := &s.view.plan
	if !t.order.Limit {
		return
	}
	price, d, digits := t.order.Price, t.direction, t.asset.SizeDigits
	if step := priceStep(price, digits); onStep(price, step, 0) != price {
		out.add(Issue{Code: IssueTick, Got: price, Limit: step, Fix: onStep(price, step, -d)})
	}
	for _, inward := range [...]float64{+1, -1} {
		limit := t.mark * (1 - float64(inward*maxPriceShare))
		if inward*(limit-price) > roundingSlack*limit {
			fix := onStep(limit, priceStep(limit, digits), inward)
			out.add(Issue{Code: IssuePriceTooFar, Got: price, Limit: limit, Fix: fix})
		}
	}
	if side := s.view.market.side(d); t.order.TIF == ALO && side.crosses(price) {
		best := side.best()
		beside := best - d*priceStep(best, digits)
		fix := onStep(beside, priceStep(beside, digits), -d)
		out.add(Issue{Code: IssueWouldCross, Got: price, Limit: best, Fix: max(fix, 0)})
	}
}

// priceStep is the venue's step at a price: five significant figures, and at most six decimals less those of a
// size, but whole numbers always.
func priceStep(price float64, sizeDigits int) float64 {
	figures := maxFigures - 1 - int(math.Floor(math.Log10(price)))
	return math.Pow10(-max(0, min(figures, maxDecimals-sizeDigits)))
}

// onStep returns the multiple of a step, a power of ten up to 1, that is nearest to a price, for a direction +1
// or -1 the next one that is not below or not above.
func onStep(price, step, direction float64) float64 {
	per := math.Round(1 / step)
	n := math.Round(price * per)
	switch {
	case n/per == price:
	case direction > 0:
		n = math.Ceil(price * per)
	case direction < 0:
		n = math.Floor(price * per)
	}
	return n / per
}
