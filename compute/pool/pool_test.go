package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tally counts which chunks ran, and detects two chunks that use the same worker's memory at the
// same time.
type tally struct {
	seen   []atomic.Int32
	shared atomic.Int32
	bad    int // chunk that panics; -1: none
}

type memory struct {
	busy atomic.Bool
	sum  int
}

func (t *tally) Chunk(m *memory, i int) {
	if m.busy.Swap(true) {
		t.shared.Add(1)
	}
	m.sum += i
	runtime.Gosched()
	t.seen[i].Add(1)
	if i == t.bad {
		panic("chunk")
	}
	m.busy.Store(false)
}

func newTally(n int) *tally { return &tally{seen: make([]atomic.Int32, n), bad: -1} }

func (t *tally) check(tb testing.TB) {
	tb.Helper()
	for i := range t.seen {
		if n := t.seen[i].Load(); n != 1 {
			tb.Errorf("chunk %d ran %d times", i, n)
		}
	}
	if t.shared.Load() != 0 {
		tb.Error("a memory was used by two chunks at once")
	}
}

func TestEveryChunkOnce(t *testing.T) {
	for workers := 1; workers <= 4; workers++ {
		p := New[memory](workers)
		if p.Size() != workers {
			t.Errorf("%d workers of %d", p.Size(), workers)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for _, chunks := range []int{1, 2, 3, 50} {
					job := newTally(chunks)
					p.Do(job, chunks)
					job.check(t)
				}
			})
		}
		wg.Wait()
		p.Do(newTally(0), 0)
		p.Close()
	}
}

// A panic in a chunk is passed on to the caller, the other chunks are still run, and the workers
// stay usable.
func TestPanicIsTheCallers(t *testing.T) {
	p := New[memory](2)
	defer p.Close()
	job := newTally(10)
	job.bad = 4
	func() {
		defer func() {
			if r := recover(); r != "chunk" {
				t.Errorf("recovered %v", r)
			}
		}()
		p.Do(job, 10)
		t.Error("no panic")
	}()
	job.check(t)
	again := newTally(10)
	p.Do(again, 10)
	again.check(t)
}

func TestWorkers(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 1, 4: 3, 64: 63} {
		if got := Workers(n); got != want {
			t.Errorf("%d workers for %d processors, want %d", got, n, want)
		}
	}
}
