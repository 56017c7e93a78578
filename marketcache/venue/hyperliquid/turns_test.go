package hyperliquid

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ballast/marketcache"
)

// Readers that all have messages take turns, no more of them at work than there are places.
func TestTurns(t *testing.T) {
	const readers, messages, width = 8, 200, 2
	turns := newTurns(width)
	var at, most, taken atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for range messages {
				place := <-turns
				for n := at.Add(1); ; {
					if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
						break
					}
				}
				taken.Add(1)
				runtime.Gosched() // all others may try
				at.Add(-1)
				turns.give(place)
			}
		})
	}
	wg.Wait()
	if most.Load() > width || taken.Load() != readers*messages || len(turns) != width {
		t.Errorf("%d at a time, %d taken in, %d places left", most.Load(), taken.Load(), len(turns))
	}
	turns.close()
}

// A message that makes its reader panic costs nobody's turn.
func TestTurnAfterPanic(t *testing.T) {
	s := newSocket(&Feed{turns: newTurns(2)}, 0)
	defer s.f.turns.close()
	s.lookup.Store(nil) // what cannot be
	for range 3 * cap(s.f.turns) {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic: the test tests nothing")
				}
			}()
			s.takeTurn([]byte(`{"channel":"l2Book","data":{"coin":"BTC","time":1,"levels":[[],[]]}}`), marketcache.Instant(1))
		}()
	}
	if len(s.f.turns) != cap(s.f.turns) {
		t.Errorf("%d of %d places are left", len(s.f.turns), cap(s.f.turns))
	}
}
