package api

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"ballast/compute/risk"
)

// raise raises a flag with long figures. Only package risk can do so, therefore raise writes the
// flag bits, the first field, through an unsafe pointer.
func raise(s *risk.FlagSet, f risk.Flag) {
	*(*uint64)(unsafe.Pointer(s)) |= 1 << f
	if !s.Has(f) {
		panic("the bits of a FlagSet are elsewhere")
	}
	s.Value[f], s.Threshold[f] = 123456.789, 0.000123456789
}

// With any number of flags, and numbers of any length, a compact view is valid JSON. It exceeds its size limit
// only by the texts of critical flags, which no room costs; texts of infos go before those of warnings.
func TestCompactKeepsToItsLimit(t *testing.T) {
	const huge = -123456789012.3
	a := risk.Assessment{RiskScore: 99.9999, Recommendation: risk.Abort}
	a.VaR.Dollar99_24h, a.Cost.EntryBps, a.Cost.RoundTripBps = -huge, 4999.123456, 9999.123456
	a.Liquidation = risk.Liquidation{HasProbability: true, Probability24h: 0.0000123456789, Price: 0.000012345678,
		DistancePct: 12.3456789}
	a.Sizing.SuggestedUSD, a.Sizing.MaxSafeUSD = -huge, -huge
	a.Position.After = risk.PositionState{Side: -1, SizeCoin: -huge, NotionalUSD: -huge, Leverage: 12.3456,
		EntryPrice: 0.000012345678}
	a.Margin.After = risk.MarginState{AccountValue: huge, Free: -huge, MaintenanceRatioPct: 123.456}
	a.Stress[3].PnLUSD = huge
	a.Meta = risk.Meta{AsOfUnixMs: 1_800_000_000_000, MarketAgeMs: 123456, WalletAgeMs: 123456}
	last := -1
	for f := risk.Flag(0); f <= risk.FlagCount; f++ {
		for _, id := range []string{"r", strings.Repeat(`"`, 64)} {
			e := Envelope{RequestID: []byte(id), Venue: "hyperliquid-mainnet", Started: time.Now(), Compact: true}
			text, err := AppendAssessment([]byte("x"), &a, &e)
			var tree struct {
				Flags []struct{ Name, Severity, Text string }
				More  int `json:"more_flags"`
			}
			if err != nil || json.Unmarshal(text[1:], &tree) != nil || len(text)-1 > 3300 {
				t.Fatalf("%d flags: %v, %d bytes: %s", f, err, len(text)-1, text)
			}
			if len(tree.Flags)+tree.More != int(f) {
				t.Errorf("%d flags and %d more of %d", len(tree.Flags), tree.More, f)
			}
			last = tree.More
			told := true
			for i, flag := range tree.Flags {
				switch critical := flag.Severity == "critical"; {
				case critical && flag.Text == "":
					t.Errorf("%d flags: no text of %s", f, flag.Name)
				case !critical && flag.Text != "" && (!told || len(text)-1 > MaxCompact):
					t.Errorf("%d flags: a text of %s in %d bytes", f, flag.Name, len(text)-1)
				default:
					told = flag.Text != ""
				}
				if len(text)-1 > MaxCompact && flag.Severity != "critical" {
					t.Errorf("%d flags: flag %d of %d bytes is %s", f, i, len(text)-1, flag.Name)
				}
			}
		}
		if f < risk.FlagCount {
			raise(&a.Flags, f)
		}
	}
	if last == 0 {
		t.Error("everything fitted: the limit is not tested")
	}
}

func TestCompactRefusesWhatIsNotFinite(t *testing.T) {
	var a risk.Assessment
	a.VaR.Dollar99_24h = math.Inf(1)
	if _, err := AppendAssessment(nil, &a, &Envelope{Compact: true}); err != ErrNotFinite {
		t.Error(err)
	}
}

func TestRounded(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 123456.7: "123457", 1234567.8: "1234570", 1.23456789: "1.23457",
		0.000123456789: "0.000123457", -1e-15: "0", 1e-9: "0.000000001",
		99999.96: "100000", 0.1: "0.1", 1e15: "1000000000000000", 70: "70",
	} {
		if got := string(appendRounded(nil, x)); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, row := range []struct {
		late risk.Lateness
		want string
	}{
		{risk.Lateness{What: "wallet", Age: 11_400 * time.Millisecond, Limit: 2 * time.Second},
			"wallet 11 s old, limit 2 s"},
		{risk.Lateness{What: "book", Age: 5_320 * time.Millisecond, Limit: 950 * time.Millisecond},
			"book 5.3 s old, limit 1 s"},
		{risk.Lateness{What: "candles", Age: -1}, "candles not known yet"},
	} {
		if got := string(appendStale(nil, &row.late)); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
	for failed, want := range map[uint32]string{
		1 << 5: "fails 1 of 13 stress scenarios: black_thursday_2020",
		31:     "fails 5 of 13 stress scenarios: jelly_squeeze, luna_collapse, ftx_crash and 2 more",
	} {
		if got := string(appendFailed(nil, failed)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	parts := []risk.LoadingPart{{What: "candles", Asset: "BTC", ReadyInS: 11.2}, {What: "funding", Asset: "ETH",
		ReadyInS: -1}, {What: "pairs", ReadyInS: 0}}
	if got, want := string(appendLoading(nil, parts)),
		"still to be read: candles of BTC (in 12 s), funding of ETH, pairs (in 0 s)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, row := range [][4]string{{"", "H7", "margin_headroom", "chance of liquidation within 24 h (H7)"},
		{"", "score", "book_depth", "the score"}, {"", "", "book_depth", "the depth of the book"},
		{"max_order_usd", "", "book_depth", "the operator's max_order_usd"}} {
		if got := SizeWords(row[0], row[1], row[2]); got != row[3] {
			t.Errorf("%q, want %q", got, row[3])
		}
	}
	for _, name := range risk.HardRuleNames {
		if RuleWords[name] == "" {
			t.Errorf("no words for %s", name)
		}
	}
}

// The summary says first that an answer is stale, names the stress that sets the score, and what the venue
// does about the margin mode.
func TestSummary(t *testing.T) {
	a := risk.Assessment{RiskScore: 41, Recommendation: risk.ProceedWithCaution}
	raise(&a.Flags, risk.FlagStaleMarketData)
	raise(&a.Flags, risk.FlagHighVaR)
	raise(&a.Flags, risk.FlagOINearCap)
	raise(&a.Flags, risk.FlagAccountFailsStress)
	raise(&a.Flags, risk.FlagMarginModeDiffers)
	x := &a.Explanation
	x.Lateness, x.Failed, x.SizeRule = risk.Lateness{What: "wallet", Age: 11 * time.Second, Limit: 2 * time.Second},
		1<<5, "H8"
	const usual = "Stale: wallet 11 s old, limit 2 s. Proceed with caution, risk score 41: a bad day costs much; " +
		"open interest is near its cap. The venue opens in the wallet's own margin mode until updateLeverage " +
		"changes it. No size is suggested: a stress scenario ends the pool (H8)."
	if got := Summary(&a); got != usual {
		t.Errorf("%s\nwant %s", got, usual)
	}
	x.Floor, x.RawScore = 41, 41
	for i, name := range risk.HardRuleNames {
		if name == "H8" {
			x.HardRules[i] = 41
		}
	}
	if got := Summary(&a); !strings.Contains(got,
		"risk score 41: fails 1 of 13 stress scenarios: black_thursday_2020; a bad day costs much. ") {
		t.Errorf("%s", got)
	}
}

// The venue's want of margin comes first, with its remedy; an exit says that its score is capped; a close of nothing
// says so.
func TestSummaryOfRefusals(t *testing.T) {
	a := risk.Assessment{RiskScore: 85, Recommendation: risk.Abort}
	raise(&a.Flags, risk.FlagNearLiquidation)
	raise(&a.Flags, risk.FlagInsufficientMargin)
	d := &a.Admissibility
	d.Verdict, d.Count, d.OrderSizeUSD = risk.VerdictWillReject, 1, 5000
	d.Issues[0] = risk.Issue{Code: risk.IssueInsufficientMargin, Got: 250.774, FixDepositUSD: 250.78}
	a.Explanation.SizeRule = "H3"
	for pool, want := range map[string]string{
		"xyz": "Move 251 USD to xyz: free", "main": "Add 251 USD: free", "unified": "Add 251 USD of collateral: free",
	} {
		a.Explanation.Pool = pool
		if got := Summary(&a); got != want+" margin has 0 USD, needs 250.774 USD. Abort, risk score 85: the "+
			"liquidation price is near. No size is suggested: free margin too small (H3)." {
			t.Error(got)
		}
	}
	a.Explanation.Pool = "unified"
	d.Issues[0].Fix, d.Issues[0].FixLeverage, d.Issues[0].Limit = 1_234_566.9, 23, 20_000
	if got := marginRemedy(&a); got != "Add 251 USD of collateral, or lower the size to 1234560 USD, or use 23x: free "+
		"margin has 20000 USD, needs 250.774 USD. " {
		t.Error(got)
	}
	exit := risk.Assessment{RiskScore: 30, Explanation: risk.Explanation{Terms: risk.Terms{Capped: true}}}
	raise(&exit.Flags, risk.FlagHighVaR)
	if got := Summary(&exit); got != "Proceed, risk score 30 (an exit: capped at 30): a bad day costs much." {
		t.Error(got)
	}
	none := risk.Assessment{RiskScore: 5}
	raise(&none.Flags, risk.FlagNoAccountEquity)
	raise(&none.Flags, risk.FlagNoOpenPosition)
	none.Admissibility.Verdict, none.Admissibility.Count = risk.VerdictWillReject, 1
	none.Admissibility.Issues[0] = risk.Issue{Code: risk.IssueReduceOnly}
	if got := Summary(&none); got !=
		"Proceed, risk score 5. The venue would reject it: there is no position to reduce." {
		t.Error(got)
	}
	for code := range risk.IssueVenueNotice {
		d.Issues[0] = risk.Issue{Code: code, Fix: 12.3, Limit: 10, FixDepositUSD: 3}
		if words := refusalWords(d) + marginRemedy(&a); words == "" || strings.Contains(words, "_") {
			t.Errorf("%v: %s", code, words)
		}
	}
}

// A figure that should be larger is what one has, not a limit.
func TestFlagFigures(t *testing.T) {
	a := risk.Assessment{}
	for f, want := range map[risk.Flag]string{
		risk.FlagInsufficientMargin:    "free margin does not cover the initial margin: has 0 USD, needs 250.77 USD",
		risk.FlagNegativeAccountEquity: "the account's equity is gone: has -5 USD, needs 0.01 USD",
		risk.FlagNearLiquidation:       "the liquidation price is near: 3.42 % away, needs 7.41 %",
		risk.FlagExtremeSlippage:       "the fill is far from the mid price: 101 bps, limit 100 bps",
		risk.FlagPositionsNotFollowed:  "some positions are known by their own marks only: 2 positions",
		risk.FlagNewListing:            "very little price history: has 100 bars, needs 720 bars",
		risk.FlagLowVolume:             "the market trades little: has 5000 USD, needs 1000000 USD",
	} {
		figures := map[risk.Flag][2]float64{
			risk.FlagInsufficientMargin: {250.77, 0}, risk.FlagNegativeAccountEquity: {-5, 0.01},
			risk.FlagNearLiquidation: {3.42, 7.41}, risk.FlagExtremeSlippage: {101, 100},
			risk.FlagPositionsNotFollowed: {2, 0}, risk.FlagNewListing: {100, 720}, risk.FlagLowVolume: {5000, 1e6},
		}[f]
		raise(&a.Flags, f)
		a.Flags.Value[f], a.Flags.Threshold[f] = figures[0], figures[1]
		if got := flagText(f, &a); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := FlagFigures("low_volume", "7 %", "5 %"); got != "7 %, limit 5 %" {
		t.Error(got)
	}
}

// Up to 2,000 bytes critical flags have their whole texts; where these do not fit, their figures.
func TestCriticalTexts(t *testing.T) {
	a := risk.Assessment{RiskScore: 95, Recommendation: risk.Abort}
	for f := range risk.Flag(11) {
		raise(&a.Flags, f)
		a.Flags.Value[f], a.Flags.Threshold[f] = 12.3456, 1.5
		text, err := AppendAssessment(nil, &a, &Envelope{Compact: true, Venue: "hyperliquid-mainnet"})
		var tree struct{ Flags []struct{ Name, Text string } }
		if err != nil || json.Unmarshal(text, &tree) != nil || len(text) > maxCritical {
			t.Fatalf("%v: %d bytes: %s", err, len(text), text)
		}
		whole, short := 0, 0
		for i := range tree.Flags {
			switch tree.Flags[i].Text {
			case flagText(risk.Flag(i), &a):
				whole++
			case shortText(risk.Flag(i), &a):
				short++
			default:
				t.Errorf("%s: %q", tree.Flags[i].Name, tree.Flags[i].Text)
			}
		}
		if f < 6 && short > 0 || f == 10 && short == 0 {
			t.Errorf("%d flags: %d whole, %d short", f+1, whole, short)
		}
	}
}

// What a pool needs is never rounded down.
func TestActionWords(t *testing.T) {
	for want, a := range map[string]risk.PoolAction{
		"ETH: add 850.1 USD": {Pool: "ETH", AddMarginUSD: 850.1},
		"main: reduce by 76.4322 % or add 40270.2 USD": {
			Pool: "main", ReducePct: 76.4321004, AddMarginUSD: 40270.13},
		"main: reduce by 100 %": {Pool: "main", ReducePct: 99.999999, ReduceOrders: 2, Assets: []string{"A", "B"}},
		"main: reduce by 100 % in 3 orders or add 1 USD": {Pool: "main", ReducePct: 99.999999, ReduceOrders: 3,
			AddMarginUSD: 1, Assets: []string{"A", "B"}},
		"xyz: add 1234570 USD": {Pool: "xyz", AddMarginUSD: 1234567.01},
		"ETH: neither a reduction nor a deposit brings it to the target": {Pool: "ETH"},
	} {
		if got := ActionWords(&a); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	r := risk.WalletReport{Positions: make([]risk.HeldPosition, 6)}
	for i := range r.Positions {
		r.Positions[i] = risk.HeldPosition{Asset: "A" + string(rune('0'+i)), Action: risk.PoolAction{
			Known: true, Pool: "P" + string(rune('0'+i/2*2)), Kind: risk.AddMargin, AddMarginUSD: 5}}
	}
	r.Positions[0].Action.Kind, r.Positions[1].Action.Known = risk.Hold, false
	const want = "P2: add 5 USD. P4: add 5 USD. A0 has the highest risk score, 0."
	if got := summaryOfWallet(&r); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The worst stress of a compact view is the wallet's where it has one.
func TestCompactStress(t *testing.T) {
	a := risk.Assessment{}
	a.Stress[2].PnLUSD, a.Stress[3].PnLUSD, a.Stress[3].Survives = -7, -7, true // a tie, which the next line decides
	a.PortfolioStress.Scenario = 3
	for _, want := range []string{
		`"worst_stress":{"scenario":"` + risk.Scenarios[3].ID + `","pnl_usd":-7,"survives":true}`,
		`"worst_stress":{"scenario":"` + risk.Scenarios[5].ID +
			`","pnl_usd":-900,"survives":false},"other_pools":123456,`,
	} {
		text, err := AppendAssessment(nil, &a, &Envelope{Compact: true})
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: %s\nwant %s", err, text, want)
		}
		a.PortfolioStress = risk.PortfolioStress{Known: true, Scenario: 5, TotalPnLUSD: -900}
		raise(&a.Flags, risk.FlagOtherPoolAtRisk)
	}
}
