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

// TestBudgetNeverExceeded sends random requests of all priorities and checks the weight in every
// window of 60 s. Each request is counted at a random moment between sending and answer, because
// the venue may count it then.
func TestBudgetNeverExceeded(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			r := rand.New(rand.NewPCG(seed, 7))
			limit := 100 + r.IntN(1200)
			b := NewBudget(limit, nil)
			defer b.Close()
			type event struct {
				at     time.Time
				weight int
			}
			var mu sync.Mutex
			var events []event
			var wg sync.WaitGroup
			served := [priorities]int{}
			for range 400 {
				p := Priority(r.IntN(int(priorities)))
				weight, maxRows := 2+18*r.IntN(2), r.IntN(90)
				flight, counted := time.Duration(r.Int64N(int64(3*time.Second))), r.Float64()
				rows := r.IntN(maxRows + 1)
				patience := time.Duration(-1)
				if p == ForWallet {
					patience = time.Second
				}
				if r.IntN(50) == 0 {
					b.Refused(p, time.Duration(r.IntN(3))*time.Second)
				}
				wg.Go(func() {
					g, err := b.Acquire(t.Context(), p, weight+maxRows, patience)
					if err != nil {
						if !errors.Is(err, marketcache.ErrBudget) {
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
					g.Settle(weight+maxRows, weight+rows)
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
			if n := b.Used(); n != 0 || b.counts != [kinds]int{} {
				t.Errorf("%v still counted", b.counts)
			}
			if served[ForLive] == 0 {
				t.Errorf("nothing live was served: %v", served)
			}
		})
	}
}

func TestBudgetOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(1000, nil)
		defer b.Close()
		g, _ := b.Acquire(t.Context(), ForPosition, 1000, 0)
		g.Settle(1000, 1000)
		var mu sync.Mutex
		var order []string
		var wg sync.WaitGroup
		for _, p := range []Priority{ForTopUp, ForWarmUp, ForTables, ForLive, ForWanted} {
			wg.Go(func() {
				g, err := b.Acquire(t.Context(), p, 500, -1)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, fmt.Sprint(int(p)))
				mu.Unlock()
				g.Settle(500, 500)
			})
			synctest.Wait()
		}
		if _, err := b.Acquire(t.Context(), ForWallet, 20, time.Second); !errors.Is(err, marketcache.ErrBudget) {
			t.Errorf("a wallet read of a spent budget: %v", err)
		} else if wait, ok := marketcache.RetryAfter(err); !ok || wait < 50*time.Second || wait > 62*time.Second {
			t.Errorf("wait %v", wait)
		}
		wg.Wait()
		if got := fmt.Sprint(order); got != fmt.Sprint([]Priority{ForLive, ForTables, ForWanted, ForWarmUp, ForTopUp}) {
			t.Errorf("served in the order %s", got)
		}
	})
}

func TestBudgetReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(1000, nil)
		defer b.Close()
		if _, err := b.Acquire(t.Context(), ForTopUp, 10, 0); err == nil {
			t.Error("a history's newest hours are read in the minute of the start")
		}
		time.Sleep(budgetWindow)
		for _, c := range []struct {
			p     Priority
			fills int
		}{{ForTopUp, 700}, {ForWarmUp, 700}, {ForTables, 800}, {ForLive, 800}, {ForWallet, 1000}} {
			for {
				b.paced = 0 // TestBudgetPace tests the pace
				g, err := b.Acquire(t.Context(), c.p, 10, 0)
				if err != nil {
					break
				}
				g.Settle(10, 10)
			}
			if got := b.Used(); got != c.fills {
				t.Errorf("priority %d filled to %d, want %d", c.p, got, c.fills)
			}
		}
		// A waiter that gives up leaves its weight to others.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.Acquire(ctx, ForTopUp, 10, -1); !errors.Is(err, marketcache.ErrBudget) {
			t.Error(err)
		}
		time.Sleep(61 * time.Second)
		if got := b.Used(); got != 0 {
			t.Errorf("%d spent a minute later", got)
		}
		if _, err := b.Acquire(t.Context(), ForTopUp, 701, -1); !errors.Is(err, marketcache.ErrBudget) {
			t.Errorf("more than ever fits: %v", err)
		}
	})
}

// TestBudgetPace: histories that all wait at once spread their weight, so that the reads of a caller who
// begins then, or 10 s later, are served a minute long and after it; and they have what callers leave.
// Injects the fault warm-up-burst of docs/faults.md.
func TestBudgetPace(t *testing.T) {
	const limit, read, history = 600, 8, 20
	for _, begin := range []int{0, 5, -1} { // the turn of the first read; -1: none
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			b := NewBudget(limit, nil)
			defer b.Close()
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			var served atomic.Int64
			wg.Go(func() {
				for {
					g, err := b.Acquire(ctx, ForWarmUp, history+5, -1)
					if err != nil {
						return
					}
					g.Settle(history+5, history)
					served.Add(history)
				}
			})
			for turn := range 180 {
				if begin >= 0 && turn >= begin {
					g, err := b.Acquire(ctx, ForWallet, read, 0)
					if err != nil {
						t.Fatalf("begun at %d, after %d s: %v", begin, 2*turn, err)
					}
					g.Settle(read, read)
				}
				time.Sleep(2 * time.Second)
				if n := served.Load(); turn == 0 && n > limit/4 {
					t.Errorf("histories spent %d at once", n)
				}
			}
			stop()
			wg.Wait()
			least := int64(5 * 360)
			if begin >= 0 {
				least = 5 * (limit*80/100 - 30*read)
			}
			if n := served.Load(); n < least {
				t.Errorf("reads begun at %d: histories spent %d in six minutes, want %d", begin, n, least)
			}
		})
	}
}

// TestBudgetReserveUsed: the reserves shrink by the weight that wallets and live data free within a
// minute. The reserve for one wallet that is not in the cache always stays.
func TestBudgetReserveUsed(t *testing.T) {
	for _, c := range []struct{ wallets, live, wanted, warmUp int }{
		{0, 0, 480, 420}, {120, 0, 552, 492}, {72, 60, 552, 552}, {60, 90, 540, 540}, {400, 30, 552, 522},
	} {
		if w, h := capacity(ForWanted, 600, c.wallets, c.live, 0), capacity(ForWarmUp, 600, c.wallets, c.live, 0); w != c.wanted || h != c.warmUp {
			t.Errorf("%+v: %d and %d", c, w, h)
		}
	}
}

// TestBudgetRefused: after a refusal, requests of the same kind pause for at most 30 s and the
// budget is halved for a minute. Then one request is sent as a probe. Requests of other kinds
// continue.
func TestBudgetRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(1000, nil)
		defer b.Close()
		acquire := func(p Priority) *Grant {
			g, err := b.Acquire(t.Context(), p, 1, 0)
			if err != nil {
				return nil
			}
			return g
		}
		fits := func(p Priority, weight int) bool {
			g, err := b.Acquire(t.Context(), p, weight, 0)
			if err == nil {
				g.Release()
			}
			return err == nil
		}
		if pause := b.Refused(ForWanted, time.Hour); pause < refusalPause || pause > refusalPause*5/4 {
			t.Errorf("an hour of Retry-After pauses for %v", pause)
		}
		if fits(ForTopUp, 1) || !fits(ForTables, 1) || !fits(ForPosition, 500) || fits(ForPosition, 501) {
			t.Error("histories go on, tables do not, or the budget is not halved")
		}
		time.Sleep(refusalPauseMax * 5 / 4)
		probe := acquire(ForWanted)
		if probe == nil || acquire(ForWanted) != nil {
			t.Fatal("want exactly one probe after the pause")
		}
		b.Refused(ForWanted, 0)
		probe.Settle(1, 1)
		time.Sleep(refusalPause)
		if fits(ForWanted, 1) {
			t.Error("the second pause is not longer")
		}
		time.Sleep(refusalPauseMax)
		if probe = acquire(ForWanted); probe == nil {
			t.Fatal("no probe after the second pause")
		}
		b.Accepted(ForWanted)
		probe.Settle(1, 1)
		if !fits(ForTopUp, 1) {
			t.Error("histories are paused after an answer")
		}
		time.Sleep(budgetWindow)
		if !fits(ForWallet, 501) {
			t.Error("the budget is still halved a minute after the last refusal")
		}
		b.Refused(ForWallet, 0)
		if fits(ForWallet, 1) || !fits(ForLive, 1) || !fits(ForTopUp, 1) {
			t.Error("a refusal of wallets pauses others, or does not pause wallets")
		}
	})
}

// TestWalletsLeaveHistories: one caller's many wallets do not keep a history from all others, and
// reads of positions are not limited for it.
func TestWalletsLeaveHistories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(600, nil)
		defer b.Close()
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for ctx.Err() == nil {
					if g, err := b.Acquire(ctx, ForWallet, 44, time.Second); err == nil {
						g.Settle(44, 44)
					}
					Sleep(ctx, 300*time.Millisecond)
				}
			})
		}
		time.Sleep(5 * time.Minute)
		for _, p := range []Priority{ForWanted, ForWarmUp, ForWarmUp} {
			began := time.Now()
			limit, give := context.WithTimeout(ctx, 10*time.Minute)
			g, err := b.Acquire(limit, p, 104, -1)
			if give(); err != nil {
				t.Fatalf("priority %d: no weight: %v", p, err)
			}
			g.Settle(104, 104)
			if d := time.Since(began); d > 65*time.Second {
				t.Errorf("priority %d: weight after %v", p, d)
			}
		}
		stop()
		wg.Wait()
	})
}

// callers are callers and other users of a budget, on a virtual clock, until ctx ends.
type callers struct {
	ctx context.Context
	b   *Budget
	s   *Shares
	wg  sync.WaitGroup
}

// repeat calls do at an interval. The result counts the calls that succeed; read it after wg.Wait.
func (c *callers) repeat(every time.Duration, do func() error) (done *int) {
	done = new(int)
	c.wg.Go(func() {
		for c.ctx.Err() == nil {
			if do() == nil {
				*done++
			}
			Sleep(c.ctx, every)
		}
	})
	return done
}

// use spends weight as a request does that the venue answers after a tenth of a second.
func (c *callers) use(p Priority, reserved, weighed int, patience time.Duration) error {
	g, err := c.b.Acquire(c.ctx, p, reserved, patience)
	if err != nil {
		return err
	}
	time.Sleep(100 * time.Millisecond)
	g.Settle(reserved, weighed)
	return nil
}

// read reads a wallet for a caller.
func (c *callers) read(caller string, reserved, weighed int, position bool) error {
	charge, p, err := c.s.Admit(marketcache.Caller{ID: caller}, reserved, position)
	if err != nil {
		return err
	}
	if err = c.use(p, reserved, weighed, time.Second); err != nil {
		c.s.Extend(charge, -reserved)
		return c.s.Lacking(charge, err)
	}
	c.s.Extend(charge, weighed-reserved)
	return nil
}

// TestWarmUpBesideGreedyCaller: a caller that asks for new wallets as fast as it can does not stop
// histories and tables, whether it asks alone or beside a caller that reads one wallet with positions.
func TestWarmUpBesideGreedyCaller(t *testing.T) {
	const weight, history, table = 52, 24, 20
	for _, row := range []struct{ polled, histories, tables int }{{0, 30, 12}, {10, 15, 12}} {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			b := NewBudget(600, nil)
			defer b.Close()
			ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
			defer stop()
			c := &callers{ctx: ctx, b: b, s: NewShares(b, func() int { return 72 })}
			for i := range 4 {
				time.Sleep(time.Duration(i) * time.Millisecond)
				c.repeat(20*time.Millisecond, func() error { return c.read("greedy", weight, weight, false) })
			}
			if row.polled > 0 {
				c.repeat(1900*time.Millisecond, func() error { return c.read("polling", row.polled, row.polled, true) })
			}
			histories := c.repeat(3650*time.Millisecond, func() error { return c.use(ForWarmUp, history, history, -1) })
			tables := c.repeat(12*time.Second, func() error { return c.use(ForTables, table, table, 10*time.Second) })
			c.wg.Wait()
			if *histories < row.histories || *tables < row.tables {
				t.Errorf("beside %+v: %d histories and %d tables in 5 minutes", row, *histories, *tables)
			}
		})
	}
}

// TestTablesBesideGreedyWallets: ordinary wallet reads leave weight to the venue's tables.
func TestTablesBesideGreedyWallets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(600, nil)
		defer b.Close()
		b.keep(0, 72) // as Shares does with two callers
		spent := 0
		for {
			g, err := b.Acquire(t.Context(), ForWallet, 4, 0)
			if err != nil {
				break
			}
			spent += 4
			g.Settle(4, 4)
		}
		if want := 600 - 72 - 150; spent != want/4*4 {
			t.Errorf("wallets spent %d, want %d", spent, want)
		}
		time.Sleep(31 * time.Second) // walletReserve shrinks by the weight that these reads will free
		for range 5 {
			if _, err := b.Acquire(t.Context(), ForTables, 20, 0); err != nil {
				t.Fatalf("no weight for a table: %v", err)
			}
		}
	})
}

// A caller that reads a wallet with positions every 2 s goes on without a refusal beside one that monitors
// sixteen such wallets as fast as it can, and has just begun.
// Injects the fault greedy-key of docs/faults.md.
func TestPollingBesideGreedyMonitor(t *testing.T) {
	for _, row := range []struct{ live, history, lost int }{{0, 0, 0}, {60, 0, 0}, {60, 200, 1}} { // weight per minute; tables
		run := func(t *testing.T) {
			toTheFuture()
			b := NewBudget(600, nil)
			defer b.Close()
			ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
			defer stop()
			c := &callers{ctx: ctx, b: b, s: NewShares(b, func() int { return 72 })}
			read := func(caller string, known bool) error {
				if known {
					return c.read(caller, 4, 4, true)
				}
				return c.read(caller, 52, 44, false)
			}
			lost := 0 // tables
			if row.live > 0 {
				c.repeat(2*time.Minute/time.Duration(row.live), func() error { return c.use(ForLive, 2, 2, -1) })
				c.repeat(20*time.Second, func() error {
					err := c.use(ForTables, 20, 20, 30*time.Second)
					if err != nil && ctx.Err() == nil {
						lost++
					}
					return err
				})
			}
			if row.history > 0 {
				c.repeat(24*time.Minute/time.Duration(row.history), func() error { return c.use(ForTopUp, 24, 24, -1) })
			}
			time.Sleep(75 * time.Second)
			if err := read("polling", false); err != nil {
				t.Fatal(err)
			}
			begun, refused, last := time.Now(), 0, error(nil)
			c.repeat(2*time.Second, func() error {
				err := read("polling", true)
				if err != nil && ctx.Err() == nil {
					refused++
					last = fmt.Errorf("after %v: %w", time.Since(begun).Round(time.Second), err)
				}
				return err
			})
			time.Sleep(2 * time.Second)
			known, greedy := [16]bool{}, 0
			var at [16]time.Time
			next := 0
			c.repeat(time.Second/30, func() error {
				i := next % len(known)
				next++
				if time.Since(at[i]) > 2*time.Second && read("greedy", known[i]) == nil {
					known[i], at[i] = true, time.Now()
					greedy++
				}
				return nil
			})
			c.wg.Wait()
			if refused > 0 {
				t.Errorf("beside %+v: %d reads refused, the last %v", row, refused, last)
			}
			if lost > row.lost {
				t.Errorf("beside %+v: %d tables were not read", row, lost)
			}
			if greedy < 100 {
				t.Errorf("beside %+v: the other caller got %d reads in 4 minutes", row, greedy)
			}
		}
		t.Run(fmt.Sprintf("%+v", row), func(t *testing.T) { synctest.Test(t, run) })
	}
}

// TestPaceOfAnyOrder: as many histories are read beside two wallets, books and tables, whenever in a minute
// those are read.
func TestPaceOfAnyOrder(t *testing.T) {
	const history, minutes, aMinute = 24, 20, 14.5 // (600 - 48 - 120 - 69) / 24 = 15, less at the start
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			r := rand.New(rand.NewPCG(seed, 1))
			b := NewBudget(600, nil)
			defer b.Close()
			ctx, stop := context.WithTimeout(t.Context(), minutes*time.Minute)
			defer stop()
			var wg sync.WaitGroup
			use := func(p Priority, reserved, weighed int, patience time.Duration) bool {
				g, err := b.Acquire(ctx, p, reserved, patience)
				if err == nil {
					time.Sleep(5 * time.Millisecond) // the venue's answer
					g.Settle(reserved, weighed)
				}
				return err == nil
			}
			repeat := func(p Priority, reserved, weighed int, every, patience time.Duration) {
				next := time.Now().Add(time.Duration(r.Int64N(int64(every))))
				wg.Go(func() {
					for ; Sleep(ctx, time.Until(next)) == nil; next = next.Add(every) {
						if !use(p, reserved, weighed, patience) && p == ForFirst {
							t.Errorf("seed %d: a wallet was refused", seed)
						}
					}
				})
			}
			for range 2 {
				repeat(ForFirst, 4, 2, 2*time.Second, time.Second)
				repeat(ForTables, 20, 20, time.Minute, 30*time.Second)
			}
			repeat(ForTables, 20, 20, 4*time.Minute, 30*time.Second)
			repeat(ForLive, 2, 2, 30*time.Second, 10*time.Second)
			repeat(ForLive, 20, 20, time.Minute, 30*time.Second)
			var served atomic.Int64
			for range 3 {
				wg.Go(func() {
					for use(ForWarmUp, history, history, -1) {
						served.Add(1)
					}
				})
			}
			wg.Wait()
			if n := served.Load(); n < minutes*aMinute {
				t.Errorf("seed %d: %d histories in %d minutes", seed, n, minutes)
			}
		})
	}
}
