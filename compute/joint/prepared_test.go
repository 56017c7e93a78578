package joint

import "testing"

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
