package risk

import "testing"

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
