package risk

// ScenarioCount is the number of stress scenarios.
const ScenarioCount = 11

// Shock is a price move in percent of the opening price of the scenario's window.
type Shock struct {
	Extreme float64 `json:"extreme_pct"` // the low, or the high of a squeeze
	Final   float64 `json:"final_pct"`
}

// Scenario is one historical stress window. Shocks by tier: BTC; ETH; assets that trade
// at least 25 M USD a day and have 180 days of history (median of SOL, XRP, DOGE, LINK,
// BNB, AVAX); all others (the worst of the six).
type Scenario struct {
	ID          string   `json:"id"`
	Description string   `json:"description"`
	Window      string   `json:"window_utc"`
	Shocks      [4]Shock `json:"shocks"`
	Hours       float64  `json:"hours"`
	// FundingPctHour is the mean funding in percent an hour, positive: longs pay.
	FundingPctHour float64 `json:"funding_pct_per_hour"`
	SpreadTimes    float64 `json:"spread_multiple"`
	DepthTimes     float64 `json:"depth_multiple"`
	// MarkAtFinal: P&L is marked at the final move, otherwise at the extreme. Survival is always
	// tested at the extreme.
	MarkAtFinal bool `json:"mark_at_final"`
}

// Scenarios is the stress table. Price shocks can be recomputed from hourly candles of
// the window (BTC and ETH perpetuals; spot after 2024-04). Funding, spread and depth
// figures without a source in docs/model.md are our assumptions.
var Scenarios = [ScenarioCount]Scenario{
	{"jelly_squeeze", "Squeeze of a thin listing (JELLYJELLY, March 2025): +400 % within hours, other listed assets unshocked",
		"2025-03-26", [4]Shock{{0, 0}, {0, 0}, {0, 0}, {400, 73}}, 8, 0.05, 10, 0.10, false},
	{"luna_collapse", "Collapse of LUNA and UST, May 2022",
		"2022-05-08 20h - 05-12 08h", [4]Shock{{-23.0, -18.8}, {-30.7, -25.3}, {-45.6, -39.4}, {-55.5, -47.7}}, 84, -0.01, 5, 0.30, false},
	{"ftx_crash", "Failure of FTX, November 2022",
		"2022-11-06 20h - 11-09 23h", [4]Shock{{-27.0, -24.9}, {-33.5, -31.6}, {-35.7, -31.6}, {-63.8, -58.8}}, 75, -0.02, 4, 0.43, false},
	{"short_squeeze", "Rally on ETF inflows, February 2024: shorts squeezed",
		"2024-02-26 12h - 02-28 18h", [4]Shock{{25.8, 19.7}, {14.5, 8.6}, {14.3, 6.3}, {45.8, 29.1}}, 54, 0.01, 3, 0.50, false},
	{"flash_recovery", "Flash crash and recovery of 17 August 2023, marked after the recovery",
		"2023-08-17 18h - 23h", [4]Shock{{-12.1, -4.8}, {-14.3, -3.4}, {-14.5, -6.5}, {-26.8, -12.3}}, 5, -0.005, 5, 0.30, true},
	{"black_thursday_2020", "Pandemic crash of 12 March 2020",
		"2020-03-12 00h - 03-13 03h", [4]Shock{{-54.4, -35.1}, {-56.8, -36.0}, {-51.4, -32.7}, {-61.5, -47.0}}, 27, -0.047, 20, 0.10, false},
	{"may_2021_deleveraging", "Deleveraging of 19 May 2021",
		"2021-05-18 20h - 05-19 15h", [4]Shock{{-33.7, -13.8}, {-44.5, -19.4}, {-50.9, -24.8}, {-55.8, -16.4}}, 18, -0.02, 10, 0.20, false},
	{"celsius_3ac_2022", "Celsius freezes withdrawals, Three Arrows fails, June 2022",
		"2022-06-12 00h - 06-15 00h", [4]Shock{{-26.7, -23.3}, {-30.0, -22.2}, {-24.5, -15.4}, {-28.8, -21.9}}, 72, -0.01, 3, 0.50, false},
	{"yen_unwind_2024", "Unwinding of yen carry trades, August 2024",
		"2024-08-04 12h - 08-05 07h", [4]Shock{{-19.5, -13.5}, {-27.6, -19.1}, {-23.6, -16.0}, {-30.2, -21.8}}, 20, -0.01, 5, 0.40, false},
	{"tariff_shock_feb_2025", "Tariff announcements, February 2025",
		"2025-02-01 12h - 02-03 03h", [4]Shock{{-10.6, -7.8}, {-34.7, -22.3}, {-37.7, -26.3}, {-40.9, -24.6}}, 39, -0.01, 5, 0.40, false},
	{"october_2025_cascade", "Liquidation cascade of 10 October 2025",
		"2025-10-10 12h - 23h", [4]Shock{{-16.1, -7.2}, {-20.9, -11.8}, {-58.8, -19.3}, {-69.9, -26.8}}, 11, -0.03, 20, 0.10, false},
}

// MarkPct is the move, in percent, at which P&L is marked, for a column of Shocks.
func (sc *Scenario) MarkPct(column int) float64 {
	if sc.MarkAtFinal {
		return sc.Shocks[column].Final
	}
	return sc.Shocks[column].Extreme
}

// FundingPct is the funding over the whole scenario, percent of a long position.
func (sc *Scenario) FundingPct() float64 {
	limit := maxFundingPctH * sc.Hours
	return min(max(sc.FundingPctHour*sc.Hours, -limit), limit)
}
