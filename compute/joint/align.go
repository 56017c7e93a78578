package joint

import (
	"cmp"
	"math"
	"slices"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// Align returns the outcomes, price moves and paths of own, the fit of an asset, at the hours of the
// newest 8,761 outcomes of rows, the fit of BTC. Without rows (nil, or without an outcome) the result
// has none, and only the standard deviations are set. own may be rows. The returned outcomes share own's
// memory if own covers all hours.
func Align(rows, own *marketcache.AssetModel) *marketcache.Joint {
	var hours []int64
	if rows != nil {
		hours = recorded(&rows.Z24)
	}
	n := len(hours)
	if n == 0 {
		j := &marketcache.Joint{}
		setPaths(j, nil, own, own)
		return j
	}
	j := &marketcache.Joint{Z: alignedOutcomes(hours, &rows.Z24, &own.Z24)}
	loss, scratch := make([]float64, n), make([]float64, n)
	for side, s := range [marketcache.SideCount]float64{marketcache.Long: 1, marketcache.Short: -1} {
		for i, z := range j.Z {
			loss[i] = -s * z
		}
		j.Best[side] = smallest(loss, scratch, min(bestRows, n))
	}
	setPriceMoves(j, own)
	setPaths(j, hours, rows, own)
	return j
}

// AlignPaths is Align for the recorded paths alone.
func AlignPaths(rows, own *marketcache.AssetModel) *marketcache.Joint {
	j := &marketcache.Joint{}
	setPaths(j, recorded(&rows.Z24), rows, own)
	return j
}

// recorded returns the hours of the newest values of a series, at most Rows, oldest first.
func recorded(s *marketcache.HourlySeries) (hours []int64) {
	for i := len(s.Values) - 1; i >= 0 && len(hours) < Rows; i-- {
		if !math.IsNaN(s.Values[i]) {
			hours = append(hours, s.FirstHour+int64(i))
		}
	}
	slices.Reverse(hours)
	return hours
}

// smallest returns the indexes of the m smallest elements of x, ascending by value; m is at
// least 1. scratch is as long as x and is overwritten.
func smallest(x, scratch []float64, m int) []int32 {
	last := stats.Select(scratch[:copy(scratch, x)], m-1)
	order := make([]int32, 0, m+8)
	for i, v := range x {
		if v <= last {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(x[a], x[b]) })
	return order[:m]
}

// alignedOutcomes returns own's values at the given hours, all of which rows has: a slice of own.Values
// when own has every hour from the first to the last, otherwise a copy with fillers for missing hours.
func alignedOutcomes(hours []int64, rows, own *marketcache.HourlySeries) []float64 {
	n := int64(len(hours))
	shift := hours[0] - own.FirstHour // row i is own value i+shift
	if hours[n-1]-hours[0] == n-1 && shift >= 0 && shift+n <= int64(len(own.Values)) {
		if z := own.Values[shift : shift+n : shift+n]; !slices.ContainsFunc(z, math.IsNaN) {
			return z
		}
	}
	residuals := present(own.Values)
	z := make([]float64, n)
	for i, hour := range hours {
		v, ok := own.At(hour)
		if !ok {
			btc, _ := rows.At(hour)
			v = filler(btc, draw(residuals, hour))
		}
		z[i] = v
	}
	return z
}

// present returns the values that are not NaN: x itself when all are.
func present(x []float64) []float64 {
	if !slices.ContainsFunc(x, math.IsNaN) {
		return x
	}
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

// filler replaces a missing outcome of an asset: a part of BTC's outcome plus a residual.
func filler(btc, residual float64) float64 {
	return float64(fillerBeta*btc) + float64(fillerResidual*residual)
}

// draw returns the residual of an hour: one of the asset's own outcomes, or a quantile of Student's t with
// 4 degrees of freedom, of unit variance, when the asset has none. The hour alone selects it, so that the
// same history gives the same answer.
func draw(own []float64, hour int64) float64 {
	if n := int64(len(own)); n > 0 {
		return own[hour*fillerStride%n]
	}
	u := (float64(hour*fillerStride%fillerTable) + 0.5) / fillerTable
	return studentT4Quantile(u) / math.Sqrt2
}

// studentT4Quantile is the quantile function of Student's t with 4 degrees of freedom,
// which has a closed form (Shaw 2006).
func studentT4Quantile(p float64) float64 {
	alpha := 4 * p * (1 - p)
	root := math.Sqrt(alpha)
	q := math.Cos(math.Acos(root)/3) / root
	return math.Copysign(2*math.Sqrt(max(q-1, 0)), p-0.5)
}
