package server

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// A burst may wait in a line; when they never cease, few may.
func TestLineThatStands(t *testing.T) {
	const workers, width, each = 2, 4, time.Millisecond
	l := newLine(4*time.Millisecond, 1000, workers, width)
	defer l.close()
	l.held.Store(int64(width * each))
	now := marketcache.Now()
	// ask lets one come every millisecond, 200 times, who finds so many there.
	ask := func(here func(ms int) int64) (refused int) {
		for ms := range 200 {
			now = now.Add(time.Millisecond)
			l.here.Store(here(ms))
			if !l.enter(now) {
				refused++
			}
		}
		return refused
	}
	always := func(n int64) func(int) int64 { return func(int) int64 { return n } }
	few, many := int64(roomAWorker*workers-1), int64(longQueue*workers-1)
	tooMany := many + int64(farTooLong/each)
	for _, row := range []struct {
		name        string
		here        func(int) int64
		least, most int
	}{
		{"not too many", always(many - 1), 0, 0},
		{"too many", always(many), 90, 110},
		{"kept short by refusing", always(few + 1), 90, 200},
		{"few", always(few), 0, 0},
		{"far too many", always(tooMany), 180, 195},
		{"few again", always(few), 0, 0},
		{"a burst that is worked off", func(ms int) int64 { return max(0, int64(60-ms)) }, 0, 0},
		{"more than can be served", func(ms int) int64 { return min(3*int64(ms)/2, 30) }, 150, 185},
		{"few once more", always(few), 0, 0},
		{"nobody has been for long", always(many - 1), 0, 0},
	} {
		if n := ask(row.here); n < row.least || n > row.most {
			t.Errorf("%s: %d of 200 refused, want %d to %d", row.name, n, row.least, row.most)
		}
	}
	l.maxWait = 0
	if n := ask(always(tooMany)); n != 0 {
		t.Errorf("%d of 200 refused although nobody is to be", n)
	}
	l.most = tooMany
	if n := ask(always(tooMany)); n != 200 {
		t.Errorf("%d of 200 refused where there is no room", n)
	}
}

// Turns are taken in the order of coming, so many at once; when the queue has come to stand
// those go whose turn comes behind what there is room for.
func TestLineTurns(t *testing.T) {
	const width, behind = 2, 10
	l := newLine(time.Millisecond, 1000, 1, width)
	defer l.close()
	var mine []*yield.Point
	for range width {
		l.here.Add(1)
		p, waited := l.wait()
		if p == nil || waited {
			t.Fatal("a free place is not given")
		}
		mine = append(mine, p)
	}
	var mu sync.Mutex
	var order []int
	var refused atomic.Int64
	var wg sync.WaitGroup
	for i := range behind {
		l.here.Add(1)
		wg.Go(func() {
			p, waited := l.wait()
			defer l.leave()
			if !waited {
				t.Error("did not wait")
			}
			if p == nil {
				refused.Add(1)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			l.give(p, time.Now())
		})
		time.Sleep(5 * time.Millisecond) // so that it waits before the next
		if i == behind/2 {
			l.leave()
			l.give(mine[0], time.Now()) // they go one after the other
			until(t, "those before have gone", func() bool { return l.here.Load() == width-1 })
			l.here.Add(1)
			mine[0], _ = l.wait()
		}
	}
	for i, who := range order {
		if who != i {
			t.Errorf("turns were taken in the order %v", order)
		}
	}
	if len(order) != behind/2+1 {
		t.Errorf("turns %v, want the first %d", order, behind/2+1)
	}
	l.queue.stand(marketcache.Now())
	for _, p := range mine {
		l.leave()
		l.give(p, time.Now())
	}
	wg.Wait()
	if n := refused.Load(); n != behind-behind/2-1-l.room {
		t.Errorf("%d refused, want all but %d", n, l.room)
	}
	if n := l.here.Load(); n != 0 {
		t.Errorf("%d are still there", n)
	}
}

// What a request takes is learnt from those before.
func TestLineLearns(t *testing.T) {
	l := newLine(time.Millisecond, 10, 1, 1)
	defer l.close()
	give := func(held time.Duration) time.Duration {
		p, _ := l.wait()
		l.give(p, time.Now().Add(-held))
		return time.Duration(l.held.Load())
	}
	if got := give(4 * time.Millisecond); got < 4*time.Millisecond || got > 8*time.Millisecond {
		t.Errorf("after one of 4 ms: %v", got)
	}
	for range 100 {
		give(time.Hour)
	}
	if got := give(time.Hour); got < 95*time.Millisecond || got > maxHeld {
		t.Errorf("after many of an hour: %v", got)
	}
}
