// Package backtest tests 24-hour VaR and expected shortfall against realised returns, with one
// forecast per day that uses only data known at its time.
//
//	bar 0 (00:00)       bar 24*366                      bar T
//	|---- one year ----|  forecast |  forecast |  ...  |
//	   no forecasts       24 h later: loss against VaR
//
// Run processes a history with the service's calibration code, or with one of the models that the
// service's model was compared with. Coverage tests a published fit from its own outcomes, fast
// enough for a request. RunScore opens positions of several leverages at every forecast, scores
// them with the service's own code and counts which were liquidated within 24 hours. This shows how
// well the score, the recommendation and the probability of liquidation predict (docs/model.md,
// "Evidence"). RunPool does the same for the probability that a cross pool is liquidated.
//
// Units and signs. Losses, VaR and ES are log losses of the position over 24 hours, positive for a
// loss. For a long that is minus the log return, for a short the log return. A forecast is made
// when the bar that opens at 00:00 UTC has closed.
//
// Statistics. Kupiec (1995): is the breach rate equal to 1-level. Christoffersen (1998): are
// breaches independent from day to day. McNeil and Frey (2000): is the mean loss beyond VaR equal
// to ES. Tick loss: the scoring rule minimised by the true quantile. FZ0 (Patton, Ziegel, Chen
// 2019): the scoring rule minimised by the true VaR and ES together. A test passes at p > 0.05.
// Assets are correlated, so passes on several assets are not independent evidence.
package backtest
