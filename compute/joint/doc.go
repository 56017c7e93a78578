// Package joint says what assets did at the same hours.
//
//	Align                 outcomes and price moves of an asset on the hours of BTC's outcomes
//	Book                  what positions lose together on those hours
//	ShortfallProbability  what a replay of those moves says about an account
//	Sums, Matrix          the correlation matrix of any set of assets
//
// Everything is a pure function of fits. Align and Sums run in the background, once for
// each closed bar, and what they return is published with the fits; Matrix and
// ShortfallProbability run in a request, on what was published, and allocate nothing.
//
// Moves of prices are fractions of price; outcomes are in standard deviations of the log
// return forecast for the hour; losses and shortfalls are positive.
package joint
