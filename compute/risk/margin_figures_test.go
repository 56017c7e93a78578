package risk

import "testing"

// The figures of the flag and of the issue insufficient_margin tell why, and the deposit that the issue
// names is the difference, in whole cents.
func TestMarginFiguresShowTheShortage(t *testing.T) {
	for name, c := range map[string]struct {
		equity, size, leverage, held float64
		mode                         Mode
		needed, available            float64 // but for fee and slippage
	}{
		"initial margin":        {4_000, 50_000, 10, 0, Cross, 5_000, 4_000},
		"fee and slippage":      {5_010, 50_000, 10, 0, Cross, 5_000, 5_010},
		"already too small":     {2_000, 1_000, 12, 0.5, Cross, 31_000.0 / 12, 2_000},
		"flip to less":          {100, 40_000, 10, -0.5, Cross, 1_000, 100},
		"isolated":              {4_000, 50_000, 10, 0, Isolated, 5_000, 4_000},
		"flip of isolated":      {100, 80_000, 10, -0.5, Isolated, 5_000, 100 + 3_000},
		"less than none at all": {-50, 50_000, 10, 0, Cross, 5_000, -50},
	} {
		s := newSituation(c.equity, ActionLong, c.size)
		s.in.Trade.Leverage, s.in.Trade.Mode, s.in.Trade.ModeGiven = c.leverage, c.mode, true
		if p := holding(0, "BTC", c.held, testMark, 10); c.held != 0 && c.mode == Isolated {
			s.holds(isolatedAt(p, 3_000))
		} else if c.held != 0 {
			s.holds(p)
		}
		a := s.assess(t)
		issue := a.Admissibility.Issues[0]
		if !a.Flags.Has(FlagInsufficientMargin) || issue.Code != IssueInsufficientMargin {
			t.Fatalf("%s: flags %v, %+v", name, raised(&a.Flags), issue)
		}
		// The cross pool pays fee and slippage; what is posted as isolated margin does not.
		costs := a.Fees.EstimatedUSD + c.size*a.Slippage.Bps/1e4
		switch {
		case c.mode == Isolated && c.held != 0: // the closing part alone
			costs = 30_000 * a.Slippage.Bps / 1e4
		case c.mode == Isolated:
			costs = 0
		}
		about(t, name+": needed", issue.Got, c.needed, 1e-9)
		about(t, name+": available", issue.Limit, c.available-costs, 1e-6)
		if value, threshold := a.Flags.Value[FlagInsufficientMargin], a.Flags.Threshold[FlagInsufficientMargin]; issue.Got != value || issue.Limit != threshold {
			t.Errorf("%s: the issue has %v against %v, the flag %v against %v", name, issue.Got, issue.Limit, value,
				threshold)
		}
		if short := issue.Got - issue.Limit; issue.FixDepositUSD < short || issue.FixDepositUSD > short+0.01 {
			t.Errorf("%s: a deposit of %v for %v", name, issue.FixDepositUSD, short)
		}
	}
}
