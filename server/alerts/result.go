package alerts

// Result is what one monitor call found: everything that alert rules look at. It travels
// from the monitor handler to the local Hub and, as JSON, over the bus to the hubs of
// other replicas. Nobody changes it once it was handed over.
type Result struct {
	ID        string     `json:"id"`        // unique: replica id + "-" + sequence
	Wallet    string     `json:"wallet"`    // 0x + 40 hex digits, lower case
	AtMs      int64      `json:"at_ms"`     // ms since 1970 UTC
	Positions []Position `json:"positions"` // as held, in the account's order
	// PortfolioVaRPct is the book's 99 % 24 h VaR in percent of the account value;
	// HasPortfolio is false without a position.
	HasPortfolio    bool    `json:"has_portfolio"`
	PortfolioVaRPct float64 `json:"portfolio_var_pct"`
}

// Position is what alert rules look at in one position.
type Position struct {
	Asset                  string  `json:"asset"`
	RiskScore              float64 `json:"risk_score"`               // 0-100
	LiquidationDistancePct float64 `json:"liquidation_distance_pct"` // 100: none
	FundingDragDailyPct    float64 `json:"funding_drag_daily_pct"`   // of margin, positive: paid
	Regime                 uint8   `json:"regime"`                   // 0 normal, 1 stressed, 2 crisis
	// PreviousRegime is the one at this wallet's previous monitor call, 0 at the first.
	PreviousRegime uint8 `json:"previous_regime"`
	HasRegime      bool  `json:"has_regime"`
}
