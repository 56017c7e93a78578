package feed

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

// When all readers have messages, no more of them parse at the same time than there are slots.
func TestParseSlots(t *testing.T) {
	const readers, messages, width = 8, 200, 2
	slots := NewParseSlots(width)
	var at, busiest, parsed atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for range messages {
				slot := slots.Acquire()
				for n := at.Add(1); ; {
					if m := busiest.Load(); n <= m || busiest.CompareAndSwap(m, n) {
						break
					}
				}
				parsed.Add(1)
				runtime.Gosched() // lets the other goroutines try to take a slot
				at.Add(-1)
				slots.Release(slot)
			}
		})
	}
	wg.Wait()
	if busiest.Load() > width || parsed.Load() != readers*messages || len(slots) != width {
		t.Errorf("%d readers parse at a time, %d messages parsed, %d slots left", busiest.Load(), parsed.Load(), len(slots))
	}
	slots.Close()
}

// While other goroutines occupy the processor, a slot is held longer, until parsing gets a ninth of
// the processor. Afterwards slots are short again.
func TestParseSlotsOnABusyProcessor(t *testing.T) {
	slots := NewParseSlots(1)
	defer slots.Close()
	p := slots.Acquire()
	network := p.yieldToNetwork
	yields := 0
	turn := func(yield func()) {
		p.yieldToNetwork = func() { yields++; yield() }
		p.yielded = marketcache.Now().Add(-time.Hour) // has worked for a long time without yielding
		slots.Release(p)
		slots.Acquire()
	}
	turn(func() { time.Sleep(8 * time.Millisecond) })
	if p.budget < time.Millisecond || yields != 1 {
		t.Errorf("%v after a yield of 8 ms, %d yields", p.budget, yields)
	}
	p.yieldToNetwork = func() { t.Error("a yield before its time") }
	p.yielded = marketcache.Now().Add(time.Hour)
	slots.Release(p)
	slots.Acquire()
	for range 1000 { // repeats, because this machine may be busy
		if turn(func() {}); p.budget == minParseTime {
			break
		}
	}
	if p.budget != minParseTime {
		t.Errorf("%v after yields that took no time", p.budget)
	}
	p.yieldToNetwork = network
	slots.Release(p)
}
