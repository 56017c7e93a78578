// Package risk is the assessment: what a proposed trade in a perpetual would do to a
// wallet, from a photograph of the venue's state.
//
// # Photograph, then compute
//
// Fill takes everything an assessment needs out of the cache once. After that Assess
// is a pure function of that Input: no lock, clock, network, cache read or allocation
// happens inside the arithmetic, so the same photograph gives the same bytes.
//
// # Order
//
// Blocks run in one straight line (Assess), each taking values and returning a value:
// account, position after the fill, slippage, fees, liquidation, volatility and VaR,
// funding, impact, open interest, cost, stress, regime, sizing, extreme tail, greeks,
// drawdown, then the book as a whole, score, flags, and on request the simulations.
//
// # Units and signs
//
// Inside, sizes are base units (signed, long positive), money is USD and rates are
// fractions; a field named Pct or Bps holds what its name says. VaR and ES are losses,
// positive. P&L is signed, gain positive. A cost is positive when the requester pays.
//
// Symbols, used in comments throughout: p mark price, m mid, q0 and q1 the signed
// position before and after the fill, u the units traded (signed, buy positive), s the
// side of the position after (+1 long, -1 short), d the side of the trade (+1 buy, -1
// sell), N the position after in USD at mark, Q the traded notional at mark, L the
// leverage of the position, A the pool equity that carries it, AV the account value.
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
