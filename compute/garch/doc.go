// Package garch fits GARCH(1,1) to a series of returns (Bollerslev 1986), with Gaussian or
// Student-t innovations. Package backtest compares it with the service's own volatility model; no
// assessment uses it.
//
//	h_t = Omega + Alpha*r_{t-1}^2 + Beta*h_{t-1},   r_t = sqrt(h_t)*e_t
//
// with e_t of mean 0 and variance 1. The mean return is taken as 0: over a day it is far smaller
// than its own sampling error. For h_1, the square and the variance before it are replaced by the
// mean square of the sample, as in R's fGarch.
//
// Units. Variances are squared returns of one step, in the unit of the returns. In a free fit
// Alpha+Beta may exceed 1, as for BTC 2020-2023: then there is no long-run variance. The fits here keep
// Alpha+Beta below 1.
package garch
