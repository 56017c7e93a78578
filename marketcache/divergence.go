package marketcache

import "math"

// Divergence is the widest gap between an asset's mark and other readings of its price. A contradiction
// takes precedence over wider gaps that are none, because limits differ. The zero value has no gap.
type Divergence struct {
	Pct         float64 // |Other/Mark-1|, percent
	Mark, Other float64 // USD
	Asset       AssetID
	With        string // source of Other: mid, oracle or wallet
	// Contradiction: the gap is so wide that no position may be opened at these prices.
	Contradiction bool
}

const (
	// DivergingPct is the gap above which prices diverge, percent.
	DivergingPct = 5
	// Gaps above which prices contradict each other, percent: between any prices of an asset, and
	// between the mark of a position in a wallet's answer and the asset's mark.
	contradictingPct       = 20
	contradictingWalletPct = 5
)

func (d *Divergence) see(id AssetID, mark, other float64, with string, limit float64) {
	gap := math.Abs(other/mark-1) * 100
	if other <= 0 || gap == 0 {
		return
	}
	contradicts := gap > limit
	if contradicts && !d.Contradiction || contradicts == d.Contradiction && gap > d.Pct {
		*d = Divergence{gap, mark, other, id, with, contradicts}
	}
}

// SeeMarket compares an asset's mark with its oracle price and with the mids of book and context.
func (d *Divergence) SeeMarket(m *Market) {
	mark := m.Context.MarkPrice
	if m.Book != nil {
		d.see(m.Asset.ID, mark, m.Book.MidPrice, "mid", contradictingPct)
	}
	d.see(m.Asset.ID, mark, m.Context.MidPrice, "mid", contradictingPct)
	d.see(m.Asset.ID, mark, m.Context.OraclePrice, "oracle", contradictingPct)
}

// SeePosition compares the mark in a wallet's answer with the asset's mark, if the asset is listed
// and its mark known.
func (d *Divergence) SeePosition(p *Position, m *Market) {
	if m.Context != nil && m.Asset != nil && !m.Asset.Delisted {
		d.see(p.Asset, m.Context.MarkPrice, p.ValueUSD/math.Abs(p.Units), "wallet", contradictingWalletPct)
	}
}
