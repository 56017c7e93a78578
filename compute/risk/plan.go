package risk

import (
	"math"

	mc "ballast/marketcache"
)

// change is the effect of a trade on the existing position.
type change uint8

const (
	opens change = iota
	increases
	reduces // makes the position smaller, or closes it
	flips   // closes the position and opens the opposite side
	noFill  // an exit that finds no position to reduce: priced, but nothing fills
	held    // no trade: the position as held
)

// flatUSD is the notional below which a position counts as flat.
const flatUSD = 1e-6

// tradePlan is the trade applied to the account: the units traded, the position before and
// after, leverage and margin mode. The fill price is not known yet.
type tradePlan struct {
	action Action
	exits  bool // it may only reduce
	kind   change
	index  int // of the target in account.positions, -1 without a position
	asset  *mc.Asset
	mark   float64 // p

	order     Order   // a market order for a position as held
	rests     float64 // units of a limit order that the book does not fill at once; set by the fill
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

	mode        Mode // the mode in force
	modeSource  Source
	wasIsolated bool
	kept        bool // the request names a mode, but the open position keeps its own
	differs     bool // the request names a mode that contradicts the wallet's setting
	notRead     bool // the wallet's setting was needed and could not be read
	// asked is the leverage before the margin tier's maximum applies; leverage is min(asked, tierMax).
	asked, leverage float64
	leverageSource  Source
	// floor is the lowest leverage that the venue allows on an open isolated position; +Inf: none. refused:
	// the request asks for less.
	floor   float64
	refused bool
	tierMax float64 // maximum leverage of the margin tier of N
	tiers   tierTable
	exceeds bool // an exit larger than the position
}

// resolve fills t for a request and the wallet's position in the asset.
func (t *tradePlan) resolve(tr *Trade, asHeld bool, owner *mc.Account, acct *account, mk *marketView) {
	*t = tradePlan{}
	if t.action = tr.Action; !asHeld {
		t.exits, t.order = tr.Exits(), tr.Order
	}
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
	} else if t.order.ReduceOnly && t.kind != noFill {
		if whole := math.Abs(t.before); t.opposes() {
			t.exceeds = t.exceeds || units > whole
			units = min(units, whole)
		} else {
			t.kind = noFill
		}
	}
	t.setMode(tr, owner)
	t.setLeverage(tr, owner, acct)
	t.resize(units)
}

// resize sets the traded units and everything derived from them.
func (t *tradePlan) resize(units float64) {
	whole, lot := math.Abs(t.before), t.lot()
	if t.opposes() && withinLot(units, whole, lot) && withinLot(whole, units, lot) {
		units = whole // no order could leave or open less than a lot
	}
	t.units, t.notional = t.direction*units, units*t.mark
	t.setPositionAfter()
	t.tierMax = t.tiers.tierFor(t.valueAfter).MaxLeverage
	t.leverage = min(t.asked, t.tierMax)
}

// opposes reports whether the trade is against the open position.
func (t *tradePlan) opposes() bool { return t.direction*t.before < 0 && t.kind != held }

// lot is the venue's smallest step of a size, in coins.
func (t *tradePlan) lot() float64 { return lotOf(t.asset.SizeDigits) }

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

// setMode applies the margin mode: that of the open position, flips included; of a new position the
// request's, else the wallet's setting for the asset, else the venue's default.
func (t *tradePlan) setMode(tr *Trade, owner *mc.Account) {
	setting, read := owner.Setting(tr.Asset)
	known := read && setting.Leverage > 0 && setting.ModeKnown
	opening := t.kind != held && !t.exits
	switch {
	case t.index >= 0:
		if t.modeSource = SourcePosition; t.wasIsolated {
			t.mode = Isolated
		}
		t.kept = opening && tr.ModeGiven && tr.Mode != t.mode
	case tr.ModeGiven:
		t.mode = tr.Mode
		t.differs = opening && known && setting.Isolated != (t.mode == Isolated)
	case known:
		if t.modeSource = SourceSetting; setting.Isolated {
			t.mode = Isolated
		}
	default:
		t.modeSource = SourceDefault
	}
	t.notRead = opening && t.index < 0 && !read && (!tr.ModeGiven || tr.Leverage == 0)
}

// setLeverage sets asked. A leverage in the request applies to the whole position. Without one, the
// leverage is that of the existing position, else the wallet's setting for the asset, else the lower
// of the venue's default of 20 and the asset's maximum. The venue refuses a leverage that the margin of
// an open isolated position does not carry, and the order goes out at the old one.
func (t *tradePlan) setLeverage(tr *Trade, owner *mc.Account, acct *account) {
	setting, read := owner.Setting(tr.Asset)
	own := SourcePosition
	if t.index >= 0 && acct.positions[t.index].assumed {
		own = SourceDefault
	}
	switch {
	case t.kind != held && tr.Leverage > 0 && (t.kind != noFill || t.index < 0):
		t.asked, t.leverageSource = tr.Leverage, SourceRequest
	case t.index >= 0:
		t.asked, t.leverageSource = acct.positions[t.index].leverage, own
	case read && setting.Leverage >= 1:
		t.asked, t.leverageSource = setting.Leverage, SourceSetting
	default:
		t.asked, t.leverageSource = min(defaultLeverage, t.asset.MaxLeverage), SourceDefault
	}
	if t.index < 0 || !t.wasIsolated {
		return
	}
	p := &acct.positions[t.index]
	if t.floor = math.Inf(1); p.equity > 0 {
		t.floor = p.notional() / p.equity
	}
	if t.leverageSource == SourceRequest && t.refuses(t.asked, p) {
		t.asked, t.leverageSource, t.refused = p.leverage, own, true
	}
}

// refuses reports whether the venue refuses a leverage for the open isolated position p.
func (t *tradePlan) refuses(leverage float64, p *position) bool {
	return (p.assumed || leverage != p.leverage) && leverage < t.floor*(1-roundingSlack)
}

// defaultLeverage is the venue's default for an asset without a setting.
const defaultLeverage = 20

// closeWhole turns the plan of a position as held into the trade that closes it.
func (t *tradePlan) closeWhole() {
	t.direction, t.units, t.notional = -t.side, -t.after, t.valueAfter
}

// leftOut is the index of the position that the trade's position takes the place of, -1 for none: a wallet as
// held is complete without it.
func (t *tradePlan) leftOut() int {
	if t.kind == held {
		return -1
	}
	return t.index
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
