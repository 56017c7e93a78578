package marketcache

import "math"

// Divergence is the widest gap between an asset's mark and other readings of its price. A gap too
// wide to open anything on goes before wider ones that are not. The zero value has seen none.
type Divergence struct {
	Pct         float64 // |Other/Mark-1| in percent
	Mark, Other float64 // USD
	Asset       AssetID
	With        string // what Other is: mid, oracle or wallet
	// Contradiction: some gap was too wide for anything to be opened on these prices.
	Contradiction bool
}

const (
	// DivergingPct is from where on prices diverge.
	DivergingPct = 5
	// Above these gaps they contradict each other: any of an asset's, and the mark that a
	// wallet's answer shows for a position against the asset's.
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

// SeeMarket compares an asset's mark with its mids, by book and by context, and its oracle price.
func (d *Divergence) SeeMarket(m *Market) {
	mark := m.Context.MarkPrice
	if m.Book != nil {
		d.see(m.Asset.ID, mark, m.Book.MidPrice, "mid", contradictingPct)
	}
	d.see(m.Asset.ID, mark, m.Context.MidPrice, "mid", contradictingPct)
	d.see(m.Asset.ID, mark, m.Context.OraclePrice, "oracle", contradictingPct)
}

// SeePosition compares the mark that a position was reported at with its asset's, if that is
// known and listed.
func (d *Divergence) SeePosition(p *Position, m *Market) {
	if m.Context != nil && m.Asset != nil && !m.Asset.Delisted {
		d.see(p.Asset, m.Context.MarkPrice, p.ValueUSD/math.Abs(p.Units), "wallet", contradictingWalletPct)
	}
}
