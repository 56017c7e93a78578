package sim

// Wallet is one fixed account of the exchange. Any other address is a wallet unknown to the venue: all
// figures are zero, its role is "missing".
type Wallet struct {
	Address string // lower case
	Name    string
	About   string

	mode     string // answer to userAbstraction; "" is null
	role     string
	pooled   bool    // one collateral for all dexes, whatever mode says
	equity   float64 // cross collateral at the start, USD; if not pooled, of the main dex
	health   float64 // >0: collateral is kept at this multiple of the maintenance margin
	pinned   bool    // collateral is kept at equity, whatever prices do
	vip      int     // volume tier; 0 is the base
	referral float64 // referral discount, fraction
	override int     // maxLeverage of every position; 0: the asset's
	// dexEquity is the cross collateral on other dexes, if not pooled.
	dexEquity map[string]float64
	spread    float64 // >0: a position of about this USD in every live asset of the main dex
	holds     []holding
	settings  map[string]int // leverage chosen in assets without a position; negative: isolated
	spot      []spotHolding
	orders    []resting
	owner     string // of an API wallet: the account that it acts for
}

// resting is an order that rests at the start and is never filled.
type resting struct {
	coin  string
	usd   float64 // notional at the start, negative: sells; 0: the whole position
	price float64 // divided by the start price: limit, or trigger of a stop
	kind  string  // Limit; Stop Market, Stop Limit: reduce-only
}

// holding is a position at the start.
type holding struct {
	coin     string
	usd      float64 // notional at the start, negative: short
	leverage int
	isolated bool
	entry    float64 // entry price divided by the start price
}

// spotHolding is a token balance other than USDC.
type spotHolding struct {
	coin  string
	token int // 0: an outcome token, which has no index
	total float64
	price string  // the perpetual that prices it
	usd   float64 // its price if there is no such perpetual
	ltv   float64 // share that counts as collateral (portfolio margin)
}

// Wallets are the exchange's accounts. Position sizes are fixed in units at the start, while marks move.
// Accounts are not liquidated: collateral below twice the maintenance margin is topped up to its start
// value or four times the maintenance margin, whichever is more, unless pinned or health fix it.
var Wallets = []Wallet{
	{Address: "0xba11a57000000000000000000000000000000001", Name: "cross", mode: "disabled", role: "user",
		equity: 250_000,
		About:  "standard account, five cross positions, 250k USD; own leverage setting in LINK (7x)",
		holds: []holding{{"BTC", 320_000, 10, false, 0.97}, {"ETH", -180_000, 8, false, 1.03},
			{"SOL", 90_000, 5, false, 0.92}, {"HYPE", 45_000, 4, false, 1.05}, {"DOGE", -20_000, 5, false, 1.01}},
		settings: map[string]int{"LINK": 7}},
	{Address: "0xba11a57000000000000000000000000000000002", Name: "isolated", mode: "disabled", role: "user",
		equity: 20_000,
		About:  "standard account, isolated positions only, one of them on dex xyz; 20k USD free",
		holds: []holding{{"ETH", 30_000, 10, true, 1.0}, {"XRP", -12_000, 5, true, 0.98},
			{"MEGA", 3_000, 2, true, 1.04},
			{"CRCLX", -5_000, 3, true, 1.0}, {"xyz:TSLA", 8_000, 4, true, 0.99}}},
	{Address: "0xba11a57000000000000000000000000000000003", Name: "unified", mode: "unifiedAccount", role: "user",
		pooled: true, equity: 800_000,
		About: "unifiedAccount: 800k USD of spot USDC back the perps; accountValue shows a slice of it, " +
			"liquidationPx follows the whole",
		holds: []holding{{"BTC", -3_500_000, 30, false, 1.5}, {"HYPE", -40_000, 6, false, 0.45},
			{"PUMP", -6_000, 5, false, 3.2}, {"XRP", 10_000, 4, true, 1.0}}},
	{Address: "0xba11a57000000000000000000000000000000004", Name: "portfolio", mode: "portfolioMargin", role: "user",
		pooled: true, equity: 200_000,
		About: "portfolioMargin: 200k USDC and HYPE (LTV 0.65), cross positions on main and xyz; the ratio is " +
			"published",
		holds: []holding{{"HYPE", -200_000, 5, false, 1.02}, {"BTC", 150_000, 10, false, 0.99},
			{"xyz:XYZ100", 60_000, 10, false, 1.01}},
		spot: []spotHolding{{"HYPE", 150, 6_000, "HYPE", 0, 0.65}}},
	{Address: "0xba11a57000000000000000000000000000000005", Name: "empty", mode: "default", role: "user",
		About: "known to the venue, nothing in it"},
	{Address: "0xba11a57000000000000000000000000000000006", Name: "near-liquidation", mode: "disabled", role: "user",
		health: 1.15,
		About:  "two cross longs, collateral always 1.15 times the maintenance margin",
		holds:  []holding{{"ETH", 400_000, 25, false, 1.06}, {"SOL", 120_000, 20, false, 1.08}}},
	{Address: "0xba11a57000000000000000000000000000000007", Name: "large", mode: "disabled", role: "user",
		equity: 60_000_000, vip: 3,
		About: "60M USD, shorts whose margin tier at the liquidation price is not today's; taker 0.03 %",
		holds: []holding{{"DOGE", -9_000_000, 5, false, 1.1}, {"AAVE", -3_500_000, 5, false, 1.02},
			{"AVAX", -2_100_000, 3, false, 0.97}, {"ETH", -45_000_000, 10, false, 1.04}, {"BTC", 80_000_000, 20, false,
				0.95},
			{"HYPE", -13_000_000, 5, false, 0.9}}},
	{Address: "0xba11a57000000000000000000000000000000008", Name: "underwater", mode: "disabled", role: "user",
		equity: -1_500, pinned: true,
		About: "collateral always -1,500 USD, one long open",
		holds: []holding{{"WIF", 40_000, 5, false, 1.35}, {"SUI", 15_000, 10, false, 1.3}}},
	{Address: "0xba11a57000000000000000000000000000000009", Name: "crowded", mode: "disabled", role: "user",
		equity: 2_000_000, spread: 4_000,
		About: "a position in every live asset of the main dex (200 with --assets 270)"},
	{Address: "0xba11a5700000000000000000000000000000000a", Name: "delisted", mode: "disabled", role: "user",
		equity: 9_000,
		About:  "a position left in a delisted asset, and one in BTC",
		holds:  []holding{{"FTM", 2_500, 3, false, 1.2}, {"BTC", 12_000, 10, false, 1.0}}},
	{Address: "0xba11a5700000000000000000000000000000000b", Name: "referred", mode: "default", role: "user",
		equity: 5_000, referral: 0.04,
		About:    "account mode default; base fees with 4 % referral discount; leverage setting in ETH (3x)",
		holds:    []holding{{"SOL", 6_000, 10, false, 1.0}},
		settings: map[string]int{"ETH": 3}},
	{Address: "0xba11a5700000000000000000000000000000000c", Name: "vault", mode: "disabled", role: "vault",
		equity: 1_000_000, vip: 3, override: 50,
		About: "a vault whose positions print maxLeverage 50 on every coin (1 % maintenance)",
		holds: []holding{{"BTC", 900_000, 20, false, 1.0}, {"ETH", -700_000, 20, false, 1.0},
			{"LINK", -60_000, 10, false, 1.0}}},
	{Address: "0xba11a5700000000000000000000000000000000d", Name: "single", mode: "disabled", role: "user",
		equity: 1_000,
		About:  "one isolated long of 10k USD at 10x, nothing else",
		holds:  []holding{{"BTC", 10_000, 10, true, 1.0}}},
	{Address: "0xba11a5700000000000000000000000000000000e", Name: "dexes-unified", mode: "unifiedAccount",
		role:   "user",
		pooled: true, equity: 120_000,
		About: "unifiedAccount, 120k USD: cross on main, xyz and mkts, isolated on main, xyz and io",
		holds: []holding{{"BTC", 150_000, 10, false, 1.02}, {"ETH", -60_000, 5, false, 0.97},
			{"SOL", 5_000, 5, true, 1.01},
			{"xyz:NVDA", 40_000, 10, false, 0.95}, {"xyz:TSLA", -25_000, 8, false, 1.03},
			{"xyz:COIN", 4_000, 5, true, 1.0},
			{"mkts:US500", 30_000, 15, false, 1.0}, {"io:ALPHA", 6_000, 3, true, 0.98}},
		spot: []spotHolding{{"HYPE", 150, 12.5, "HYPE", 0, 0}, {"+14880", 0, 3, "", 0.4, 0}}},
	{Address: "0xba11a5700000000000000000000000000000000f", Name: "dexes-standard", mode: "disabled", role: "user",
		equity: 50_000, dexEquity: map[string]float64{"xyz": 30_000},
		About: "standard account: 50k USD on the main dex, 30k on xyz, neither backs the other",
		holds: []holding{{"BTC", -100_000, 10, false, 0.98}, {"HYPE", 20_000, 4, false, 1.0},
			{"xyz:XYZ100", 90_000, 15,
				false, 1.01}, {"xyz:GOLD", -40_000, 10, false, 0.99}, {"xyz:TSLA", 5_000, 5, true, 1.0}}},
	{Address: "0xba11a57000000000000000000000000000000010", Name: "null-pooled", role: "user", pooled: true,
		equity: 40_000,
		About:  "userAbstraction null and pooled all the same: 40k USD for main and xyz",
		holds:  []holding{{"ETH", 80_000, 10, false, 1.0}, {"xyz:XYZ100", -30_000, 10, false, 1.0}}},
	{Address: "0xba11a57000000000000000000000000000000011", Name: "default-pooled", mode: "default", role: "user",
		pooled: true, equity: 10_000,
		About: "userAbstraction default and pooled all the same: 10k USD, one cross long on xyz",
		holds: []holding{{"xyz:NVDA", 20_000, 10, false, 1.0}}},
	{Address: "0xba11a57000000000000000000000000000000012", Name: "resting", mode: "disabled", role: "user",
		equity: 60_000, dexEquity: map[string]float64{"xyz": 10_000},
		About: "standard account whose resting orders hold margin; stops on BTC (all of it) and ETH (a part); " +
			"isolated setting in SOL (5x)",
		holds:    []holding{{"BTC", 100_000, 5, false, 1.0}, {"ETH", -40_000, 4, false, 1.0}},
		settings: map[string]int{"SOL": -5},
		orders: []resting{
			{"BTC", 50_000, 0.9, "Limit"}, {"SOL", 20_000, 0.85, "Limit"}, {"ETH", -16_000, 1.1, "Limit"},
			{"xyz:TSLA", 20_000, 0.9, "Limit"},
			{"BTC", 0, 0.93, "Stop Market"}, {"ETH", 15_000, 1.05, "Stop Limit"},
		}},
	{Address: "0xba11a57000000000000000000000000000000013", Name: "api-wallet", role: "agent",
		owner: "0xba11a57000000000000000000000000000000001",
		About: "an API wallet of the first account: a key, which holds nothing"},
}
