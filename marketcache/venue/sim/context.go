package sim

import (
	"maps"
	"slices"

	"ballast/marketcache/venue/hyperliquid"
)

// mid returns the mid of best bid and ask, which may be half a unit off the price grid; nil when a side
// is empty.
func (a *asset) mid(f *faults) *string {
	bid, ask := a.best()
	if a.bookless(f) || bid == 0 || ask == 0 {
		return nil
	}
	s := unitsString((bid+ask)*5, a.digits+1)
	return &s
}

func (a *asset) mark(f *faults) string {
	switch scale, has := f.scale(a.name); {
	case f.on("nan", a.name) || f.on("bad-context", a.name):
		return "NaN"
	case has:
		return decimal(a.markUSD()*scale, a.digits)
	}
	return a.px(a.state.mark)
}

func (m *market) context(a *asset, f *faults) hyperliquid.AssetContext {
	s := &a.state
	usdVolume, size, open := m.day(a)
	out := hyperliquid.AssetContext{
		Funding: decimal(s.funding, 10), OpenInterest: a.sz(s.openInterest), PrevDayPx: a.px(a.toUnits(open)),
		DayNtlVlm: decimal(usdVolume, 10), OraclePx: a.px(s.oracle), MarkPx: a.mark(f), MidPx: a.mid(f),
		DayBaseVlm: decimal(size, a.szDecimals+1),
	}
	if a.bookless(f) {
		return out
	}
	impactUSD := 6_000.0
	if a.name == "BTC" || a.name == "ETH" {
		impactUSD = 20_000
	}
	// The premium is computed from the rounded impact prices.
	out.ImpactPxs = []string{decimal(a.average(bidSide, impactUSD), a.digits), decimal(a.average(askSide, impactUSD), a.digits)}
	bid, ask, oracle := parse(out.ImpactPxs[0]), parse(out.ImpactPxs[1]), a.usdOf(s.oracle)
	premium := (max(bid-oracle, 0) - max(oracle-ask, 0)) / oracle
	if a.dex != "" {
		premium = (bid+ask)/2/oracle - 1
	}
	text := decimal(premium, 10)
	out.Premium = &text
	return out
}

// bigMeta is how many times the fault big-meta repeats the universe.
const bigMeta = 100

// contexts returns a dex's contexts in universe order; pushed is true for a socket, false for REST.
func (m *market) contexts(dex string, f *faults, pushed bool) []hyperliquid.AssetContext {
	out := each(m.dex(dex).assets, func(a *asset) hyperliquid.AssetContext { return m.context(a, f) })
	if f.text == "" || len(out) == 0 {
		return out
	}
	if f.on("reverse-universe", "") || pushed && f.on("reverse-contexts", "") {
		slices.Reverse(out)
	}
	if f.on("swap-contexts", "") && len(out) > 1 {
		out[0], out[1] = out[1], out[0]
	}
	if f.on("meta-mismatch", "") {
		out = out[1:]
	}
	if f.on("bad-listing", "") && dex == "" {
		out = append(out, slices.Repeat(out[:1], len(badListings))...)
	}
	if f.on("big-meta", "") {
		out = slices.Repeat(out, bigMeta)
	}
	return out
}

// otherMids are the entries of allMids that are not perpetuals: spot pairs and outcome tokens.
var otherMids = map[string]string{"PURR/USDC": "0.14988", "@107": "34.102", "@142": "66012.5", "#14880": "0.111485"}

// mids returns a dex's mids, with the mark where there is no mid.
func (m *market) mids(dex string, f *faults) map[string]string {
	out := map[string]string{}
	for _, a := range m.dex(dex).assets {
		out[a.name] = or(a.mid(f), a.px(a.state.mark))
	}
	if dex == "" {
		maps.Copy(out, otherMids)
	}
	return out
}

// fastContexts returns mark and mid of every coin of every dex, and the entries that are not perpetuals.
func (m *market) fastContexts(f *faults) map[string]hyperliquid.FastContext {
	all := make(map[string]hyperliquid.FastContext, len(m.assets)+len(otherMids))
	for _, a := range m.assets {
		all[a.name] = hyperliquid.FastContext{MarkPx: a.mark(f), MidPx: encode(a.mid(f))}
	}
	for name, mid := range otherMids {
		all[name] = hyperliquid.FastContext{MarkPx: mid, MidPx: encode(mid)}
	}
	return all
}
