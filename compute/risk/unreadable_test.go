package risk

import (
	"testing"

	mc "ballast/marketcache"
)

// unreadablePool is a wallet under portfolio margin whose pool the venue did not tell: what is known of it
// is a balance of 1,000 USD.
func unreadablePool(size float64, mode Mode) *situation {
	s := newSituation(1_000, ActionLong, size)
	s.in.Trade.Mode = mode
	s.in.Account.Mode = mc.ModePortfolioMargin
	s.in.Account.Pools = []mc.Pool{{Dex: mc.Everywhere, EquityUSD: 1_000, CashUSD: 1_000, Unreadable: true}}
	return s
}

// Whether the venue would lend the margin of a trade to an account that could not be read is not known,
// however small the balance that is known of it.
func TestMarginOfAnUnreadablePoolIsUnknown(t *testing.T) {
	for _, size := range []float64{600, 60_000} {
		for _, mode := range []Mode{Cross, Isolated} {
			out := unreadablePool(size, mode).assess(t).Admissibility
			if out.Verdict != VerdictUnknown || out.Count != 1 || out.Issues[0].Code != IssueMarginUnknown {
				t.Errorf("%v USD, %v: %v, %+v", size, mode, out.Verdict, out.Issues[:out.Count])
			} else if i := out.Issues[0]; !i.NoLimit || i.Got <= 0 || i.FixDepositUSD != 0 {
				t.Errorf("%v USD, %v: %+v", size, mode, i)
			}
		}
	}
}
