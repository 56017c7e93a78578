package risk

import (
	"math"
	"testing"
)

// The size that an insufficient_margin issue names is the largest one, in whole lots, that the margin
// covers: also when that is the requested size rounded down to the lot.
func TestMarginFixIsLargest(t *testing.T) {
	for _, c := range []struct{ equity, size, lots float64 }{
		{20_000, 215_000, 3}, // the margin covers three coins, and 3.58 are asked for
		{20_000, 250_000, 3}, // four are too many
		{13_000, 215_000, 2},
		{7_000, 119_000, 1}, // one coin, and 1.98 are asked for
	} {
		s := newSituation(c.equity, ActionLong, c.size)
		s.in.Target.Market.Asset.SizeDigits = 0 // a lot is a coin of 60,000 USD, 6,000 USD of margin
		a := s.assess(t)
		issue := a.Admissibility.Issues[0]
		if a.Admissibility.Count != 1 || issue.Code != IssueInsufficientMargin {
			t.Fatalf("equity %v, size %v: %+v", c.equity, c.size, a.Admissibility)
		}
		if got := issue.Fix / testMark; math.Abs(got-c.lots) > 1e-6 {
			t.Errorf("equity %v, size %v: the fix is %v lots, want %v", c.equity, c.size, got, c.lots)
		}
		s.in.Trade.SizeUSD = c.lots * testMark
		if a := s.assess(t); a.Admissibility.Verdict != VerdictOK {
			t.Errorf("equity %v: %v lots: %+v", c.equity, c.lots, a.Admissibility)
		}
	}
}

// The deposit that an insufficient_margin issue names is enough, however large it is.
func TestDepositFixIsEnough(t *testing.T) {
	for _, equity := range []float64{1_000, 175_297.36581, 4_999_990.0049} {
		s := newSituation(equity, ActionLong, 50_000_000)
		issue := s.assess(t).Admissibility.Issues[0]
		if issue.Code != IssueInsufficientMargin {
			t.Fatalf("equity %v: %v", equity, issue.Code)
		}
		for _, short := range []float64{0, 0.02} {
			with := newSituation(equity+issue.FixDepositUSD-short, ActionLong, 50_000_000).assess(t)
			if lacks := with.Admissibility.Issues[0].Code == IssueInsufficientMargin; lacks != (short > 0) {
				t.Errorf("equity %v, a deposit of %v less %v: %+v", equity, issue.FixDepositUSD, short, with.Admissibility.Issues[0])
			}
		}
	}
}
