package joint

import (
	"testing"

	mc "ballast/marketcache"
)

// Tail and Without give the same whether Without was prepared with Tail or is prepared when it is first
// called, and whatever was asked before.
func TestLossesPrepared(t *testing.T) {
	fits := benchFits(7)
	for _, k := range []int{1, 2, 6} {
		var book Losses
		for i, m := range fits[:k] {
			book.Add(m, float64(1000-300*i))
		}
		book.Sum(fits[0])
		alone, _ := book.Tail(nil, 0)
		for _, own := range fits[k-1 : k+1] {
			quantile, mean := book.Tail(own, 700)
			without := book.Without(fits[0], 1000)
			for range 2 {
				book.PrepareWithout()
				q, m := book.Tail(own, 700)
				if w := book.Without(fits[0], 1000); q != quantile || m != mean || w != without {
					t.Errorf("%d legs: %v, %v and %v, unprepared %v, %v and %v", k, q, m, w, quantile, mean, without)
				}
			}
			if q, _ := book.Tail(nil, 0); q != alone || book.Without(fits[0], 0) != alone {
				t.Errorf("%d legs: %v and %v, want %v", k, q, book.Without(fits[0], 0), alone)
			}
		}
	}
}

// Probability gives the same whatever was asked before: a pool without an own leg is replayed once for all rooms.
func TestPathsAskedAgain(t *testing.T) {
	fits := benchFits(5)
	pool := func() *Paths {
		p := new(Paths)
		for i, m := range fits[:3] {
			p.Add(PathLeg{Model: m, Weight: float64(500 - 300*i), Short: i == 0})
		}
		p.Sum(fits[0])
		return p
	}
	own := PathLeg{Model: fits[4], Weight: -400}
	asked := pool()
	for n := range 60 {
		h, room, enough := n/7%mc.ExcursionHorizons, []float64{3, 30, 90, 200, 1000}[n%5], []float64{0, 0.05, 0}[n%3]
		var leg *PathLeg
		if n%4 == 3 {
			leg = &own
		}
		if got, want := asked.Probability(h, leg, room, enough), pool().Probability(h, leg, room, enough); got != want {
			t.Errorf("%d: %v, asked first %v", n, got, want)
		}
	}
}
