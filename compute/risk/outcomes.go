package risk

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
	"weak"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// outcomes are an asset's standardised 24 h outcomes at the hours of the joint rows, and
// its loss tail on them by side of the position: 99 % quantile and the mean from there
// on, in standard deviations, losses positive. It is a pure function of two fits.
type outcomes struct {
	fit, rows           weak.Pointer[marketcache.AssetModel]
	z                   []float64 // [rows]; nobody writes to it
	quantile, shortfall [2]float64
	best                [2][]int32 // rows of the largest gains by side, the largest first
}

// bestRows is how many rows of the largest gains are remembered: what a book loses without
// a position is found among them and the book's own largest losses.
const bestRows = 512

// outcomesMemo remembers the newest outcomes of each asset, lock-free. Whoever misses
// computes and stores the same.
type outcomesMemo [maxMemoAssets]atomic.Pointer[outcomes]

// maxMemoAssets bounds the memo; slot 0 is that of assets of which nothing is known.
const maxMemoAssets = 4096

// outcomes returns the outcomes of a fit at the hours of rows, the newest 8,761 of them.
// rows has at least one.
func (e *Engine) outcomes(rows, fit *marketcache.AssetModel) *outcomes {
	slot := int(fit.Asset) + 1
	if slot < 0 || slot >= maxMemoAssets {
		return newOutcomes(rows, fit)
	}
	o := e.aligned[slot].Load()
	if o == nil || !o.isOf(rows, fit) {
		o = newOutcomes(rows, fit)
		e.aligned[slot].Store(o)
	}
	return o
}

// isOf reports whether o is of two fits.
func (o *outcomes) isOf(rows, fit *marketcache.AssetModel) bool {
	if o.fit.Value() != fit {
		return false
	}
	if rows == fit {
		return o.rows == o.fit // looking a weak pointer up costs more
	}
	return o.rows.Value() == rows
}

func newOutcomes(rows, fit *marketcache.AssetModel) *outcomes {
	o := &outcomes{fit: weak.Make(fit), rows: weak.Make(rows)}
	last := lastRows(rows)
	o.z = alignedOutcomes(&last, &fit.Z24)
	work := make([]float64, len(o.z))
	loss := make([]float64, len(o.z))
	for side, s := range [2]float64{marketcache.Long: 1, marketcache.Short: -1} {
		for i, z := range o.z {
			loss[i] = -s * z
		}
		copy(work, loss)
		o.quantile[side] = stats.Quantile(work, jointLevel)
		o.shortfall[side] = stats.UpperTailMean(loss, o.quantile[side])
		o.best[side] = leastFirst(loss, min(bestRows, len(loss)))
	}
	return o
}

// leastFirst returns the indices of the m smallest elements of x, ascending by value; m is
// at least 1.
func leastFirst(x []float64, m int) []int32 {
	last := stats.Select(slices.Clone(x), m-1)
	order := make([]int32, 0, m)
	for i, v := range x {
		if v <= last {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
	return order[:m]
}

// lastRows is the series of hours that the simulation replays.
func lastRows(m *marketcache.AssetModel) marketcache.HourlySeries {
	z := m.Z24
	cut := max(0, len(z.Values)-jointRows)
	return marketcache.HourlySeries{FirstHour: z.FirstHour + int64(cut), Values: z.Values[cut:]}
}

// alignedOutcomes returns own at the hours of rows. It is part of own itself where that
// covers them all.
func alignedOutcomes(rows, own *marketcache.HourlySeries) []float64 {
	n := int64(len(rows.Values))
	shift := rows.FirstHour - own.FirstHour // row i is own value i+shift
	if shift >= 0 && shift+n <= int64(len(own.Values)) {
		return own.Values[shift : shift+n : shift+n]
	}
	z := make([]float64, n)
	for i := range z {
		if v, ok := own.At(rows.FirstHour + int64(i)); ok {
			z[i] = v
		} else {
			z[i] = filler(rows, own, int64(i))
		}
	}
	return z
}

// filler stands in for the outcome that an asset does not have at row i: part of BTC's
// of that hour plus a residual drawn from the asset's own outcomes, or from a Student t
// with 4 degrees of freedom scaled to unit variance when it has none. The draw depends
// on the hour alone, so that the same history gives the same answer.
func filler(rows, own *marketcache.HourlySeries, i int64) float64 {
	hour := rows.FirstHour + i
	var g float64
	if n := int64(len(own.Values)); n > 0 {
		g = own.Values[hour*fillerStride%n]
	} else {
		u := (float64(hour*fillerStride%fillerTable) + 0.5) / fillerTable
		g = studentT4Quantile(u) / math.Sqrt2
	}
	return fillerBeta*rows.Values[i] + fillerResidual*g
}

// studentT4Quantile is the quantile function of Student's t with 4 degrees of freedom,
// which has a closed form (Shaw 2006).
func studentT4Quantile(p float64) float64 {
	alpha := 4 * p * (1 - p)
	root := math.Sqrt(alpha)
	q := math.Cos(math.Acos(root)/3) / root
	return math.Copysign(2*math.Sqrt(max(q-1, 0)), p-0.5)
}
