package sim

import (
	"strconv"

	"ballast/marketcache/venue/hyperliquid"
)

// meta prints a dex's universe and margin tables.
func (m *market) meta(dex string, f *faults) hyperliquid.Meta {
	out := hyperliquid.Meta{Universe: []hyperliquid.UniverseAsset{}, MarginTables: []hyperliquid.NamedMarginTable{}}
	for _, a := range m.dexAssets(dex) {
		row := hyperliquid.UniverseAsset{
			SzDecimals: a.szDecimals, Name: a.name, MaxLeverage: a.maxLeverage, MarginTableID: a.table,
			OnlyIsolated: a.marginMode != "", MarginMode: a.marginMode,
			IsDelisted: a.life == delisted || f.on("delist", a.name),
		}
		if dex != "" {
			row.GrowthMode, row.LastGrowthModeChangeTime = "enabled", "2025-11-23T17:37:10.033211662"
		}
		if f.on("isolated", a.name) {
			row.OnlyIsolated, row.MarginMode = true, "strictIsolated"
		}
		if f.on("leverage", a.name) {
			row.MaxLeverage, row.MarginTableID = 3, 3
		}
		out.Universe = append(out.Universe, row)
	}
	if dex == "" {
		for _, t := range marginTables {
			out.MarginTables = append(out.MarginTables, hyperliquid.NamedMarginTable{ID: t.id, Table: wireTable(t.description, t.tiers)})
		}
	}
	return out
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

// appendMeta appends the meta object.
func (m *market) appendMeta(dst []byte, dex string, f *faults) []byte {
	meta := m.meta(dex, f)
	if !f.on("big-meta", "") {
		return append(dst, encode(meta)...)
	}
	once := meta.Universe
	meta.Universe = nil
	for i := range bigMeta {
		for _, a := range once {
			if i > 0 {
				a.Name += "-" + strconv.Itoa(i)
			}
			meta.Universe = append(meta.Universe, a)
		}
	}
	b := encode(meta)
	return append(append(dst, `{"unknownField":{"a":[1,2,{"b":null}]},`...), b[1:]...)
}

// predictedFundings prints the next fundings of this venue and of two others. Small
// coins are missing on some, and intervals differ.
func (m *market) predictedFundings() []hyperliquid.CoinFundings {
	out := []hyperliquid.CoinFundings{}
	next := func(hours int64) int64 { return (floorDiv(m.nowMs, hours*hourMs) + 1) * hours * hourMs }
	for i, a := range m.dexAssets("") {
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
				FundingRate: decimal(a.state.funding, 10), NextFundingTime: next(1), FundingIntervalHours: 1,
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
	for _, a := range m.dexAssets(dex) {
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
			rate, premium = fundingRate(0), 0
		}
		out = append(out, hyperliquid.WireFundingRow{
			Coin: a.name, FundingRate: decimal(rate, 10), Premium: decimal(premium, 10), Time: t,
		})
	}
	return out
}

// perpDexs prints the list of dexes: null for the main one, then the builder's.
func (m *market) perpDexs() []*hyperliquid.PerpDex {
	deployer := "0xba11a57000000000000000000000000000000d00"
	d := &hyperliquid.PerpDex{
		Name: dexName, FullName: "XYZ", Deployer: deployer, FeeRecipient: &deployer,
		SubDeployers:     []hyperliquid.SubDeployers{{Function: "setOracle", Executors: []string{deployer}}},
		DeployerFeeScale: "1.0", LastDeployerFeeScaleChange: "1970-01-01T00:00:00",
		AssetToFundingMultiplier:   [][2]string{},
		AssetToFundingInterestRate: [][2]string{},
		AssetToStreamingOiCap:      m.dexCaps(),
	}
	return []*hyperliquid.PerpDex{nil, d}
}

func (m *market) dexCaps() [][2]string {
	caps := [][2]string{}
	for _, a := range m.dexAssets(dexName) {
		caps = append(caps, [2]string{a.name, decimal(a.capMUSD*1e6, 1)})
	}
	return caps
}

func (m *market) dexLimits() hyperliquid.PerpDexLimits {
	return hyperliquid.PerpDexLimits{
		TotalOiCap: "400000000.0", OiSzCapPerPerp: "1000000000.0", MaxTransferNtl: "150000000.0",
		CoinToOiCap: m.dexCaps(),
	}
}

// maxMarketOrders are the largest market orders by maximum leverage, USD.
var maxMarketOrders = [][2]any{{50, "15000000.0"}, {20, "5000000.0"}, {10, "2000000.0"}, {1, "500000.0"}}
