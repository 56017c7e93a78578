package risk

import "math"

// poolAfterFill holds the wallet's equity and margin after the fill, USD.
type poolAfterFill struct {
	feeUSD   float64
	equity   float64 // A: the equity of the trade's pool: its cross pool, or the isolated position
	cross    float64 // equity of the cross pool
	counted  float64 // the same with the margin that is assumed for an empty account
	isolated float64 // equity of the trade's position if isolated, with nothing assumed
	posted   float64 // margin moved into the isolated position
	released float64 // margin moved out of the isolated position
	// others counts the pool's other cross positions; otherMaintenance (M_other) and otherNotional are
	// theirs. 0 when there are none.
	others                          int
	otherMaintenance, otherNotional float64

	alone       bool // the pool has no other leg
	assumed     bool // the account is empty: exactly the initial margin is assumed
	marginShort bool // too little free margin for the initial margin (H3)
	// needed is the margin that the trade needs, available what there is for it, and lacking the
	// difference, at least 0. For an empty account, for which H3 does not apply, they are the initial
	// margin and the free margin.
	needed, available, lacking float64
}

// fill applies a fill price to the plan.
func (t *tradePlan) fill(after *poolAfterFill, acct *account, fillPrice, takerRate float64) {
	*after = poolAfterFill{feeUSD: math.Abs(t.units) * fillPrice * takerRate}
	t.movePools(after, acct, fillPrice)
	after.counted = after.cross
	rest := &acct.rest.cross
	// The venue asks for the margin of a resting order at its price, before the price has moved there.
	value, gain := t.valueAfter+t.restValue(), -t.direction*t.restValue()
	if t.opensExposure() {
		switch {
		case acct.empty:
			after.needed, after.available = value/t.leverage, acct.freeMargin
		case t.mode == Isolated:
			after.needed, after.available = after.posted, acct.freeMargin
			if t.kind == flips { // what the closing part releases
				after.available += after.released + t.before*(fillPrice-t.mark)
			}
		default:
			after.needed, after.available = value/t.leverage+rest.initial, after.cross-max(0, gain)-acct.held
		}
		after.lacking = max(0, after.needed-after.available)
		after.marginShort = after.lacking > 0 && !acct.empty
	}
	switch {
	case acct.empty && t.opensExposure():
		after.equity, after.assumed, after.alone, after.counted = value/t.leverage+gain, true, true, 0
		if t.mode == Cross {
			after.counted = after.equity
		}
	case t.mode == Isolated:
		after.equity, after.alone = after.isolated, true
	default:
		after.others, after.otherMaintenance, after.otherNotional = rest.positions, rest.maintenance, rest.gross
		if t.kind == held && t.index >= 0 { // the rest has the position too
			p := &acct.positions[t.index]
			after.others--
			after.otherMaintenance -= p.maintenance()
			after.otherNotional -= p.notional()
			if after.others == 0 {
				after.otherMaintenance, after.otherNotional = 0, 0
			}
		}
		after.alone = after.others+rest.collateral == 0
		after.equity = after.cross
	}
}

// movePools computes the money that a fill at a price moves between the pools. The closing part of a
// trade releases isolated margin to the cross pool; fees come out of the cross pool.
func (t *tradePlan) movePools(after *poolAfterFill, acct *account, fillPrice float64) {
	fee, worse := after.feeUSD, fillPrice-t.mark // worse: USD per unit, a loss for a buyer
	var opened, closed float64                   // units, signed; they sum to t.units
	switch t.kind {
	case opens, increases:
		opened = t.units
	case reduces:
		closed = t.units
	case flips:
		opened, closed = t.after, t.units-t.after
	case noFill:
		fee, worse = 0, 0 // priced but not paid
	}
	before := 0.0 // equity of the isolated position before the trade
	if t.wasIsolated {
		before = acct.positions[t.index].equity
	}
	if t.mode == Cross {
		after.cross = acct.crossEquity - fee - (opened+closed)*worse
		return
	}
	if t.before != 0 {
		after.released = before * math.Abs(closed/t.before)
	}
	switch t.kind {
	case opens, flips:
		after.posted = (t.valueAfter + t.restValue()) / t.leverage
		after.isolated = after.posted - opened*worse
	case increases:
		after.posted = (t.increaseUSD + t.restValue()) / t.leverage
		after.isolated = before + after.posted - opened*worse
	case reduces:
		after.isolated = before * math.Abs(t.after) / math.Abs(t.before)
	default:
		after.isolated = before
	}
	after.cross = acct.crossEquity - fee - after.posted + after.released - closed*worse
}

// entryAfter is the entry price of the position after a fill, USD; 0 without a position, or when the
// entry price of the position before is not known.
func (t *tradePlan) entryAfter(fillPrice float64) float64 {
	switch {
	case t.after == 0:
		return 0
	case t.kind == opens || t.kind == flips:
		return fillPrice
	case t.entry == 0: // not known
		return 0
	case t.kind == increases:
		return (t.entry*math.Abs(t.before) + fillPrice*math.Abs(t.units)) / math.Abs(t.after)
	}
	return t.entry
}

// positionAfter fills p with the position after the trade; 0 units when no position is left.
func (t *tradePlan) positionAfter(p *position, mk *marketView, acct *account, after *poolAfterFill,
	fillPrice float64) {
	*p = position{
		id: t.asset.ID, name: t.asset.Name, units: t.after, mark: t.mark, entry: t.entryAfter(fillPrice),
		leverage: t.leverage, isolated: t.mode == Isolated, pool: acct.pool, own: -1,
		tiers: t.tiers, stress: mk.rule, in: mk.in,
	}
	if p.isolated {
		p.equity = after.equity
	}
}
