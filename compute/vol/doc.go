// Package vol answers how far an asset's price may move over 1, 4, 24 and 168 hours: the variance of the
// log return and the tails of the loss, long and short, at 95 and 99 %.
//
// It is filtered historical simulation (Barone-Adesi, Giannopoulos, Vosper 1999) on a panel HExp
// volatility (Bollerslev, Hood, Huss, Pedersen 2018) of capped hourly Parkinson ranges (Parkinson 1980),
// called FHS-PX in docs/model.md. The coefficients are common to all assets, so nothing is optimised: a
// State takes one closed bar at a time, and after the same bars it holds the same bits whether they came
// in one go or over a year.
//
//	bar 0     bar 1     bar 2            bar t = n-1
//	close     close     close            close
//	   \______/  \______/                   |
//	   return 0  return 1   ...  return t-1 |  E_t has absorbed returns 0..t-1
//
// Bar 0 supplies a close only; return and range number i belong to bar i+1.
// At index t, with n = t+1 bars known, returns 0..t-1 are known.
//
// Units and signs. Returns are logs of closes. Variances are per hour (E, long run) or per horizon (V),
// as squared fractions. Outcomes z are signed returns in standard deviations; a Tail is given in units
// of s*z (s = +1 long, -1 short), so its quantile is negative and a loss. Percentages are 0-100 of
// notional, losses positive.
//
// What it does not do: it knows no order book, no live price and no liquidity regime; it does not apply
// the maxima between fields of docs/model.md; it does not fit the extreme tail of docs/model.md.
package vol
