package hmm

import (
	"math"

	"ballast/compute/stats"
)

// Filter is the regime filter of one asset. The zero value is ready for the first return. It
// belongs to one goroutine. The same hours give the same bits, pushed one by one or all at once.
//
// While fewer than 720 returns are known, every new return changes the memories (the exponentially
// weighted variance averages of package vol) of all earlier hours. The filter cannot revise past hours,
// so the caller pushes hours only when the memories are final; until then ThresholdRegime gives the state.
type Filter struct {
	returns int
	x1      float64

	absReturn, volumeUSD [dayHours]float64 // ring buffers by hour number mod 24
	illiquidity          rollingMedian

	started bool
	alpha   [States]float64
}

// Push processes one hour: the log return r, the volume of its bar in USD (volume times close), and
// the memories of 6 h and 25 d after the bar. These are variances per hour, not mixed with the prior of
// package vol. A flat bar for a missing hour is pushed like any other.
func (f *Filter) Push(r, volumeUSD, variance6h, variance25d float64) {
	slot := f.returns % dayHours
	f.absReturn[slot], f.volumeUSD[slot] = math.Abs(r), volumeUSD
	f.returns++
	f.x1 = VolatilityRatio(variance6h, variance25d)
	x2, ok := f.illiquidityRatio()
	if ok || f.started {
		f.step(x2, ok)
	}
}

// VolatilityRatio returns x1, the log of the 6 h volatility divided by the 25 d volatility, from
// the variances per hour of these memories.
func VolatilityRatio(variance6h, variance25d float64) float64 {
	return 0.5 * math.Log(max(variance6h, minVariance)/max(variance25d, minVariance))
}

// illiquidityRatio adds the illiquidity of the last 24 hours to the median and returns x2; ok is
// false with too few values, or if the price did not move.
func (f *Filter) illiquidityRatio() (x2 float64, ok bool) {
	if f.returns < dayHours {
		return 0, false
	}
	// Sum in the order of the hours, beginning with the oldest.
	var moved, traded [dayHours]float64
	oldest := f.returns % dayHours
	n := copy(moved[:], f.absReturn[oldest:])
	copy(moved[n:], f.absReturn[:oldest])
	copy(traded[:], f.volumeUSD[oldest:])
	copy(traded[n:], f.volumeUSD[:oldest])
	i := stats.Sum(moved[:]) / max(stats.Sum(traded[:]), minVolume)
	f.illiquidity.add(i)
	median := f.illiquidity.median()
	if f.illiquidity.n < minMedianHours || i == 0 || median == 0 {
		return 0, false
	}
	return math.Log(i / median), true
}

// step advances the state probabilities by one hour.
func (f *Filter) step(x2 float64, hasX2 bool) {
	expected := Prior
	if f.started {
		expected = predict(f.alpha, &Transition)
	}
	f.started = true
	var density [States]float64
	for j := range States {
		density[j] = normalDensity(f.x1, Mean[j][0], SD[j][0])
		if hasX2 {
			density[j] *= normalDensity(x2, Mean[j][1], SD[j][1])
		}
	}
	f.alpha = update(expected, density)
}

// predict returns the distribution one hour after alpha.
func predict(alpha [States]float64, transition *[States][States]float64) (next [States]float64) {
	for j := range States {
		next[j] = float64(alpha[0]*transition[0][j]) + float64(alpha[1]*transition[1][j]) +
			float64(alpha[2]*transition[2][j])
	}
	return next
}

// update returns the distribution after an observation with the given densities. Densities have a
// lower limit, so that features far from every state leave the expectation unchanged.
func update(expected, density [States]float64) [States]float64 {
	for j := range States {
		expected[j] *= max(density[j], minDensity)
	}
	total := expected[0] + expected[1] + expected[2]
	for j := range States {
		expected[j] /= total
	}
	return expected
}

func normalDensity(x, mean, sd float64) float64 {
	u := (x - mean) / sd
	return math.Exp(-float64(u*u)/2) / (sd * math.Sqrt(2*math.Pi))
}

// Regime is the state of an asset with its probabilities.
type Regime struct {
	State       int // Normal, Stressed or Crisis
	Probability [States]float64
	Confidence  float64 // in [0, 1]
	Filtered    bool    // false: the state comes from the thresholds
}

// Regime returns the state of the asset: from the filter if at least 744 bars have closed and some
// hour had both features, otherwise from the thresholds on x1.
func (f *Filter) Regime() Regime {
	bars := f.returns + 1
	if bars < filterBars || !f.started {
		return ThresholdRegime(f.x1)
	}
	state := f.likeliest()
	return Regime{State: state, Probability: f.alpha, Confidence: f.alpha[state], Filtered: true}
}

func (f *Filter) likeliest() int {
	state := Normal
	for j := range States {
		if f.alpha[j] > f.alpha[state] {
			state = j
		}
	}
	return state
}

// ThresholdRegime returns the state of an asset too young for the filter, from x1 alone:
// probability 0.5 for that state and 0.5 for normal.
func ThresholdRegime(x1 float64) Regime {
	r := Regime{Confidence: thresholdConfidence}
	if x1 >= StressedFrom {
		r.State = Stressed
	}
	if x1 >= CrisisFrom {
		r.State = Crisis
	}
	r.Probability[r.State] += thresholdConfidence
	r.Probability[Normal] += 1 - thresholdConfidence
	return r
}
