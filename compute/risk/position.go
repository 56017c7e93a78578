package risk

import (
	"math"

	"ballast/marketcache"
)

// change is what a trade does to the position it meets.
type change uint8

const (
	opens change = iota
	increases
	reduces  // leaves the position smaller, or flat
	flips    // closes the position and opens the other side
	nothing  // a close without a position: priced, but nothing fills
	holdsFor // no trade: the position as held
)

// flatUSD is the notional below which a position counts as flat.
const flatUSD = 1e-6

// tradePlan is the trade resolved against the account: what is traded, what is held
// before and after, and on what terms. It does not know the fill price yet.
type tradePlan struct {
	action Action
	kind   change
	index  int // of the target in account.holdings, -1 when none is held
	asset  *marketcache.Asset
	mark   float64 // p

	direction float64 // d: +1 buy, -1 sell
	units     float64 // u, signed
	notional  float64 // Q = |u|*p
	before    float64 // q0
	after     float64 // q1
	side      float64 // s: sign of q1, 0 when flat
	// fundingSide is s, or the side being closed when the trade leaves nothing.
	fundingSide float64
	valueAfter  float64 // N = |q1|*p
	increaseUSD float64 // Q_inc

	wanted      Mode // the request's
	mode        Mode // the one used
	wasIsolated bool
	// asked is the leverage before the tier's minimum, leverage after it.
	asked, leverage float64
	tierMax         float64 // highest leverage of the tier that N lies in
	tiers           tierTable
	exceeds         bool // close of more than the position
}

// resolve makes t the plan of a request against the wallet's position in the asset.
func (t *tradePlan) resolve(tr *Trade, asHeld bool, owner *marketcache.Account, acct *account, mk *marketView) {
	*t = tradePlan{}
	t.action, t.wanted = tr.Action, tr.Mode
	t.asset, t.mark = mk.asset, mk.mark
	t.index, t.tiers.asset = acct.target, mk.asset.Tiers
	if t.index >= 0 {
		h := &acct.holdings[t.index]
		t.before, t.tiers, t.wasIsolated = h.units, h.tiers, h.isolated
	}
	units := tr.SizeUSD / t.mark
	switch {
	case asHeld:
		t.kind = holdsFor
	case tr.Action == ActionLong:
		t.direction = +1
	case tr.Action == ActionShort:
		t.direction = -1
	case t.before != 0: // close
		t.direction = -sign(t.before)
		t.exceeds = units > math.Abs(t.before)
		units = min(units, math.Abs(t.before))
	default:
		t.kind = nothing
		t.direction = mk.dearerSide(units)
	}
	if t.kind == holdsFor {
		units = 0
	}
	t.ask(tr, owner, acct)
	t.resize(units)
}

// resize makes the plan one of the given units, with everything that follows from them.
func (t *tradePlan) resize(units float64) {
	t.units, t.notional = t.direction*units, units*t.mark
	t.settle()
	t.terms()
}

// settle works out the position after the fill.
func (t *tradePlan) settle() {
	t.after = t.before
	if t.kind != nothing && t.kind != holdsFor {
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
	t.valueAfter = math.Abs(t.after) * t.mark
	switch t.kind {
	case opens, increases:
		t.increaseUSD = max(0, math.Abs(t.after)-math.Abs(t.before)) * t.mark
	case flips:
		t.increaseUSD = t.valueAfter
	}
}

// ask finds the leverage before the tier's minimum: a leverage in the request becomes
// that of the whole position; left out, it is the position's, else the wallet's own
// setting, else the venue's default of 20 or the asset's maximum, whichever is less.
func (t *tradePlan) ask(tr *Trade, owner *marketcache.Account, acct *account) {
	switch {
	case t.kind != holdsFor && tr.Leverage > 0:
		t.asked = tr.Leverage
	case t.index >= 0:
		t.asked = acct.holdings[t.index].leverage
	default:
		t.asked = min(defaultLeverage, t.asset.MaxLeverage)
		if own, ok := owner.Setting(tr.Asset); ok && own.Leverage >= 1 {
			t.asked = own.Leverage
		}
	}
}

// terms applies the margin mode and the tier's maximum leverage. An open position keeps
// its own mode; the request's counts for a new position and for the new leg of a flip.
func (t *tradePlan) terms() {
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

// closeWhole makes t, the plan of a position as held, the trade that would close it whole.
func (t *tradePlan) closeWhole() {
	t.direction, t.units, t.notional = -t.side, -t.after, t.valueAfter
}

// opensExposure reports whether the trade adds exposure: the hard rules apply exactly
// then.
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

// position is the wallet's position and pool after the fill.
type position struct {
	feeUSD    float64
	equity    float64 // A: equity that carries the position, after any top-up
	crossPool float64 // equity of the cross pool after the trade
	// otherMaintenance (M_other) and otherNotional are those of the pool's other
	// cross positions; 0 for an isolated position and under the zero-equity assumption.
	otherMaintenance, otherNotional float64
	noEquity                        bool // the wallet counts as having no equity
	assumedEquity                   bool // exactly the initial margin was assumed as collateral
	marginShort                     bool // free margin too small for the initial margin (H3)
	alone                           bool // the pool's other positions are left out
}

// fill applies a fill price to the plan and fills in pos: fee, equity of the pool that carries
// the position and, when topUp is set, the top-up to the initial margin that the venue
// assumes (and with it rule H3). Sizing asks without it: how far the wallet's own money
// goes.
func (t *tradePlan) fill(pos *position, acct *account, fillPrice, takerRate float64, topUp bool) {
	after := t.pools(acct, fillPrice, takerRate)
	*pos = position{}
	pos.feeUSD, pos.crossPool = t.fee(fillPrice, takerRate), after.cross
	if t.mode == Isolated {
		t.carryIsolated(pos, acct, after)
	} else {
		t.carryCross(pos, acct, topUp)
	}
}

// fee is what a fill costs, or would, USD.
func (t *tradePlan) fee(fillPrice, takerRate float64) float64 {
	return math.Abs(t.units) * fillPrice * takerRate
}

// pools is the wallet's money after a fill, USD, with nothing topped up or assumed.
type pools struct {
	cross    float64 // equity of the cross pool
	isolated float64 // equity of the trade's position, when it is isolated
	posted   float64 // margin that the fill moved into it
}

// pools works out what a fill at a price moves between the pools.
func (t *tradePlan) pools(acct *account, fillPrice, takerRate float64) pools {
	fee, worse := t.fee(fillPrice, takerRate), fillPrice-t.mark // worse: USD a unit, a loss for a buyer
	var opened, closed float64                                  // units, signed; their sum is what fills
	switch t.kind {
	case opens, increases:
		opened = t.units
	case reduces:
		closed = t.units
	case flips:
		opened, closed = t.after, t.units-t.after
	case nothing:
		fee, worse = 0, 0 // quoted, not paid
	}
	isolatedBefore := 0.0 // equity of the isolated position before
	if t.wasIsolated {
		isolatedBefore = acct.holdings[t.index].isolatedEquity()
	}
	if t.mode == Cross {
		cross := acct.crossEquity - fee - (opened+closed)*worse
		if t.kind == flips && t.wasIsolated {
			cross += isolatedBefore
		}
		return pools{cross: cross}
	}
	var p pools
	switch t.kind {
	case opens, flips:
		p.posted = t.valueAfter / t.leverage
		p.isolated = p.posted - opened*worse
	case increases:
		p.posted = t.increaseUSD / t.leverage
		p.isolated = isolatedBefore + p.posted - opened*worse
	case reduces:
		p.isolated = isolatedBefore * math.Abs(t.after) / math.Abs(t.before)
	default:
		p.isolated = isolatedBefore
	}
	released := 0.0
	if t.before != 0 {
		released = isolatedBefore * math.Abs(closed/t.before)
	}
	p.cross = acct.crossEquity - fee - p.posted + released - closed*worse
	return p
}

// carryIsolated finds the equity that carries an isolated position.
func (t *tradePlan) carryIsolated(pos *position, acct *account, after pools) {
	pos.noEquity = acct.value < noEquity
	pos.alone = true
	pos.equity = after.isolated
	if t.opensExposure() {
		if pos.noEquity {
			pos.equity, pos.assumedEquity = t.valueAfter/t.leverage, true
		} else {
			pos.marginShort = after.posted > acct.freeMargin
		}
	}
}

// carryCross finds the equity that carries a cross position: the pool's.
func (t *tradePlan) carryCross(pos *position, acct *account, topUp bool) {
	pos.noEquity = acct.crossEquity < noEquity
	if t.opensExposure() && pos.noEquity {
		pos.equity, pos.assumedEquity, pos.alone = t.valueAfter/t.leverage, true, true
		pos.crossPool = pos.equity
		return
	}
	pos.otherMaintenance, pos.otherNotional = acct.rest.maintenance, acct.rest.notional
	if t.opensExposure() && topUp {
		if need := t.valueAfter/t.leverage + acct.rest.initial; pos.crossPool < need {
			pos.crossPool, pos.marginShort = need, true
		}
	}
	pos.equity = pos.crossPool
}
