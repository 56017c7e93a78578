package vol

import (
	"slices"

	"ballast/compute/stats"
)

// memories holds four exponentially weighted averages of the hourly range measure, with mean ages
// of 6 h, 1 d, 5 d and 25 d: variances per hour.
type memories [4]float64

func (e *memories) mean() float64 { return ((e[0] + e[1]) + (e[2] + e[3])) / 4 }

// absorb updates the memories by one hour and returns the hour's measure x: the range measure, at
// most rangeCap times the mean memory unless the close moved as far. The cap keeps one false price
// out of the 25-day memory. A real crash is not capped, because its close moved.
func (e *memories) absorb(parkinson, squaredReturn float64) (x float64) {
	x = min(parkinson, max(rangeCap*e.mean(), squaredReturn))
	for k, lam := range Decay {
		e[k] = float64(lam*e[k]) + float64((1-lam)*x)
	}
	return x
}

// warmup holds the first seedBars hours. The seed is the median of their ranges. Until the last
// of these hours has closed, every new bar changes the seed and the memories of every earlier
// hour, so the whole path is computed again.
type warmup struct {
	parkinson, squaredReturn []float64 // by return
	sorted                   []float64 // the ranges in ascending order

	path []memories // E_0 (the seed) to E_t
	x    []float64  // measure of each return along the path
}

func (y *warmup) add(parkinson, squaredReturn float64) {
	y.parkinson = append(y.parkinson, parkinson)
	y.squaredReturn = append(y.squaredReturn, squaredReturn)
	at, _ := slices.BinarySearch(y.sorted, parkinson)
	y.sorted = slices.Insert(y.sorted, at, parkinson)
	y.run()
}

func (y *warmup) run() {
	seed := stats.MedianSorted(y.sorted)
	e := memories{seed, seed, seed, seed}
	y.path, y.x = append(y.path[:0], e), y.x[:0]
	for i, p := range y.parkinson {
		y.x = append(y.x, e.absorb(p, y.squaredReturn[i]))
		y.path = append(y.path, e)
	}
}
