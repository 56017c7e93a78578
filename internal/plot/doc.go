// Package plot draws the results of a backtest: returns against VaR (VaR), and realised liquidations
// against the score and the forecast probability (Score, Pool).
package plot
