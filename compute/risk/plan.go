package risk

import (
	"math"

	"ballast/marketcache"
)

// change is the effect of a trade on the existing position.
type change uint8

const (
	opens change = iota
	increases
	reduces // makes the position smaller, or closes it
	flips   // closes the position and opens the opposite side
	noFill  // a close without a position: priced, but nothing fills
	held    // no trade: the position as held
)

// flatUSD is the notional below which a position counts as flat.
const flatUSD = 1e-6

// tradePlan is the trade applied to the account: the units traded, the position before and
// after, leverage and margin mode. The fill price is not known yet.
type tradePlan struct {
	action Action
	kind   change
	index  int // of the target in account.positions, -1 without a position
	asset  *marketcache.Asset
	mark   float64 // p

	direction float64 // d: +1 buy, -1 sell
	units     float64 // u, signed
	notional  float64 // Q = |u|*p
	before    float64 // q0
	entry     float64 // entry price of the position before, USD; 0 without a position
	after     float64 // q1
	side      float64 // s: sign of q1, 0 when no position is left
	// fundingSide is s, or the closed side when no position is left.
	fundingSide float64
	valueAfter  float64 // N = |q1|*p
	increaseUSD float64 // Q_inc: notional of the added exposure

	wanted      Mode // the request's mode
	mode        Mode // the mode in force
	wasIsolated bool
	// asked is the leverage before the margin tier's maximum applies; leverage is min(asked, tierMax).
	asked, leverage float64
	tierMax         float64 // maximum leverage of the margin tier of N
	tiers           tierTable
	exceeds         bool // a close larger than the position
}

// resolve fills t for a request and the wallet's position in the asset.
func (t *tradePlan) resolve(tr *Trade, asHeld bool, owner *marketcache.Account, acct *account, mk *marketView) {
	*t = tradePlan{}
	t.action, t.wanted = tr.Action, tr.Mode
	t.asset, t.mark = mk.asset, mk.mark
	t.index, t.tiers.asset = acct.target, mk.asset.Tiers
	if t.index >= 0 {
		p := &acct.positions[t.index]
		t.before, t.entry, t.tiers, t.wasIsolated = p.units, p.entry, p.tiers, p.isolated
	}
	units := tr.SizeUSD / t.mark
	switch {
	case asHeld:
		t.kind = held
	case tr.Action == ActionLong:
		t.direction = +1
	case tr.Action == ActionShort:
		t.direction = -1
	case t.before != 0: // close
		t.direction = -sign(t.before)
		t.exceeds = units > math.Abs(t.before)
		units = min(units, math.Abs(t.before))
	default:
		t.kind = noFill
		t.direction = mk.dearerSide(units)
	}
	if t.kind == held {
		units = 0
	}
	t.setLeverage(tr, owner, acct)
	t.resize(units)
}

// resize sets the traded units and everything derived from them.
func (t *tradePlan) resize(units float64) {
	t.units, t.notional = t.direction*units, units*t.mark
	t.setPositionAfter()
	t.setModeAndTier()
}

// setPositionAfter computes the position after the fill.
func (t *tradePlan) setPositionAfter() {
	t.after = t.before
	if t.kind != noFill && t.kind != held {
		t.after = t.before + t.units
		if math.Abs(t.after)*t.mark < flatUSD {
			t.after = 0
		}
		switch {
		case t.before == 0:
			t.kind = opens
		case sign(t.units) == sign(t.before):
			t.kind = increases
		case t.after == 0 || sign(t.after) == sign(t.before):
			t.kind = reduces
		default:
			t.kind = flips
		}
	}
	t.side = sign(t.after)
	t.fundingSide = t.side
	if t.side == 0 {
		t.fundingSide = sign(t.before)
	}
	t.valueAfter, t.increaseUSD = math.Abs(t.after)*t.mark, 0
	switch t.kind {
	case opens, increases:
		t.increaseUSD = max(0, math.Abs(t.after)-math.Abs(t.before)) * t.mark
	case flips:
		t.increaseUSD = t.valueAfter
	}
}

// setLeverage sets asked. A leverage in the request applies to the whole position. Without one, the
// leverage is that of the existing position, else the wallet's setting for the asset, else the lower
// of the venue's default of 20 and the asset's maximum.
func (t *tradePlan) setLeverage(tr *Trade, owner *marketcache.Account, acct *account) {
	switch {
	case t.kind != held && tr.Leverage > 0:
		t.asked = tr.Leverage
	case t.index >= 0:
		t.asked = acct.positions[t.index].leverage
	default:
		t.asked = min(defaultLeverage, t.asset.MaxLeverage)
		if own, ok := owner.Setting(tr.Asset); ok && own.Leverage >= 1 {
			t.asked = own.Leverage
		}
	}
}

// setModeAndTier applies the margin mode and the tier's maximum leverage. An open position keeps
// its mode; the request's mode applies to a new position and to the new side of a flip.
func (t *tradePlan) setModeAndTier() {
	t.mode = t.wanted
	if t.index >= 0 && t.kind != flips {
		t.mode = Cross
		if t.wasIsolated {
			t.mode = Isolated
		}
	}
	t.tierMax = t.tiers.tierFor(t.valueAfter).MaxLeverage
	t.leverage = min(t.asked, t.tierMax)
}

// defaultLeverage is the venue's default for an asset without a setting.
const defaultLeverage = 20

// closeWhole turns the plan of a position as held into the trade that closes it.
func (t *tradePlan) closeWhole() {
	t.direction, t.units, t.notional = -t.side, -t.after, t.valueAfter
}

// opensExposure reports whether the trade adds exposure.
func (t *tradePlan) opensExposure() bool {
	return t.kind == opens || t.kind == increases || t.kind == flips
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// poolAfterFill holds the wallet's equity and margin after the fill, USD.
type poolAfterFill struct {
	feeUSD float64
	// equity is A: the equity behind the trade's position, including any top-up.
	equity float64
	cross  float64 // equity of the cross pool, without top-up or assumed margin
	// crossToppedUp is the equity of the cross pool including the top-up (see fill), or the
	// margin assumed for an empty account.
	crossToppedUp float64
	isolated      float64 // equity of the trade's position if isolated, with nothing assumed
	posted        float64 // margin moved into the isolated position
	released      float64 // margin moved out of the isolated position
	// otherMaintenance (M_other) and otherNotional belong to the pool's other cross positions;
	// 0 when there are none.
	otherMaintenance, otherNotional float64

	alone       bool // the pool has no other position
	assumed     bool // the account is empty: exactly the initial margin is assumed
	marginShort bool // too little free margin for the initial margin (H3)
	// lacking is what the free margin is short of, USD, at least 0; for a cross position with fee and
	// slippage. Of an empty account, for which H3 does not apply, it is the initial margin's shortage.
	lacking float64
}

// fill applies a fill price to the plan. If an increase leaves less in the cross pool than the initial
// margins of its positions, topUp raises the pool to that sum, as the venue would require. Sizing calls
// it without topUp, to see how far the wallet's own equity goes.
func (t *tradePlan) fill(after *poolAfterFill, acct *account, fillPrice, takerRate float64, topUp bool) {
	*after = poolAfterFill{feeUSD: math.Abs(t.units) * fillPrice * takerRate}
	t.movePools(after, acct, fillPrice)
	after.crossToppedUp = after.cross
	need := t.valueAfter/t.leverage + acct.rest.margin.crossInitial // of a cross pool
	if t.opensExposure() {
		switch {
		case acct.empty:
			after.lacking = max(0, need-acct.freeMargin)
		case t.mode == Isolated:
			after.lacking = max(0, after.posted-acct.freeMargin)
		default:
			after.lacking = max(0, need-after.cross)
		}
		after.marginShort = after.lacking > 0 && !acct.empty
	}
	switch {
	case acct.empty && t.opensExposure():
		after.equity, after.assumed, after.alone = t.valueAfter/t.leverage, true, true
		if t.mode == Cross {
			after.crossToppedUp = after.equity
		}
	case t.mode == Isolated:
		after.equity, after.alone = after.isolated, true
	default:
		rest := &acct.rest
		after.otherMaintenance, after.otherNotional, after.alone = rest.margin.crossMaintenance, rest.crossNotional, rest.margin.cross == 0
		if after.marginShort && topUp && !acct.negative {
			after.crossToppedUp = need
		}
		after.equity = after.crossToppedUp
	}
}

// movePools computes the money that a fill at a price moves between the pools.
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
		if t.kind == flips {
			after.released = before
		}
		after.cross = acct.crossEquity - fee - (opened+closed)*worse + after.released
		return
	}
	if t.before != 0 {
		after.released = before * math.Abs(closed/t.before)
	}
	switch t.kind {
	case opens, flips:
		after.posted = t.valueAfter / t.leverage
		after.isolated = after.posted - opened*worse
	case increases:
		after.posted = t.increaseUSD / t.leverage
		after.isolated = before + after.posted - opened*worse
	case reduces:
		after.isolated = before * math.Abs(t.after) / math.Abs(t.before)
	default:
		after.isolated = before
	}
	after.cross = acct.crossEquity - fee - after.posted + after.released - closed*worse
}

// entryAfter is the entry price of the position after a fill, USD; 0 without a position.
func (t *tradePlan) entryAfter(fillPrice float64) float64 {
	switch {
	case t.after == 0:
		return 0
	case t.kind == opens || t.kind == flips:
		return fillPrice
	case t.kind == increases:
		return (t.entry*math.Abs(t.before) + fillPrice*math.Abs(t.units)) / math.Abs(t.after)
	}
	return t.entry
}

// positionAfter fills p with the position after the trade; 0 units when no position is left.
func (t *tradePlan) positionAfter(p *position, in *AssetInput, after *poolAfterFill, fillPrice float64) {
	*p = position{
		id: t.asset.ID, name: t.asset.Name, units: t.after, mark: t.mark, entry: t.entryAfter(fillPrice),
		leverage: t.leverage, isolated: t.mode == Isolated, tiers: t.tiers, stress: stressRuleOf(in), in: in,
	}
	if p.isolated {
		p.equity = after.equity
	}
}
