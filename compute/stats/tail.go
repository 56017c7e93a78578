package stats

import (
	"math"
	"slices"

	"ballast/asm"
)

// Order statistics of a tail. A threshold guessed from a small sample leaves a few
// hundred candidates of many thousand observations in one pass without branches, in
// their order; a few counts among those find the rest. How good the guesses are decides
// the time alone: what comes out are the order statistics themselves, the same bits as
// by sorting.

const (
	// tailSample observations, evenly spread, give the first threshold.
	tailSample = 256
	// tailLeast is the least sample whose tail is filtered, a quarter of it the longest
	// tail: outside, plain selection is as fast.
	tailLeast, tailLongest = 1024, 0.25
	// tailSlack is how many observations too many end the search of a threshold, and
	// tailProbes the counts after which it gives up: among many equal ones.
	tailSlack, tailProbes = 6, 16
)

// UpperTail returns the type-7 quantile of x at p and the mean of the observations from
// there on, in index order: Quantile and UpperTailMean in one, the same bits. x is not
// changed; scratch is as long and comes back overwritten. An empty x gives zeros.
func UpperTail(x []float64, p float64, scratch []float64) (quantile, mean float64) {
	n := len(x)
	if n == 0 {
		return 0, 0
	}
	scratch = scratch[:n]
	tail := upperCandidates(scratch, x, UpperCount(n, p))
	if 2*len(tail) > n {
		copy(scratch, x)
		quantile = Quantile(scratch, p)
		return quantile, UpperTailMean(x, quantile)
	}
	return UpperTailOf(tail, n, p, scratch[len(tail):])
}

// UpperQuantiles returns the type-7 quantiles of x at p1 and at p2, which is not below p1:
// what Quantile returns, the same bits. x is not changed; scratch is as long and comes back
// overwritten. An empty x gives zeros.
func UpperQuantiles(x []float64, p1, p2 float64, scratch []float64) (q1, q2 float64) {
	n := len(x)
	if n == 0 {
		return 0, 0
	}
	scratch = scratch[:n]
	lo1, g1 := position(n, p1)
	tail := upperCandidates(scratch, x, n-lo1)
	if 2*len(tail) > n {
		copy(scratch, x)
		q1 = Quantile(scratch, p1)
		return q1, Quantile(scratch, p2)
	}
	rest := scratch[len(tail):]
	q1, tail = upperOrder(tail, n-lo1, g1, rest)
	lo2, g2 := position(n, p2)
	q2, _ = upperOrder(tail, n-lo2, g2, rest)
	return q1, q2
}

// UpperTailOf is UpperTail of n observations of which those that are not below the lower of
// the two around the quantile are known, in index order, and perhaps others: the tail, which
// comes back overwritten. scratch is at least as long. n is at least 1.
func UpperTailOf(tail []float64, n int, p float64, scratch []float64) (quantile, mean float64) {
	lo, g := position(n, p)
	quantile, tail = upperOrder(tail, n-lo, g, scratch)
	return quantile, Mean(tail[:asm.Above(tail, tail, quantile)])
}

// WeightedSum writes to every element i of total the sum of weights[j]*terms[j][i] in the
// order of j.
func WeightedSum(total, weights []float64, terms [][]float64) {
	for from := 0; from < len(total); from += sumBlock {
		asm.WeightedSum(total[from:min(from+sumBlock, len(total))], weights, terms, from)
	}
}

// sumBlock observations are added up at a time, which takes 200 terms some tens of
// microseconds: a goroutine in assembly is not preempted.
const sumBlock = 2048

// UpperRank returns the rank-th largest observation of x, from 1. x is not changed;
// scratch is as long and comes back overwritten. It panics when there is none.
func UpperRank(x []float64, rank int, scratch []float64) float64 {
	n := len(x)
	scratch = scratch[:n]
	tail := upperCandidates(scratch, x, rank)
	if 2*len(tail) > n {
		return Select(scratch[:copy(scratch, x)], n-rank)
	}
	v, _ := upperOrder(tail, rank, 0, scratch[len(tail):])
	return v
}

// upperCandidates writes observations of x to scratch, in index order, the need largest
// among them, and returns what it wrote. Where nothing is gained it returns all of x.
func upperCandidates(scratch, x []float64, need int) []float64 {
	if n := len(x); filters(n, need) {
		if count := asm.Above(scratch, x, upperGuess(x, enough(n, need))); count >= need {
			return scratch[:count]
		}
	}
	return scratch[:copy(scratch, x)]
}

// filters reports whether filtering the need largest of n observations is worth it.
func filters(n, need int) bool { return n >= tailLeast && float64(need) <= tailLongest*float64(n) }

// enough is the rank in the sample that the need largest of n observations hardly ever
// fall short of.
func enough(n, need int) int {
	expected := tailSample * float64(need) / float64(n)
	return int(expected + 2.3*math.Sqrt(expected) + 2)
}

// LowerTail writes observations of x to scratch, in index order, among them the smallest
// ones: all that TailQuantile needs up to the level p. It returns what it wrote; a small
// sample comes back whole. x is not changed; scratch is as long.
func LowerTail(x []float64, p float64, scratch []float64) []float64 {
	n := len(x)
	scratch = scratch[:n]
	if n < tailLeast || p > tailLongest {
		return scratch[:copy(scratch, x)]
	}
	lo, _ := position(n, p)
	need := min(n, lo+2)
	if count := asm.Below(scratch, x, upperGuess(x, tailSample-enough(n, need))); count >= need {
		return scratch[:count]
	}
	return scratch[:copy(scratch, x)]
}

// TailQuantiles replaces levels, which fall, by what TailQuantile says of each.
func TailQuantiles(tail []float64, n int, levels []float64) {
	for i, p := range levels {
		levels[i] = TailQuantile(tail, n, p)
		if i+1 < len(levels) {
			lo, _ := position(n, p)
			if next, _ := position(n, levels[i+1]); next < lo {
				tail = tail[:lo+1] // the smallest ones stand there
			}
		}
	}
}

// MedianOf returns what Median does and leaves x as it is; scratch is as long and comes
// back overwritten. Most of the sample is on one side or the other of a narrow band around
// the median of a few observations, and only the band is searched.
func MedianOf(x, scratch []float64) float64 {
	n := len(x)
	scratch = scratch[:n]
	if n >= tailLeast {
		low, high := upperGuess(x, tailSample/2+bandRanks), upperGuess(x, tailSample/2-bandRanks)
		from := asm.Above(scratch, x, low)
		band := scratch[:asm.Below(scratch, scratch[:from], high)]
		beneath := n - from // observations below the band
		if lower := (n-1)/2 - beneath; lower >= 0 && n/2-beneath < len(band) && 2*len(band) <= n {
			at, next, _ := upperPair(band, len(band)-lower, scratch[len(band):])
			if n&1 == 1 {
				return at
			}
			return (at + next) / 2
		}
	}
	return Median(scratch[:copy(scratch, x)])
}

// bandRanks of tailSample are two and a half standard deviations of its median.
const bandRanks = 20

// upperGuess returns a threshold that about rank in tailSample observations of x reach, a
// few more rather than less.
func upperGuess(x []float64, rank int) float64 {
	var sample [tailSample]float64
	stride := len(x) / tailSample
	for i, at := 0, stride/2; i < tailSample; i, at = i+1, at+stride {
		sample[i] = x[at]
	}
	return sampleGuess(&sample, rank)
}

// sampleGuess is upperGuess once the observations are picked.
func sampleGuess(sample *[tailSample]float64, rank int) float64 {
	low, high := asm.Extremes(sample[:])
	t, _ := upperThreshold(sample[:], min(rank, tailSample), low, high, math.Inf(1))
	return t
}

// upperOrder returns the need-th largest of tail, weighed by g with the next larger one,
// and the observations from a threshold not above it on, in their order. tail comes back
// overwritten, and so does scratch, at least as long.
func upperOrder(tail []float64, need int, g float64, scratch []float64) (quantile float64, top []float64) {
	quantile, next, top := upperPair(tail, need, scratch)
	if g != 0 {
		quantile = interpolate(quantile, next, g)
	}
	return quantile, top
}

// upperPair returns the need-th largest of tail and the next larger one, which is infinite
// for the largest, and what upperOrder does.
func upperPair(tail []float64, need int, scratch []float64) (at, next float64, top []float64) {
	low, high := asm.Extremes(tail)
	t, count := upperThreshold(tail, need, low, high, math.Inf(1))
	top = tail[:asm.Above(tail, tail, t)]
	if count > need+tailSlack {
		s := scratch[:copy(scratch, top)]
		at, next = Select(s, count-need), math.Inf(1)
		if need > 1 {
			next = slices.Min(s[count-need+1:])
		}
		return at, next, top
	}
	// The few smallest, in order.
	var least [tailSlack + 2]float64
	m := count - need + 2
	for i := range m {
		least[i] = math.Inf(1)
	}
	for _, v := range top {
		if v < least[m-1] {
			j := m - 1
			for ; j > 0 && v < least[j-1]; j-- {
				least[j] = least[j-1]
			}
			least[j] = v
		}
	}
	return least[m-2], least[m-1], top
}

// upperThreshold returns a threshold, and how many elements of tail are at least that:
// at least need, and few more unless many are equal. tail has at least need elements, all
// of them between low and high. The search begins at near where that lies in between.
//
// The logarithm of the count is nearly linear in the threshold, as it is exactly in an
// exponential tail: a secant between the two nearest counts, halving where it stalls.
func upperThreshold(tail []float64, need int, low, high, near float64) (t float64, count int) {
	count = len(tail) // at least low
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
			break // many equal ones
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

// roughLog2 is the binary logarithm of a positive normal number to about 0.01: good enough
// for a guess, and a fraction of the time.
func roughLog2(x float64) float64 {
	const mantissa = 1<<52 - 1
	bits := math.Float64bits(x)
	m := math.Float64frombits(bits&mantissa|1023<<52) - 1 // from 0 up to 1
	return float64(int(bits>>52)-1023) + m*(1.3466-0.3466*m)
}
