package feed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// withQueue runs fn with a queue of 600 a minute in which a first wallet weighs 50, on a virtual clock.
func withQueue(t *testing.T, fn func(t *testing.T, q *Queue)) { withBudget(t, 600, fn) }

func withBudget(t *testing.T, budget int, fn func(t *testing.T, q *Queue)) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		q := NewQueue(budget, nil)
		defer q.Close()
		q.First.Store(50)
		fn(t, q)
	})
}

// spend acquires a read's weight and spends it.
func (q *Queue) spend(t *testing.T, r Read) error {
	g, err := q.Acquire(t.Context(), r)
	if err == nil {
		g.Settle(r.Weight, r.Weight)
	}
	return err
}

// fill spends weight in small reads until one does not fit, and returns what was spent.
func (q *Queue) fill(t *testing.T, r Read) (sum int) {
	for r.Weight = 5; q.spend(t, r) == nil; sum += 5 {
		if sum > 10_000 {
			t.Fatalf("%+v is never refused", r)
		}
	}
	return sum
}

// What each read leaves of the burst of 150.
func TestLeave(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []Read
		wait   time.Duration
		read   Read
		fills  int
	}{
		{"live data", nil, 0, Read{Class: ForLive}, 150},
		{"a history that a caller waits for", nil, 0, Read{Class: ForWanted}, 150},
		{"a history", nil, 0, Read{Class: ForHistory}, 5}, // then evenly
		{"a history beside wallets", []Read{{Class: ForWallet, Weight: 90}}, 30 * time.Second, Read{Class: ForHistory},
			90},
		{"a book", nil, 0, Read{Class: ForDepth}, 150},
		{"the only key", nil, 0, Read{Class: ForWallet, Key: "a"}, 150},
		{"one key of two", []Read{{Class: ForWallet, Key: "b", Weight: 1}, {Class: ForWallet, Key: "a", Weight: 1}}, 0,
			Read{Class: ForWallet, Key: "a"}, 95},
		{"what nobody else needs", []Read{{Class: ForWallet, Key: "b", Weight: 1}}, 10 * time.Second,
			Read{Class: ForWallet, Key: "a", Spare: true}, 5},
	} {
		withQueue(t, func(t *testing.T, q *Queue) {
			for _, r := range c.before {
				if err := q.spend(t, r); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(c.wait)
			if got := q.fill(t, c.read); got != c.fills {
				t.Errorf("%s: %d at once, want %d", c.name, got, c.fills)
			}
		})
	}
}

// A read of a history leaves to live data what it had in the last minute.
func TestLargest(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		for _, want := range []int{450, 350, 250, 150, 150} {
			if got := q.Largest(); got != want {
				t.Errorf("the largest read of a history: %d, want %d", got, want)
			}
			q.spend(t, Read{Class: ForLive, Weight: 100, Patience: -1})
		}
	})
}

// Of two keys that ask for more than there is, each gets as many reads as the other; of two lanes, each as much weight.
func TestFairness(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Read
	}{
		{"two keys", Read{Class: ForWallet, Key: "a", Weight: 20}, Read{Class: ForWallet, Key: "b", Weight: 20}},
		{"a key and histories", Read{Class: ForWallet, Key: "a", Weight: 20}, Read{Class: ForHistory, Weight: 20}},
		{"books and first reads", Read{Class: ForDepth, Weight: 5}, Read{Class: ForWallet, Key: "b", Weight: 20}},
	} {
		withQueue(t, func(t *testing.T, q *Queue) {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
			defer stop()
			var wg sync.WaitGroup
			var sums [2]atomic.Int64
			for i, r := range []Read{c.a, c.b} {
				r.Patience = -1
				for range 3 {
					wg.Go(func() {
						for {
							g, err := q.Acquire(ctx, r)
							if err != nil {
								return
							}
							time.Sleep(10 * time.Millisecond)
							g.Settle(r.Weight, r.Weight)
							sums[i].Add(int64(r.Weight))
						}
					})
				}
			}
			wg.Wait()
			a, b := sums[0].Load(), sums[1].Load()
			if got := float64(a) / float64(b); got < 0.8 || got > 1.25 {
				t.Errorf("%s: %d and %d, ratio %.2f", c.name, a, b, got)
			}
			if a+b < 4000 {
				t.Errorf("%s: %d in ten minutes of 600", c.name, a+b)
			}
		})
	}
}

// Beside five keys that take everything, a wallet that was read before is read when it is its key's turn, even if that
// key had a large first read just before; a table comes before first reads that are not due.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name        string
		read, other Read
		last        time.Duration
	}{
		{"a wallet", Read{Class: ForKnown, Key: "a", Weight: 4}, Read{Class: ForKnown},
			6400 * time.Millisecond}, // 6 * 4 / 3.75
		{"a table", Read{Class: ForLive, Weight: 20}, Read{Class: ForWallet}, 2700 * time.Millisecond}, // 20 / 7.5
	} {
		withQueue(t, func(t *testing.T, q *Queue) {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			if err := q.spend(t, Read{Class: ForWallet, Key: "a", Weight: 140, Patience: -1}); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() {
					for ctx.Err() == nil {
						g, err := q.Acquire(ctx, Read{Class: c.other.Class, Key: fmt.Sprint("greedy ", i%5), Weight: 4,
							Patience: -1})
						if err == nil {
							g.Settle(4, 4)
						}
					}
				})
			}
			time.Sleep(10 * time.Millisecond)
			for range 5 {
				began := time.Now()
				c.read.Patience, c.read.Last = -1, marketcache.Now()
				if err := q.spend(t, c.read); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > c.last {
					t.Errorf("%s was read after %v, want %v at most", c.name, took, c.last)
				}
			}
			stop()
			wg.Wait()
		})
	}
}

// A read of a wallet that would wait too long is refused at once, with the time after which there is weight. The
// only row of a key that is alone waits for longer.
func TestRefusedWithTheTime(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		read := Read{Class: ForWallet, Key: "a", Weight: 50, Patience: time.Second}
		q.First.Store(0)
		for _, key := range []string{"b", "a", "a"} { // of two keys: one that is alone waits
			read.Key = key
			if err := q.spend(t, read); err != nil {
				t.Fatal(err)
			}
		}
		for _, last := range []marketcache.Instant{marketcache.Now(), 0} {
			began, later := time.Now(), new(atomic.Bool)
			read.Class, read.Last = ForKnown, last
			if last == 0 {
				read.Class, read.Later = ForWallet, first("", later).Later
			}
			err := q.spend(t, read)
			wait, _ := marketcache.RetryAfter(err)
			least := 6 * time.Second // 50 at 450 a minute
			if last == 0 {
				least *= 2 // it stays in the queue
			}
			if !errors.Is(err, marketcache.ErrShare) || time.Since(began) > 0 || wait < least ||
				wait > least*7/6 {
				t.Fatalf("after %v: %v, wait %v", time.Since(began), err, wait)
			}
			time.Sleep(wait)
			if last == 0 && !later.Load() {
				t.Error("not read after the wait")
			} else if err := q.spend(t, read); last != 0 && err != nil {
				t.Errorf("after the wait: %v", err)
			}
		}
		// Of many rows of another key only those count that come before.
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if g, err := q.Acquire(ctx, Read{Class: ForDepth, Weight: 20, Patience: -1}); err == nil {
					g.Settle(20, 20)
				}
			})
		}
		synctest.Wait()
		if err := q.spend(t, Read{Class: ForWallet, Key: "c", Weight: 4, Patience: 4 * time.Second}); err != nil {
			t.Errorf("beside ten rows of one key: %v", err)
		}
		stop()
		wg.Wait()
		time.Sleep(time.Minute)
		for range 3 {
			q.spend(t, Read{Class: ForWallet, Key: "a", Weight: 50, Patience: time.Second})
		}
		began := time.Now()
		read.Weight = 6
		if err := q.spend(t, read); err != nil || time.Since(began) > time.Second || time.Since(began) == 0 {
			t.Errorf("a read that fits soon, after %v: %v", time.Since(began), err)
		}
		err := q.spend(t, Read{Class: ForHistory, Weight: 601, Patience: -1})
		if !errors.Is(err, marketcache.ErrBudget) {
			t.Errorf("more than ever fits: %v", err)
		}
	})
	withQueue(t, func(t *testing.T, q *Queue) {
		read := Read{Class: ForWallet, Key: "a", Weight: 50, Patience: time.Second}
		for n := range 4 {
			began := time.Now()
			if err := q.spend(t, read); err != nil || (time.Since(began) > 6*time.Second) != (n == 3) {
				t.Fatalf("read %d of a key that is alone: %v after %v", n, err, time.Since(began))
			}
		}
	})
}

// Several wallets of one key, each polled every two seconds beside all that the service reads for itself while
// histories are loaded, are read every five seconds at least.
func TestWalletsOfOneKey(t *testing.T) {
	for wallets, budget := range map[int]int{2: 600, 3: 1200} {
		withBudget(t, budget, func(t *testing.T, q *Queue) {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
			defer stop()
			var wg sync.WaitGroup
			repeat := func(every time.Duration, fn func()) {
				wg.Go(func() {
					for Sleep(ctx, every) == nil {
						fn()
					}
				})
			}
			own := func(r Read) func() {
				return func() {
					if g, err := q.Acquire(ctx, r); err == nil {
						g.Settle(r.Weight, min(r.Weight, 24))
					}
				}
			}
			for range 3 {
				repeat(time.Millisecond, own(Read{Class: ForHistory, Weight: 29, Patience: 250 * time.Millisecond}))
			}
			repeat(time.Second, own(Read{Class: ForDepth, Weight: 2, Patience: 5 * time.Second}))
			repeat(12*time.Second, own(Read{Class: ForLive, Weight: 20, Patience: 30 * time.Second}))
			repeat(10*time.Second, own(Read{Class: ForStart, Weight: 2, Patience: -1}))
			for i := range wallets {
				last, at := marketcache.Instant(0), time.Now()
				Sleep(ctx, 300*time.Millisecond)
				repeat(2*time.Second, func() {
					r := Read{Class: ForKnown, Weight: 4, Last: last, Patience: time.Second}
					if g, err := q.Acquire(ctx, r); err == nil {
						g.Settle(4, 4)
						last, at = marketcache.Now(), time.Now()
					}
					if old := time.Since(at); old > 5*time.Second && last != 0 {
						t.Errorf("wallet %d of %d was not read for %v", i, wallets, old)
					}
				})
			}
			wg.Wait()
		})
	}
}

// Histories that all wait at once leave the reads of a caller who begins then, or 10 s later, their weight; and they
// have what callers leave. Injects the fault warm-up-burst of docs/faults.md.
func TestWalletsBesideHistories(t *testing.T) {
	const read, history = 8, 20
	for _, begin := range []int{0, 5, -1} { // the turn of the first read; -1: none
		withQueue(t, func(t *testing.T, q *Queue) {
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			served := 0
			wg.Go(func() {
				for {
					g, err := q.Acquire(ctx, Read{Class: ForHistory, Weight: history + 5, Patience: -1})
					if err != nil {
						return
					}
					g.Settle(history+5, history)
					served += history
				}
			})
			for turn := range 180 {
				if begin >= 0 && turn >= begin {
					if err := q.spend(t, Read{Class: ForKnown, Weight: read, Last: marketcache.Now()}); err != nil {
						t.Fatalf("begun at %d, after %d s: %v", begin, 2*turn, err)
					}
				}
				time.Sleep(2 * time.Second)
			}
			stop()
			wg.Wait()
			least := 5 * 425
			if begin >= 0 {
				least = 5 * (600 - 50 - 30*read - 25)
			}
			if served < least {
				t.Errorf("reads begun at %d: histories spent %d in six minutes, want %d", begin, served, least)
			}
		})
	}
}

// A large history, whose row leaves the queue and comes again, is read beside small reads that come all the time.
func TestLargeBesideSmall(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for ctx.Err() == nil {
					g, err := q.Acquire(ctx, Read{Class: ForWallet, Key: "small", Weight: 4, Patience: -1})
					if err == nil {
						time.Sleep(time.Millisecond)
						g.Settle(4, 4)
					}
				}
			})
		}
		served := 0
		for ctx.Err() == nil {
			g, err := q.Acquire(ctx, Read{Class: ForHistory, Weight: 100, Patience: 250 * time.Millisecond})
			if err == nil {
				g.Settle(100, 100)
				served++
			}
		}
		wg.Wait()
		if served < 20 {
			t.Errorf("%d in ten minutes", served)
		}
	})
}

// TestQueueNeverExceeded sends random reads of all classes and checks the weight in every window of 60 s. Each read is
// counted at a random moment between sending and answer, because the venue may count it then.
func TestQueueNeverExceeded(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			r := rand.New(rand.NewPCG(seed, 7))
			limit := 100 + r.IntN(1200)
			q := NewQueue(limit, nil)
			defer q.Close()
			q.First.Store(52)
			var mu sync.Mutex
			var events []countedWeight
			var wg sync.WaitGroup
			served := [classes]int{}
			for range 400 {
				c := Class(r.IntN(int(classes)))
				weight, maxRows := 2+18*r.IntN(2), r.IntN(70)
				flight, counted := time.Duration(r.Int64N(int64(3*time.Second))), r.Float64()
				rows := r.IntN(maxRows + 1)
				read := Read{Class: c, Key: fmt.Sprint(r.IntN(3)), Weight: weight + maxRows, Patience: -1,
					Last: marketcache.Instant(r.IntN(2))}
				if c == ForWallet {
					read.Patience = time.Second
				}
				if r.IntN(50) == 0 {
					q.Refused(c, time.Duration(r.IntN(3))*time.Second)
				}
				wg.Go(func() {
					g, err := q.Acquire(t.Context(), read)
					if err != nil {
						if !errors.Is(err, marketcache.ErrBudget) && !errors.Is(err, marketcache.ErrShare) {
							t.Error(err)
						}
						return
					}
					time.Sleep(time.Duration(float64(flight) * counted))
					mu.Lock()
					events = append(events, countedWeight{time.Now(), weight + rows})
					served[c]++
					mu.Unlock()
					time.Sleep(flight - time.Duration(float64(flight)*counted))
					g.Settle(weight+maxRows, weight+rows)
				})
				time.Sleep(time.Duration(r.Int64N(int64(time.Second))))
			}
			wg.Wait()
			if most := mostInAMinute(events); most > limit {
				t.Fatalf("seed %d: %d in a minute, limit %d", seed, most, limit)
			}
			time.Sleep(2 * budgetWindow)
			if n := q.Weight().Sum(); n != 0 || q.meter.counts != [classes]int{} || len(q.meter.spent) > 0 {
				t.Errorf("%v still counted", q.meter.counts)
			}
			if served[ForLive] == 0 {
				t.Errorf("nothing live was served: %v", served)
			}
		})
	}
}

// countedWeight is weight that the venue counts at a moment.
type countedWeight struct {
	at     time.Time
	weight int
}

// mostInAMinute returns the largest weight in a window of 60 s.
func mostInAMinute(events []countedWeight) (most int) {
	slices.SortFunc(events, func(a, b countedWeight) int { return a.at.Compare(b.at) })
	for i, e := range events {
		sum := 0
		for _, o := range events[i:] {
			if o.at.Sub(e.at) <= time.Minute {
				sum += o.weight
			}
		}
		most = max(most, sum)
	}
	return most
}

// What another process spent in the last minute counts, as a burst and evenly before that.
func TestAssume(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		q.Assume(500, marketcache.Now())
		if n := q.Weight().Sum(); n != 500 {
			t.Errorf("%d counts", n)
		}
		// 450 a minute
		if wait := q.meter.wait(0, 15, 0, false, marketcache.Now()); wait < 1900*time.Millisecond ||
			wait > 2100*time.Millisecond {
			t.Errorf("15 fit in %v", wait)
		}
		time.Sleep(13 * time.Second) // of 100 that are left
		for range 10 {
			if err := q.spend(t, Read{Class: ForLive, Weight: 15, Patience: 2100 * time.Millisecond}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// After Close nothing is granted, whatever comes free: the log of what was spent is closed.
func TestClosed(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		g, err := q.Acquire(t.Context(), Read{Class: ForLive, Weight: 150})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		time.AfterFunc(time.Second, func() {
			q.Close()
			g.Settle(150, 0)
		})
		if _, err := q.Acquire(ctx, Read{Class: ForLive, Weight: 150, Patience: -1}); err == nil {
			t.Error("a read was granted after Close")
		}
	})
}

// A read that fits as soon as the limit is no longer halved is served then.
func TestServedWhenTheLimitIsWhole(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		q.Refused(ForHistory, time.Second)
		time.Sleep(budgetWindow - time.Second)
		for range 2 {
			began := time.Now()
			err := q.spend(t, Read{Class: ForLive, Weight: 70, Patience: -1})
			if took := time.Since(began); err != nil || took > time.Second+10*time.Millisecond {
				t.Errorf("served after %v: %v", took, err)
			}
		}
	})
}
