package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Exposure is what an operator's limits bound: the trade, and the wallet after it.
type Exposure struct {
	// Reduces: the trade adds to no position. A flip does add.
	Reduces bool
	// OrderUSD is the size at the dearer of the mark and the price of a limit order.
	OrderUSD float64
	// PositionUSD is the position after the trade, GrossUSD the sum of all positions then, at mark.
	PositionUSD, GrossUSD float64
	// PriceAwayPct is how far the limit price, or else the price of the fill, is from the mark, percent of it.
	PriceAwayPct float64
	Leverage     float64 // of the position after the trade
	// LeverageAssumed: the wallet's setting, or the position's own leverage, could not be read, and Leverage is the
	// venue's default.
	LeverageAssumed bool
	// Incomplete: some of the wallet could not be read, so its value and its positions are not known.
	Incomplete bool
}

// Exposure describes the trade that was assessed last.
func (s *Scratch) Exposure() Exposure {
	e := s.exposure(&s.view.outcome, s.In.Trade.SizeUSD, s.portfolio.gross)
	e.PositionUSD = max(e.PositionUSD, s.Out.Position.After.NotionalUSD)
	return e
}

// exposure describes a trade of a size, after which the positions add up to gross, USD.
func (s *Scratch) exposure(o *outcome, sizeUSD, gross float64) Exposure {
	t, price := &o.plan, o.fillPrice
	if t.order.Limit {
		price = t.order.Price
	}
	return Exposure{
		Reduces: t.kind == reduces || t.kind == noFill, OrderUSD: sizeUSD * t.dearness(),
		PositionUSD: t.valueAfter, GrossUSD: gross,
		PriceAwayPct: pctPerUnit * math.Abs(price/t.mark-1), Leverage: t.leverage,
		LeverageAssumed: (t.notRead || t.index >= 0) && t.leverageSource == SourceDefault,
		Incomplete:      s.In.incomplete(),
	}
}

// dearness is the price of a limit order above the mark as a multiple of that, and otherwise 1.
func (t *tradePlan) dearness() float64 {
	if t.order.Limit {
		return max(1, t.order.Price/t.mark)
	}
	return 1
}

// leastValueUSD is what a smaller account value counts as, so that the leverage of a wallet without equity is a number.
const leastValueUSD = 0.01

// Figures are those of the bounds before BoundScore when the wallet is worth accountUSD, NaN where they are not known.
func (e *Exposure) Figures(accountUSD float64) (f [BoundScore]float64) {
	f = [BoundScore]float64{
		BoundLeverage: e.Leverage, BoundOrder: e.OrderUSD, BoundPosition: e.PositionUSD, BoundPriceAway: e.PriceAwayPct,
		BoundGross: e.GrossUSD / max(accountUSD, leastValueUSD),
	}
	if e.PositionUSD > 0 {
		f[BoundShare] = pctPerUnit * min(e.PositionUSD/e.GrossUSD, 1)
	}
	if e.LeverageAssumed {
		f[BoundLeverage] = math.NaN()
	}
	if e.Incomplete {
		f[BoundGross], f[BoundShare] = math.NaN(), math.NaN()
	}
	return f
}

// incomplete reports whether some of the wallet could not be read.
func (in *Input) incomplete() bool {
	for i := range in.Account.Pools {
		if in.Account.Pools[i].Unreadable {
			return true
		}
	}
	return len(in.Account.Unread) > 0
}

// ExposureHeld describes position i of a report that was made with this scratch; without orders and prices.
func (s *Scratch) ExposureHeld(r *WalletReport, i int) Exposure {
	p := &r.Positions[i]
	return Exposure{
		PositionUSD: math.Abs(p.Units) * p.Mark, GrossUSD: r.GrossUSD, Incomplete: s.In.incomplete(),
		Leverage: s.account.positions[i].leverage, LeverageAssumed: s.account.positions[i].assumed,
	}
}

// ExposureWhole describes the wallet of a report that was made with this scratch: its gross alone.
func (s *Scratch) ExposureWhole(r *WalletReport) Exposure {
	return Exposure{GrossUSD: r.GrossUSD, Incomplete: s.In.incomplete()}
}

// AccountValue is the account value of a wallet at the venue's own marks, USD; known is false when some of it could
// not be read.
func AccountValue(src *mc.Account) (usd float64, known bool) {
	in := Input{
		Account: src, AsHeld: true, Trade: Trade{Asset: noTarget},
		Held: make([]AssetInput, len(src.Positions)), Backing: make([]AssetInput, len(src.Collateral)),
	}
	var a account
	a.readPools(&in)
	a.readLegs(&in)
	a.measure()
	return a.value, !in.incomplete()
}
