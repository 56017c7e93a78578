// Package copula measures the tail dependence of two assets: it fits a Student copula to the 4-hour
// returns of each pair.
//
// The copula has two parameters. rho comes from Kendall's rank correlation tau, which a single
// extreme hour hardly changes: rho = sin(pi*tau/2). nu, the degrees of freedom, maximises the
// pseudo-likelihood of the ranks for that rho (McNeil, Frey and Embrechts, Quantitative Risk
// Management, 7.5). rho and nu give the tail dependence lambda: the probability that one asset is
// in its extreme tail, given that the other is. The copula is symmetric, so lambda is the same for
// falls and for rises. docs/model.md has the rules.
//
// There may be tens of thousands of pairs, so the likelihood of a pair is evaluated only at a few
// fixed values of nu and interpolated (see Fitter). Everything is dimensionless.
//
// The package does not simulate, and does not align series: two series must end at the same hour,
// and the caller assigns returns to hours.
package copula
