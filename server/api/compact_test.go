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
		if got := StaleWords(&row.late); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
	for failed, want := range map[uint32]string{
		1 << 5: "fails 1 of 13 stress scenarios: black_thursday_2020",
		31:     "fails 5 of 13 stress scenarios: jelly_squeeze, luna_collapse, ftx_crash and 2 more",
	} {
		if got := FailedWords(failed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	parts := []risk.LoadingPart{{What: "candles", Asset: "BTC", ReadyInS: 11.2}, {What: "funding", Asset: "ETH",
		ReadyInS: -1}, {What: "pairs", ReadyInS: 0}}
	if got, want := string(appendLoading(nil, parts)),
		"still to be read: candles of BTC (in 12 s), funding of ETH, pairs (in 0 s)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, row := range [][3]string{{"H7", "margin_headroom", "chance of liquidation within 24 h (H7)"},
		{"score", "book_depth", "the score"}, {"", "book_depth", "book_depth"}} {
		if got := SizeWords(row[0], row[1]); got != row[2] {
			t.Errorf("%q, want %q", got, row[2])
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
	if got := summary(&a); got != usual {
		t.Errorf("%s\nwant %s", got, usual)
	}
	x.Floor, x.RawScore = 41, 41
	for i, name := range risk.HardRuleNames {
		if name == "H8" {
			x.HardRules[i] = 41
		}
	}
	if got := summary(&a); !strings.Contains(got,
		"risk score 41: fails 1 of 13 stress scenarios: black_thursday_2020; a bad day costs much. ") {
		t.Errorf("%s", got)
	}
}

// What a pool needs is never rounded down.
func TestActionWords(t *testing.T) {
	for want, a := range map[string]risk.PoolAction{
		"ETH: add 850.1 USD":                                             {Pool: "ETH", AddMarginUSD: 850.1},
		"main: reduce by 76.4322 % or add 40270.2 USD":                   {Pool: "main", ReducePct: 76.4321004, AddMarginUSD: 40270.13},
		"main: reduce by 100 %":                                          {Pool: "main", ReducePct: 99.999999},
		"xyz: add 1234570 USD":                                           {Pool: "xyz", AddMarginUSD: 1234567.01},
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
	a.Stress[3].PnLUSD, a.Stress[3].Survives = -7, true
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
