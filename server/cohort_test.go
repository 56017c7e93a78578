package server

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// inOrder skips under the race detector, where the scheduler shuffles what is ready.
func inOrder(t *testing.T) {
	if raceEnabled {
		t.Skip("the order of goroutines is shuffled")
	}
}

// Requests that are ready together are answered before the answers go out.
func TestCohortKeepsTheStepsTogether(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const requests = 32
	var c cohort
	c.company.Store(companyLost)
	var wg sync.WaitGroup
	var mu sync.Mutex
	answered, early := 0, 0
	for range requests {
		wg.Go(func() {
			mu.Lock()
			answered++
			mu.Unlock()
			c.hold()
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
func TestCohortOfOne(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var c cohort
	c.company.Store(companyLost)
	for range companyLost {
		c.hold()
	}
	if left := c.company.Load(); left != 0 {
		t.Fatalf("patience for %d more after %d times in vain", left, companyLost)
	}
	var wg sync.WaitGroup
	for range 8 * tryEvery {
		wg.Go(c.hold)
	}
	wg.Wait()
	if c.company.Load() == 0 {
		t.Errorf("%d requests that were ready together have not been noticed", 8*tryEvery)
	}
}

// Beyond its size answers go out at once: none waits for a turn that it cannot have.
func TestCohortIsBounded(t *testing.T) {
	inOrder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var c cohort
	c.company.Store(companyLost)
	c.state.Store(cohortSize)
	var others atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { others.Add(1) })
	c.hold()
	if others.Load() != 0 {
		t.Error("an answer beyond the size of the cohort has waited")
	}
	c.state.Store(cohortSize - 1)
	c.hold()
	c.hold() // once in 61 times the scheduler takes the goroutine that has just yielded
	if others.Load() != 1 {
		t.Error("an answer within the size of the cohort has not waited")
	}
	wg.Wait()
	var none *cohort
	none.hold()
}
