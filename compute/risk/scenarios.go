package risk

// ScenarioCount is the number of stress scenarios.
const ScenarioCount = 13

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
	// Recorded has the moves of assets of the main dex that were recorded themselves in the window. They
	// apply in place of the tier's.
	Recorded recorded `json:"recorded,omitempty"`
}

// recorded holds recorded moves by asset.
type recorded = map[string]Shock

// Scenarios is the stress table: crashes, squeezes, and two rebounds in which shorts lose. Price shocks
// can be recomputed from hourly candles of the window (BTC and ETH perpetuals; spot after 2024-04). Funding,
// spread and depth figures without a source in docs/model.md are our assumptions.
var Scenarios = [ScenarioCount]Scenario{
	{"jelly_squeeze",
		"Squeeze of a thin listing (JELLYJELLY, March 2025): +400 % within hours, other listed assets unshocked",
		"2025-03-26", [4]Shock{{0, 0}, {0, 0}, {0, 0}, {400, 73}},
		8, 0.05, 10, 0.10, false, nil},
	{"luna_collapse", "Collapse of LUNA and UST, May 2022",
		"2022-05-08 20h - 05-12 08h", [4]Shock{{-23.0, -18.8}, {-30.7, -25.3}, {-45.6, -39.4}, {-55.5, -47.7}},
		84, -0.01, 5, 0.30, false, recorded{
			"SOL": {-51.1, -42.3}, "XRP": {-41.4, -35.7}, "DOGE": {-45.2, -38.9}, "LINK": {-45.9, -39.9},
			"BNB": {-39.1, -29.3}, "AVAX": {-55.5, -47.7},
		}},
	{"ftx_crash", "Failure of FTX, November 2022",
		"2022-11-06 20h - 11-09 23h", [4]Shock{{-27.0, -24.9}, {-33.5, -31.6}, {-35.7, -31.6}, {-63.8, -58.8}},
		75, -0.02, 4, 0.43, false, recorded{
			"SOL": {-63.8, -58.8}, "XRP": {-34.8, -31.2}, "DOGE": {-41.3, -38.0}, "LINK": {-31.1, -25.6},
			"BNB": {-26.3, -24.3}, "AVAX": {-36.6, -32.0},
		}},
	{"short_squeeze", "Rally on ETF inflows, February 2024: shorts squeezed",
		"2024-02-26 12h - 02-28 18h", [4]Shock{{25.8, 19.7}, {14.5, 8.6}, {14.3, 6.3}, {45.8, 29.1}},
		54, 0.01, 3, 0.50, false, recorded{
			"SOL": {15.8, 12.1}, "XRP": {14.3, 6.9}, "DOGE": {45.8, 29.1}, "LINK": {14.4, 4.3},
			"BNB": {9.7, 5.1}, "AVAX": {12.5, 5.6},
		}},
	{"flash_recovery", "Flash crash and recovery of 17 August 2023, marked after the recovery",
		"2023-08-17 18h - 23h", [4]Shock{{-12.1, -4.8}, {-14.3, -3.4}, {-14.5, -6.5}, {-26.8, -12.3}},
		5, -0.005, 5, 0.30, true, recorded{
			"SOL": {-13.6, -6.4}, "XRP": {-26.8, -12.3}, "DOGE": {-15.5, -7.2}, "LINK": {-15.4, -6.5},
			"BNB": {-6.1, -3.6}, "AVAX": {-11.4, -6.2},
		}},
	{"black_thursday_2020", "Pandemic crash of 12 March 2020",
		"2020-03-12 00h - 03-13 03h", [4]Shock{{-54.4, -35.1}, {-56.8, -36.0}, {-51.4, -32.7}, {-61.5, -47.0}},
		27, -0.047, 20, 0.10, false, recorded{
			"XRP": {-51.4, -32.7}, "DOGE": {-47.9, -31.1}, "BNB": {-61.5, -47.0},
		}},
	{"may_2021_deleveraging", "Deleveraging of 19 May 2021",
		"2021-05-18 20h - 05-19 15h", [4]Shock{{-33.7, -13.8}, {-44.5, -19.4}, {-50.9, -24.8}, {-55.8, -16.4}},
		18, -0.02, 10, 0.20, false, recorded{
			"SOL": {-52.0, -16.1}, "XRP": {-46.2, -23.9}, "DOGE": {-55.8, -16.4}, "LINK": {-51.0, -29.8},
			"BNB": {-45.4, -26.1}, "AVAX": {-50.8, -25.7},
		}},
	{"celsius_3ac_2022", "Celsius freezes withdrawals, Three Arrows fails, June 2022",
		"2022-06-12 00h - 06-15 00h", [4]Shock{{-26.7, -23.3}, {-30.0, -22.2}, {-24.5, -15.4}, {-28.8, -21.9}},
		72, -0.01, 3, 0.50, false, recorded{
			"SOL": {-23.8, -13.0}, "XRP": {-18.4, -11.5}, "DOGE": {-28.8, -21.9}, "LINK": {-24.7, -5.4},
			"BNB": {-24.4, -18.3}, "AVAX": {-26.8, -17.7},
		}},
	{"yen_unwind_2024", "Unwinding of yen carry trades, August 2024",
		"2024-08-04 12h - 08-05 07h", [4]Shock{{-19.5, -13.5}, {-27.6, -19.1}, {-23.6, -16.0}, {-30.2, -21.8}},
		20, -0.01, 5, 0.40, false, recorded{
			"SOL": {-23.3, -14.4}, "XRP": {-20.0, -13.7}, "DOGE": {-24.4, -17.4}, "LINK": {-30.2, -21.8},
			"BNB": {-23.9, -16.4}, "AVAX": {-23.3, -15.5},
		}},
	{"tariff_shock_feb_2025", "Tariff announcements, February 2025",
		"2025-02-01 12h - 02-03 03h", [4]Shock{{-10.6, -7.8}, {-34.7, -22.3}, {-37.7, -26.3}, {-40.9, -24.6}},
		39, -0.01, 5, 0.40, false, recorded{
			"SOL": {-22.9, -13.2}, "XRP": {-40.9, -24.6}, "DOGE": {-38.0, -28.1}, "LINK": {-37.9, -28.5},
			"BNB": {-25.5, -17.6}, "AVAX": {-37.5, -29.5},
		}},
	{"october_2025_cascade", "Liquidation cascade of 10 October 2025",
		"2025-10-10 12h - 23h", [4]Shock{{-16.1, -7.2}, {-20.9, -11.8}, {-58.8, -19.3}, {-69.9, -26.8}},
		11, -0.03, 20, 0.10, false, recorded{
			"SOL": {-23.7, -14.8}, "XRP": {-55.5, -15.9}, "DOGE": {-62.1, -22.8}, "LINK": {-64.8, -22.8},
			"BNB": {-32.3, -13.2}, "AVAX": {-69.8, -26.8}, "kPEPE": {-71.0, -28.5}, "AAVE": {-71.2, -19.1},
			"APT": {-65.8, -25.9}, "ASTER": {-45.9, -19.3}, "CRV": {-75.8, -33.0}, "DOT": {-78.4, -29.6},
			"ENA": {-77.7, -21.4}, "HBAR": {-63.8, -23.8}, "LDO": {-78.4, -30.2}, "NEAR": {-54.0, -24.5},
			"ONDO": {-72.8, -21.8}, "PENGU": {-82.3, -23.9}, "PUMP": {-74.4, -26.7}, "SEI": {-71.4, -26.2},
			"SNX": {-65.6, -29.9}, "SUI": {-83.8, -25.0}, "TAO": {-68.8, -23.8}, "WIF": {-81.3, -36.0},
			"WLD": {-79.5, -31.1}, "XPL": {-66.1, -34.0}, "ZEC": {-34.9, -0.5},
		}},
	{"rebound_may_2021", "Rebound after the deleveraging of May 2021: shorts lose",
		"2021-05-23 16h - 05-25 23h", [4]Shock{{19.8, 15.1}, {42.8, 40.6}, {49.5, 39.0}, {59.9, 45.1}},
		56, 0.01, 3, 0.50, false, recorded{
			"SOL": {44.9, 30.9}, "XRP": {49.5, 36.2}, "DOGE": {31.5, 19.8}, "LINK": {57.8, 57.0},
			"BNB": {59.9, 45.1}, "AVAX": {49.4, 41.7},
		}},
	{"rally_may_2025", "Rally of May 2025, led by ETH: shorts lose",
		"2025-05-08 00h - 05-10 19h", [4]Shock{{7.6, 6.3}, {38.7, 38.0}, {21.3, 19.2}, {39.2, 36.8}},
		68, 0.01, 3, 0.50, false, recorded{
			"SOL": {19.6, 16.9}, "XRP": {15.2, 13.8}, "DOGE": {39.2, 36.8}, "LINK": {23.1, 21.6},
			"BNB": {12.7, 8.2}, "AVAX": {27.2, 25.4},
		}},
}

// FundingPct is the funding over the whole scenario, percent of a long position.
func (sc *Scenario) FundingPct() float64 {
	limit := maxFundingPctH * sc.Hours
	return min(max(sc.FundingPctHour*sc.Hours, -limit), limit)
}
