package risk

import (
	"sync"
	"testing"
)

// Simulations on the workers of the pool, in parallel and from many goroutines, give the same
// results as on a single goroutine.
func TestSimulationOnThePool(t *testing.T) {
	situations := func() (out []*situation) {
		for _, holds := range [][]string{nil, {"ETH"}, {"ETH", "SOL", "XRP"}} {
			s := diverse(newSituation(20_000, ActionLong, 30_000), holds...)
			s.in.Trade.MonteCarlo = true
			s.in.Rows = s.in.Target.Model
			tie(&s.in)
			fitPairs(&s.in)
			out = append(out, s)
		}
		return out
	}()
	alone, want := NewEngine(DefaultAges()), []Assessment{}
	for _, s := range situations {
		want = append(want, *s.assess(t))
	}
	alone.Close() // Close does nothing without a pool
	for _, workers := range []int{1, 3} {
		e := NewEngine(DefaultAges())
		e.StartPool(workers)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				scratch := NewScratch(4)
				for i, s := range situations {
					scratch.In = s.in
					e.Assess(scratch)
					if !sameAnswer(&scratch.Out, &want[i]) {
						t.Errorf("%d workers, situation %d: %+v, want %+v", workers, i, scratch.Out.MonteCarlo,
							want[i].MonteCarlo)
					}
				}
			})
		}
		wg.Wait()
		e.Close()
	}
}
