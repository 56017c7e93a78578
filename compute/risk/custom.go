package risk

// CustomShock is a price move of one asset.
type CustomShock struct {
	Asset string
	Pct   float64 // percent of the mark, above -100, at most 1000
}

// ShockReport is a wallet after price moves of one's own, everything at once: no funding, no path.
type ShockReport struct {
	Applied         []CustomShock // for each asset of the wallet, by name
	Unused          []string      // named assets that the wallet does not hold, by name
	PnLUSD          float64
	AccountValueUSD float64
	AccountSurvives bool
	Pools           []ShockedPool
	Positions       []ShockedPosition
	Meta            Meta
}

// ShockedPool is one pool after the moves, USD.
type ShockedPool struct {
	Dex                 string
	Mode                PoolMode
	Asset               string // of an isolated position; "" otherwise
	EquityUSD           float64
	MaintenanceUSD      float64
	MaintenanceRatioPct float64
	PnLUSD              float64
	Survives            bool
	PositionsLiquidated int
}

// ShockedPosition is one position after the moves, USD. NotionalUSD is before them.
type ShockedPosition struct {
	Asset                         string
	NotionalUSD, ShockPct, PnLUSD float64
	Liquidated                    bool
	Collateral                    bool
}
