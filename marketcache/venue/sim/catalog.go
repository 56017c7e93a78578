package sim

import (
	"math"
	"slices"
	"strconv"
)

// listing is the stage of an asset's life.
type listing uint8

const (
	listed   listing = iota
	delisted         // frozen, no book, candles end in the past
	young            // listed weeks before the start
	fresh            // listed hours before the start
	unopened         // listed, with a book, but never traded: no candles
	frozen           // trades at one price: zero volatility
)

// listedBars is how many hourly candles the venue keeps, including the forming one.
const listedBars = 5000

// closedBars is the number of closed hourly candles at the start.
var closedBars = map[listing]int64{listed: listedBars - 1, frozen: listedBars - 1, young: 1500, fresh: 30}

// spec is one catalog row. Names, digits and margin tables are the venue's; prices and sizes are round
// numbers of the right magnitude.
type spec struct {
	name         string
	szDecimals   int
	maxLeverage  int
	table        int
	price        float64 // USD, the level to which the price reverts
	volumeMUSD   float64 // traded per day, million USD (of a delisted asset: while it was listed)
	openInterest float64 // open interest, million USD, one side
	vol          float64 // annual volatility, fraction
	beta         float64 // loading on the common factor
	life         listing
	marginMode   string // "", strictIsolated, noCross
	atCap        bool
	capMUSD      float64 // published open-interest cap (builder-deployed dexes)
}

// factorVol is the annual volatility of the common factor.
const factorVol = 0.38

// mainCatalog is the main dex in universe order. The kinds of asset that need special handling by
// clients are among the first 24, so that small universes have them.
var mainCatalog = []spec{
	{"BTC", 5, 40, 56, 66000, 3000, 1900, 0.40, 1.00, listed, "", false, 0},
	{"ETH", 4, 25, 55, 1900, 1500, 900, 0.56, 1.25, listed, "", false, 0},
	{"CANTO", 0, 3, 3, 0.0213, 0.3, 0, 1.1, 1.1, delisted, "", false, 0},
	{"SOL", 2, 20, 54, 82, 600, 330, 0.70, 1.40, listed, "", false, 0},
	{"HYPE", 2, 10, 52, 34, 420, 780, 0.85, 1.10, listed, "", false, 0},
	{"XRP", 0, 20, 53, 1.38, 150, 65, 0.70, 1.25, listed, "", false, 0},
	{"DOGE", 0, 10, 52, 0.094, 70, 18, 0.85, 1.45, listed, "", false, 0},
	{"kPEPE", 0, 10, 52, 0.0037, 30, 10, 1.05, 1.60, listed, "", false, 0},
	{"MEGA", 0, 3, 3, 0.123, 0.8, 4, 1.40, 1.30, young, "strictIsolated", false, 0},
	{"CRCLX", 1, 5, 5, 71, 2.5, 3, 0.80, 0.90, listed, "noCross", false, 0},
	{"SKR", 0, 3, 3, 0.026, 5, 2, 1.50, 1.30, fresh, "", false, 0},
	{"FOGO", 0, 3, 3, 0.026, 0, 0, 1.40, 1.30, unopened, "", false, 0},
	{"TRB", 2, 3, 3, 14.1, 0, 0.37, 0, 0, frozen, "", false, 0},
	{"MON", 0, 5, 5, 0.0175, 9, 25, 1.30, 1.30, young, "", true, 0},
	{"FTM", 0, 10, 51, 0.707, 1.5, 0, 1.0, 1.3, delisted, "", false, 0},
	{"UNIBOT", 3, 3, 3, 4.4, 0.2, 0, 1.2, 1.1, delisted, "strictIsolated", false, 0},
	{"BNB", 3, 10, 51, 635, 40, 27, 0.48, 0.95, listed, "", false, 0},
	{"PURR", 0, 3, 3, 0.075, 1.4, 3, 1.20, 1.00, listed, "", true, 0},
	{"SUI", 1, 10, 52, 0.95, 45, 10, 0.95, 1.55, listed, "", false, 0},
	{"AVAX", 2, 10, 52, 8.7, 22, 23, 0.85, 1.45, listed, "", false, 0},
	{"LINK", 1, 10, 52, 8.3, 28, 18, 0.80, 1.40, listed, "", false, 0},
	{"ZEC", 2, 10, 52, 231, 80, 50, 1.10, 0.95, listed, "", false, 0},
	{"PUMP", 0, 10, 52, 0.0021, 35, 45, 1.30, 1.40, listed, "", false, 0},
	{"FARTCOIN", 1, 10, 52, 0.197, 32, 31, 1.45, 1.60, listed, "", false, 0},
	{"AAVE", 2, 10, 52, 106, 30, 23, 0.90, 1.40, listed, "", false, 0},
	{"ADA", 0, 10, 52, 0.26, 28, 15, 0.85, 1.40, listed, "", false, 0},
	{"ASTER", 0, 5, 5, 0.53, 22, 30, 1.20, 1.20, listed, "", false, 0},
	{"LIT", 0, 5, 5, 1.56, 20, 46, 1.35, 1.20, young, "", false, 0},
	{"PAXG", 3, 10, 51, 4900, 20, 87, 0.18, 0.10, listed, "", false, 0},
	{"LTC", 2, 10, 52, 52, 18, 17, 0.70, 1.15, listed, "", false, 0},
	{"UNI", 1, 10, 52, 3.3, 17, 23, 0.95, 1.40, listed, "", false, 0},
	{"XPL", 0, 10, 51, 0.081, 15, 19, 1.25, 1.35, young, "", false, 0},
	{"NEAR", 1, 10, 52, 1.02, 15, 8.8, 0.95, 1.50, listed, "", false, 0},
	{"ENA", 0, 10, 52, 0.12, 13, 15, 1.15, 1.60, listed, "", false, 0},
	{"XMR", 3, 5, 5, 301, 12, 21, 0.80, 0.70, listed, "", false, 0},
	{"WLFI", 0, 5, 5, 0.109, 10, 12, 0.95, 1.00, listed, "", false, 0},
	{"TAO", 3, 5, 5, 167, 9, 7, 1.00, 1.45, listed, "", false, 0},
	{"CRV", 1, 10, 52, 0.238, 8, 7.4, 1.00, 1.40, listed, "", false, 0},
	{"BCH", 3, 10, 52, 470, 8, 5.5, 0.65, 1.00, listed, "", false, 0},
	{"ARB", 1, 10, 51, 0.111, 7.5, 3, 0.95, 1.50, listed, "", false, 0},
	{"ZRO", 1, 5, 5, 1.48, 7, 21, 1.05, 1.30, listed, "", false, 0},
	{"TRUMP", 1, 10, 52, 3.3, 7, 6.4, 0.95, 1.20, listed, "", false, 0},
	{"VIRTUAL", 1, 5, 5, 0.55, 6.5, 5.9, 1.30, 1.60, listed, "", false, 0},
	{"PENGU", 0, 5, 5, 0.0064, 6, 1.9, 1.20, 1.60, listed, "", false, 0},
	{"WIF", 0, 5, 5, 0.22, 6, 4.9, 1.30, 1.65, listed, "", false, 0},
	{"kBONK", 0, 10, 52, 0.0061, 5.5, 3.9, 1.10, 1.60, listed, "", false, 0},
	{"DOT", 1, 10, 51, 1.32, 5.5, 6.7, 0.85, 1.35, listed, "", false, 0},
	{"JUP", 0, 10, 51, 0.16, 5, 3.9, 1.00, 1.45, listed, "", false, 0},
	{"AXS", 1, 5, 5, 1.32, 5, 3.4, 1.10, 1.30, listed, "", false, 0},
	{"WLD", 1, 10, 52, 0.377, 5, 7, 1.05, 1.45, listed, "", false, 0},
	{"kSHIB", 0, 10, 51, 0.006, 4.8, 2.9, 0.85, 1.40, listed, "", false, 0},
	{"APT", 2, 10, 52, 1.06, 4.5, 5.7, 0.90, 1.45, listed, "", false, 0},
	{"TON", 1, 10, 51, 1.29, 4.3, 7.9, 0.75, 1.10, listed, "", false, 0},
	{"POL", 0, 5, 5, 0.095, 4.1, 2.4, 0.90, 1.35, listed, "", false, 0},
	{"SEI", 0, 10, 51, 0.076, 4, 2.1, 1.00, 1.50, listed, "", false, 0},
	{"TIA", 1, 10, 52, 0.32, 3.9, 2.2, 1.10, 1.55, listed, "", false, 0},
	{"LDO", 1, 10, 51, 0.34, 3.6, 3.7, 1.05, 1.50, listed, "", false, 0},
	{"IP", 1, 3, 3, 1.22, 3.4, 5.2, 1.20, 1.20, listed, "", false, 0},
	{"SPX", 1, 5, 5, 0.28, 3.3, 2.2, 1.35, 1.60, listed, "", false, 0},
	{"TRX", 0, 10, 51, 0.269, 3, 8, 0.40, 0.60, listed, "", false, 0},
	{"ZK", 0, 5, 5, 0.0234, 3, 1.9, 1.10, 1.40, listed, "", false, 0},
	{"PENDLE", 0, 5, 5, 1.19, 2.7, 4.1, 1.10, 1.45, listed, "", false, 0},
	{"INJ", 1, 10, 51, 3.17, 2.4, 4.3, 0.95, 1.50, listed, "", false, 0},
	{"ONDO", 0, 10, 51, 0.246, 2.1, 2.8, 0.90, 1.40, listed, "", false, 0},
}

// mainSpecs returns n rows of the main dex.
func mainSpecs(n int, seed uint64) []spec {
	specs := slices.Clone(mainCatalog[:min(n, len(mainCatalog))])
	for i := 0; len(specs) < n; i++ {
		specs = append(specs, inventedSpec(i, seed))
	}
	return specs
}

// inventedSpec returns row i beyond the catalog: a coin with random parameters from the seed. Higher
// rows are smaller and more volatile.
func inventedSpec(i int, seed uint64) spec {
	k := newKey(seed, 3, uint64(i))
	volume := 3.0 / (1 + float64(i)/12) * (0.5 + k.uniform(0)) // million USD per day
	s := spec{
		name:        "SIM" + strconv.Itoa(i),
		maxLeverage: 3, table: 3,
		price:        significant(math.Pow(10, k.symmetric(1)*2), 3), // 0.01 .. 100
		volumeMUSD:   volume,
		openInterest: volume * (0.4 + 1.6*k.uniform(2)),
		vol:          0.8 + 0.7*k.uniform(3),
		beta:         1 + 0.6*k.uniform(4),
	}
	switch {
	case s.price > 20:
		s.szDecimals = 2
	case s.price > 1:
		s.szDecimals = 1
	}
	if volume > 1.5 {
		s.maxLeverage, s.table = 5, 5
	}
	const rows, dead = 170, 53 // with the catalog: 234 listed, 178 live
	if i < rows && (i+1)*dead/rows != i*dead/rows || i >= rows && i%40 == 39 {
		s.life, s.openInterest = delisted, 0
	}
	return s
}

// marginTables are the main dex's tables with ids from 50 on. A lower id is not listed; it means a single
// tier with the id as maximum leverage.
var marginTables = []namedTable{
	{50, "", []tier{{0, 50}}},
	{51, "tiered 10x", []tier{{0, 10}, {3e6, 5}}},
	{52, "tiered 10x (2)", []tier{{0, 10}, {20e6, 5}}},
	{53, "tiered 20x", []tier{{0, 20}, {40e6, 10}}},
	{54, "tiered 20x (2)", []tier{{0, 20}, {70e6, 10}}},
	{55, "tiered 25x", []tier{{0, 25}, {100e6, 15}}},
	{56, "tiered 40x", []tier{{0, 40}, {150e6, 20}}},
}

type namedTable struct {
	id          int
	description string
	tiers       []tier
}

// tier is a margin tier: maxLeverage from lowerBound USD of notional on.
type tier struct {
	lowerBound  float64
	maxLeverage int
}

// findTable returns a dex's margin table; without tiers if there is none.
func findTable(dex string, id int) namedTable {
	if id >= 1 && id < 50 {
		return namedTable{tiers: []tier{{0, id}}}
	}
	for _, t := range dexTables[dex] {
		if t.id == id {
			return t
		}
	}
	return namedTable{}
}
