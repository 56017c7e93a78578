package risk

import "math"

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

// ordersOf fills in the block from what the wallet's answers say: without a list of the orders, only
// the margin that the venue keeps for them.
func (s *Scratch) ordersOf(out *OpenOrders) {
	a := &s.account
	*out = OpenOrders{HeldUSD: a.held, HeldMostUSD: a.heldMost, Exact: a.held == a.heldMost}
	out.Known = !math.IsInf(a.heldMost, 1)
}
