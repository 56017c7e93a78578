package risk

import (
	"math"

	mc "ballast/marketcache"
)

// Funding is the funding that the position pays or receives.
type Funding struct {
	RateHourly      float64 // fraction an hour, positive: longs pay
	AnnualizedPct   float64 // simple interest, positive: the requester pays
	VsCEXDivergence float64 // ratio to the mean rate on centralised exchanges; 0 when both rates are negligible
	LongsPay        bool
	AgentPays       bool

	Known    bool // the venue gave a rate
	CEXKnown bool
	CEXRate  float64 // fraction an hour
	// Expected24h is F(24): the expected sum of 24 hourly rates, fraction, positive: longs pay.
	Expected24h float64
	// Cost24hUSD is what the position pays within 24 hours, USD; negative: it receives.
	Cost24hUSD float64
}

const (
	// fundingPersistence is the share of a rate's deviation from its mean that is left after an hour.
	fundingPersistence = 0.95
	// restingFunding is the venue's base rate, a fraction an hour.
	restingFunding = 0.0000125
	// negligibleFunding: ratios to a rate below this are meaningless.
	negligibleFunding = 1e-6
	maxDivergence     = 99
	// materialFunding is the rate beyond which opposite signs count as divergence.
	materialFunding = 1e-5
	// The anomaly score compares the present rate with the median of the paid rates.
	minFundingRows     = 72
	madToSigma         = 1.4826
	minFundingDeviance = 2e-6
)

// funding returns the block for the side of the position after the fill or, when no position is
// left, for the side that the trade closes.
func (mk *marketView) funding(t *tradePlan) Funding {
	ctx := mk.in.Market.Context
	out := Funding{LongsPay: true}
	if !ctx.HasFunding {
		return out
	}
	f := ctx.FundingRateHourly
	out.Known, out.RateHourly, out.LongsPay = true, f, f >= 0
	out.AnnualizedPct = t.fundingSide * f * hoursPerYear * pctPerUnit
	out.AgentPays = t.fundingSide*f > 0
	out.Expected24h = mk.in.expectedFunding(mc.Excursion24h)
	out.Cost24hUSD = t.side * out.Expected24h * t.valueAfter
	if cex := mk.in.Market.CEX; cex != nil && cex.Venues > 0 {
		out.CEXKnown, out.CEXRate = true, cex.RateHourly
		out.VsCEXDivergence = divergence(f, cex.RateHourly)
	}
	return out
}

// expectedFunding is the expected sum of the hourly rates within horizon h (mc.Excursion24h or
// Excursion168h), a fraction, positive: longs pay. The present rate reverts to the mean of the last
// week's paid rates, or to the venue's base rate while none is known. Without a present rate it is 0.
func (a *AssetInput) expectedFunding(h int) float64 {
	ctx := a.Market.Context
	if ctx == nil || !ctx.HasFunding {
		return 0
	}
	mean := restingFunding
	if paid := a.Market.Funding; paid != nil && paid.Rows > 0 {
		mean = paid.MeanHourly168
	}
	weight := &fundingWeights[h]
	return ctx.FundingRateHourly*weight.now + mean*weight.mean
}

// fundingWeights are the weights of the present rate and of the mean by horizon, in hours.
var fundingWeights = func() (w [mc.ExcursionHorizons]struct{ now, mean float64 }) {
	const phi = fundingPersistence
	for h, index := range excursionHours {
		hours := float64(mc.Horizons[index])
		w[h].now = phi * (1 - math.Pow(phi, hours)) / (1 - phi)
		w[h].mean = hours - w[h].now
	}
	return w
}()

// divergence is the ratio of the venue's rate f to the centralised exchanges' rate c, bounded.
func divergence(f, c float64) float64 {
	if math.Abs(f) < negligibleFunding && math.Abs(c) < negligibleFunding {
		return 0
	}
	base := math.Copysign(max(math.Abs(c), negligibleFunding), c)
	if c == 0 {
		base = negligibleFunding
	}
	return min(max(f/base, -maxDivergence), maxDivergence)
}

// fundingScore is the robust z-score of the present rate among the paid rates; ok is false
// when their history is too short.
func (mk *marketView) fundingScore() (z float64, ok bool) {
	h, ctx := mk.in.Market.Funding, mk.in.Market.Context
	if h == nil || h.Rows < minFundingRows || !ctx.HasFunding {
		return 0, false
	}
	scale := max(madToSigma*h.MADHourly720, minFundingDeviance)
	return (ctx.FundingRateHourly - h.MedianHourly720) / scale, true
}
