package sim

import (
	"slices"
	"strconv"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// meta is hyperliquid.Meta with rows that need not be readable.
type meta struct {
	Unknown         any                            `json:"unknownField,omitempty"`
	Universe        []any                          `json:"universe"`
	MarginTables    []hyperliquid.NamedMarginTable `json:"marginTables"`
	CollateralToken int                            `json:"collateralToken"`
}

// meta prints a dex's universe and margin tables.
func (m *market) meta(name string, f *faults) meta {
	d := m.dex(name)
	out := meta{Universe: []any{}, MarginTables: []hyperliquid.NamedMarginTable{}, CollateralToken: d.token}
	times := 1
	if f.on("big-meta", "") {
		times = bigMeta
		out.Unknown = json.RawMessage(`{"a":[1,2,{"b":null}]}`)
	}
	for i := range times {
		for _, a := range d.assets {
			row := a.listing(f)
			if i > 0 {
				row.Name += "-" + strconv.Itoa(i)
			}
			out.Universe = append(out.Universe, row)
		}
	}
	if f.on("reverse-universe", "") {
		slices.Reverse(out.Universe)
	}
	if f.on("bad-listing", "") && name == "" {
		for _, row := range badListings {
			out.Universe = append(out.Universe, json.RawMessage(row))
		}
	}
	for _, t := range dexTables[name] {
		out.MarginTables = append(out.MarginTables, hyperliquid.NamedMarginTable{ID: t.id, Table: wireTable(t.description, t.tiers)})
	}
	return out
}

// listing prints an asset's row in the universe.
func (a *asset) listing(f *faults) hyperliquid.UniverseAsset {
	row := hyperliquid.UniverseAsset{
		SzDecimals: a.szDecimals, Name: a.name, MaxLeverage: a.maxLeverage, MarginTableID: a.table,
		OnlyIsolated: a.marginMode != "", MarginMode: a.marginMode, IsDelisted: a.gone(f),
	}
	if a.dex != "" {
		row.LastFeeScaleChangeTime, row.DeployerFeeScale = "2026-01-02T03:04:05.123456789", "1.0"
		if a.name == "para:BTCD" {
			row.DeployerFeeScale = "0.5"
		}
		if a.index%15 != 5 {
			row.GrowthMode = "enabled"
		}
	}
	if f.on("isolated", a.name) {
		row.OnlyIsolated, row.MarginMode = true, "strictIsolated"
	}
	if f.on("leverage", a.name) {
		row.MaxLeverage, row.MarginTableID = 3, 3
	}
	return row
}

// badListings are what the fault bad-listing adds to the main dex.
var badListings = []string{
	`{"szDecimals":2,"name":"BADZERO","maxLeverage":0,"marginTableId":0}`,
	`{"szDecimals":2,"name":"BAD NAME","maxLeverage":3,"marginTableId":3}`,
	`{"szDecimals":2,"name":"","maxLeverage":3,"marginTableId":3}`,
	`{"szDecimals":2,"name":"BTC","maxLeverage":3,"marginTableId":3}`,
	`{"szDecimals":2,"name":"BADNULL","maxLeverage":null,"marginTableId":3}`,
	`{"szDecimals":-1,"name":"BADSIZE","maxLeverage":3,"marginTableId":3}`,
	`{"szDecimals":2,"name":"BADTABLE","maxLeverage":3,"marginTableId":9999}`,
	`{"szDecimals":"2","name":"BADTYPE","maxLeverage":"3","marginTableId":3}`,
	`null`,
}

func wireTable(description string, tiers []tier) hyperliquid.MarginTable {
	t := hyperliquid.MarginTable{Description: description}
	for _, b := range tiers {
		t.MarginTiers = append(t.MarginTiers, hyperliquid.MarginTier{
			LowerBound: decimal(b.lowerBound, 1), MaxLeverage: b.maxLeverage,
		})
	}
	return t
}

// predictedFundings prints the next fundings of this venue and of two others. Small
// coins are missing on some, and intervals differ.
func (m *market) predictedFundings() []hyperliquid.CoinFundings {
	out := []hyperliquid.CoinFundings{}
	next := func(hours int64) int64 { return (floorDiv(m.nowMs, hours*hourMs) + 1) * hours * hourMs }
	for i, a := range m.dex("").assets {
		if a.life == delisted {
			continue
		}
		elsewhere := func(n int64, hours int64) *hyperliquid.PredictedRate {
			if i > 5 && a.noise.uniform(10+n) < 0.35 || a.life == fresh || a.life == unopened {
				return nil
			}
			hour := floorDiv(m.nowMs, hourMs)
			rate := (0.7*a.state.funding + 0.3*0.0000125 + 0.00001*key(a.noise+6).normal(3*hour+n)) * float64(hours)
			return &hyperliquid.PredictedRate{
				FundingRate: decimal(rate, 8), NextFundingTime: next(hours), FundingIntervalHours: int(hours),
			}
		}
		other := int64(8)
		if i%4 == 3 {
			other = 4
		}
		out = append(out, hyperliquid.CoinFundings{Coin: a.name, Venues: []hyperliquid.VenueFunding{
			{Venue: "BinPerp", Rate: elsewhere(0, other)},
			{Venue: "HlPerp", Rate: &hyperliquid.PredictedRate{
				// The hour already settled, as at the venue.
				FundingRate: decimal(a.state.funding, 10), NextFundingTime: next(1) - hourMs, FundingIntervalHours: 1,
			}},
			{Venue: "BybitPerp", Rate: elsewhere(1, 8)},
		}})
	}
	return out
}

// atCap lists the assets at their open-interest cap; on the main dex also one that is
// long delisted, as the venue does.
func (m *market) atCap(dex string, f *faults) []string {
	out := []string{}
	for _, a := range m.dex(dex).assets {
		if a.atCap || f.on("cap", a.name) || a.name == "CANTO" {
			out = append(out, a.name)
		}
	}
	return out
}

// fundingMax is the rows of one fundingHistory answer.
const fundingMax = 500

// fundingBars is the hours of funding history at the start: 100 days.
const fundingBars = 2400

// fundingHistory prints the paid rates whose time lies in [startMs, endMs], oldest
// first, at most fundingMax.
func (m *market) fundingHistory(a *asset, startMs, endMs int64) []hyperliquid.WireFundingRow {
	out := []hyperliquid.WireFundingRow{}
	if a.life == unopened {
		return out
	}
	first := max(a.from, m.startHour-fundingBars, floorDiv(startMs, hourMs)-2)
	if a.life == delisted {
		first = max(a.from, floorDiv(startMs, hourMs)-2)
	}
	for h := first; h < a.until && len(out) < fundingMax; h++ {
		// The rate of hour h is paid some tens of ms after its end.
		t := (h+1)*hourMs + 15 + int64(a.fund.bits(h)%60)
		if t > min(endMs, m.nowMs) {
			break
		}
		if t < startMs {
			continue
		}
		rate, premium := a.fundP.paid(h)
		if a.life == frozen {
			rate, premium = a.rule.rate(0), 0
		}
		out = append(out, hyperliquid.WireFundingRow{
			Coin: a.name, FundingRate: decimal(rate, 10), Premium: decimal(premium, 10), Time: t,
		})
	}
	return out
}

// perpDexs prints the list of dexes: null for the main one, then the builders'.
func (m *market) perpDexs() []*hyperliquid.PerpDex {
	out := []*hyperliquid.PerpDex{nil}
	for i, d := range m.dexes[1:] {
		deployer := "0xba11a57000000000000000000000000000000d" + string("0123456789abcdef"[i]) + "0"
		row := &hyperliquid.PerpDex{
			Name: d.name, FullName: d.fullName, Deployer: deployer, FeeRecipient: &deployer,
			SubDeployers:             []hyperliquid.SubDeployers{{Function: "setOracle", Executors: []string{deployer}}},
			AssetToFundingMultiplier: [][2]string{}, AssetToFundingInterestRate: [][2]string{}, AssetToFundingClamp: [][2]string{},
			AssetToStreamingOiCap: d.caps(),
		}
		for _, a := range d.assets {
			put := func(list *[][2]string, own, usual float64) {
				if own != usual {
					*list = append(*list, [2]string{a.name, decimal(own, 8)})
				}
			}
			put(&row.AssetToFundingMultiplier, a.rule.multiplier, dexFunding.multiplier)
			put(&row.AssetToFundingInterestRate, a.rule.interest, dexFunding.interest)
			put(&row.AssetToFundingClamp, a.rule.clamp, dexFunding.clamp)
		}
		out = append(out, row)
	}
	return out
}

func (d *dex) caps() [][2]string {
	caps := [][2]string{}
	for _, a := range d.assets {
		caps = append(caps, [2]string{a.name, decimal(a.capMUSD*1e6, 1)})
	}
	return caps
}

// limits prints a dex's open-interest caps; a dex without live markets has none.
func (d *dex) limits() *hyperliquid.PerpDexLimits {
	if d == nil || d.live == 0 {
		return nil
	}
	return &hyperliquid.PerpDexLimits{
		TotalOiCap: "10000000000.0", OiSzCapPerPerp: "20000000000.0", MaxTransferNtl: "3000000000.0",
		CoinToOiCap: d.caps(),
	}
}

// maxMarketOrders are the largest market orders by maximum leverage, USD.
var maxMarketOrders = [][2]any{{50, "15000000.0"}, {20, "5000000.0"}, {10, "2000000.0"}, {1, "500000.0"}}
