// Package evt estimates extreme losses: the 99.9 % quantile of the 24-hour loss, and the mean loss
// beyond it.
//
// The method is peaks over threshold on filtered losses (McNeil and Frey 2000): of the losses y =
// -s*z of an asset's standardised 24-hour outcomes, those above the 95 % quantile u follow a
// generalised Pareto distribution,
//
//	P(Y > u+x | Y > u) = (1 + xi*x/beta)^(-1/xi)
//
// fitted by maximum likelihood. xi is the heaviness of the tail (0: exponential, 0.25: the fourth
// moment is infinite). It is clipped before use, because a year or two says little about it. An
// asset with a short history gets the pooled tail of docs/model.md.
//
// Units and signs. Losses and results are in standard deviations of the forecast, losses positive;
// multiplied by sqrt(V(24)) they are log losses. A share is a share of all outcomes, not of the
// exceedances.
//
// The package does not scale by volatility, convert to percent, or apply the bounds that
// docs/model.md states for the published fields.
package evt
