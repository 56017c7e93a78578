// Package plot draws the results of a backtest: returns against VaR (VaR), and realised liquidations
// against the score and the forecast probability (Score). A picture is a PNG of 2,100 by 1,050 pixels or
// an SVG of the same shape, by the file's ending.
package plot
