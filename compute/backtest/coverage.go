package backtest

import (
	"math"
	"math/bits"
	"slices"

	"ballast/compute/vol"
	"ballast/marketcache"
)

// CoverageRow counts the breaches of one side and level.
type CoverageRow struct {
	N, Hits         int
	Rate            float64 // Hits/N, a fraction; 0 without a forecast
	KupiecP         float64
	ChristoffersenP float64
}

// Judge sets rate and p-value from the counts of several records together, at a level (marketcache.P95 or
// P99). The days of assets are not independent, and their order is not known.
func (r *CoverageRow) Judge(level int) {
	t := tally{n: r.N, hits: r.Hits}
	r.Rate, r.KupiecP = t.rate(), 1
	if r.N > 0 {
		r.KupiecP = chiSquare1(t.kupiec(vol.TailShare(level)))
	}
}

// Coverage counts breaches of the VaR forecasts whose outcomes a published fit still holds.
type Coverage struct {
	// FromHour and ToHour are the open times, in hours since 1970 UTC, of the bars that
	// had just closed at the first and the last forecast; 0 without forecasts.
	FromHour, ToHour int64
	Rows             [marketcache.SideCount][marketcache.LevelCount]CoverageRow
	// HitHours holds the hours of the breached forecasts, ascending; an hour is an open time like FromHour.
	HitHours [marketcache.SideCount][marketcache.LevelCount][]int64
}

// Status returns the verdict on the forecasts.
func (c *Coverage) Status() Status {
	p := 1.0
	for side := range c.Rows {
		for _, r := range c.Rows[side] {
			p = min(p, r.KupiecP, r.ChristoffersenP)
		}
	}
	return statusAt(c.Rows[marketcache.Long][marketcache.P99].N, p)
}

// CoverageOf replays the 24-hour VaR of an asset day by day from its standardised outcomes z
// (AssetModel.Z24). firstHour is the open time of its first bar (AssetModel.FirstHour). The outcomes are
// enough: a VaR forecast is a quantile of the outcomes known at the time, and a breach is an outcome
// beyond it. On the same days the breaches equal those of Run. When the fit has already dropped its
// oldest outcomes, the first forecast is the first one whose whole window of outcomes is still kept.
//
// It costs some milliseconds for two years of hours.
func CoverageOf(z marketcache.HourlySeries, firstHour int64) Coverage {
	window := vol.TailWindow(marketcache.H24)
	first := 0 // index of the first outcome whose forecast can be replayed
	if z.FirstHour-firstHour > vol.FirstOutcome {
		first = window - 1 + horizon
	}
	var c Coverage
	var hits [marketcache.SideCount][marketcache.LevelCount]tally
	known := newOrdered(z.Values)
	for i, outcome := range z.Values {
		// At hour i the outcome of hour i-24 has just become known. An hour in which the market was
		// silent has none.
		if in := i - horizon; in >= 0 && !math.IsNaN(z.Values[in]) {
			known.add(in)
		}
		if out := i - horizon - window; out >= 0 && !math.IsNaN(z.Values[out]) {
			known.remove(out)
		}
		hour := z.FirstHour + int64(i)
		if i < first || hour%24 != ForecastHour || math.IsNaN(outcome) {
			continue
		}
		if c.FromHour == 0 {
			c.FromHour = hour
		}
		c.ToHour = hour
		for side := range hits {
			for level := range hits[side] {
				own := known.quantile(side, vol.TailShare(level))
				q := vol.MixedQuantile(marketcache.H24, known.n, own, side, level)
				hit := sign[side]*outcome < q
				hits[side][level].add(hit)
				if hit {
					c.HitHours[side][level] = append(c.HitHours[side][level], hour)
				}
			}
		}
	}
	for side := range hits {
		for level := range hits[side] {
			t := &hits[side][level]
			c.Rows[side][level] = CoverageRow{
				N: t.n, Hits: t.hits, Rate: t.rate(),
				KupiecP:         chiSquare1(t.kupiec(vol.TailShare(level))),
				ChristoffersenP: chiSquare1(t.christoffersen()),
			}
		}
	}
	return c
}

// ordered is a changing subset of fixed values with fast order statistics: a Fenwick tree
// of counts over the ranks of the values. Equal values share a rank.
type ordered struct {
	n      int
	values []float64 // all values that the subset may contain, ascending
	place  []int32   // rank from 1 of each value, indexed in the order in which the values were given
	tree   []int32
}

func newOrdered(all []float64) *ordered {
	o := &ordered{values: slices.Clone(all), place: make([]int32, len(all)), tree: make([]int32, len(all)+1)}
	slices.Sort(o.values)
	for i, v := range all {
		at, _ := slices.BinarySearch(o.values, v)
		o.place[i] = int32(at) + 1
	}
	return o
}

func (o *ordered) add(i int)    { o.change(i, 1) }
func (o *ordered) remove(i int) { o.change(i, -1) }

func (o *ordered) change(i int, by int32) {
	o.n += int(by)
	for at := int(o.place[i]); at < len(o.tree); at += at & -at {
		o.tree[at] += by
	}
}

// statistic returns the k-th smallest value, k from 0 and below n.
func (o *ordered) statistic(k int) float64 {
	at, left := 0, int32(k)
	for step := 1 << (bits.Len(uint(len(o.tree)-1)) - 1); step > 0; step >>= 1 {
		if next := at + step; next < len(o.tree) && o.tree[next] <= left {
			at, left = next, left-o.tree[next]
		}
	}
	return o.values[at]
}

// quantile returns the type-7 quantile at p of s*z, with s = 1 for a long and -1 for a short; 0 without
// values. It equals stats.Quantile bit for bit: the same two order statistics in the same formula.
func (o *ordered) quantile(side int, p float64) float64 {
	if o.n == 0 {
		return 0
	}
	at := 1 + float64(float64(o.n-1)*p)
	whole := math.Floor(at)
	k, weight := int(whole)-1, at-whole
	a := o.signed(side, k)
	if weight == 0 || k+1 >= o.n {
		return a
	}
	return a + float64(weight*(o.signed(side, k+1)-a))
}

// signed returns the k-th smallest of s*z, with s as in quantile.
func (o *ordered) signed(side, k int) float64 {
	if side == marketcache.Short {
		return -o.statistic(o.n - 1 - k)
	}
	return o.statistic(k)
}
