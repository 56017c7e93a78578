package main

import (
	"strconv"
	"strings"
	"testing"
)

// The report names the late input first, and what concerns the whole wallet.
func TestReportOfTheWallet(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	main := ""
	text := reportOf(t, func(a *answer) {
		unmarshal(t, `{"components":[]}`, &a.Explanation)
		a.Flags = append(a.Flags, staleFlag)
		a.Explanation.Flags = append(a.Explanation.Flags, flagAnswer{Name: staleFlag, Severity: "critical", Meaning: "wallet 11 s old, limit 2 s"})
		a.Margin.Held, a.Margin.HeldMost = 12, number(30)
		a.Margin.Move.Down, a.Margin.Move.Up = number(-9.46), nil
		a.Meta.Notice, a.Meta.Role = "post only", "unknown"
		a.Pools = []poolAnswer{
			{Dex: &main, Mode: "cross", Equity: 1e12, RatioPct: 12.3, Probability: number(0.02), Survives: true, WorstUSD: -500},
			{Mode: "unified", Equity: 5}, {Dex: &main, Mode: "isolated", Asset: "ETH"},
		}
		a.Explanation.SizeRule = "H7"
		if a.PortfolioStress != nil {
			a.PortfolioStress.Failed = []string{"ftx_crash", "luna_collapse"}
		}
		a.Stress[0].Survives, a.Stress[0].PnLUSD = false, 0
	})
	plain := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"STALE wallet 11 s old, limit 2 s", "Margin held for resting orders: 12.00 to 30.00 USD", "All assets together at -9.5 %: a cross pool is liquidated",
		"The venue says: post only", "The venue calls this address: unknown", "main dex, cross: equity 1,000,000,000,000 USD, ratio 12.3 %, chance of liquidation 2.00 % within 24 h",
		"all dexes, unified: equity 5.00 USD", "ETH, isolated: ", "kept down by: chance of liquidation within 24 h (H7)", "POOL DIES",
	} {
		if !strings.Contains(plain, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.HasPrefix(strings.TrimPrefix(text, "SIMULATED VENUE\n"), "STALE") {
		t.Errorf("the headline is not that it is stale:\n%.200s", text)
	}
}

func TestReportOfASession(t *testing.T) {
	var b strings.Builder
	a := &answer{}
	a.reportSession(sheet{Writer: &b})
	if b.Len() > 0 {
		t.Errorf("a session of an asset that never rests: %s", &b)
	}
	for _, resting := range []bool{false, true} {
		b.Reset()
		unmarshal(t, `{"var":{"session":{"class":"metal","resting":`+strconv.FormatBool(resting)+`,"rests_at":1795816800000,"reopens_at":1795993200000}}}`, a)
		a.reportSession(sheet{Writer: &b})
		want := map[bool]string{true: "rests since", false: "rests from"}[resting]
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, "metal oracle, "+want) || !strings.Contains(got, " UTC: ") {
			t.Errorf("%s", got)
		}
		fits(t, b.String())
	}
}
