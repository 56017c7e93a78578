package sim

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// dexSpec is a builder-deployed dex, with its numbers of assets at full size.
type dexSpec struct {
	name, fullName string
	token          int // collateral token; 0 is USDC
	listed, live   int
	noCross        bool // all its assets are noCross
}

// dexCatalog lists the builder-deployed dexes by dex index from 1 on. As at the venue, six of the ten
// have no live market left.
var dexCatalog = []dexSpec{
	{"xyz", "XYZ", 0, 124, 109, false},
	{"flx", "Felix Exchange", 360, 14, 0, true},
	{"vntl", "Ventuals", 360, 18, 0, true},
	{"hyna", "HyENA", 235, 24, 0, true},
	{"km", "Markets by Kinetiq", 360, 20, 0, true},
	{"abcd", "ABCDEx", 0, 1, 0, true},
	{"cash", "dreamcash", 268, 20, 0, true},
	{"para", "Paragon", 0, 36, 27, true},
	{"mkts", "Markets", 0, 24, 4, false},
	{"io", "IO", 0, 10, 8, true},
}

// dexAssetsMax is the number of assets of all dexes at full size.
const dexAssetsMax = 291

// dexFirst are the rows that every market takes first, in this order.
var dexFirst = []spec{
	{"xyz:XYZ100", 4, 30, 52, 25100, 150, 110, 0.20, 0.15, listed, "", false, 150},
	{"xyz:TSLA", 3, 20, 51, 405, 12, 18, 0.55, 0.25, listed, "", false, 25},
	{"xyz:NVDA", 3, 20, 20, 186, 14, 22, 0.42, 0.25, listed, "", false, 50},
	{"xyz:GOLD", 4, 25, 25, 4900, 25, 24.6, 0.18, 0.05, listed, "", true, 25},
	{"xyz:HOOD", 3, 10, 10, 79, 2, 3, 0.70, 0.40, listed, "strictIsolated", false, 25},
	{"xyz:COIN", 3, 10, 10, 166, 3, 5, 0.75, 0.60, listed, "noCross", false, 25},
	{"io:ALPHA", 3, 6, 6, 142, 4, 5, 0.60, 0.30, listed, "noCross", false, 10},
	{"flx:TSLA", 3, 10, 10, 391, 1, 0, 0.55, 0.25, delisted, "noCross", false, 5},
	{"para:TOTAL2", 2, 5, 5, 1120, 0.6, 0.9, 0.60, 1.10, listed, "noCross", false, 5},
	{"mkts:US500", 3, 25, 25, 6820, 9, 11, 0.16, 0.15, listed, "", false, 30},
	{"hyna:BTC", 5, 40, 40, 76888, 5, 0, 0.40, 1.00, delisted, "noCross", false, 20},
	{"xyz:AAPL", 3, 20, 20, 271, 8, 12, 0.28, 0.20, listed, "", false, 150},
	{"para:BTCD", 3, 10, 10, 58.6, 0.4, 0.5, 0.20, 0.05, listed, "noCross", false, 5},
	{"xyz:SNAP", 2, 10, 10, 8.1, 0.2, 0, 0.60, 0.30, delisted, "noCross", false, 5},
	{"mkts:USTECH", 3, 25, 25, 25400, 4, 6, 0.20, 0.15, listed, "", false, 30},
	{"mkts:USBOND", 2, 20, 20, 88.1, 0.1, 0, 0.10, 0.02, delisted, "", false, 10},
	{"io:BETA", 3, 3, 3, 33.2, 0.8, 1, 0.80, 0.30, listed, "noCross", false, 10},
	{"vntl:OPENAI", 3, 3, 3, 1210, 0.3, 0, 0.50, 0.20, delisted, "noCross", false, 5},
	{"km:US500", 3, 20, 20, 6650, 2, 0, 0.16, 0.15, delisted, "noCross", false, 20},
	{"cash:GOLD", 4, 20, 20, 4560, 1, 0, 0.18, 0.05, delisted, "noCross", false, 10},
	{"abcd:USA500", 3, 10, 10, 6590, 0.1, 0, 0.16, 0.15, delisted, "noCross", false, 1},
	{"flx:OIL", 2, 10, 10, 61.5, 0.2, 0, 0.35, 0.05, delisted, "noCross", false, 5},
	{"xyz:MSFT", 3, 20, 20, 512, 6, 9, 0.26, 0.20, listed, "", false, 100},
	{"xyz:CL", 2, 20, 20, 62.4, 7, 8, 0.35, 0.05, listed, "noCross", false, 50},
}

// dexSpecs returns n rows of builder-deployed dexes, by dex.
func dexSpecs(n int, seed uint64) [][]spec {
	out := make([][]spec, len(dexCatalog))
	for _, s := range dexFirst[:min(n, len(dexFirst))] {
		d := slices.IndexFunc(dexCatalog, func(d dexSpec) bool { return strings.HasPrefix(s.name, d.name+":") })
		out[d] = append(out[d], s)
	}
	for left := n - len(dexFirst); left > 0; {
		for d, dex := range dexCatalog {
			if i := len(out[d]); left > 0 && i < dex.listed {
				out[d] = append(out[d], inventedStock(&dex, i, newKey(seed, 10, uint64(d), uint64(i))))
				left--
			}
		}
	}
	return out
}

// inventedStock returns row i of a dex beyond dexFirst. Delisted assets are spread evenly over the dex.
func inventedStock(dex *dexSpec, i int, k key) spec {
	volume := 6.0 / (1 + float64(i)/8) * (0.5 + k.uniform(0))
	s := spec{
		name: dex.name + ":SIM" + strconv.Itoa(i), szDecimals: 3, maxLeverage: 10, table: 10,
		price:      significant(20*math.Pow(10, 1.4*k.uniform(1)), 3), // 20 .. 500
		volumeMUSD: volume, openInterest: volume * (0.8 + k.uniform(2)), capMUSD: 25,
		vol: 0.25 + 0.5*k.uniform(3), beta: 0.4 * k.uniform(4),
	}
	if i*dex.live/dex.listed == (i+1)*dex.live/dex.listed {
		s.life, s.openInterest = delisted, 0
	}
	switch {
	case dex.noCross || i%3 == 2:
		s.marginMode = "noCross"
	case i%7 == 3:
		s.marginMode = "strictIsolated"
	default:
		s.maxLeverage, s.table = 20, 20
	}
	return s
}

// dexTables are a dex's margin tables with ids from 50 on; ids are per dex.
var dexTables = map[string][]namedTable{
	"": marginTables,
	"xyz": {
		{51, "tiered 20x", []tier{{0, 20}, {5e6, 10}}},
		{52, "tiered 30x", []tier{{0, 30}, {25e6, 20}, {75e6, 10}}},
	},
}
