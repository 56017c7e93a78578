package risk

import "testing"

// The figures of the flag and the issue insufficient_margin tell why: what the trade needs is more than
// the free margin, also where only fee and slippage are too much, and where the pool already has less
// than the initial margin of its positions.
func TestMarginFiguresShowTheShortage(t *testing.T) {
	for name, c := range map[string]struct {
		equity, size, leverage, held float64
	}{
		"initial margin":    {4_000, 50_000, 10, 0},
		"fee and slippage":  {5_010, 50_000, 10, 0},
		"already too small": {2_000, 1_000, 12, 0.5},
		"flip to less":      {100, 40_000, 10, -0.5},
	} {
		s := newSituation(c.equity, ActionLong, c.size)
		s.in.Trade.Leverage = c.leverage
		if c.held != 0 {
			s.holds(holding(0, "BTC", c.held, testMark, 10))
		}
		a := s.assess(t)
		issue := a.Admissibility.Issues[0]
		if !a.Flags.Has(FlagInsufficientMargin) || issue.Code != IssueInsufficientMargin {
			t.Fatalf("%s: flags %v, %+v", name, raised(&a.Flags), issue)
		}
		value, threshold := a.Flags.Value[FlagInsufficientMargin], a.Flags.Threshold[FlagInsufficientMargin]
		if threshold != a.Margin.Before.Free || !(value > threshold) {
			t.Errorf("%s: the flag has %v against %v", name, value, threshold)
		}
		if issue.Got != value || issue.Limit != threshold {
			t.Errorf("%s: the issue has %v against %v, the flag %v against %v", name, issue.Got, issue.Limit, value, threshold)
		}
	}
}
