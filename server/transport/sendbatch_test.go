package transport

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ballast/internal/race"
)

// inOrder skips the test under the race detector, where the scheduler shuffles ready goroutines.
func inOrder(t *testing.T) {
	if race.Enabled {
		t.Skip("the order of goroutines is shuffled")
	}
}

// Requests that are ready at the same time are all assessed before the first answer is sent.
func TestSendBatchKeepsTheStepsTogether(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const requests = 32
	c := SendBatch{}
	c.yieldCredit.Store(fruitlessYields)
	var wg sync.WaitGroup
	var mu sync.Mutex
	answered, early := 0, 0
	for range requests {
		wg.Go(func() {
			mu.Lock()
			answered++
			mu.Unlock()
			c.yieldBeforeSend()
			mu.Lock()
			if answered < requests {
				early++
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	// In one of 61 picks the scheduler takes the goroutine from the end of the queue.
	if early > requests/4 {
		t.Errorf("%d of %d answers went out before all requests were answered", early, requests)
	}
	if held := c.state.Load() % oneAnswered; held != 0 {
		t.Errorf("%d answers are held after all have been sent", held)
	}
}

// Requests that arrive one at a time stop yielding, except for one in tryEvery. When such a
// yield lets another request run, every request yields again.
func TestSendBatchOfOne(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := SendBatch{}
	c.yieldCredit.Store(fruitlessYields)
	for range fruitlessYields {
		c.yieldBeforeSend()
	}
	if left := c.yieldCredit.Load(); left != 0 {
		t.Fatalf("%d more yields after %d fruitless ones", left, fruitlessYields)
	}
	var wg sync.WaitGroup
	for range 8 * tryEvery {
		wg.Go(c.yieldBeforeSend)
	}
	wg.Wait()
	if c.yieldCredit.Load() == 0 {
		t.Errorf("%d requests that were ready together were not recognised", 8*tryEvery)
	}
}

// When maxHeld answers are held, further answers are sent at once.
func TestSendBatchIsBounded(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := SendBatch{}
	c.yieldCredit.Store(fruitlessYields)
	c.state.Store(maxHeld)
	var others atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { others.Add(1) })
	c.yieldBeforeSend()
	if others.Load() != 0 {
		t.Error("an answer beyond the size of the batch was held")
	}
	c.state.Store(maxHeld - 1)
	c.yieldBeforeSend()
	c.yieldBeforeSend() // In one of 61 picks the scheduler takes the goroutine that has just yielded.
	if others.Load() != 1 {
		t.Error("an answer within the size of the batch was not held")
	}
	wg.Wait()
}
