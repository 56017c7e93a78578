package sim

import "slices"

// work fills, triggers and ends the orders of the accounts that trade, after the market has moved. The caller holds
// the lock.
func (m *market) work() {
	for _, acc := range m.traders {
		if acc.cancelAt > 0 && m.nowMs >= acc.cancelAt {
			acc.cancelAt = 0
			acc.cancels++
			for len(acc.orders) > 0 {
				acc.end(m, acc.orders[0], statusScheduled)
			}
		}
		for ; acc.nextSettlement <= m.nowMs; acc.nextSettlement += hourMs {
			acc.settle(floorDiv(acc.nextSettlement, hourMs) - 1)
		}
		for _, t := range slices.Clone(acc.twaps) {
			m.advance(acc, t)
		}
		for _, o := range slices.Clone(acc.orders) {
			if slices.Contains(acc.orders, o) { // an earlier one may have ended it
				m.workOrder(acc, o)
			}
		}
		m.liquidate(acc)
	}
}

// workOrder triggers an order, or fills it if the market has traded through its price.
func (m *market) workOrder(acc *account, o *order) {
	switch {
	case o.parent != nil || o.asset.gone(noFaults):
	case o.trigger == 0:
		m.fillResting(acc, o)
	case o.fires():
		m.fire(acc, o)
	}
}

// noFaults has no fault: resting orders know none.
var noFaults = &faults{}

// fillResting fills a resting order at its price, as far as the other side of the book has come to it.
func (m *market) fillResting(acc *account, o *order) {
	a, side := o.asset, o.other()
	_, size := a.state.ladder.take(nil, side, o.left, o.limit)
	if size == 0 {
		return
	}
	if p := acc.position(a); o.reduceOnly {
		if !p.reducedBy(o.buys) {
			acc.end(m, o, statusReduce)
			return
		}
		size = min(size, abs(p.size))
	}
	var row fill
	refusal := m.attempt(acc, o, noFaults, func() int64 {
		row = m.fillOrder(acc, o, part{o.limit, size}, false)
		return size
	})
	if refusal != "" {
		acc.end(m, o, statusMargin)
		return
	}
	a.state.ladder.taken[side] += size
	acc.record([]fill{row})
	if o.left == 0 {
		acc.end(m, o, statusFilled)
	} else {
		acc.set(m, o, statusOpen)
	}
	m.settleOrders(acc, o)
}

// fire turns a trigger order into a market or limit order.
func (m *market) fire(acc *account, o *order) {
	acc.orders = slices.DeleteFunc(acc.orders, func(x *order) bool { return x == o })
	p := acc.position(o.asset)
	if o.reduceOnly && !p.reducedBy(o.buys) {
		acc.end(m, o, statusReduce)
		return
	}
	if o.whole {
		o.left = abs(p.size)
		o.placed = o.left
	}
	acc.set(m, o, statusTriggered)
	o.tif = "Gtc"
	if o.isMarket {
		o.tif = "Ioc"
	}
	o.trigger = 0
	switch m.match(acc, o, noFaults) {
	case "":
	case refusedMargin:
		acc.end(m, o, statusMargin)
	case refusedReduce:
		acc.end(m, o, statusReduce)
	default:
		acc.end(m, o, statusCanceled)
	}
}

// settleOrders does what a fill of an order means for the account's other orders: children of a filled parent begin
// to wait for their triggers, siblings end, and reduce-only orders end whose position has gone or is taken by newer
// ones.
func (m *market) settleOrders(acc *account, filled *order) {
	for _, o := range slices.Clone(acc.orders) {
		switch {
		case o.parent == filled && filled.status == statusFilled:
			o.parent = nil
			acc.set(m, o, statusOpen)
		case filled.group != 0 && o.group == filled.group && o != filled && filled.value > 0:
			acc.end(m, o, statusSibling)
		}
	}
	p := acc.position(filled.asset)
	left, newest := int64(0), true // left: of the position, for older orders
	if p != nil {
		left = abs(p.size)
	}
	for _, o := range slices.Backward(slices.Clone(acc.orders)) {
		if o.asset != filled.asset || !o.reduceOnly || o.parent != nil || o.trigger > 0 && !o.whole {
			continue
		}
		switch {
		case !p.reducedBy(o.buys), o.trigger == 0 && !newest && o.left > left:
			acc.end(m, o, statusReduce)
		case o.trigger == 0:
			left, newest = left-o.left, false
		}
	}
}

// twap is an order that is traded in slices.
type twap struct {
	id           int64
	asset        *asset
	buys, reduce bool
	size, done   int64 // size units
	startMs      int64
	slices, sent int64
}

// advance sends the slices of a TWAP that are due. A slice makes up for what earlier ones could not fill, up to
// twapCatchUp times the size of a slice without such a rest.
func (m *market) advance(acc *account, t *twap) {
	for t.sent < t.slices && m.nowMs >= t.startMs+t.sent*twapSliceMs {
		t.sent++
		even := (t.size + t.slices - 1) / t.slices
		due := min(t.size*t.sent/t.slices-t.done, twapCatchUp*even)
		mark := t.asset.markUSD()
		o := &order{asset: t.asset, buys: t.buys, left: due, placed: due, tif: "Ioc", reduceOnly: t.reduce, twap: t.id}
		o.limit = t.asset.toUnits(mark * (1 + float64(o.sign())*twapSlippage))
		o.id, o.placedMs = m.nextID(), m.nowMs
		if due > 0 && m.match(acc, o, noFaults) == "" {
			t.done += o.placed - o.left
		}
	}
	if t.sent >= t.slices || t.done >= t.size {
		acc.twaps = slices.DeleteFunc(acc.twaps, func(x *twap) bool { return x == t })
	}
}

// twapRows answers twapHistory with the TWAPs that run.
func (acc *account) twapRows() []object {
	return each(acc.traded().twaps, func(t *twap) object {
		side := "A"
		if t.buys {
			side = "B"
		}
		return object{"time": t.startMs / 1000, "twapId": t.id, "status": object{"status": "activated"},
			"state": object{"coin": t.asset.name, "user": acc.Address, "side": side, "sz": t.asset.sz(t.size),
				"executedSz": t.asset.sz(t.done), "executedNtl": "0.0", "minutes": t.slices * twapSliceMs / 60_000,
				"reduceOnly": t.reduce, "randomize": false, "timestamp": t.startMs}}
	})
}

// liquidate closes the positions of an account whose collateral is below the maintenance margin: all of a pool, or
// the isolated one.
func (m *market) liquidate(acc *account) {
	for _, p := range slices.Clone(acc.positions) {
		short := p.isolated && p.equity() < maintenance(p.margins, p.value())
		if on := acc.poolOf(p.asset); !p.isolated {
			short = acc.collateral(on)+acc.lent() < on.required()
		}
		if !short {
			continue
		}
		for _, o := range slices.Clone(acc.orders) {
			if o.asset == p.asset || !p.isolated {
				acc.end(m, o, statusLiquidated)
			}
		}
		o := &order{asset: p.asset, buys: p.size < 0, left: abs(p.size), placed: abs(p.size), tif: "Ioc",
			reduceOnly: true, liquidates: true, id: m.nextID(), placedMs: m.nowMs}
		if o.buys {
			o.limit = 2 * p.asset.state.mark
		}
		m.match(acc, o, noFaults)
	}
}
