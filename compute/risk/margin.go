package risk

import "math"

// Margin is the wallet's margin before and after the trade, USD at the snapshot's marks.
// Before is the wallet as read. After includes the deposit that is assumed for an empty wallet.
type Margin struct {
	Before, After MarginState
	// DeltaInitialUSD is the initial margin that the trade takes, negative when it frees
	// margin. A new leverage applies to the whole position.
	DeltaInitialUSD float64
	// HeldUSD to HeldMostUSD is the margin held for resting orders; +Inf: no upper bound.
	HeldUSD, HeldMostUSD float64
	Move                 MarketMove
}

// MarketMove is the smallest common move of all assets at which a cross pool is liquidated, percent: a
// fall (not positive) and a rise (not negative). NaN: none within -100 and +1000 %.
type MarketMove struct{ DownPct, UpPct float64 }

// MarginState is the margin of a wallet at one moment, USD.
type MarginState struct {
	AccountValue float64 // sum over all pools of max(equity, 0); where nothing is left, the plain sum
	Initial      float64 // sum of notional/leverage, cross and isolated
	Maintenance  float64 // by each position's own margin tiers
	// Free is the equity of the trade's cross pool minus the initial margins of its positions and the
	// margin held for resting orders, at least 0.
	Free float64
	// MaintenanceRatioPct is 100*maintenance/equity, the largest among the pools with a position,
	// 0 to 1000. The venue liquidates at 100.
	MaintenanceRatioPct float64
}

const maxMaintenanceRatioPct = 1000

func maintenanceRatioPct(maintenance, equity float64) float64 {
	if equity <= 0 {
		return maxMaintenanceRatioPct
	}
	return min(max(pctPerUnit*maintenance/equity, 0), maxMaintenanceRatioPct)
}

// marginAfter is the block but the market's move.
func (a *account) marginAfter(o *outcome) Margin {
	t, p, after := &o.plan, &o.position, &o.after
	out := Margin{
		Before: a.margin, DeltaInitialUSD: t.deltaInitial(a, after), HeldUSD: a.held, HeldMostUSD: a.heldMost,
	}
	if t.kind == held || t.kind == noFill {
		out.After = out.Before
		return out
	}
	r := &a.rest
	cross := marginPool{
		equity: after.counted, positions: r.cross.positions, initial: r.cross.initial,
		maintenance: r.cross.maintenance,
	}
	state := &out.After
	positive, sum := r.positive+max(after.counted, 0), r.sumEquity+after.counted
	if p.units != 0 && t.mode == Cross {
		cross.add(p)
	}
	state.Initial, state.Maintenance = r.initial+cross.initial, r.maintenance+cross.maintenance
	state.MaintenanceRatioPct = max(r.ratioPct, cross.ratio())
	if p.units != 0 && t.mode == Isolated {
		own := marginPool{equity: after.equity}
		own.add(p)
		positive, sum = positive+max(after.equity, 0), sum+after.equity
		state.Initial, state.Maintenance = state.Initial+own.initial, state.Maintenance+own.maintenance
		state.MaintenanceRatioPct = max(state.MaintenanceRatioPct, own.ratio())
	}
	state.AccountValue = valueOf(positive, sum)
	if !after.assumed {
		state.Free = max(0, after.counted-cross.initial-a.held)
	}
	return out
}

// deltaInitial is the initial margin that the trade takes, USD: the change of the cross
// positions' initial margins, plus isolated margin posted, minus isolated margin released.
func (t *tradePlan) deltaInitial(a *account, after *poolAfterFill) float64 {
	if t.kind == held || t.kind == noFill {
		return 0
	}
	delta := after.posted - after.released
	if t.mode == Cross {
		delta += t.valueAfter / t.leverage
	}
	if t.index >= 0 && !t.wasIsolated {
		delta -= a.positions[t.index].initialMargin()
	}
	return delta
}

// marginUsedPct is delta in percent of the free margin, 0 to 1000.
func marginUsedPct(delta, free float64) float64 {
	switch {
	case delta <= 0:
		return 0
	case free <= 0:
		return maxMarginUsedPct
	}
	return math.Min(pctPerUnit*delta/free, maxMarginUsedPct)
}
