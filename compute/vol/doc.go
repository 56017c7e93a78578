// Package vol estimates how far an asset's price may move over 1, 4, 24 and 168 hours: the variance
// of the log return, and the tails of the loss, long and short, at 95 % and 99 %.
//
// The method is filtered historical simulation (Barone-Adesi, Giannopoulos, Vosper 1999) with a
// panel HExp volatility (Bollerslev, Hood, Huss, Pedersen 2018) of capped hourly Parkinson ranges
// (Parkinson 1980), called FHS-PX in docs/model.md. The coefficients are common to all assets, so
// no parameter is optimised for an asset. A State takes one closed bar at a time; the same bars give
// the same bits, added all at once or one by one.
//
//	bar 0     bar 1     bar 2            bar t = n-1
//	close     close     close            close
//	   \______/  \______/                   |
//	   return 0  return 1   ...  return t-1 |  E_t has absorbed returns 0..t-1
//
// Only the close of bar 0 is used; return and range number i belong to bar i+1. At index t, with n
// = t+1 bars known, returns 0..t-1 are known.
//
// Variance has a clock: every hour of the week has a factor, relative to the average hour (season.go).
// Measures are divided by the factors of their hours, forecasts multiplied by those of the hours to come.
// Where the market was silent there is no outcome; series have NaN there.
//
// Units and signs. Returns are logs of closes. Variances are per hour (E, long run) or per horizon
// (V), as squared fractions. Outcomes z are signed returns in standard deviations; a Tail is in
// units of s*z (s = +1 long, -1 short), so its quantile is negative for a loss. Percentages are
// 0-100 of notional, losses positive.
//
// The package uses no order book, live price or liquidity regime. Other packages make the figures
// consistent (such as ES >= VaR) and fit the extreme tail; docs/model.md describes both.
package vol
