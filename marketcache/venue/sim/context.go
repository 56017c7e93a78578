package sim

import "maps"

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
	if f.on("nan", a.name) {
		return "NaN"
	}
	return a.px(a.state.mark)
}

func (m *market) context(a *asset, f *faults) assetContext {
	s := &a.state
	volume, open := a.volumeMUSD*1e6, m.price(a, m.nowMs-24*hourMs)
	if a.life == delisted {
		volume = 0
	}
	out := assetContext{
		Funding: decimal(s.funding, 10), OpenInterest: a.sz(s.openInterest), PrevDayPx: a.px(a.toUnits(open)),
		DayNtlVlm: decimal(volume, 10), OraclePx: a.px(s.oracle), MarkPx: a.mark(f), MidPx: a.mid(f),
		DayBaseVlm: decimal(volume/s.mid, a.szDecimals+1),
	}
	if a.bookless(f) {
		return out
	}
	bid, ask := a.best()
	out.ImpactPxs = []string{a.px(bid), a.px(ask)}
	oracle := a.usdOf(s.oracle)
	premium := (a.usdOf(bid)+a.usdOf(ask))/2/oracle - 1
	text := decimal(premium, 10)
	out.Premium = &text
	return out
}

// contexts returns a dex's contexts in universe order.
func (m *market) contexts(dex string, f *faults) []assetContext {
	return each(m.dex(dex).assets, func(a *asset) assetContext { return m.context(a, f) })
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
func (m *market) fastContexts(f *faults) map[string]fastContext {
	all := make(map[string]fastContext, len(m.assets)+len(otherMids))
	for _, a := range m.assets {
		all[a.name] = fastContext{MarkPx: a.mark(f), MidPx: encode(a.mid(f))}
	}
	for name, mid := range otherMids {
		all[name] = fastContext{MarkPx: mid, MidPx: encode(mid)}
	}
	return all
}
