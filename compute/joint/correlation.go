package joint

import (
	"ballast/compute/stats"
	"ballast/marketcache"
)

// Scratch is the working memory of Matrix. The zero value is ready to use; not safe for concurrent use.
type Scratch struct {
	members []int32   // indexes of the fits with enough history
	rows    []int32   // their rows in the table
	own     []float64 // [m*m] matrix of the members
	work    []float64 // [k*k]
	values  []float64 // standardised returns of the members, one series after another
	series  [][]float64
}

// grown returns a slice of n elements, reusing x's memory if it is large enough.
func grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// Correlations returns the correlation matrix [k*k], row-major, of the assets' hourly
// standardised returns, computed from the returns themselves.
func Correlations(fits []*marketcache.AssetModel) []float64 {
	c := make([]float64, len(fits)*len(fits))
	Matrix(c, nil, fits, &Scratch{})
	return c
}

// Matrix writes the correlation matrix [k*k], row-major, of the assets' hourly standardised
// returns to dst. It uses the hours that all assets with at least 240 returns have in common, at most
// the last 2,160, shrinks the covariance towards the identity (Ledoit-Wolf) and rescales it to a unit
// diagonal. An asset without enough history has correlation 0.6 with every other. A matrix that
// is not positive definite is repaired.
//
// It is assembled in k*k steps from the sums in table, where assets are looked up by id. An
// asset missing from the table counts as without history, even if its fit has some by now.
// Without a table, or for an asset for which the table has no window, the matrix is computed
// from the returns, which takes 2,160 times as long. Both ways agree to 1e-12.
//
// Source: Ledoit and Wolf, J. Multivariate Analysis 2004; Higham 2002.
func Matrix(dst []float64, table *marketcache.Correlations, fits []*marketcache.AssetModel, s *Scratch) {
	k := len(fits)
	dst = dst[:k*k]
	for i := range dst {
		dst[i] = DefaultCorrelation
	}
	for i := range k {
		dst[i*k+i] = 1
	}
	s.members = s.members[:0]
	var lowest float64 // lower bound of the eigenvalues of the members' matrix
	if table == nil || beyondWindows(table, fits) {
		lowest = s.fromReturns(fits)
	} else {
		lowest = s.fromSums(table, fits)
	}
	m := len(s.members)
	if m == k && lowest > 100*stats.EigenFloor {
		copy(dst, s.own) // nothing to repair
		return
	}
	for i, a := range s.members {
		for j, b := range s.members {
			dst[int(a)*k+int(b)] = s.own[i*m+j]
		}
	}
	s.work = grown(s.work, k*k)
	stats.RepairCorrelation(dst, k, s.work)
}

// fromReturns sets s.members and the matrix s.own from the returns of the fits. It returns a lower
// bound of the eigenvalues, 0 without members.
func (s *Scratch) fromReturns(fits []*marketcache.AssetModel) float64 {
	latest := LastReturn(fits)
	first, last := latest-correlationRows+1, latest // hours shared by the members so far
	for i, f := range fits {
		from := max(f.U1.FirstHour, latest-correlationRows+1)
		to := lastHour(&f.U1)
		if len(f.U1.Values) == 0 || to-from+1 < minCorrelationRows {
			continue
		}
		s.members = append(s.members, int32(i))
		first, last = max(first, from), min(last, to)
	}
	n := int(last - first + 1)
	if len(s.members) == 0 || n < minCorrelationRows {
		s.members = s.members[:0]
		return 0
	}
	m := len(s.members)
	s.values, s.series = grown(s.values, m*n), s.series[:0]
	for i, member := range s.members {
		s.series = append(s.series, s.values[i*n:(i+1)*n])
		standardise(s.series[i], &fits[member].U1, first)
	}
	s.own = grown(s.own, m*m)
	shrinkage := stats.LedoitWolf(s.own, s.series)
	return s.rescale(shrinkage)
}

// standardise writes len(x) returns, starting at an hour, to x with mean 0 and variance 1.
func standardise(x []float64, u *marketcache.HourlySeries, first int64) {
	at := int(first - u.FirstHour)
	stats.Standardise(x, u.Values[at:at+len(x)])
}

// rescale gives s.own, a shrunk covariance of len(s.members) assets, a unit diagonal. It returns a lower
// bound of the eigenvalues: before shrinkage none was negative, shrinkage added its share of the mean
// variance to each, and the rescaling divides by at most the largest variance.
func (s *Scratch) rescale(shrinkage float64) float64 {
	m := len(s.members)
	var trace, largest float64
	for i := range m {
		v := s.own[i*m+i]
		trace, largest = trace+v, max(largest, v)
	}
	stats.UnitDiagonal(s.own, m)
	if largest == 0 {
		return 0
	}
	return shrinkage * trace / float64(m) / largest
}
