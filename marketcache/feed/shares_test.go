package feed

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// TestShares: a key's share is the weight that the others leave, and at least an equal part.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(1000, nil)
		defer b.Close()
		s := NewShares(b)
		spend := func(caller string, weight int, position bool) (n int) {
			for {
				c, _, err := s.Admit(caller, weight, position)
				if err != nil {
					if !errors.Is(err, marketcache.ErrShare) {
						t.Fatal(err)
					}
					return n
				}
				n += c.weight
			}
		}
		if n := spend("alone", 40, false); n != 720 {
			t.Errorf("alone: %d, want 720, nearly all that is not kept for live data and tables", n)
		}
		if n := spend("second", 40, false); n != 240 {
			t.Errorf("second: %d, want 240, nearly half of the weight that is not reserved", n)
		}
		if n := spend("second", 40, true); n != 40 {
			t.Errorf("second: %d for positions, want 40, nearly the rest of its half", n)
		}
		if n := spend("alone", 40, false); n != 0 {
			t.Errorf("a caller over its share gets %d more", n)
		}
		if _, _, err := s.Admit("third", 400, false); err != nil {
			t.Errorf("a newcomer: %v", err)
		}
		_, _, err := s.Admit("alone", 40, false)
		if wait, _ := marketcache.RetryAfter(err); wait != time.Minute || !strings.Contains(err.Error(), "costs 40 request weight; this key has spent 720 within a minute, and its share of what the venue allows is now 183: ") {
			t.Errorf("wait %v, %v", wait, err)
		}
		time.Sleep(time.Minute + time.Second)
		c, _, err := s.Admit("alone", 880, false)
		if err != nil {
			t.Fatalf("a minute later: %v", err)
		}
		s.Refund(c, 800)
		if n := spend("alone", 100, false); n != 400 {
			t.Errorf("after a refund %d", n)
		}
		time.Sleep(11 * time.Minute)
		s.Admit("x", 1, false)
		if len(s.callers) != 1 || len(s.charges) != 1 {
			t.Errorf("%d callers and %d charges are kept", len(s.callers), len(s.charges))
		}
	})
}

// From its fifth second on, a caller that reads a wallet with open positions each second has the weight for the
// rest of the minute kept for it, whatever the venue's list price was; greedy callers get what is left.
func TestWeightIsKeptForWhoGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		b := NewBudget(1000, nil)
		defer b.Close()
		s := NewShares(b)
		s.Admit("another", 1, false)
		for second := range 50 {
			c, _, err := s.Admit("steady", 40, true)
			if err != nil {
				t.Fatal(err)
			}
			s.Refund(c, 36)
			if c, _, err = s.Admit("another", 1, false); err == nil {
				s.Refund(c, 1)
			}
			if want := 4 * (59 - second); second >= 5 && (b.kept.position < want*9/10 || b.kept.position > want*5/4+10) {
				t.Errorf("second %d: %d kept, want about %d", second, b.kept.position, want)
			}
			time.Sleep(time.Second)
		}
	})
}
