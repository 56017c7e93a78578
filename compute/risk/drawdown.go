package risk

// Drawdown is the asset's past drawdown, whatever the side of the trade, and suggested stops for the
// position. The equity figures are for an unleveraged long position that is worth the requested size today.
type Drawdown struct {
	Known           bool // false below 30 bars
	MaxPct          float64
	CurrentPct      float64
	PeakEquityUSD   float64
	TroughEquityUSD float64
	DurationHours   int
	Calmar          float64
	TrailingStopPct float64 // distance from mark, 0.1 to 50
	StopLossPct     float64 // distance from mark
}

const (
	chandelierATRs  = 3
	minTrailingPct  = 0.1
	maxTrailingPct  = 50
	stopSigmas      = 2
	stopCostTimes   = 3
	stopReachMargin = 0.6 // share of the distance to liquidation
)

// drawdown returns the block. The stop loss is two daily standard deviations from mark, but at least three
// times spread plus slippage, and at most three fifths of the way to liquidation.
func (mk *marketView) drawdown(sizeUSD float64, o *outcome) Drawdown {
	d := &mk.model.Drawdown
	if !d.Known {
		return Drawdown{}
	}
	x := Drawdown{
		Known: true, MaxPct: d.MaxPct, CurrentPct: d.CurrentPct, DurationHours: d.DurationHours, Calmar: d.Calmar,
		PeakEquityUSD:   sizeUSD * d.PeakClose / mk.model.LastClose,
		TroughEquityUSD: sizeUSD * d.TroughClose / mk.model.LastClose,
		TrailingStopPct: min(max(pctPerUnit*chandelierATRs*d.ATR/mk.mark, minTrailingPct), maxTrailingPct),
	}
	costPct := stopCostTimes * (mk.spreadBps + o.execution.slippageBps) / pctPerUnit
	x.StopLossPct = max(stopSigmas*mk.model.DailySigma*pctPerUnit, costPct)
	if o.plan.after != 0 {
		reach := stopReachMargin * o.liquidation.DistancePct // a stop beyond liquidation would never fill
		x.StopLossPct, x.TrailingStopPct = min(x.StopLossPct, reach), min(x.TrailingStopPct, reach)
	}
	return x
}
