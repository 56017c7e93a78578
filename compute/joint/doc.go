// Package joint replays the market moves of recorded hours on several positions together.
//
//	Align         outcomes, price moves and paths of an asset on the hours of BTC's outcomes
//	Losses        joint loss of positions on those hours, counted in prices
//	Paths         probability that a cross pool is liquidated, from recorded paths
//	Sums, Matrix  the correlation matrix of any set of assets
//
// Everything is a pure function of fits. Align and Sums run in the background, once per closed bar, and
// their results are published with the fits. The others run within a request, on published data, and
// allocate nothing.
//
// Moves of prices are fractions of price; outcomes are in standard deviations of the log return forecast
// for the hour; losses are positive.
package joint
