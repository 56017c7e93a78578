package risk

import "math"

// PositionChange is the position in the trade's asset before and after the trade.
type PositionChange struct{ Before, After PositionState }

// PositionState is a position. The zero value means no position.
type PositionState struct {
	Side             float64 // +1 long, -1 short, 0 no position
	SizeCoin         float64 // base units, not signed
	NotionalUSD      float64 // at mark
	Leverage         float64
	Mode             Mode
	EntryPrice       float64 // USD
	LiquidationPrice float64 // USD; 0 where there is none
}

func (s *Scratch) changes(out *PositionChange) {
	acct, v := &s.account, &s.view
	*out = PositionChange{}
	if acct.target >= 0 {
		p := &acct.positions[acct.target]
		equity, other := acct.crossEquity, acct.pools[acct.pool].maintenance-p.maintenance()
		if p.isolated {
			equity, other = p.equity, 0
		}
		out.Before.read(p)
		out.Before.LiquidationPrice, _, _ = p.tiers.distance(equity, other, p.units, p.mark)
	}
	if v.position.units != 0 {
		out.After.read(&v.position)
		out.After.LiquidationPrice = s.Out.Liquidation.Price
		if t := &v.plan; t.kind != held && t.kind != noFill { // after the order that the venue takes
			out.After.SizeCoin = math.Abs(t.before + t.direction*s.Out.Admissibility.OrderSizeCoin)
			out.After.NotionalUSD = out.After.SizeCoin * t.mark
		}
	}
}

func (o *PositionState) read(p *position) {
	o.Side, o.SizeCoin, o.NotionalUSD = p.side(), math.Abs(p.units), p.notional()
	o.Leverage, o.EntryPrice = p.leverage, p.entry
	if p.isolated {
		o.Mode = Isolated
	}
}
