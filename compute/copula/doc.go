// Package copula measures how two assets fall together: the Student copula of their
// 4-hour returns, pair by pair.
//
// The copula has two parameters. rho comes from Kendall's rank correlation, which no single extreme hour
// can move: rho = sin(pi*tau/2). nu, the degrees of freedom, is the maximum of the pseudo-likelihood of
// the ranks with that rho (McNeil, Frey and Embrechts, Quantitative Risk Management, 7.5). Together they
// give the tail dependence lambda, the probability that one asset is in its extreme tail given that the
// other is; by the symmetry of the copula it is the same for falls and for rises. The rules are
// docs/model.md.
//
// A universe has tens of thousands of pairs, so the likelihood of a pair is evaluated
// at a few fixed nu only and interpolated (see Fitter). Everything is dimensionless.
//
// The package does not simulate, and does not align series: two series must end at the same
// hour, and the caller assigns returns to hours.
package copula
