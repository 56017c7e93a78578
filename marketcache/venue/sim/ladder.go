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
// aggregated. Each group of `group` price steps holds one level, at a fixed random place, so that levels
// persist while mid moves past them. Sizes follow from one cumulative curve at a jittered level number,
//
//	cumulative(i) = floor(scale * (i + 1 + jitter(level))^power), |jitter| < 1/2
//
// which is strictly increasing before rounding and can be evaluated at any level directly.
type ladder struct {
	inGroup key // random place of the level within its group
	size    key // random jitter of the size

	digits int
	step   int64      // price step near mid, units
	group  int64      // width of a group, steps
	levels int64      // levels a side
	top    [2]int64   // by side: group of the best level; worse bids have lower groups
	scale  [2]float64 // by side, size units
	power  float64    // of the depth curve
	slot   int64      // time in ms / 1,000, for the jitter
}

// bid and ask are the sides.
const (
	bidSide = iota
	askSide
)

// worse returns the direction of worse prices: -1 for bids, 1 for asks.
func worse(side int) int64 { return int64(2*side - 1) }

// newLadder returns the book around mid at a time (ms). spread and depth are factors on the asset's
// long-run curve; imbalance in (-1, 1) moves depth from asks to bids.
func (a *asset) newLadder(mid float64, ms int64, spread, depth, imbalance float64) ladder {
	units := int64(math.Round(mid * float64(pow10[a.digits])))
	l := ladder{
		inGroup: a.size, size: a.size ^ 0x5bd1e995,
		digits: a.digits, power: a.depth.power, slot: ms / 1000,
	}
	l.step = stepOf(max(units, 1), a.digits)
	stepBps := float64(l.step) / max(float64(units), 1) * 1e4
	l.group = max(1, int64(math.Round(a.depth.gapBps/stepBps)))
	gapBps := float64(l.group) * stepBps

	// The best level of a side is its first level beyond half. The random place in the group adds half a
	// gap on average, which is therefore subtracted from half the spread.
	half := max(0, a.depth.spreadBps*spread-gapBps) / 2 * 1e-4 * mid
	bidLimit := int64(math.Floor((mid - half) * float64(pow10[a.digits])))
	askLimit := max(int64(math.Ceil((mid+half)*float64(pow10[a.digits]))), bidLimit+1)
	width := l.group * l.step
	for side, limit := range [2]int64{bidLimit, askLimit} {
		l.top[side] = floorDiv(limit, width)
		if (l.at(l.top[side])-limit)*worse(side) < 0 {
			l.top[side] += worse(side)
		}
	}
	l.levels = max(1, min(int64(bookEnd*1e4/gapBps), l.top[bidSide])) // prices stay above zero

	// Level number x is x*gapBps from mid; the depth curve there is scale*x^power size units.
	usd := a.depth.usd10 * depth * math.Pow(gapBps/10, l.power)
	size := usd / mid * float64(pow10[a.szDecimals])
	l.scale = [2]float64{size * (1 + imbalance), size * (1 - imbalance)}
	return l
}

// at returns the price, in units, of the level of group g.
func (l *ladder) at(g int64) int64 {
	width := l.group * l.step
	if l.group == 1 {
		return g * width
	}
	return g*width + int64(l.inGroup.bits(g)%uint64(l.group))*l.step
}

// price returns the price of level i, counted from the best.
func (l *ladder) price(side int, i int64) int64 { return l.at(l.top[side] + worse(side)*i) }

// cumulative returns the size units of levels 0 to i of a side.
func (l *ladder) cumulative(side int, i int64) int64 {
	// A level's size changes every 4 to 20 s, at a different time for each level.
	h := l.size.bits(2*(l.top[side]+worse(side)*i) + int64(side))
	period := int64(4 + h%17)
	jitter := 0.49 * key(h).symmetric((l.slot+int64(h>>40))/period)
	return int64(l.scale[side] * math.Pow(float64(i)+1+jitter, l.power))
}

// reach returns the number of the last level of a side at or better than a price; -1: none.
func (l *ladder) reach(side int, price int64) int64 {
	g := floorDiv(price, l.group*l.step)
	i := (g - l.top[side]) * worse(side)
	if (l.at(g)-price)*worse(side) > 0 {
		i--
	}
	return min(i, l.levels-1)
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
	i, before := int64(0), int64(0)
	for len(dst) < n && i < l.levels {
		at := l.price(side, i)
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
			orders := 1 + int(l.size.bits(price)%9) + int(min(last-i, 400))*2
			dst = append(dst, level{price, c - before, orders})
			before = c
		}
		i = last + 1
	}
	return dst
}
