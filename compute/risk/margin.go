package risk

import "math"

// Margin is the wallet's margin before and after the trade, USD at the snapshot's marks.
// Before is the wallet as read. After includes the deposit assumed for an empty wallet, but no top-up.
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
	AccountValue float64 // equity of the cross pool plus equity of isolated positions
	Initial      float64 // sum of notional/leverage, cross and isolated
	Maintenance  float64 // by each position's own margin tiers
	Free         float64 // cross equity minus the initial margin of cross positions, at least 0
	// MaintenanceRatioPct is 100*maintenance/equity, the largest among the cross pool and each
	// isolated position, 0 to 1000. The venue liquidates at 100.
	MaintenanceRatioPct float64
}

const maxMaintenanceRatioPct = 1000

// marginSum adds up the margin figures of positions, USD.
type marginSum struct {
	cross                                                int // number of cross positions
	crossInitial, crossMaintenance                       float64
	isolatedEquity, isolatedInitial, isolatedMaintenance float64
	isolatedRatioPct                                     float64 // maximum over isolated positions
}

func (m *marginSum) add(p *position) {
	if p.units == 0 {
		return
	}
	initial, maintenance := p.initialMargin(), p.maintenance()
	if !p.isolated {
		m.cross++
		m.crossInitial += initial
		m.crossMaintenance += maintenance
		return
	}
	m.isolatedEquity += p.equity
	m.isolatedInitial += initial
	m.isolatedMaintenance += maintenance
	m.isolatedRatioPct = max(m.isolatedRatioPct, maintenanceRatioPct(maintenance, p.equity))
}

// state is the margin of the summed positions when the cross pool has the given equity.
func (m *marginSum) state(crossEquity float64) MarginState {
	s := MarginState{
		AccountValue: crossEquity + m.isolatedEquity, Initial: m.crossInitial + m.isolatedInitial,
		Maintenance: m.crossMaintenance + m.isolatedMaintenance, Free: max(0, crossEquity-m.crossInitial),
		MaintenanceRatioPct: m.isolatedRatioPct,
	}
	if m.cross > 0 {
		s.MaintenanceRatioPct = max(s.MaintenanceRatioPct, maintenanceRatioPct(m.crossMaintenance, crossEquity))
	}
	return s
}

func maintenanceRatioPct(maintenance, equity float64) float64 {
	if equity <= 0 {
		return maxMaintenanceRatioPct
	}
	return min(max(pctPerUnit*maintenance/equity, 0), maxMaintenanceRatioPct)
}

func (a *account) marginAfter(t *tradePlan, after *poolAfterFill) Margin {
	out := Margin{Before: a.margin, DeltaInitialUSD: t.deltaInitial(a, after)}
	if t.kind == held || t.kind == noFill {
		out.After = out.Before
		return out
	}
	book := a.rest.margin
	target := position{units: t.after, mark: t.mark, leverage: t.leverage, isolated: t.mode == Isolated, equity: after.equity, tiers: t.tiers}
	book.add(&target)
	if after.assumed {
		book.isolatedEquity = 0
		out.After = book.state(after.equity)
		out.After.Free = 0
		return out
	}
	out.After = book.state(after.cross)
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
