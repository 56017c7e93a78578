package vol

import (
	"slices"

	"ballast/compute/stats"
)

// memories holds four exponentially weighted averages of the hourly range measure, with mean ages
// of 6 h, 1 d, 5 d and 25 d: variances per hour.
type memories [4]float64

func (e *memories) mean() float64 { return ((e[0] + e[1]) + (e[2] + e[3])) / 4 }

// hourMeasure is what the memories take of an hour. Variances are per factor of the hour (Factor).
type hourMeasure struct {
	parkinson, squaredReturn float64
	resting                  bool
}

// absorb updates the memories by one hour and returns the hour's measure y: the range measure, at
// most rangeCap times the mean memory unless the close moved as far. The cap keeps one false price
// out of the 25-day memory. A real crash is not capped, because its close moved. While the oracle
// rests, no memory falls: silence is no evidence of calm.
func (e *memories) absorb(m hourMeasure) (y float64) {
	y = min(m.parkinson, max(rangeCap*e.mean(), m.squaredReturn))
	for k, lam := range Decay {
		next := float64(lam*e[k]) + float64((1-lam)*y)
		if m.resting {
			next = max(next, e[k])
		}
		e[k] = next
	}
	return y
}

// warmup holds the first seedBars hours. The seed is the median of their ranges. Until the last
// of these hours has closed, every new bar changes the seed and the memories of every earlier
// hour, so the whole path is computed again.
type warmup struct {
	hours  []hourMeasure // by return
	sorted []float64     // the ranges in ascending order
	moving []float64     // share of hours that moved (movement), at index 0 and after each return

	path []memories // E_0 (the seed) to E_t
	y    []float64  // measure of each return along the path
}

func (w *warmup) add(m hourMeasure, moving float64) {
	w.hours = append(w.hours, m)
	w.moving = append(w.moving, moving)
	at, _ := slices.BinarySearch(w.sorted, m.parkinson)
	w.sorted = slices.Insert(w.sorted, at, m.parkinson)
	w.run()
}

func (w *warmup) run() {
	seed := stats.MedianSorted(w.sorted)
	e := memories{seed, seed, seed, seed}
	w.path, w.y = append(w.path[:0], e), w.y[:0]
	for _, m := range w.hours {
		w.y = append(w.y, e.absorb(m))
		w.path = append(w.path, e)
	}
}

// movement counts in how many of the newest movingBars hours the price moved.
type movement struct {
	n, moved int
	last     [movingBars]bool // by hour mod movingBars
}

func (m *movement) add(moved bool) {
	at := &m.last[m.n%movingBars]
	if m.n >= movingBars && *at {
		m.moved--
	}
	if *at = moved; moved {
		m.moved++
	}
	m.n++
}

// share returns the share of hours that moved; 1 before any hour.
func (m *movement) share() float64 {
	if m.n == 0 {
		return 1
	}
	return float64(m.moved) / float64(min(m.n, movingBars))
}
