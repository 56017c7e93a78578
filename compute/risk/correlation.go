package risk

import (
	"slices"
	"sync/atomic"
	"weak"

	"ballast/compute/stats"
	"ballast/marketcache"
)

const (
	correlationRows    = 2160 // hours looked back
	minCorrelationRows = 240
	// defaultCorrelation stands for a pair without enough common history.
	defaultCorrelation = 0.6
)

// correlationMemo remembers the correlation matrices of sets of fits. A matrix depends
// on nothing but the fits, so it is computed once an hour and set of assets; the memo is
// a direct-mapped table of immutable entries and takes no lock.
type correlationMemo [1024]atomic.Pointer[correlationEntry]

// correlationEntry refers to its fits weakly: a fit holds years of outcomes, and a memo
// must not keep those of hours gone by.
type correlationEntry struct {
	fits   []weak.Pointer[marketcache.AssetModel]
	matrix []float64
}

func newCorrelationEntry(fits []*marketcache.AssetModel) *correlationEntry {
	c := &correlationEntry{
		fits:   make([]weak.Pointer[marketcache.AssetModel], len(fits)),
		matrix: correlationMatrix(fits),
	}
	for i, f := range fits {
		c.fits[i] = weak.Make(f)
	}
	return c
}

// isOf reports whether the matrix is that of these very fits.
func (c *correlationEntry) isOf(fits []*marketcache.AssetModel) bool {
	return slices.EqualFunc(c.fits, fits, func(w weak.Pointer[marketcache.AssetModel], f *marketcache.AssetModel) bool {
		return w.Value() == f
	})
}

// correlations returns the correlation matrix [k*k], row-major, of the legs' hourly
// standardised returns. The caller must not write to it.
func (e *Engine) correlations(s *Scratch, legs []leg) []float64 {
	fits := s.fits[:0]
	for i := range legs {
		fits = append(fits, legs[i].in.Model)
	}
	s.fits = fits
	hash := hashAssets(fits)
	hash ^= hash >> 32
	slot := &e.memo[hash%uint64(len(e.memo))]
	if hit := slot.Load(); hit != nil && hit.isOf(fits) {
		return hit.matrix
	}
	entry := newCorrelationEntry(fits)
	slot.Store(entry)
	return entry.matrix
}

// Correlations returns the correlation matrix [k*k], row-major, of the assets' hourly
// standardised returns, as the attribution and the flags use it.
func Correlations(fits []*marketcache.AssetModel) []float64 { return correlationMatrix(fits) }

// correlationMatrix estimates the matrix on the hours of the last 2,160 that all assets
// with enough of them share: Ledoit-Wolf shrinkage of the standardised returns towards
// the identity. An asset without enough history has the default correlation with
// everyone. A matrix that is not positive definite is repaired.
//
// Source: Ledoit and Wolf, J. Multivariate Analysis 2004; Higham 2002.
func correlationMatrix(fits []*marketcache.AssetModel) []float64 {
	k := len(fits)
	c := make([]float64, k*k)
	for i := range c {
		c[i] = defaultCorrelation
	}
	for i := range k {
		c[i*k+i] = 1
	}
	if members, series := commonReturns(fits); len(members) > 0 {
		m := len(members)
		own := make([]float64, m*m)
		stats.LedoitWolf(own, series)
		stats.UnitDiagonal(own, m)
		for i, a := range members {
			for j, b := range members {
				c[a*k+b] = own[i*m+j]
			}
		}
	}
	stats.RepairCorrelation(c, k, make([]float64, k*k))
	return c
}

// commonReturns returns the indexes of the fits with enough history and their returns on
// the hours they share, standardised; nothing when they share too few.
func commonReturns(fits []*marketcache.AssetModel) (members []int, series [][]float64) {
	latest := int64(0)
	for _, f := range fits {
		if n := len(f.U1.Values); n > 0 {
			latest = max(latest, f.U1.FirstHour+int64(n)-1)
		}
	}
	first, last := latest-correlationRows+1, latest // hours shared so far
	for i, f := range fits {
		from := max(f.U1.FirstHour, latest-correlationRows+1)
		to := f.U1.FirstHour + int64(len(f.U1.Values)) - 1
		if len(f.U1.Values) == 0 || to-from+1 < minCorrelationRows {
			continue
		}
		members = append(members, i)
		first, last = max(first, from), min(last, to)
	}
	n := last - first + 1
	if len(members) == 0 || n < minCorrelationRows {
		return nil, nil
	}
	for _, i := range members {
		u := &fits[i].U1
		at := first - u.FirstHour
		x := make([]float64, n)
		stats.Standardise(x, u.Values[at:at+n])
		series = append(series, x)
	}
	return members, series
}
