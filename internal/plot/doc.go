// Package plot draws what a backtest found: returns against VaR (VaR), and what became of
// positions against their score and their chance of liquidation (Score). A picture is a
// PNG of 2,100 by 1,050 pixels or an SVG of the same shape, by the ending of its name.
package plot
