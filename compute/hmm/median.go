package hmm

import (
	"slices"

	"ballast/compute/stats"
)

// rollingMedian is the median of the newest medianWindow values. The values are kept sorted, so a
// new value costs two binary searches and one short copy.
type rollingMedian struct {
	n      int // number of values added in total
	ring   [medianWindow]float64
	sorted []float64
}

func (m *rollingMedian) add(v float64) {
	slot := &m.ring[m.n%medianWindow]
	if m.n >= medianWindow {
		at, _ := slices.BinarySearch(m.sorted, *slot)
		m.sorted = slices.Delete(m.sorted, at, at+1)
	}
	*slot = v
	m.n++
	at, _ := slices.BinarySearch(m.sorted, v)
	m.sorted = slices.Insert(m.sorted, at, v)
}

func (m *rollingMedian) median() float64 { return stats.MedianSorted(m.sorted) }
