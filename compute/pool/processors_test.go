package pool

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// GOMAXPROCS is raised by one for each call that computes, kept for a while afterwards, and lowered
// again.
func TestProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lent, changes atomic.Int64
		p := processors{set: func(change int) { lent.Add(int64(change)); changes.Add(1) }}
		expect := func(when string, want int64) {
			t.Helper()
			synctest.Wait()
			if got := lent.Load(); got != want {
				t.Fatalf("%s: %d processors added, want %d", when, got, want)
			}
		}
		p.enter()
		expect("one computes", 1)
		p.enter()
		expect("two compute", 2)
		p.leave()
		p.leave()
		time.Sleep(keepProcessors / 2)
		expect("soon after", 2)
		p.enter()
		p.leave()
		time.Sleep(keepProcessors / 2)
		expect("another came meanwhile", 2)
		if n := changes.Load(); n != 2 {
			t.Errorf("the scheduler was stopped %d times, want 2", n)
		}
		time.Sleep(keepProcessors)
		expect("long after", 0)
		p.enter()
		expect("again", 1)
		time.Sleep(2 * keepProcessors) // a call that computes for a long time
		expect("a long job", 1)
		p.leave()
		time.Sleep(2 * keepProcessors)
		expect("at the end", 0)
	})
}

// In every order of calls and changes, the number of added processors ends at zero.
func TestProcessorsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lent atomic.Int64
		p := processors{set: func(change int) {
			time.Sleep(time.Millisecond)
			if lent.Add(int64(change)) < 0 {
				t.Error("more processors were removed than added")
			}
		}}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 50 {
					p.enter()
					time.Sleep(time.Duration(i) * 300 * time.Microsecond)
					p.leave()
				}
			})
		}
		wg.Wait()
		time.Sleep(2 * keepProcessors)
		synctest.Wait()
		if lent.Load() != 0 {
			t.Errorf("%d processors are still added", lent.Load())
		}
	})
}
