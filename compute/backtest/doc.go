// Package backtest judges the 24-hour VaR and expected shortfall against what happened,
// one forecast a day, with nothing known at a forecast that was not known then.
//
//	bar 0 (00:00)       bar 24*366                      bar T
//	|---- one year ----|  forecast |  forecast |  ...  |
//	   nothing judged     24 h later: loss against VaR
//
// Run walks a history through the very code that the service calibrates with, or
// through one of the models it was chosen against. Coverage judges a published fit
// from its own outcomes, fast enough for a request. RunScore opens positions of several
// leverages at every forecast, scores them with the service's own code and counts which
// were liquidated within 24 hours: what the score, the recommendation and the chance of
// liquidation were worth (docs/model.md, "Evidence").
//
// Units and signs. Losses, VaR and ES are log losses of the position over 24 hours:
// positive when it lost. For a long that is minus the log return, for a short the log
// return. A forecast is made when the bar that opens at 00:00 UTC has closed.
//
// Statistics. Kupiec (1995): is the share of breaches right. Christoffersen (1998):
// does a breach say anything about the next day. McNeil and Frey (2000): are losses
// beyond VaR as large on average as ES said. Tick loss: the score whose minimum is the
// quantile. FZ0 (Patton, Ziegel, Chen 2019): the score whose minimum is VaR and ES
// together. A test passes at p > 0.05; assets move together, so passes on several
// assets are not independent evidence.
package backtest
