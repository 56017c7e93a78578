package risk

import (
	"testing"

	mc "ballast/marketcache"
)

// An assessment of many positions, or with a simulation, ends when its deadline has passed, and says so; the same
// memory then gives the same answers as memory of its own. Injects the fault long-computation of docs/faults.md.
func TestLateAssessmentsEnd(t *testing.T) {
	for _, n := range []int{0, 8, lookEvery + 2} {
		c, now := testCache(t, n+2)
		e, owner := NewEngine(DefaultAges()), testWallet(n)
		assess := func(simulate bool) func(s *Scratch) WalletReport {
			return func(s *Scratch) (r WalletReport) {
				trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 50_000, Leverage: 10, MonteCarlo: simulate}
				refuse(t, e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs))
				e.Assess(s)
				return r
			}
		}
		monitor := func(s *Scratch) (r WalletReport) {
			refuse(t, e.FillWallet(&s.In, c, owner, 0, now, testWallMs))
			e.Monitor(s, &r, DefaultTarget)
			return r
		}
		s, fresh, large := NewScratch(n), NewScratch(n), n >= lookEvery
		for what, c := range map[string]struct {
			run   func(s *Scratch) WalletReport
			looks bool
		}{"assess": {assess(false), large}, "simulate": {assess(true), true}, "monitor": {monitor, large}} {
			for range 2 {
				s.Deadline = mc.Now() - 1
				if c.run(s); s.Late != c.looks {
					t.Errorf("%s of %d positions: late %v", what, n, s.Late)
				}
				s.Deadline = mc.Now().Add(1e15)
				got, want := c.run(s), c.run(fresh)
				if s.Late || !sameAnswer(&s.Out, &fresh.Out) || got.BookVaR99 != want.BookVaR99 ||
					len(got.Positions) != len(want.Positions) {
					t.Errorf("%s of %d positions differs after one that was late", what, n)
				}
			}
		}
	}
}
