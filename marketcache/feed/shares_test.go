package feed

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// shared are callers that share a budget, on a virtual clock.
type shared struct {
	*testing.T
	b *Budget
	s *Shares
}

// withShares runs fn with a budget of 1000 in which a first wallet costs 120.
func withShares(t *testing.T, fn func(x shared)) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(1000, nil)
		defer b.Close()
		fn(shared{t, b, NewShares(b, func() int { return 120 })})
	})
}

// read reads a wallet for a caller.
func (x shared) read(caller string, weight int, held bool) error {
	c, p, err := x.s.Admit(marketcache.Caller{ID: caller}, weight, held)
	if err != nil {
		return err
	}
	g, err := x.b.Acquire(x.Context(), p, weight, 0)
	if err != nil {
		x.s.Extend(c, -weight)
		return x.s.Lacking(c, err)
	}
	g.Settle(weight, weight)
	return nil
}

// spend reads wallets for a caller until it is refused, and returns what it spent.
func (x shared) spend(caller string, weight int, held bool) (n int) {
	for n < 2*x.b.limit {
		if err := x.read(caller, weight, held); err != nil {
			if !errors.Is(err, marketcache.ErrShare) {
				x.Fatal(err)
			}
			return n
		}
		n += weight
	}
	x.Fatalf("%s is never refused", caller)
	return n
}

// A single caller may use all that is not kept for live data and tables.
func TestSharesOfOneCaller(t *testing.T) {
	withShares(t, func(x shared) {
		if n := x.spend("alone", 40, false); n != 720 {
			t.Errorf("%d, want 720", n)
		}
		time.Sleep(time.Minute + time.Second)
		c, _, err := x.s.Admit(marketcache.Caller{ID: "alone"}, 720, false)
		if err != nil {
			t.Fatalf("a minute later: %v", err)
		}
		x.s.Extend(c, -720)
		if n := x.spend("alone", 100, false); n != 700 {
			t.Errorf("after a refund %d, want 700", n)
		}
		time.Sleep(11 * time.Minute)
		x.s.Admit(marketcache.Caller{ID: "x"}, 1, false)
		if len(x.s.callers) != 1 {
			t.Errorf("%d callers are kept", len(x.s.callers))
		}
	})
}

// Beside a caller that takes all it can get, another goes on reading, and a third gets its first wallet. The error
// tells the share, and when to ask again. Only reads of wallets without positions may be refused, in the first minute.
func TestSharesOfTwoCallers(t *testing.T) {
	for _, held := range []bool{true, false} {
		withShares(t, func(x shared) {
			var refused []error
			modest := func() {
				if err := x.read("modest", 10, held); err != nil {
					refused = append(refused, err)
				}
				time.Sleep(5 * time.Second)
			}
			for range 4 {
				modest()
			}
			n := x.spend("greedy", 40, false)
			for range 11 {
				modest()
				n += x.spend("greedy", 40, false)
			}
			if held && len(refused) > 0 || len(refused) > 3 {
				t.Errorf("held %v: %v", held, refused)
			}
			if n < 360 || n > 560 {
				t.Errorf("held %v: the greedy caller got %d in a minute", held, n)
			}
			if err := x.read("third", 120, false); err != nil {
				t.Errorf("held %v: a newcomer: %v", held, err)
			}
			err := x.read("greedy", 40, false)
			if wait, _ := marketcache.RetryAfter(err); wait < time.Second || wait > time.Minute || !strings.Contains(err.Error(), "to read this wallet costs 40 request weight; this key asks for ") {
				t.Errorf("held %v: wait %v, %v", held, wait, err)
			}
		})
	}
}

// A caller that asks for more than its share keeps reading when a second caller appears and its share shrinks.
func TestSharesGoOn(t *testing.T) {
	withShares(t, func(x shared) {
		for range 30 { // 960 a minute, more than there is
			x.read("busy", 16, true)
			time.Sleep(time.Second)
		}
		last, longest := time.Now(), time.Duration(0)
		for range 600 {
			x.read("greedy", 40, false)
			if x.read("busy", 16, true) == nil {
				last = time.Now()
			}
			longest = max(longest, time.Since(last))
			time.Sleep(100 * time.Millisecond)
		}
		if longest > 6*time.Second {
			t.Errorf("no read for %v", longest)
		}
	})
}

// Beside a greedy caller, a copy that is still young is not read again; an old one is.
func TestReadsAheadWait(t *testing.T) {
	withShares(t, func(x shared) {
		ahead := func() error {
			c, _, err := x.s.Admit(marketcache.Caller{ID: "busy", Ahead: true}, 10, true)
			if err == nil {
				x.s.Extend(c, -10)
			}
			return err
		}
		x.read("busy", 10, true)
		if err := ahead(); err != nil {
			t.Error(err)
		}
		x.spend("greedy", 40, false)
		x.spend("greedy", 40, true)
		time.Sleep(10 * time.Second)
		if err := ahead(); !errors.Is(err, marketcache.ErrShare) {
			t.Errorf("beside a greedy caller: %v", err)
		}
		if err := x.read("busy", 10, true); err != nil {
			t.Errorf("a read that is needed: %v", err)
		}
	})
}

// For a caller that reads a wallet with open positions each second, the weight for the rest of the minute is kept.
func TestWeightIsKeptForWhoGoesOn(t *testing.T) {
	withShares(t, func(x shared) {
		x.read("another", 1, false)
		for second := range 50 {
			if err := x.read("steady", 4, true); err != nil {
				t.Fatal(err)
			}
			if want := 4 * (59 - second); second >= 8 && (x.b.kept.position < want*9/10 || x.b.kept.position > want*5/4+10) {
				t.Errorf("second %d: %d kept, want about %d", second, x.b.kept.position, want)
			}
			time.Sleep(time.Second)
		}
	})
}

// A read that got no weight does not make a newcomer of a caller that was given some meanwhile.
func TestFailedReadMakesNoNewcomer(t *testing.T) {
	withShares(t, func(x shared) {
		x.read("another", 10, true)
		failing, _, err := x.s.Admit(marketcache.Caller{ID: "greedy"}, 40, false)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := x.read("greedy", 4, true); err != nil {
			t.Fatal(err)
		}
		x.s.Extend(failing, -40)
		if _, p, _ := x.s.Admit(marketcache.Caller{ID: "greedy"}, 40, false); p != ForWallet {
			t.Errorf("its next read has priority %d, want %d", p, ForWallet)
		}
	})
}

// A caller's first read for which there is no weight is not its own fault.
func TestFirstReadThatLacksWeight(t *testing.T) {
	withShares(t, func(x shared) {
		x.read("another", 10, true)
		g, err := x.b.Acquire(x.Context(), ForStart, 985, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Release()
		if err := x.read("first", 40, false); !errors.Is(err, marketcache.ErrBudget) {
			t.Error(err)
		}
	})
}
