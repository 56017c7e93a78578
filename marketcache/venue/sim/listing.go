package sim

// meta returns a dex's universe and margin tables. An asset's position in the universe is its index; the
// contexts follow that order.
func (m *market) meta(name string, f *faults) object {
	d := m.dex(name)
	return object{
		"collateralToken": d.token,
		"universe":        each(d.assets, func(a *asset) object { return a.listing(f) }),
		"marginTables":    each(dexTables[name], func(t namedTable) [2]any { return [2]any{t.id, t.encode()} }),
	}
}

// listing returns an asset's row in the universe. A margin table id below 50 means a single tier with
// that leverage, which is not among the dex's tables.
func (a *asset) listing(f *faults) object {
	row := object{"szDecimals": a.szDecimals, "name": a.name, "maxLeverage": a.maxLeverage, "marginTableId": a.table}
	if a.dex != "" {
		scale, growth := a.feeScale()
		row["lastFeeScaleChangeTime"], row["deployerFeeScale"] = "2026-01-02T03:04:05.123456789", decimal(scale, 1)
		if growth {
			row["growthMode"] = "enabled"
		}
	}
	mode := a.marginMode
	if f.on("isolated", a.name) {
		mode = "strictIsolated"
	}
	if mode != "" {
		row["onlyIsolated"], row["marginMode"] = true, mode
	}
	if a.gone(f) {
		row["isDelisted"] = true
	}
	return row
}

// feeScale returns the deployer's part of the fee as a multiple of the venue's, and whether growth mode waives nine
// tenths.
func (a *asset) feeScale() (scale float64, growth bool) {
	scale = 1
	if a.name == "para:BTCD" {
		scale = 0.5
	}
	return scale, a.index%15 != 5
}

func (t *namedTable) encode() object {
	return object{"description": t.description, "marginTiers": each(t.tiers, func(b tier) object {
		return object{"lowerBound": decimal(b.lowerBound, 1), "maxLeverage": b.maxLeverage}
	})}
}

// predictedFundings returns the next funding of each coin on this venue and two others: [coin,
// [[venue, rate and interval], ...]]. Some coins are missing on the others, and intervals differ.
func (m *market) predictedFundings() [][2]any {
	out := [][2]any{}
	next := func(hours int64) int64 { return (floorDiv(m.nowMs, hours*hourMs) + 1) * hours * hourMs }
	for i, a := range m.dex("").assets {
		if a.life == delisted {
			continue
		}
		elsewhere := func(n int64, hours int64) any {
			if i > 5 && a.noise.uniform(10+n) < 0.35 || a.life == fresh || a.life == unopened {
				return nil
			}
			rate := (0.7*a.state.funding + 0.3*0.0000125) * float64(hours)
			return object{"fundingRate": decimal(rate, 8), "nextFundingTime": next(hours),
				"fundingIntervalHours": hours}
		}
		other := int64(8)
		if i%4 == 3 {
			other = 4
		}
		settled := next(1) - hourMs // the last payment: the venue's nextFundingTime is in the past
		venue := object{"fundingRate": decimal(a.state.funding, 10), "nextFundingTime": settled,
			"fundingIntervalHours": 1}
		out = append(out, [2]any{a.name, [][2]any{
			{"BinPerp", elsewhere(0, other)}, {"HlPerp", venue}, {"BybitPerp", elsewhere(1, 8)},
		}})
	}
	return out
}

// atCap returns the assets at their open-interest cap. On the main dex it includes a delisted one, as at
// the venue.
func (m *market) atCap(dex string, f *faults) []string {
	out := []string{}
	for _, a := range m.dex(dex).assets {
		if a.atCap || f.on("cap", a.name) || a.name == "CANTO" {
			out = append(out, a.name)
		}
	}
	return out
}

// fundingMax is the maximum number of rows in a fundingHistory answer.
const fundingMax = 500

// fundingBars is the length of the funding history at the start, hours (100 days).
const fundingBars = 2400

// fundingHistory returns the paid rates with times in [startMs, endMs], oldest first, at most
// fundingMax.
func (m *market) fundingHistory(a *asset, startMs, endMs int64) []object {
	out := []object{}
	first := max(a.from, floorDiv(startMs, hourMs)-2)
	if a.life != delisted {
		first = max(first, m.startHour-fundingBars)
	}
	for h := first; h < a.until && len(out) < fundingMax; h++ {
		// The rate of hour h is paid some tens of ms after the hour's end.
		t := (h+1)*hourMs + 15 + int64(a.fund.bits(h)%60)
		if t > min(endMs, m.nowMs) {
			break
		}
		if t < startMs {
			continue
		}
		rate, premium := a.paid(h)
		row := object{"coin": a.name, "fundingRate": decimal(rate, 10), "premium": decimal(premium, 10), "time": t}
		out = append(out, row)
	}
	return out
}

// perpDexs returns the list of dexes: null for the main one, then the builder-deployed ones.
func (m *market) perpDexs() []object {
	out := []object{nil}
	for i, d := range m.dexes[1:] {
		deployer := "0xba11a57000000000000000000000000000000d" + string("0123456789abcdef"[i]) + "0"
		caps := each(d.assets, func(a *asset) [2]string { return [2]string{a.name, decimal(a.capMUSD*1e6, 1)} })
		out = append(out, object{
			"name": d.name, "fullName": d.fullName, "deployer": deployer, "feeRecipient": deployer,
			"oracleUpdater": nil,
			"subDeployers":  [][2]any{{"setOracle", []string{deployer}}}, "assetToStreamingOiCap": caps,
		})
	}
	return out
}

// maxMarketOrders are the largest market orders by maximum leverage, USD.
var maxMarketOrders = [][2]any{{25, "15000000.0"}, {20, "5000000.0"}, {10, "2000000.0"}, {1, "500000.0"}}
