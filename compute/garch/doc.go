// Package garch fits GARCH(1,1) to a series of returns (Bollerslev 1986), with
// Gaussian or Student-t innovations. It is the challenger of the service's own
// volatility model in package backtest; no assessment uses it.
//
//	h_t = Omega + Alpha*r_{t-1}^2 + Beta*h_{t-1},   r_t = sqrt(h_t)*e_t
//
// with e_t of mean 0 and variance 1. There is no mean: over a day it is far smaller
// than its own sampling error. h_1 takes the mean square of the sample for the square
// and the variance before it, as R's fGarch does.
//
// Units. Variances are squared returns of one step, whatever the unit of the returns. In a free fit
// Alpha+Beta may exceed 1, as it does for BTC 2020-2023: the long-run variance does not exist then, and
// a forecast grows without bound. A stationary fit keeps it below.
package garch
