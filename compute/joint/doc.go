// Package joint replays the market moves of recorded hours on several positions together.
//
//	Align                 outcomes and price moves of an asset on the hours of BTC's outcomes
//	Book                  joint loss of positions on those hours
//	ShortfallProbability  probability of an account's margin shortfall, from replayed moves
//	Sums, Matrix          the correlation matrix of any set of assets
//
// Everything is a pure function of fits. Align and Sums run in the background, once per closed
// bar, and their results are published with the fits. Matrix and ShortfallProbability run
// within a request, on published data, and allocate nothing.
//
// Moves of prices are fractions of price; outcomes are in standard deviations of the log
// return forecast for the hour; losses and shortfalls are positive.
package joint
