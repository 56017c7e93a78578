package alerts

// Result is the result of one monitor call, or the word of the gate about a stop, with the values that the alert rules
// use. The
// monitor handler gives it to the local Hub and, as JSON over the bus, to the hubs of other
// replicas. It is immutable after that.
type Result struct {
	ID        string     `json:"id"`        // unique: replica id + "-" + sequence
	Wallet    string     `json:"wallet"`    // 0x + 40 hex digits, lower case
	AtMs      int64      `json:"at_ms"`     // ms since 1970 UTC
	Positions []Position `json:"positions"` // open positions in the account's order
	// PortfolioVaRPct is the portfolio's 99 % 24 h VaR in percent of the account value.
	// HasPortfolio is false when the account has no position.
	HasPortfolio    bool    `json:"has_portfolio"`
	PortfolioVaRPct float64 `json:"portfolio_var_pct"`
	// StopsRemoved are the assets in whose positions a cancellation has left no stop. With one, the result is not of a
	// monitor call: it says nothing else about the wallet.
	StopsRemoved []string `json:"stops_removed,omitempty"`
}

// Position holds the values of one position that the alert rules use.
type Position struct {
	Asset                  string  `json:"asset"`
	RiskScore              float64 `json:"risk_score"`               // 0-100
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"` // 100: no liquidation price
	// percent of margin per day; positive: the position pays
	FundingDragDailyPct float64 `json:"funding_drag_daily_pct"`
	Regime              uint8   `json:"regime"` // 0 normal, 1 stressed, 2 crisis
	// PreviousRegime is the Regime at this wallet's previous monitor call, 0 at the first call.
	PreviousRegime uint8 `json:"previous_regime"`
	HasRegime      bool  `json:"has_regime"`
}
