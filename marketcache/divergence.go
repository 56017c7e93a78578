package marketcache

import (
	"math"
	"time"
)

// Divergence is the widest gap between an asset's mark and other readings of its price at the same moment. A
// contradiction takes precedence over wider gaps that are none, because limits differ. The zero value has no gap.
type Divergence struct {
	Pct         float64 // |Other/Mark-1|, percent
	Mark, Other float64 // USD
	Asset       AssetID
	With        string // source of Other: mid, oracle or wallet
	// MarkAge and OtherAge are the ages of Mark and Other; OtherAge is not set for a wallet.
	MarkAge, OtherAge time.Duration
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

// sameMoment is the longest time between two frames whose prices are compared: a mark, which comes every second, is
// flagged as old after 1.95 s.
const sameMoment = 2 * time.Second

// see compares a mark with another price; the ages are those of the two.
func (d *Divergence) see(id AssetID, mark, other float64, with string, limit float64, markAge,
	otherAge time.Duration) {
	gap := math.Abs(other/mark-1) * 100
	if other <= 0 || gap == 0 {
		return
	}
	contradicts := gap > limit
	if contradicts && !d.Contradiction || contradicts == d.Contradiction && gap > d.Pct {
		*d = Divergence{gap, mark, other, id, with, markAge, otherAge, contradicts}
	}
}

// SeeMarket compares an asset's mark with the mids of book and context, and with the oracle price. Only prices
// of one moment are compared: those of one frame, or of frames at most sameMoment apart.
func (d *Divergence) SeeMarket(m *Market) {
	c, id := m.Context, m.Asset.ID
	if apart := m.BookAge - m.ContextAge; m.Book != nil && apart.Abs() <= sameMoment {
		d.see(id, c.MarkPrice, m.Book.MidPrice, "mid", contradictingPct, m.ContextAge, m.BookAge)
	}
	d.see(id, c.MarkPrice, c.MidPrice, "mid", contradictingPct, m.ContextAge, m.ContextAge)
	if mark, ok := c.Pair(); ok {
		d.see(id, mark, c.OraclePrice, "oracle", contradictingPct, m.SlowAge, m.SlowAge)
	}
}

// SeePosition compares the mark in a wallet's answer with the asset's mark, if the asset is listed
// and its mark known.
func (d *Divergence) SeePosition(p *Position, m *Market) {
	if m.Context != nil && m.Asset != nil && !m.Asset.Delisted {
		d.see(p.Asset, m.Context.MarkPrice, p.ValueUSD/math.Abs(p.Units), "wallet", contradictingWalletPct,
			m.ContextAge, 0)
	}
}
