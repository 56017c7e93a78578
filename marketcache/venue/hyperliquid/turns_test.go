package hyperliquid

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// Where others keep the processor, turns are long enough for a ninth of it, and short again
// when they do not.
func TestTurnsAmongOthers(t *testing.T) {
	turns := newTurns(1)
	defer turns.close()
	p := <-turns
	network := p.look
	looks := 0
	turn := func(look func()) {
		p.look = func() { looks++; look() }
		p.since = marketcache.Now().Add(-time.Hour) // it has worked for long
		turns.give(p)
		<-turns
	}
	turn(func() { time.Sleep(8 * time.Millisecond) })
	if p.budget < time.Millisecond || looks != 1 {
		t.Errorf("%v after a look of 8 ms, %d looks", p.budget, looks)
	}
	p.look = func() { t.Error("a look before its time") }
	p.since = marketcache.Now().Add(time.Hour)
	turns.give(p)
	<-turns
	for range 1000 { // this machine may be busy
		if turn(func() {}); p.budget == turnTime {
			break
		}
	}
	if p.budget != turnTime {
		t.Errorf("%v after looks that took no time", p.budget)
	}
	p.look = network
	turns.give(p)
}

// A message that makes its reader panic costs nobody's turn.
func TestTurnAfterPanic(t *testing.T) {
	s := newSocket(&Feed{turns: newTurns(2)}, 0)
	defer s.f.turns.close()
	s.routes.Store(nil) // what cannot be
	for range 3 * cap(s.f.turns) {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic: the test tests nothing")
				}
			}()
			s.takeTurn([]byte(`{"channel":"l2Book","data":{"coin":"BTC","time":1,"levels":[[],[]]}}`), marketcache.Instant(1), false)
		}()
	}
	if len(s.f.turns) != cap(s.f.turns) {
		t.Errorf("%d of %d places are left", len(s.f.turns), cap(s.f.turns))
	}
}
