package joint

import (
	"slices"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// LastReturn returns the newest hour for which a fit has an hourly return; 0 without any. A fit
// may be nil.
func LastReturn(fits []*marketcache.AssetModel) (hour int64) {
	for _, f := range fits {
		if f != nil && len(f.U1.Values) > 0 {
			hour = max(hour, lastHour(&f.U1))
		}
	}
	return hour
}

// lastHour returns the newest hour of a series that is not empty.
func lastHour(s *marketcache.HourlySeries) int64 { return s.FirstHour + int64(len(s.Values)) - 1 }

// Counts reports whether a fit's returns belong in a table of sums that ends at hour last: the returns
// end at that hour, and there are at least 240. The fit may be nil; a fit without an id belongs in no table.
func Counts(f *marketcache.AssetModel, last int64) bool {
	return f != nil && f.Asset >= 0 && len(f.U1.Values) >= minCorrelationRows && lastHour(&f.U1) == last
}

// Sums returns the sums from which the correlation matrix of any set of the fits is made, on
// windows that end at the newest hour of all. Fits may be nil. A fit whose returns end
// earlier, or with fewer than 240 returns, is in no window.
//
// There is one window for each hour at which some returns begin, at most 32. With more, the
// windows of the newest listings are left out, and a matrix with such an asset is computed
// from the returns (Matrix).
func Sums(fits []*marketcache.AssetModel) *marketcache.Correlations {
	t := &marketcache.Correlations{LastHour: LastReturn(fits)}
	oldest := t.LastHour - correlationRows + 1
	var begins []int64
	for _, f := range fits {
		if Counts(f, t.LastHour) {
			begins = append(begins, max(f.U1.FirstHour, oldest))
		}
	}
	slices.Sort(begins)
	begins = slices.Compact(begins)
	var w summation
	for _, first := range begins[:min(len(begins), maxWindows)] {
		t.Windows = append(t.Windows, w.window(fits, first, t.LastHour))
	}
	return t
}

// summation is the working memory of a window.
type summation struct {
	values     []float64
	x, squared [][]float64 // per row: standardised returns, and their squares
}

// window sums over the hours from first to last.
func (s *summation) window(fits []*marketcache.AssetModel, first, last int64) marketcache.CorrelationWindow {
	w := marketcache.CorrelationWindow{FirstHour: first, Hours: last - first + 1}
	n := int(w.Hours)
	s.values, s.x, s.squared = grown(s.values, 2*n*len(fits)), s.x[:0], s.squared[:0]
	for _, f := range fits {
		if !Counts(f, last) || f.U1.FirstHour > first {
			continue
		}
		for len(w.Row) <= int(f.Asset) {
			w.Row = append(w.Row, -1)
		}
		m := len(s.x)
		w.Row[f.Asset] = int32(m)
		both := s.values[2*n*m : 2*n*(m+1)]
		x, squared := both[:n], both[n:]
		standardise(x, &f.U1, first)
		for i, v := range x {
			squared[i] = v * v
		}
		s.x, s.squared = append(s.x, x), append(s.squared, squared)
	}
	m := len(s.x)
	w.Sums = make([]marketcache.CorrelationSums, 0, m*(m+1)/2)
	for i := range m {
		for j := range i + 1 {
			w.Sums = append(w.Sums, marketcache.CorrelationSums{
				Product: stats.Dot(s.x[i], s.x[j]) / float64(n), Squares: stats.Dot(s.squared[i], s.squared[j]),
			})
		}
	}
	return w
}

// row returns the row of an asset in a window, -1 if it is not there.
func row(w *marketcache.CorrelationWindow, id marketcache.AssetID) int32 {
	if id < 0 || int(id) >= len(w.Row) {
		return -1
	}
	return w.Row[id]
}

// beyondWindows reports whether a fit begins after the last window of a full table and has
// enough returns up to the table's end.
func beyondWindows(t *marketcache.Correlations, fits []*marketcache.AssetModel) bool {
	if len(t.Windows) < maxWindows {
		return false
	}
	last := &t.Windows[len(t.Windows)-1]
	for _, f := range fits {
		u := &f.U1
		if row(last, f.Asset) < 0 && u.FirstHour > last.FirstHour && t.LastHour-u.FirstHour+1 >= minCorrelationRows &&
			lastHour(u) >= t.LastHour {
			return true
		}
	}
	return false
}

// fromSums sets s.members and the matrix s.own from a table, for the table's assets among the fits, on
// the longest window that has them all. It returns a lower bound of the eigenvalues, 0 without members.
func (s *Scratch) fromSums(t *marketcache.Correlations, fits []*marketcache.AssetModel) float64 {
	if len(t.Windows) == 0 {
		return 0
	}
	// A shorter window has all assets of a longer window.
	widest, at := &t.Windows[len(t.Windows)-1], 0
	for i, f := range fits {
		if row(widest, f.Asset) < 0 {
			continue
		}
		s.members = append(s.members, int32(i))
		for row(&t.Windows[at], f.Asset) < 0 {
			at++
		}
	}
	m := len(s.members)
	if m == 0 {
		return 0
	}
	w := &t.Windows[at]
	s.rows = s.rows[:0]
	for _, member := range s.members {
		s.rows = append(s.rows, row(w, fits[member].Asset))
	}
	s.own = grown(s.own, m*m)
	fourth := 0.0
	for i, a := range s.rows {
		for j, b := range s.rows[:i+1] {
			cell := &w.Sums[max(a, b)*(max(a, b)+1)/2+min(a, b)]
			c, both := cell.Product, cell.Squares
			s.own[i*m+j], s.own[j*m+i] = c, c
			if i != j {
				both *= 2
			}
			fourth += both
		}
	}
	shrinkage := stats.Shrink(s.own, m, float64(w.Hours), fourth)
	return s.rescale(shrinkage)
}
