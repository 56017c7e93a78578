package main

import (
	"strconv"
	"strings"
	"testing"

	"ballast/server/spec/types"
)

// The report names the late input first, and what concerns the whole wallet.
func TestReportOfTheWallet(t *testing.T) {
	main := ""
	text := reportOf(t, func(a *answer) {
		unmarshal(t, `{"components":[]}`, &a.Explanation)
		a.Flags = append(a.Flags, staleFlag)
		a.Explanation.Flags = append(a.Explanation.Flags, types.RaisedFlag{Name: staleFlag, Severity: "critical",
			Meaning: "wallet 11 s old, limit 2 s"})
		a.Margin.HeldUSD, a.Margin.HeldMostUSD = 12, number(30)
		a.Margin.MarketMove.DownPct, a.Margin.MarketMove.UpPct = number(-9.46), nil
		a.Meta.VenueNotice, a.Meta.WalletRole = new("post only"), new("unknown")
		a.Pools = []types.Pool{
			{Dex: &main, Mode: "cross", EquityUSD: 1e12, MaintenanceRatioPct: 12.3, Probability24h: number(0.02),
				Survives: true, WorstPnLUSD: -500},
			{Mode: "unified", EquityUSD: 5}, {Dex: &main, Mode: "isolated", Asset: new("ETH")},
		}
		a.Explanation.SizeRule = new("H7")
		if a.PortfolioStress != nil {
			a.PortfolioStress.FailedScenarios = []types.Scenario{"ftx_crash", "luna_collapse"}
		}
		a.Stress[0].Survives, a.Stress[0].PnLPct, a.Stress[0].PnLUSD = false, 0, 0
		a.Stress[0].DiedBy, a.Stress[1].DiedBy = new("hyna:FARTCOIN"), nil
		a.Stress[1].Survives, a.Stress[2].Survives = false, true
	})
	plain := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"STALE wallet 11 s old, limit 2 s", "Margin held for resting orders: 12.00 to 30.00 USD",
		"All assets together at -9.5 %: a cross pool is liquidated",
		"The venue says: post only", "The venue calls this address: unknown",
		"main dex, cross: equity 1,000,000,000,000 USD, ratio 12.3 %, chance of liquidation 2.00 % within 24 h",
		"all dexes, unified: equity 5.00 USD", "ETH, isolated: ",
		"kept down by: chance of liquidation within 24 h (H7)",
		"│········ 0.00 hyna:FARTCOIN luna_collapse",
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
		unmarshal(t, `{"var":{"session":{"class":"metal","resting":`+strconv.FormatBool(
			resting)+`,"rests_at":1795816800000,"reopens_at":1795993200000}}}`, a)
		a.reportSession(sheet{Writer: &b})
		want := map[bool]string{true: "rests since", false: "rests from"}[resting]
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, "metal oracle, "+want) ||
			!strings.Contains(got, " UTC: ") {
			t.Errorf("%s", got)
		}
		fits(t, b.String())
	}
}
