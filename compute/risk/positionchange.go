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

// positionChange returns the block; orderCoin is the size of the order that the venue takes.
func (s *Scratch) positionChange(o *outcome, orderCoin float64) (out PositionChange) {
	acct, t := &s.account, &o.plan
	if acct.target >= 0 {
		p := &acct.positions[acct.target]
		out.Before.read(p)
		out.Before.LiquidationPrice = acct.liquidationPrice(p)
	}
	left := o.position.units
	if left != 0 && t.kind != held && t.kind != noFill {
		left = t.before + t.direction*orderCoin
	}
	if left == 0 { // the order may round to nothing
		return out
	}
	out.After.read(&o.position)
	out.After.SizeCoin, out.After.NotionalUSD = math.Abs(left), math.Abs(left)*t.mark
	out.After.LiquidationPrice = o.liquidation.Price
	return out
}

func (o *PositionState) read(p *position) {
	o.Side, o.SizeCoin, o.NotionalUSD = p.side(), math.Abs(p.units), p.notional()
	o.Leverage, o.EntryPrice = p.leverage, p.entry
	if p.isolated {
		o.Mode = Isolated
	}
}
