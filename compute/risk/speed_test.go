package risk

import (
	"fmt"
	"testing"

	"ballast/internal/race"
)

// warm returns a function that takes a snapshot and assesses a simple trade of a wallet with n
// other positions. Its memory is already warmed up.
func warm(t testing.TB, n int) func() {
	c, now := testCache(t, max(n+1, 2))
	e, s, owner := NewEngine(DefaultAges()), NewScratch(n), testWallet(n)
	trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 50_000, Leverage: 10}
	run := func() {
		refuse(t, e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs))
		e.Assess(s)
	}
	run()
	return run
}

// A warm assessment allocates nothing on the heap: garbage at a thousand requests per second would
// raise the tail latency.
func TestAllocAssess(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, n := range []int{0, 1, 8, 40} {
		if got := testing.AllocsPerRun(100, warm(t, n)); got != 0 {
			t.Errorf("%d positions: %v allocations, want 0", n, got)
		}
	}
	t.Run("held", func(t *testing.T) {
		c, now := testCache(t, 4)
		e, s, owner := NewEngine(DefaultAges()), NewScratch(3), testWallet(3)
		run := func() {
			e.Fill(&s.In, c, &Trade{Asset: 1, SizeUSD: 1}, owner, 0, now, testWallMs)
			s.In.AsHeld = true
			e.Assess(s)
		}
		run()
		if got := testing.AllocsPerRun(100, run); got != 0 {
			t.Errorf("%v allocations, want 0", got)
		}
	})
}

// Every validation request runs one assessment.
func BenchmarkAssess(b *testing.B) {
	for _, n := range []int{0, 1, 2, 4, 5, 8, 10, 40, 50, 200} {
		b.Run(fmt.Sprintf("positions=%d", n), func(b *testing.B) {
			run := warm(b, n)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}
