package sim

import "math"

// depthCurve is the long-run shape of an asset's book: the USD within each distance of mid.
type depthCurve struct {
	// usd10 is the USD within 10 bps of mid on one side; within u bps it is usd10*(u/10)^power.
	usd10, power float64
	spreadBps    float64 // at full precision, before rounding to ticks
	gapBps       float64 // between levels
}

// newDepthCurve fits the curve to the asset's daily volume. It is calibrated to the recorded BTC book
// (6.5 million USD within 3 bps, 154 million within 300) and to the impact prices of small coins (10 bps
// apart at a million USD of daily volume).
func newDepthCurve(a *asset) depthCurve {
	volume := max(a.volumeMUSD, 0.1) // million USD per day
	c := depthCurve{
		usd10:     14e6 * math.Pow(volume/3000, 0.9),
		power:     0.69,
		spreadBps: 10 * math.Pow(volume, -0.46),
	}
	if volume < 100 {
		c.power = 0.85 // illiquid books are thinnest near mid
	}
	c.gapBps = 0.4 * c.spreadBps
	return c
}

const (
	// bookEnd is the distance of the book's last level from mid, as a fraction of mid.
	bookEnd = 0.40
	// levelMax is the number of levels a side in an answer.
	levelMax = 20
)

// ladder is the complete book of one asset at one instant, from which answers of every precision are
// aggregated. Levels are a fixed number of price steps apart, so that they persist while mid moves past them.
// Sizes follow from one cumulative curve at a jittered level number,
//
//	cumulative(i) = floor(scale * (i + 1 + jitter(level))^power), |jitter| < 1/2
//
// which is strictly increasing before rounding and can be evaluated at any level directly.
type ladder struct {
	size   key // random jitter of the size
	digits int
	width  int64      // between two levels, units
	levels int64      // levels a side
	top    [2]int64   // by side: the price of the best level, in widths
	scale  [2]float64 // by side, size units
	power  float64    // of the depth curve
	taken  [2]int64   // by side: size units that orders have taken since the ladder was made
}

// bid and ask are the sides.
const (
	bidSide = iota
	askSide
)

// worse returns the direction of worse prices: -1 for bids, 1 for asks.
func worse(side int) int64 { return int64(2*side - 1) }

// newLadder returns the book around mid. spread and depth are factors on the asset's
// long-run curve; imbalance in (-1, 1) moves depth from asks to bids.
func (a *asset) newLadder(mid, spread, depth, imbalance float64) ladder {
	units := int64(math.Round(mid * float64(pow10[a.digits])))
	l := ladder{size: a.size, digits: a.digits, power: a.depth.power}
	step := stepOf(max(units, 1), a.digits)
	stepBps := float64(step) / max(float64(units), 1) * 1e4
	l.width = max(1, int64(math.Round(a.depth.gapBps/stepBps))) * step
	gapBps := float64(l.width/step) * stepBps

	// The best level of a side is its first level beyond half, which adds half a gap on average to the spread.
	half := max(0, a.depth.spreadBps*spread-gapBps) / 2 * 1e-4 * mid
	bidLimit := int64(math.Floor((mid - half) * float64(pow10[a.digits])))
	askLimit := max(int64(math.Ceil((mid+half)*float64(pow10[a.digits]))), bidLimit+1)
	l.top = [2]int64{floorDiv(bidLimit, l.width), -floorDiv(-askLimit, l.width)}
	l.levels = max(1, min(int64(bookEnd*1e4/gapBps), l.top[bidSide])) // prices stay above zero

	// Level number x is x*gapBps from mid; the depth curve there is scale*x^power size units.
	usd := a.depth.usd10 * depth * math.Pow(gapBps/10, l.power)
	size := usd / mid * float64(pow10[a.szDecimals])
	l.scale = [2]float64{size * (1 + imbalance), size * (1 - imbalance)}
	return l
}

// place returns the price of level i, counted from the best, in widths.
func (l *ladder) place(side int, i int64) int64 { return l.top[side] + worse(side)*i }

// cumulative returns the size units of levels 0 to i of a side.
func (l *ladder) cumulative(side int, i int64) int64 {
	jitter := 0.49 * l.size.symmetric(l.place(side, i))
	return int64(l.scale[side] * math.Pow(float64(i)+1+jitter, l.power))
}

// reach returns the number of the last level of a side at or better than a price; -1: none.
func (l *ladder) reach(side int, price int64) int64 {
	place := floorDiv(price, l.width)
	if side == bidSide {
		place = -floorDiv(-price, l.width)
	}
	return min((place-l.top[side])*worse(side), l.levels-1)
}

// part is the part of a fill at one level.
type part struct{ price, size int64 }

// take appends the parts that fill up to size units of a side at prices not worse than limit, and returns how much
// they are.
func (l *ladder) take(dst []part, side int, size, limit int64) ([]part, int64) {
	before, filled := l.taken[side], int64(0)
	last := l.reach(side, limit)
	for i := int64(0); i <= last && filled < size; i++ {
		price := l.place(side, i) * l.width
		if price <= 0 {
			break
		}
		if c := l.cumulative(side, i); c > before {
			n := min(c-before, size-filled)
			dst = append(dst, part{price, n})
			filled, before = filled+n, c
		}
	}
	return dst, filled
}

// bucket returns the width of the price buckets of a precision at a price, both in units. A precision is a number
// of significant figures, 2 to 5; 0: full.
func bucket(figures int, units int64, digits int) int64 {
	if figures == 0 {
		return stepOf(units, digits)
	}
	return pow10[max(digitsOf(units)-figures, 0)]
}

// level is one level of an answer; sizes in size units.
type level struct {
	price, size int64
	orders      int
}

// view appends up to n levels of a side at a precision. Bid prices are rounded down to their bucket and
// ask prices up, so a level contains exactly the ladder's levels between it and the level before.
// Answers of all precisions agree in cumulative size.
func (l *ladder) view(dst []level, side, figures, n int) []level {
	i, before := int64(0), l.taken[side]
	for len(dst) < n && i < l.levels {
		at := l.place(side, i) * l.width
		if at <= 0 {
			break
		}
		width := bucket(figures, at, l.digits)
		price := at / width * width
		if side == askSide && price < at {
			price += width
		}
		last := max(i, l.reach(side, price))
		c := l.cumulative(side, last)
		if c > before && price > 0 {
			dst = append(dst, level{price, c - before, int(last - i + 1)})
			before = c
		}
		i = last + 1
	}
	return dst
}
