package stats

import (
	"math"
	"slices"

	"ballast/asm"
)

// Order statistics of a tail. A threshold is estimated from a small sample. One pass without
// branches then leaves a few hundred candidates of many thousand observations, in index order, and
// further counts among these find the result. The quality of the estimates affects only the time:
// the results are exact order statistics, with the same bits that sorting gives.

const (
	// tailSample is the number of observations, evenly spaced, for the first threshold.
	tailSample = 256
	// A tail is filtered only in samples of at least minFiltered observations, and only if it is
	// at most maxTailShare of them: otherwise plain selection is as fast.
	minFiltered, maxTailShare = 1024, 0.25
	// The search for a threshold stops when at most tailSlack surplus observations reach it. It gives
	// up after tailProbes counts, for example among many equal observations.
	tailSlack, tailProbes = 6, 16
)

// UpperTail returns the type-7 quantile of x at p and the mean of the observations at or above it, in
// index order: the same bits as Quantile and Mean. x is not changed; scratch must be as long
// and is overwritten. An empty x gives zeros.
func UpperTail(x []float64, p float64, scratch []float64) (quantile, mean float64) {
	n := len(x)
	if n == 0 {
		return 0, 0
	}
	scratch = scratch[:n]
	tail := UpperCandidates(scratch, x, UpperCount(n, p))
	if 2*len(tail) > n {
		copy(scratch, x)
		quantile = Quantile(scratch, p)
		return quantile, Mean(scratch[:asm.Above(scratch, x, quantile)])
	}
	return UpperTailOf(tail, n, p, scratch[len(tail):])
}

// UpperTailOf is UpperTail of n observations of which tail has at least the UpperCount largest, in index order.
// tail and scratch, which must be at least as long, are overwritten.
func UpperTailOf(tail []float64, n int, p float64, scratch []float64) (quantile, mean float64) {
	lo, g := position(n, p)
	quantile, tail = upperOrder(tail, n-lo, g, scratch)
	return quantile, Mean(tail[:asm.Above(tail, tail, quantile)])
}

// WeightedSum sets every element i of total to the sum of weights[j]*terms[j][i] in the order of j.
func WeightedSum(total, weights []float64, terms [][]float64) {
	for from := 0; from < len(total); from += sumBlock {
		asm.WeightedSum(total[from:min(from+sumBlock, len(total))], weights, terms, from)
	}
}

// sumBlock is the number of observations per call of the assembly, which Go cannot preempt. For 200 terms
// a call takes some tens of microseconds.
const sumBlock = 2048

// UpperRank returns the rank-th largest observation of x, rank from 1. x is not changed; scratch must be as
// long and is overwritten. It panics if x has fewer observations.
func UpperRank(x []float64, rank int, scratch []float64) float64 {
	n := len(x)
	scratch = scratch[:n]
	tail := UpperCandidates(scratch, x, rank)
	if 2*len(tail) > n {
		return Select(scratch[:copy(scratch, x)], n-rank)
	}
	v, _ := upperOrder(tail, rank, 0, scratch[len(tail):])
	return v
}

// UpperSorted returns the need largest observations of x, ascending, in scratch, which must be as long. x is
// not changed and has at least as many.
func UpperSorted(x []float64, need int, scratch []float64) []float64 {
	tail := nearTop(UpperCandidates(scratch[:len(x)], x, need), need)
	slices.Sort(tail)
	return tail[len(tail)-need:]
}

// UpperCandidates returns the need largest observations of x and some others, in the order of x and stored in
// scratch: all of x where filtering gains nothing.
func UpperCandidates(scratch, x []float64, need int) []float64 {
	if n := len(x); filters(n, need) {
		if count := asm.Above(scratch, x, upperGuess(x, enough(n, need))); count >= need {
			return scratch[:count]
		}
	}
	return scratch[:copy(scratch, x)]
}

// filters reports whether filtering before selection is faster for the need largest of n observations.
func filters(n, need int) bool { return n >= minFiltered && float64(need) <= maxTailShare*float64(n) }

// enough returns a rank in the sample whose value is almost certainly below the need-th largest of n
// observations.
func enough(n, need int) int {
	expected := tailSample * float64(need) / float64(n)
	return int(expected + 2.3*math.Sqrt(expected) + 2)
}

// LowerTail writes observations of x to scratch, in index order, including all that TailQuantile needs
// for levels up to p, and returns them. For a small sample these are all. x is not changed; scratch must
// be as long.
func LowerTail(x []float64, p float64, scratch []float64) []float64 {
	n := len(x)
	scratch = scratch[:n]
	if n < minFiltered || p > maxTailShare {
		return scratch[:copy(scratch, x)]
	}
	lo, _ := position(n, p)
	need := min(n, lo+2)
	if count := asm.Below(scratch, x, upperGuess(x, tailSample-enough(n, need))); count >= need {
		return scratch[:count]
	}
	return scratch[:copy(scratch, x)]
}

// TailQuantiles replaces the levels, given in descending order, by the results of TailQuantile.
func TailQuantiles(tail []float64, n int, levels []float64) {
	for i, p := range levels {
		levels[i] = TailQuantile(tail, n, p)
		if i+1 < len(levels) {
			lo, _ := position(n, p)
			if next, _ := position(n, levels[i+1]); next < lo {
				tail = tail[:lo+1] // after selection the smallest are at the front
			}
		}
	}
}

// MedianOf is Median without changing x; scratch must be as long and is overwritten. Most observations
// are above or below a narrow band around the median of a small sample, and only the band is searched.
func MedianOf(x, scratch []float64) float64 {
	n := len(x)
	scratch = scratch[:n]
	if n >= minFiltered {
		low, high := upperGuess(x, tailSample/2+bandRanks), upperGuess(x, tailSample/2-bandRanks)
		from := asm.Above(scratch, x, low)
		band := scratch[:asm.Below(scratch, scratch[:from], high)]
		belowBand := n - from // observations below the band
		if lower := (n-1)/2 - belowBand; lower >= 0 && n/2-belowBand < len(band) && 2*len(band) <= n {
			at, next, _ := upperPair(band, len(band)-lower, scratch[len(band):])
			if n&1 == 1 {
				return at
			}
			return (at + next) / 2
		}
	}
	return Median(scratch[:copy(scratch, x)])
}

// bandRanks is 2.5 standard deviations of the rank, in a sample of tailSample, of the median of x.
const bandRanks = 20

// upperGuess returns a threshold that at least rank of tailSample sampled observations of x reach, and few
// more.
func upperGuess(x []float64, rank int) float64 {
	var sample [tailSample]float64
	stride := len(x) / tailSample
	for i, at := 0, stride/2; i < tailSample; i, at = i+1, at+stride {
		sample[i] = x[at]
	}
	return sampleGuess(&sample, rank)
}

// sampleGuess is upperGuess for a given sample.
func sampleGuess(sample *[tailSample]float64, rank int) float64 {
	low, high := asm.Extremes(sample[:])
	t, _ := upperThreshold(sample[:], min(rank, tailSample), low, high, math.Inf(1))
	return t
}

// upperOrder returns quantile, the need-th largest of tail interpolated with weight g towards the next
// larger one, and top, the observations at or above some threshold not above quantile, in index order.
// tail and scratch, which must be at least as long, are overwritten.
func upperOrder(tail []float64, need int, g float64, scratch []float64) (quantile float64, top []float64) {
	quantile, next, top := upperPair(tail, need, scratch)
	if g != 0 {
		quantile = interpolate(quantile, next, g)
	}
	return quantile, top
}

// upperPair returns the need-th largest of tail, the next larger one (infinite if there is none), and top
// as upperOrder does.
func upperPair(tail []float64, need int, scratch []float64) (at, next float64, top []float64) {
	top = nearTop(tail, need)
	count := len(top)
	if surplus := count - need; surplus <= tailSlack {
		at = asm.NextAbove(top, math.Inf(-1))
		for range surplus {
			at = asm.NextAbove(top, at)
		}
		next = asm.NextAbove(top, at)
		if at < next && asm.CountAbove(top, next) == need-1 { // false if equal values were counted as one
			return at, next, top
		}
	}
	s := scratch[:copy(scratch, top)]
	at, next = Select(s, count-need), math.Inf(1)
	if need > 1 {
		next = slices.Min(s[count-need+1:])
	}
	return at, next, top
}

// nearTop moves the need largest of tail, and few more unless many are equal, to its front and returns them, in
// index order.
func nearTop(tail []float64, need int) []float64 {
	if len(tail) <= need+tailSlack {
		return tail
	}
	low, high := asm.Extremes(tail)
	t, _ := upperThreshold(tail, need, low, high, math.Inf(1))
	return tail[:asm.Above(tail, tail, t)]
}

// upperThreshold returns a threshold and the number of elements of tail that reach it: at least need,
// and few more unless many are equal. tail has at least need elements, all between low and high. The
// search starts at near if that is between them.
//
// The logarithm of the count is nearly linear in the threshold (exactly so in an exponential tail), so
// the search uses a secant through the two nearest counts, and bisection where that stalls.
func upperThreshold(tail []float64, need int, low, high, near float64) (t float64, count int) {
	count = len(tail) // at the threshold low
	logLow, logHigh := roughLog2(float64(count)), 0.0
	aim := roughLog2(float64(need) + 0.5*tailSlack)
	for probe := 1; count > need+tailSlack && probe <= tailProbes; probe++ {
		at := low + (high-low)*(logLow-aim)/(logLow-logHigh)
		switch {
		case probe == 1 && near > low && near < high:
			at = near
		case probe&3 == 0:
			at = low + 0.5*(high-low)
		}
		if !(at > low && at < high) {
			break // many observations are equal
		}
		n := asm.CountAbove(tail, at)
		l := roughLog2(max(0.5, float64(n)))
		if n >= need {
			low, count, logLow = at, n, l
		} else {
			high, logHigh = at, l
		}
	}
	return low, count
}

// roughLog2 returns the binary logarithm of a positive normal number within about 0.01, much faster than
// math.Log2.
func roughLog2(x float64) float64 {
	const mantissa = 1<<52 - 1
	bits := math.Float64bits(x)
	m := math.Float64frombits(bits&mantissa|1023<<52) - 1 // in [0, 1)
	return float64(int(bits>>52)-1023) + m*(1.3466-0.3466*m)
}
