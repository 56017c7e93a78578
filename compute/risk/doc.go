// Package risk assesses a proposed trade in a perpetual: its effect on a wallet, computed from a
// snapshot of the venue's state.
//
// # Snapshot first
//
// Fill copies everything an assessment needs from the cache once. After that, Assess
// is a pure function of that Input: it takes no lock, reads no network or cache, and allocates
// nothing, so the same snapshot always gives the same bytes. It looks at the clock only to give up a simulation,
// or an assessment of many positions, when the deadline has passed.
//
// # Order
//
// Assess computes the blocks in a fixed order: account, slippage, position after the fill, fees, VaR,
// liquidation, funding, impact, open interest, cost, stress, regime, extreme tail, greeks, drawdown, then
// portfolio, margin, admissibility, score, flags, sizing, and on request the simulations.
//
// # Units and signs
//
// Internally, sizes are base units (signed, long positive), money is USD and rates are
// fractions; fields named Pct or Bps are in percent or basis points. VaR and ES are losses,
// positive. P&L is signed, gain positive. A cost is positive when the requester pays.
//
// Symbols used in comments: p mark price, m mid, q0 and q1 the signed position before and after
// the fill, u the units traded (signed, buy positive), s the side of the position after the fill
// (+1 long, -1 short), d the side of the trade (+1 buy, -1 sell), N the position after the fill
// in USD at mark, Q the traded notional at mark, L the leverage of the position, A the equity
// of the margin pool behind it, AV the account value.
//
// No NaN or infinity leaves this package: every formula has a stated floor or bound.
package risk

const (
	bpsPerUnit   = 1e4
	pctPerUnit   = 100
	hoursPerDay  = 24
	hoursPerYear = 8760
	hourMs       = 3_600_000
)
