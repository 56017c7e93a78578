package transport

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

const batchSize = 64

// inOrder skips under the race detector, where the scheduler shuffles what is ready.
func inOrder(t *testing.T) {
	if raceEnabled {
		t.Skip("the order of goroutines is shuffled")
	}
}

// Requests that are ready together are answered before the answers go out.
func TestSendBatchKeepsTheStepsTogether(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const requests = 32
	c := SendBatch{size: batchSize}
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
	// The scheduler takes one in 61 goroutines from the end of the line.
	if early > requests/4 {
		t.Errorf("%d of %d answers went out before all requests were answered", early, requests)
	}
	if held := c.state.Load() % oneAnswered; held != 0 {
		t.Errorf("%d answers are held after all have been sent", held)
	}
}

// Requests that come one by one stop yielding but for a try now and then, and begin again
// when one of those was not in vain.
func TestSendBatchOfOne(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := SendBatch{size: batchSize}
	c.yieldCredit.Store(fruitlessYields)
	for range fruitlessYields {
		c.yieldBeforeSend()
	}
	if left := c.yieldCredit.Load(); left != 0 {
		t.Fatalf("patience for %d more after %d times in vain", left, fruitlessYields)
	}
	var wg sync.WaitGroup
	for range 8 * tryEvery {
		wg.Go(c.yieldBeforeSend)
	}
	wg.Wait()
	if c.yieldCredit.Load() == 0 {
		t.Errorf("%d requests that were ready together have not been noticed", 8*tryEvery)
	}
}

// Beyond its size answers go out at once: none waits for a turn that it cannot have.
func TestSendBatchIsBounded(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := SendBatch{size: batchSize}
	c.yieldCredit.Store(fruitlessYields)
	c.state.Store(batchSize)
	var others atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { others.Add(1) })
	c.yieldBeforeSend()
	if others.Load() != 0 {
		t.Error("an answer beyond the size of the batch has waited")
	}
	c.state.Store(batchSize - 1)
	c.yieldBeforeSend()
	c.yieldBeforeSend() // once in 61 times the scheduler takes the goroutine that has just yielded
	if others.Load() != 1 {
		t.Error("an answer within the size of the batch has not waited")
	}
	wg.Wait()
	var none *SendBatch
	none.yieldBeforeSend()
	none.FlushHeld()
}
