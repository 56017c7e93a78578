package risk

import "math"

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
	out.Expected24h = expectedFunding(f, mk.meanFunding(), hoursPerDay)
	if cex := mk.in.Market.CEX; cex != nil && cex.Venues > 0 {
		out.CEXKnown, out.CEXRate = true, cex.RateHourly
		out.VsCEXDivergence = divergence(f, cex.RateHourly)
	}
	return out
}

func (mk *marketView) meanFunding() float64 {
	if h := mk.in.Market.Funding; h != nil && h.Rows > 0 {
		return h.MeanHourly168
	}
	return restingFunding
}

// expectedFunding returns the expected sum of the next hours' rates, a fraction, when the present
// rate f reverts to the mean.
func expectedFunding(f, mean float64, hours int) float64 {
	weight := dayWeight
	if hours != hoursPerDay {
		weight = fundingWeight(hours)
	}
	return f*weight + mean*(float64(hours)-weight)
}

// fundingWeight returns the weight of the present rate in expectedFunding, in hours.
func fundingWeight(hours int) float64 {
	const phi = fundingPersistence
	return phi * (1 - math.Pow(phi, float64(hours))) / (1 - phi)
}

var dayWeight = fundingWeight(hoursPerDay)

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
