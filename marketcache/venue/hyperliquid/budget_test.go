package hyperliquid

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// TestBudgetNeverExceeded sends random requests of all priorities and checks every
// window of 60 s, with the weight counted at a random moment of each flight, as a
// venue may.
func TestBudgetNeverExceeded(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			r := rand.New(rand.NewPCG(seed, 7))
			limit := 100 + r.IntN(1200)
			b := newBudget(limit, nil)
			defer b.close()
			type event struct {
				at     time.Time
				weight int
			}
			var mu sync.Mutex
			var events []event
			var wg sync.WaitGroup
			served := [priorities]int{}
			for range 400 {
				p := priority(r.IntN(int(priorities)))
				weight, most := 2+18*r.IntN(2), r.IntN(90)
				flight, counted := time.Duration(r.Int64N(int64(3*time.Second))), r.Float64()
				rows := r.IntN(most + 1)
				patience := time.Duration(-1)
				if p == forWallet {
					patience = time.Second
				}
				if r.IntN(50) == 0 {
					b.refused(p, time.Duration(r.IntN(3))*time.Second)
				}
				wg.Go(func() {
					g, err := b.take(t.Context(), p, weight+most, patience)
					if err != nil {
						if !errors.Is(err, ErrBudget) {
							t.Error(err)
						}
						return
					}
					time.Sleep(time.Duration(float64(flight) * counted))
					mu.Lock()
					events = append(events, event{time.Now(), weight + rows})
					served[p]++
					mu.Unlock()
					time.Sleep(flight - time.Duration(float64(flight)*counted))
					g.settle(weight+most, weight+rows)
				})
				time.Sleep(time.Duration(r.Int64N(int64(time.Second))))
			}
			wg.Wait()
			slices.SortFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
			for i, e := range events {
				sum := 0
				for _, o := range events[i:] {
					if o.at.Sub(e.at) <= time.Minute {
						sum += o.weight
					}
				}
				if sum > limit {
					t.Fatalf("seed %d: %d in a minute, limit %d", seed, sum, limit)
				}
			}
			time.Sleep(2 * budgetWindow)
			if n := b.used(); n != 0 || b.counts != [kinds]int{} {
				t.Errorf("%v still counted", b.counts)
			}
			if served[forLive] == 0 {
				t.Errorf("nothing live was served: %v", served)
			}
		})
	}
}

func TestBudgetOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := newBudget(1000, nil)
		defer b.close()
		g, _ := b.take(t.Context(), forWallet, 1000, 0)
		g.settle(1000, 1000)
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		for _, p := range []priority{forTopUp, forWarmUp, forTables, forLive, forWanted} {
			wg.Go(func() {
				g, err := b.take(t.Context(), p, 500, -1)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, fmt.Sprint(int(p)))
				mu.Unlock()
				g.settle(500, 500)
			})
			synctest.Wait()
		}
		if _, err := b.take(t.Context(), forWallet, 20, time.Second); !errors.Is(err, ErrBudget) {
			t.Errorf("a wallet read of a spent budget: %v", err)
		} else if wait, ok := RetryAfter(err); !ok || wait < 50*time.Second || wait > 62*time.Second {
			t.Errorf("wait %v", wait)
		}
		wg.Wait()
		if got := fmt.Sprint(order); got != fmt.Sprint([]priority{forLive, forTables, forWanted, forWarmUp, forTopUp}) {
			t.Errorf("served in the order %s", got)
		}
	})
}

func TestBudgetReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := newBudget(1000, nil)
		defer b.close()
		for _, c := range []struct {
			p     priority
			fills int
		}{{forTopUp, 700}, {forWarmUp, 700}, {forTables, 800}, {forLive, 800}, {forWallet, 1000}} {
			for {
				g, err := b.take(t.Context(), c.p, 10, 0)
				if err != nil {
					break
				}
				g.settle(10, 10)
			}
			if got := b.used(); got != c.fills {
				t.Errorf("priority %d filled to %d, want %d", c.p, got, c.fills)
			}
		}
		// A waiter that gives up leaves nothing behind.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.take(ctx, forTopUp, 10, -1); !errors.Is(err, ErrBudget) {
			t.Error(err)
		}
		time.Sleep(61 * time.Second)
		if got := b.used(); got != 0 {
			t.Errorf("%d spent a minute later", got)
		}
		if _, err := b.take(t.Context(), forTopUp, 701, -1); !errors.Is(err, ErrBudget) {
			t.Errorf("more than ever fits: %v", err)
		}
	})
}

// TestBudgetReserveUsed: what wallets and live data have had of their reserves is not kept for
// them again, but one cold wallet always is.
func TestBudgetReserveUsed(t *testing.T) {
	for _, c := range []struct{ wallets, live, wanted, warmUp int }{
		{0, 0, 480, 420}, {120, 0, 552, 492}, {72, 60, 552, 552}, {60, 90, 540, 540}, {400, 30, 552, 522},
	} {
		if w, h := capacity(forWanted, 600, c.wallets, c.live), capacity(forWarmUp, 600, c.wallets, c.live); w != c.wanted || h != c.warmUp {
			t.Errorf("%+v: %d and %d", c, w, h)
		}
	}
}

// TestBudgetLog restarts at random moments: what the file says was spent in the last
// minute is at least what was spent.
func TestBudgetLog(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			dir := t.TempDir()
			var spends []pastSpend
			began := time.Now()
			for range 1 + r.IntN(4) { // lives of the process
				l, past, err := openBudgetLog(dir, 1200, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				truth, told := 0, 0
				for _, s := range spends {
					if time.Since(began)-s.ago < time.Minute {
						truth += s.weight
					}
				}
				for _, p := range past {
					told += p.weight
					if p.ago < 0 || p.ago > time.Minute {
						t.Errorf("told of %v ago", p.ago)
					}
				}
				if told < truth {
					t.Errorf("told %d, spent %d", told, truth)
				}
				if told > truth+3*1200/20+1200 {
					t.Errorf("told %d, spent only %d", told, truth)
				}
				for range r.IntN(30) {
					w := 2 + r.IntN(100)
					l.spend(w)
					spends = append(spends, pastSpend{w, time.Since(began)})
					time.Sleep(time.Duration(r.Int64N(int64(5 * time.Second))))
				}
				l.close()
			}
		})
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "budget"), []byte("this is not a record at all, and odd"), 0o600)
	_, past, err := openBudgetLog(dir, 1200, time.Now())
	if err != nil || len(past) != 1 || past[0].weight != 600 {
		t.Errorf("a file of damage: %v %v", past, err)
	}
	// A flipped bit costs its record.
	l, _, err := openBudgetLog(t.TempDir(), 1200, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for range 5 {
		l.spend(24)
	}
	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		b := slices.Clone(whole)
		b[at] ^= 4
		told := 0
		for _, p := range readBudgetLog(b, 1200, time.Now()) {
			told += p.weight
		}
		if told != 120 {
			t.Fatalf("damage at byte %d: told of %d, spent 120", at, told)
		}
	}
}

func TestWindow(t *testing.T) {
	w := newWindow(10)
	now := marketcache.Instant(time.Hour)
	r := rand.New(rand.NewPCG(5, 6))
	var taken []marketcache.Instant
	for range 2000 {
		now = now.Add(time.Duration(r.Int64N(int64(4 * time.Second))))
		keep := 0
		if r.IntN(2) == 0 {
			keep = 4
		}
		if wait, ok := w.take(now, keep); ok {
			taken = append(taken, now)
			n := 0
			for _, o := range taken {
				if now.Sub(o) <= time.Minute {
					n++
				}
			}
			if n > 10-keep && keep > 0 || n > 10 {
				t.Fatalf("%d in a minute", n)
			}
		} else if _, ok := w.take(now.Add(wait), keep); !ok {
			t.Fatalf("does not fit after the wait of %v", wait)
		} else {
			now = now.Add(wait)
			taken = append(taken, now)
		}
	}
}
