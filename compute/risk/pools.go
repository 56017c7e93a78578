package risk

// PoolMode tells how a pool's collateral is shared.
type PoolMode uint8

const (
	PoolCross     PoolMode = iota // the cross positions of one dex
	PoolIsolated                  // one position with its own margin
	PoolUnified                   // the cross positions of all dexes with the same collateral
	PoolPortfolio                 // the same under portfolio margin
)

// String returns cross, isolated, unified or portfolio.
func (m PoolMode) String() string {
	return [...]string{"cross", "isolated", "unified", "portfolio"}[m]
}

// PoolState is one pool: positions that the venue liquidates together, and their equity.
type PoolState struct {
	Dex                 string // "" is the main dex; of no meaning for PoolUnified and PoolPortfolio
	Mode                PoolMode
	Asset               string  // of an isolated position; "" otherwise
	EquityUSD           float64 // may be negative
	MaintenanceRatioPct float64 // 100*maintenance/equity, 0 to 1000; the venue liquidates at 100
	HasProbability      bool    // false for a portfolio-margin pool that could not be read
	Probability24h      float64 // of liquidation within 24 hours
	Survives            bool    // in every stress scenario
	WorstPnLUSD         float64 // the pool's lowest stress result
}

// BookBefore is the wallet's risk before the trade. The first four figures are those of the trade's pool.
type BookBefore struct {
	Known          bool // the wallet has a position
	PoolKnown      bool // the trade's pool has one
	HasProbability bool
	Probability24h float64
	Probability7d  float64
	PoolVaR99USD   float64 // joint 24 h loss at 99 % of the pool's positions
	StressLossUSD  float64 // the pool's largest loss in a scenario, funding included, not limited to its equity
	// PortfolioVaR99USD is the joint 24 h loss at 99 % of all positions.
	PortfolioVaR99USD float64
}

// OpenOrders tells what the wallet's resting orders mean for it.
type OpenOrders struct {
	Known                bool // false with --open-orders off
	Read                 bool // the orders were listed; otherwise only the margin held for them is derived
	Reason               string
	AgeMs                float64
	Count                int
	HeldUSD, HeldMostUSD float64 // margin held: an interval, +Inf without an upper bound
	Exact                bool
	Buys, Sells          OrdersFilled // all orders of one side filled; only with Read
	Positions            []Protection
}

// OrdersFilled is the wallet once all resting orders of one side have filled.
type OrdersFilled struct {
	Orders                                         int
	NotionalUSD, GrossNotionalUSD, NetNotionalUSD  float64
	PoolEquityUSD, InitialUSD, MaintenanceRatioPct float64
	Funded                                         bool // the equity covers the initial margins
}

// Protection tells how far stop orders protect a position.
type Protection struct {
	Asset             string
	CoveredPct        float64
	StopPrice         float64 // the nearest stop, USD; 0: none
	StopLimit         bool    // one of the stops is a limit order
	BeyondLiquidation int     // stops that liquidation would beat
	Protected         bool
}
