// Package mc simulates the price paths of one position over the next 24 hours (Simulator), and the joint
// outcome of several positions (Workspace). The models are described in docs/model.md.
//
// Paths resamples an asset's own standardised hourly returns while the volatility changes along the path
// (Barone-Adesi, Giannopoulos, Vosper 1999); a Brownian bridge detects liquidations between the hours.
// Simulate draws a t copula with each asset's own 24-hour outcomes as marginals.
//
// Random numbers are counter-based (Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011): the numbers
// of a path or draw depend only on the seed and on its own number, so any order gives the same
// bytes. Paths and draws come in antithetic pairs, 2j and 2j+1.
//
// Same bits on every machine. The Go code here and in package asm is the reference. It uses only
// additions, products, quotients, square roots and integer operations in the written order, never a
// fused multiply-add (float64(x*y) prevents it), and inside a kernel never math.Exp, math.Log or
// math.Sincos. A vector kernel whose lanes are pairs, doing the same operations in the same order in
// each lane, returns the same bits. Each place where a kernel may skip an operation is marked.
//
// Units and signs. Variances are per hour, of returns as fractions; x is the log of the price
// over its current value; P&L is percent of notional in paths, USD in books, gains positive;
// losses, VaR and ES are positive. Inputs are finite; nothing here accepts NaN.
//
// Not done here: the package knows no account, so the caller tests the margin in a scenario;
// it does not fit the copula; it has no model of liquidity.
package mc
