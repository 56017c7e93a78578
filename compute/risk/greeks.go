package risk

import (
	"math"

	"ballast/compute/stats"
)

// Greeks are the sensitivities of the position after the fill.
//
// A linear perpetual has delta = units and no other Greek, except through liquidation, where
// the maintenance margin is lost. The position is priced as its linear P&L stopped at the
// liquidation price, minus a one-touch digital option on the amount lost there.
type Greeks struct {
	Delta            float64 // units: USD of P&L per USD of price
	Gamma            float64 // change of delta per USD of price
	Vega             float64 // USD per volatility point (0.01 a year)
	Theta            float64 // USD a day, negative: erosion by funding and costs
	LiquidationGamma float64 // percentage points of liquidation distance per +1 % of price

	// TouchProbability is the probability of liquidation within a day; explanation only.
	TouchProbability float64
	// LossAtTouchUSD is the payout of the digital option; explanation only.
	LossAtTouchUSD float64
}

const (
	holdingDays = 7 // days over which the round trip's cost is spread
	// farLog: a barrier at a larger log distance is never touched, in double precision.
	farLog = 600
)

// greeks returns the block; a flat position has no Greeks.
func (mk *marketView) greeks(o *outcome) Greeks {
	var g Greeks
	t, x := &o.plan, &o.execution
	if t.after == 0 {
		return g
	}
	g.Delta = t.after
	roundTrip := (x.entryBps*t.notional + x.exitBps*t.exitUnits()*t.mark) / bpsPerUnit
	g.Theta = -t.side*o.funding.Expected24h*t.valueAfter - roundTrip/holdingDays

	barrier, units := o.liquidation.Price, math.Abs(t.after)
	if barrier <= 0 {
		return g
	}
	loss := units * barrier * (o.liquidation.MaintenanceRate + mk.exitBps(t.side, units)/bpsPerUnit)
	g.stopAt(barrier, t.mark, t.side, mk.model.DailySigma, loss)
	return g
}

// stopAt adds the Greeks of a loss (USD) that occurs when the price touches the barrier within a day,
// for a position of side s. sigma is the daily standard deviation of the log price.
func (g *Greeks) stopAt(barrier, mark, s, sigma, loss float64) {
	touch := firstPassage(mark, barrier, s, sigma)
	g.LiquidationGamma = s * barrier / mark
	g.TouchProbability, g.LossAtTouchUSD = touch.probability, loss
	g.Delta -= loss * touch.dPrice
	g.Gamma = -loss * touch.d2Price
	// sigma is the annual volatility times sqrt(1/365).
	g.Vega = -loss * touch.dSigma / math.Sqrt(daysPerYear) / pctPerUnit
}

const daysPerYear = 365

// passage is the probability that a price touches a barrier within the horizon, and its derivatives with
// respect to the price (once, twice) and to the volatility over the horizon.
type passage struct{ probability, dPrice, d2Price, dSigma float64 }

// firstPassage returns the probability that a driftless geometric Brownian motion from spot touches
// barrier, which lies below it for a long (s = +1) and above it for a short, with the standard deviation
// sv of the log price over the horizon. A barrier already passed is touched with certainty.
//
// With a = |ln(B/S)|, m = sv^2/2 and e = s:
//
//	H = Phi((-a + e*m)/sv) + (S/B) * Phi((-a - e*m)/sv)
//
// Because (S/B)*phi((-a - e*m)/sv) = phi((-a + e*m)/sv), the derivatives have closed forms.
//
// Source: Reiner and Rubinstein, Risk 1991.
func firstPassage(spot, barrier, s, sv float64) passage {
	a := s * math.Log(spot/barrier)
	if a <= 0 {
		return passage{probability: 1}
	}
	if a > farLog || sv <= 0 {
		return passage{}
	}
	m := sv * sv / 2
	near, far := (-a+s*m)/sv, (-a-s*m)/sv
	density, reach := stats.NormalPDF(near), stats.NormalCDF(far)
	bend := 2 * a * density / (sv * sv)
	return passage{
		probability: min(1, stats.NormalCDF(near)+spot/barrier*reach),
		dPrice:      reach/barrier - s*2*density/(spot*sv),
		d2Price:     bend / (spot * spot * sv),
		dSigma:      bend,
	}
}
