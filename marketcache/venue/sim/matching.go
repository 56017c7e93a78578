package sim

import (
	"fmt"
	"math"
	"slices"
)

// The venue's refusals of an order. What refuse returns has the asset's id behind it.
const (
	refusedSize      = "Order has invalid size."
	refusedZero      = "Order has zero size."
	refusedPrice     = "Order has invalid price."
	refusedTick      = "Price must be divisible by tick size."
	refusedMinimum   = "Order must have minimum value of $10."
	refusedFar       = "Order price cannot be more than 80% away from the reference price"
	refusedMargin    = "Insufficient margin to place order."
	refusedReduce    = "Reduce only order would increase position."
	refusedIOC       = "Order could not immediately match against any resting orders."
	refusedEmpty     = "No liquidity available for market order."
	refusedTrigger   = "Invalid TP/SL price."
	refusedCap       = "Order would increase open interest while open interest is capped"
	refusedTier      = "Order would cause position to exceed margin tier limit at current leverage"
	refusedDelisted  = "Trading is halted."
	refusedMissing   = "Order was never placed, already canceled, or filled."
	refusedModify    = "Cannot modify canceled or filled order"
	refusedOpen      = "Too many open orders"
	minimumUSD       = 10
	farthest         = 0.8
	ordersMax        = 1000 // open orders, and one more for each ordersVolume USD traded, at most ordersMost
	ordersMost       = 5000
	ordersVolume     = 5e6
	twapSliceMs      = 30_000
	twapSlippage     = 0.03
	mostBuilderFee   = 100 // tenths of a basis point
	twapMinimum      = 100
	twapCatchUp      = 3 // a late slice is at most this many times as large
	cancelNoticeMs   = 5_000
	cancelsADay      = 10
	dayMs            = 24 * hourMs
	statusOpen       = "open"
	statusFilled     = "filled"
	statusCanceled   = "canceled"
	statusTriggered  = "triggered"
	statusMargin     = "marginCanceled"
	statusReduce     = "reduceOnlyCanceled"
	statusSibling    = "siblingFilledCanceled"
	statusScheduled  = "scheduledCancel"
	statusLiquidated = "liquidatedCanceled"
)

// check returns why the venue refuses an order before it looks at the book; "" if it does not.
func (m *market) check(acc *account, o *order, f *faults) string {
	a := o.asset
	p := acc.position(a)
	switch {
	case a.gone(f):
		return refusedDelisted
	case !o.whole && o.left == 0:
		return refusedZero
	case o.limit%stepOf(o.limit, a.digits) != 0, o.trigger > 0 && o.trigger%stepOf(o.trigger, a.digits) != 0:
		return refusedTick
	case !o.whole && a.baseUnits(o.left)*a.usdOf(o.limit) < minimumUSD &&
		!(o.reduceOnly && p != nil && o.left >= abs(p.size)):
		return refusedMinimum
	case o.reduceOnly && (o.trigger == 0 || o.whole) && !p.reducedBy(o.buys):
		return refusedReduce
	case len(acc.orders) >= min(ordersMost, ordersMax+int(acc.volume/ordersVolume)):
		return refusedOpen
	}
	if o.trigger > 0 && o.fires() {
		return refusedTrigger
	}
	return ""
}

// far reports whether a price is farther from the mark than the venue allows.
func (a *asset) far(price int64) bool {
	return math.Abs(float64(price)/float64(a.state.mark)-1) > farthest
}

// fires reports whether the mark has reached the order's trigger price.
func (o *order) fires() bool {
	if o.above() {
		return o.asset.state.mark >= o.trigger
	}
	return o.asset.state.mark <= o.trigger
}

// place checks and trades a new order. It returns the venue's refusal, "" if none.
func (m *market) place(acc *account, o *order, f *faults) (refusal string) {
	if refusal = m.check(acc, o, f); refusal != "" {
		return refusal
	}
	o.id, o.placedMs = m.nextID(), m.nowMs
	if o.trigger > 0 {
		acc.remember(o)
		acc.rest(m, o)
		return ""
	}
	return m.match(acc, o, f)
}

// nextID returns the next id of an order, a trade or a TWAP.
func (m *market) nextID() int64 {
	m.lastID++
	return m.lastID
}

// match trades an order against the book and lets the rest of a resting order rest. It returns the venue's refusal,
// after which nothing has changed.
func (m *market) match(acc *account, o *order, f *faults) (refusal string) {
	a, side := o.asset, o.other()
	size := o.left
	if o.reduceOnly {
		p := acc.position(a)
		if !p.reducedBy(o.buys) {
			return refusedReduce
		}
		size = min(size, abs(p.size))
	}
	var parts []part
	if !f.on("empty-book", a.name) && !(side == askSide && f.on("one-sided", a.name)) {
		parts, _ = a.state.ladder.take(nil, side, size, o.limit)
	}
	rests := o.tif == "Gtc" || o.tif == "Alo"
	switch {
	case len(parts) > 0 && o.tif == "Alo":
		bid, ask := a.best()
		return fmt.Sprintf("Post only order would have immediately matched, bbo was %s@%s.", a.px(bid), a.px(ask))
	case len(parts) == 0 && !rests:
		if bid, ask := a.best(); a.bookless(f) || bid == 0 || ask == 0 {
			return refusedEmpty
		}
		return refusedIOC
	}
	if refusal = m.tryFills(acc, o, parts, rests, f); refusal != "" {
		return refusal
	}
	for _, s := range parts {
		a.state.ladder.taken[side] += s.size
	}
	switch {
	case rests && o.left > 0 && !(o.reduceOnly && size == o.placed-o.left):
		acc.rest(m, o)
	case o.left > 0:
		acc.set(m, o, statusCanceled)
	default:
		acc.set(m, o, statusFilled)
	}
	m.settleOrders(acc, o)
	return ""
}

// tryFills fills parts of a new order at the taker's rate, and undoes them if the account may not hold the result.
func (m *market) tryFills(acc *account, o *order, parts []part, rests bool, f *faults) (refusal string) {
	rows, left := make([]fill, 0, len(parts)), o.left
	refusal = m.attempt(acc, o, f, func() int64 {
		for _, s := range parts {
			rows = append(rows, m.fillOrder(acc, o, s, true))
		}
		if !rests {
			return left - o.left
		}
		if o.left > 0 {
			acc.orders = append(acc.orders, o)
		}
		return o.placed // with what rests
	})
	if refusal != "" {
		return refusal
	}
	acc.orders = slices.DeleteFunc(acc.orders, func(x *order) bool { return x == o }) // until it rests
	acc.remember(o)
	acc.record(rows)
	return ""
}

// attempt fills an order, and undoes that if the account may not hold the position after it: fill returns by how much
// it grows on the order's side, in size units.
func (m *market) attempt(acc *account, o *order, f *faults, fill func() int64) (refusal string) {
	before, size, was := acc.snapshot(o.asset), int64(0), *o
	if before.position != nil {
		size = before.position.size
	}
	if refusal = m.mayHold(acc, o, size, size+o.sign()*fill(), f); refusal != "" {
		acc.restore(o.asset, before)
		*o = was
	}
	return refusal
}

// mayHold returns why the account may not have the position after an order, in size units, with what rests of it
// counted as filled; "" if it may.
func (m *market) mayHold(acc *account, o *order, before, after int64, f *faults) string {
	a := o.asset
	if o.reduceOnly || abs(after) <= abs(before) && (after == 0 || after < 0 == (before < 0)) {
		return ""
	}
	most := a.maxLeverage
	for _, t := range a.tiers {
		if a.baseUnits(abs(after))*a.markUSD() >= t.lowerBound {
			most = t.maxLeverage
		}
	}
	switch {
	case a.atCap || f.on("cap", a.name):
		return refusedCap
	case acc.heldIn(a).leverage > most:
		return refusedTier
	case acc.free(a) < 0:
		return refusedMargin
	}
	return ""
}

// fillOrder fills a part of an order.
func (m *market) fillOrder(acc *account, o *order, s part, taker bool) fill {
	a := o.asset
	row := fill{size: s.size, price: s.price, taker: taker, ms: m.nowMs, id: m.nextID(), mark: a.state.mark}
	if p := acc.position(a); p != nil {
		row.before = p.size
	}
	rate := acc.rate(a, taker)
	row.fee, row.pnl = acc.trade(a, o.sign()*s.size, s.price, rate)
	o.left -= s.size
	o.value += a.baseUnits(s.size) * a.usdOf(s.price)
	row.order = *o
	return row
}

// record makes fills known.
func (acc *account) record(rows []fill) {
	for i := range rows {
		acc.fills.add(rows[i])
		acc.volume += rows[i].order.asset.baseUnits(rows[i].size) * rows[i].order.asset.usdOf(rows[i].price)
	}
	acc.changed = true
}

// remember adds a new order to the account's history.
func (acc *account) remember(o *order) {
	if o.status == "" {
		acc.history = append(acc.history, o)
		if len(acc.history) >= 2*historyMax {
			acc.history = slices.Clone(acc.history[historyMax:])
		}
	}
}

// rest lets an order rest.
func (acc *account) rest(m *market, o *order) {
	acc.orders = append(acc.orders, o)
	acc.set(m, o, statusOpen)
}

// end ends an order, and the children that wait for a fill which will not come.
func (acc *account) end(m *market, o *order, status string) {
	if i := slices.Index(acc.orders, o); i >= 0 {
		acc.orders = slices.Delete(acc.orders, i, i+1)
	}
	acc.set(m, o, status)
	if status == statusFilled {
		return
	}
	for _, child := range slices.Clone(acc.orders) {
		if child.parent == o {
			acc.end(m, child, statusCanceled)
		}
	}
}

// set gives an order a status and tells it.
func (acc *account) set(m *market, o *order, status string) {
	o.status, o.statusMs = status, m.nowMs
	acc.updates.add(update{*o, m.nowMs})
	acc.changed = true
}
