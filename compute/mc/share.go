package mc

import (
	"sync"
	"sync/atomic"
)

// share calls do(on, worker, item) for the independent items 0..n-1: workers goroutines,
// including the caller's, take items from next. Calls with the same worker never overlap. With
// one worker nothing is allocated.
func share[T any](on *T, do func(on *T, worker, item int), n, workers int, next *atomic.Int64) {
	next.Store(0)
	workers = min(workers, n)
	if workers > 1 {
		var others sync.WaitGroup
		for w := 1; w < workers; w++ {
			others.Go(func() { take(on, do, n, w, next) })
		}
		take(on, do, n, 0, next)
		others.Wait()
		return
	}
	take(on, do, n, 0, next)
}

func take[T any](on *T, do func(on *T, worker, item int), n, worker int, next *atomic.Int64) {
	for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
		do(on, worker, i)
	}
}
