// Package mc simulates: the price paths of one position over the next 24 hours
// (Simulator), and the joint outcome of a book of positions (Workspace). The models
// are those of docs/model.md.
//
// Paths resamples an asset's own standardised hourly returns while the volatility
// moves along the path (Barone-Adesi, Giannopoulos, Vosper 1999), with a Brownian
// bridge that finds liquidations between the hours. Simulate draws a t copula with
// each asset's own 24-hour outcomes as marginals.
//
// Random numbers are counter-based (Philox4x32-10: Salmon, Moraes, Dror, Shaw 2011):
// the numbers of a path or draw are a function of the seed and of its own number, so
// that any number of workers, in any order, gives the same bytes. Paths and draws
// come in antithetic pairs, 2j and 2j+1.
//
// Same bits everywhere. The Go code here and in package asm is the reference. It uses only
// additions, products, quotients, square roots and integer operations in the order
// written, never a fused multiply-add (float64(x*y) forbids it) and never math.Exp,
// math.Log or math.Sincos inside a kernel. A vector kernel whose lanes are pairs, and
// which does the same operations in the same order in each lane, returns the same
// bits; what it may leave out is said where it is.
//
// Units and signs. Variances are squared fractions an hour; x is a log price move
// since now; P&L is percent of notional in paths, USD in books, gains positive;
// losses, VaR and ES are positive. Inputs are finite; nothing here accepts NaN.
//
// What it does not do: it knows no account, so the caller tests a scenario's margin;
// it does not fit the copula; it keeps no model of liquidity.
package mc
