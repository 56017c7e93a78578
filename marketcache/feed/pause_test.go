package feed

import (
	"errors"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestQueueRefused: after a refusal, reads of the same kind pause for at most 30 s and the limit is halved for a
// minute. Then one read is sent as a probe. Reads of other kinds continue.
func TestQueueRefused(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		acquire := func(c Class) *Grant {
			g, err := q.Acquire(t.Context(), Read{Class: c, Weight: 1})
			if err != nil {
				return nil
			}
			return g
		}
		fits := func(c Class, weight int) bool {
			g, err := q.Acquire(t.Context(), Read{Class: c, Weight: weight})
			if err == nil {
				g.Release()
			}
			return err == nil
		}
		if pause := q.Refused(ForWanted, time.Hour); pause < 10*time.Second || pause > 12500*time.Millisecond {
			t.Errorf("an hour of Retry-After pauses for %v", pause)
		}
		if fits(ForHistory, 1) || !fits(ForDepth, 1) || !fits(ForLive, 75) || !fits(ForStart, 300) ||
			fits(ForStart, 301) {
			t.Error("histories go on, books do not, or the limit is not halved")
		}
		time.Sleep(refusalPauseMax * 5 / 4)
		probe := acquire(ForWanted)
		if probe == nil || acquire(ForWanted) != nil {
			t.Fatal("want exactly one probe after the pause")
		}
		if pause := q.Refused(ForWanted, 0); pause < 20*time.Second || pause > 25*time.Second {
			t.Errorf("a second refusal pauses for %v", pause)
		}
		q.Refused(ForWanted, 0) // in flight at the same time: it counts as the same refusal
		q.Accepted(ForWanted)   // the answer to an older request proves nothing
		probe.Settle(1, 1)
		time.Sleep(refusalPause)
		if fits(ForWanted, 1) {
			t.Error("the second pause is not longer")
		}
		time.Sleep(refusalPause * 3 / 2)
		if probe = acquire(ForWanted); probe == nil {
			t.Fatal("no probe after the second pause")
		}
		q.Accepted(ForWanted)
		probe.Settle(1, 1)
		time.Sleep(time.Second)
		if !fits(ForHistory, 1) {
			t.Error("histories are paused after an answer")
		}
		time.Sleep(budgetWindow)
		if !fits(ForStart, 301) {
			t.Error("the limit is still halved a minute after the last refusal")
		}
		if pause := q.Refused(ForWallet, 29*time.Second); pause < 29*time.Second || pause > 37*time.Second {
			t.Errorf("Retry-After of 29 s pauses for %v", pause)
		}
		if pause := q.Refused(ForDepth, 45*time.Second); pause > 13*time.Second {
			t.Errorf("Retry-After of 45 s pauses for %v", pause)
		}
		q.Accepted(ForLive)
		time.Sleep(13 * time.Second)
		q.Accepted(ForLive)
		_, err := q.Acquire(t.Context(), Read{Class: ForWallet, Weight: 1})
		if !errors.Is(err, marketcache.ErrBudget) || !fits(ForLive, 1) || !fits(ForHistory, 1) {
			t.Errorf("a refusal of wallets pauses others, or does not pause wallets: %v", err)
		}
	})
}

// TestQueueFailing: after five failures in a row, reads of the kind pause, each time for at most three seconds, and one
// is sent as a probe; one that hangs is joined by another. The first answer ends the pauses of all kinds.
func TestQueueFailing(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		acquire := func(c Class) (*Grant, error) {
			return q.Acquire(t.Context(), Read{Class: c, Weight: 1})
		}
		fail := func(c Class) *Grant {
			t.Helper()
			g, err := acquire(c)
			if err != nil {
				t.Fatal(err)
			}
			q.Failed(g)
			g.Release()
			return g
		}
		early := fail(ForHistory)
		for range maxFailing - 1 {
			if q.Venue.BreakerOpen.Load() {
				t.Fatal("reads pause after less than five failures")
			}
			fail(ForWanted)
		}
		recovered := q.Recovered()
		for _, c := range []Class{ForStart, ForLive, ForWallet, ForDepth} {
			if g, err := acquire(c); err != nil {
				t.Errorf("histories that fail stop class %d: %v", c, err)
			} else {
				g.Release()
			}
		}
		for i := range 10 { // pauses grow up to their bound
			_, err := acquire(ForHistory)
			wait := q.paused(ForHistory, marketcache.Now())
			q.Failed(early)
			if !errors.Is(err, marketcache.ErrUnavailable) || !q.Venue.BreakerOpen.Load() || wait <= 0 ||
				wait > min(failurePauseMin<<i, failurePauseMax) || q.paused(ForHistory, marketcache.Now()) != wait {
				t.Fatalf("pause %d: %v, wait %v", i, err, wait)
			}
			time.Sleep(wait)
			fail(ForHistory)
		}
		for range maxFailing {
			fail(ForWallet)
		}
		time.Sleep(failurePauseMax)
		hangs, err := acquire(ForWanted)
		if _, second := acquire(ForWanted); err != nil || second == nil {
			t.Fatalf("two probes at once: %v, %v", err, second)
		}
		time.Sleep(ProbeFor)
		joins, err := acquire(ForWanted)
		if err != nil {
			t.Fatalf("a probe that hangs is not joined: %v", err)
		}
		q.Retry()
		if g, err := acquire(ForWanted); err != nil {
			t.Errorf("a sign of life, and a probe that hangs is not joined: %v", err)
		} else {
			g.Release()
		}
		if q.Failed(hangs); q.paused(ForHistory, marketcache.Now()) > probeAgain {
			t.Error("the failure of an older probe counts")
		}
		q.Accepted(ForHistory)
		joins.Settle(1, 1)
		select {
		case <-recovered:
		default:
			t.Error("the channel of Recovered is still open")
		}
		for _, c := range []Class{ForWanted, ForWallet} {
			if g, err := acquire(c); err != nil {
				t.Errorf("class %d pauses after an answer: %v", c, err)
			} else {
				g.Release()
			}
		}
	})
}

// TestHistoriesWaitForOthers: when the venue does not answer what weighs little, it is not asked for histories; after a
// silence the others come first.
func TestHistoriesWaitForOthers(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		reads := func(want bool, of ...Class) {
			t.Helper()
			for _, c := range of {
				g, err := q.Acquire(t.Context(), Read{Class: c, Weight: 1})
				if err == nil {
					g.Release()
				}
				if (err == nil) != want {
					t.Errorf("class %d: %v", c, err)
				}
			}
		}
		fails := func(times int) {
			for range times {
				g, err := q.Acquire(t.Context(), Read{Class: ForStart, Weight: 2})
				if err != nil {
					t.Fatal(err)
				}
				q.Failed(g)
				g.Release()
			}
		}
		fails(1)
		reads(true, ForStart, ForLive, ForDepth, ForWallet)
		reads(false, ForHistory, ForWanted)
		q.Accepted(ForWallet)
		reads(false, ForHistory)
		q.Accepted(ForLive)
		reads(true, ForHistory, ForWanted)
		fails(maxFailing)
		q.Accepted(ForLive)
		time.Sleep(quietAfter - time.Second)
		reads(true, ForLive, ForWanted)
		reads(false, ForHistory)
		time.Sleep(time.Second)
		reads(true, ForHistory)
	})
}
