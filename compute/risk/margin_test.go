package risk

import (
	"math"
	"testing"

	mc "ballast/marketcache"
)

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
		value, threshold := a.Flags.Value[FlagInsufficientMargin], a.Flags.Threshold[FlagInsufficientMargin]
		if issue.Got != value || issue.Limit != threshold {
			t.Errorf("%s: the issue has %v against %v, the flag %v against %v", name, issue.Got, issue.Limit, value,
				threshold)
		}
		if short := issue.Got - issue.Limit; issue.FixDepositUSD < short || issue.FixDepositUSD > short+0.01 {
			t.Errorf("%s: a deposit of %v for %v", name, issue.FixDepositUSD, short)
		}
	}
}

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
			deposit := issue.FixDepositUSD - short
			first := newSituation(equity+deposit, ActionLong, 50_000_000).assess(t).Admissibility.Issues[0]
			if lacks := first.Code == IssueInsufficientMargin; lacks != (short > 0) {
				t.Errorf("equity %v, a deposit of %v: %+v", equity, deposit, first)
			}
		}
	}
}

// An order whose initial margin a wallet of less than 1 USD has is no issue, although the assessment
// assumes a deposit.
func TestSmallChangeIsMargin(t *testing.T) {
	s := newSituation(0.9, ActionLong, 12)
	s.in.Trade.Leverage = 40 // 0.30 USD
	s.in.Target.Market.Asset.SizeDigits = 6
	a := s.assess(t)
	if !a.Flags.Has(FlagNoAccountEquity) || a.Admissibility.Verdict != VerdictOK {
		t.Errorf("at 40x: flags %v, %+v", raised(&a.Flags), a.Admissibility)
	}
	s.in.Trade.Leverage = 10
	a = s.assess(t)
	if issue := a.Admissibility.Issues[0]; issue.Code != IssueInsufficientMargin || !(issue.Got > issue.Limit) ||
		issue.FixLeverage != 14 {
		t.Errorf("at 10x: %+v", a.Admissibility)
	}
}

// Whether the venue would lend the margin of a trade to an account that could not be read is not known,
// however small the balance that is known of it.
func TestMarginOfAnUnreadablePoolIsUnknown(t *testing.T) {
	for _, size := range []float64{600, 60_000} {
		for _, mode := range []Mode{Cross, Isolated} {
			s := newSituation(1_000, ActionLong, size)
			s.in.Trade.Mode = mode
			s.in.Account.Mode = mc.ModePortfolioMargin
			s.in.Account.Pools = []mc.Pool{{Dex: mc.Everywhere, EquityUSD: 1_000, CashUSD: 1_000, Unreadable: true}}
			out := s.assess(t).Admissibility
			if out.Verdict != VerdictUnknown || out.Count != 1 || out.Issues[0].Code != IssueMarginUnknown {
				t.Errorf("%v USD, %v: %v, %+v", size, mode, out.Verdict, out.Issues[:out.Count])
			} else if i := out.Issues[0]; !i.NoLimit || i.Got <= 0 || i.FixDepositUSD != 0 {
				t.Errorf("%v USD, %v: %+v", size, mode, i)
			}
		}
	}
}
