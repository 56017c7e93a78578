package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"ballast/bench/yardstick/sample"
	"ballast/compute/risk"
	"ballast/server/spec/types"
)

func TestVenueKind(t *testing.T) {
	for venue, want := range map[string]string{
		"sim": "simulated", "mainnet": "hyperliquid-mainnet", "testnet": "hyperliquid-testnet",
		"http://127.0.0.1:9090": "custom",
	} {
		if got := venueKind(venue); got != want {
			t.Errorf("%s: %s, want %s", venue, got, want)
		}
	}
}

// The report shows each reason for a refused order, with what the user can change.
func TestReportIssues(t *testing.T) {
	for _, row := range []struct {
		issue types.Issue
		want  string
	}{
		{types.Issue{Code: "insufficient_margin", Got: 5000.0, Limit: number(1000), Fix: number(9990.0001),
			FixLeverage: 40},
			"free margin 1,000 USD, needs 5,000: largest size at 10x 9,990 USD, or 40x carries this size"},
		{types.Issue{Code: "insufficient_margin", Got: 5000.0, Limit: number(1000), Fix: number(9990)},
			"free margin 1,000 USD, needs 5,000: largest size at 10x 9,990 USD"},
		{types.Issue{Code: "insufficient_margin", Got: 5000.0, Limit: number(4900), FixLeverage: 11},
			"free margin 4,900 USD, needs 5,000: 11x carries this size"},
		{types.Issue{Code: "insufficient_margin", Got: 5000.0},
			"free margin 0.00 USD, needs 5,000: no size at 10x passes, and no leverage carries this size"},
		{types.Issue{Code: "min_notional", Got: 4.65, Limit: number(10), Fix: number(10.6231)},
			"in whole lots the order is 4.65 USD, the venue takes 10.00 USD and more: the smallest size that " +
				"passes is " +
				"10.63 USD"},
		{types.Issue{Code: "lot", Got: 0.5, Limit: number(0.66), Fix: number(10)},
			"the size, 0.50 USD, is less than one lot, 0.66 USD: the smallest size that passes is 10.00 USD"},
		{types.Issue{Code: "max_leverage", Got: 50.0, Limit: number(40), Fix: number(40)},
			"leverage 50x, the asset allows 40x"},
		{types.Issue{Code: "tier_leverage", Got: 40.0, Limit: number(20), Fix: number(20)},
			"leverage 40x, a position of this size may have 20x"},
		{types.Issue{Code: "oi_cap", Got: 5e6, Limit: number(5e6)},
			"open interest is at the venue's cap, 5,000,000 USD: no increase until it falls"},
		{types.Issue{Code: "reduce_only_would_increase", Got: 500.0}, "there is no position to close"},
		{types.Issue{Code: "insufficient_margin", Got: 5000.0, Limit: number(4900), FixDepositUSD: number(100.005),
			FixDepositProbability24h: number(0.0125)},
			"free margin 4,900 USD, needs 5,000: a deposit of 100.01 USD (chance of liquidation within 24 h then: " +
				"1.25 %)"},
		{types.Issue{Code: "insufficient_margin", Got: 600000.0, Limit: number(6018.336),
			FixDepositUSD: number(593981.67)},
			"free margin 6,018 USD, needs 600,000: a deposit of 593,982 USD"},
		{types.Issue{Code: "margin_unknown", Got: 5000.0},
			"needs 5,000 USD of margin: whether that is free of what resting orders or loans hold is not known"},
		{types.Issue{Code: "max_market_order", Got: 2e7, Limit: number(1.5e7), Fix: number(1.5e7)},
			"the order is 20,000,000 USD, the venue takes up to 15,000,000 USD at once"},
		{types.Issue{Code: "no_liquidity", Got: 0.0}, "the book has nothing on the side of the order"},
		{types.Issue{Code: "leverage_not_whole", Got: 7.5, Allowed: []float64{7, 8}},
			"leverage 7.5x is no whole number: 7 or 8"},
		{types.Issue{Code: "isolated_leverage_too_low", Got: 2.0, Limit: number(19.7), Fix: number(20)},
			"leverage 2x is too low for the margin of the open position: 20x is the lowest"},
		{types.Issue{Code: "tick", Got: 60000.5, Limit: number(1), Fix: number(60000)},
			"the price 60000.5 is between the venue's steps of 1: 60000 passes"},
		{types.Issue{Code: "would_cross", Got: 2.0, Limit: number(1.5)},
			"the price 2 would fill at once at 1.5, and the order is post-only"},
		{types.Issue{Code: "isolated_leverage_too_low", Got: 2.0},
			"leverage 2x is too low for the margin of the open position: none would do"},
		{types.Issue{Code: "market_post_only", Got: "Post only"}, "the venue takes post-only orders alone: Post only"},
		{types.Issue{Code: "venue_notice", Got: "Upgrade"}, "the venue says: Upgrade"},
		{types.Issue{Code: "one of later"}, "one of later"},
	} {
		if got := issueWords(&row.issue, 10); got != row.want {
			t.Errorf("%s: %q, want %q", row.issue.Code, got, row.want)
		}
	}
}

func TestReportFlags(t *testing.T) {
	for _, row := range []struct {
		flag types.RaisedFlag
		want string
	}{
		{types.RaisedFlag{Name: "a", Value: 1, Meaning: "b"}, "a: b"},
		{types.RaisedFlag{Name: "a", Value: 5000, Threshold: 0, Meaning: "b", Unit: "USD"},
			"a: b (5,000 USD)"},
		{types.RaisedFlag{Name: "insufficient_margin", Value: 5000, Threshold: 0, Meaning: "b", Unit: "USD"},
			"insufficient_margin: b (has 0.00 USD, needs 5,000 USD)"},
		{types.RaisedFlag{Name: "near_liquidation", Value: 3.42, Threshold: 7.41, Meaning: "b", Unit: "%"},
			"near_liquidation: b (3.42 % away, needs 7.41 %)"},
		{types.RaisedFlag{Name: "a", Value: 0.1881, Threshold: 0.1, Meaning: "b", Unit: "fraction"},
			"a: b (18.81 %, limit 10.00 %)"},
		{types.RaisedFlag{Name: "a", Value: 18.4512, Threshold: 12.5, Meaning: "b", Unit: "x"},
			"a: b (18.45x, limit 12.5x)"},
		{types.RaisedFlag{Name: "a", Value: -47.469, Threshold: -3, Meaning: "b", Unit: "deviations"},
			"a: b (-47.47 deviations, limit -3 deviations)"},
		{types.RaisedFlag{Name: "a", Value: 101.25, Threshold: 25, Meaning: "b", Unit: "bps"},
			"a: b (101.2 bps, limit 25 bps)"},
	} {
		if got := flagWords(&row.flag); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

func number(x float64) *float64 { return &x }

// reportOf changes a copy of the sample answer and returns its report.
func reportOf(t *testing.T, change func(*answer)) string {
	t.Helper()
	var a answer
	if err := json.Unmarshal(sample.JSON, &a); err != nil {
		t.Fatal(err)
	}
	change(&a)
	return reportText(t, &a, "long 50,000 USD of BTC at 10x")
}

// reportText returns a report without colours. It checks the report's width, and that colours
// change no word.
func reportText(t *testing.T, a *answer, what string) string {
	t.Helper()
	var plain, painted strings.Builder
	report(sheet{Writer: &plain}, a, what, zeroWallet)
	report(sheet{&painted, true}, a, what, zeroWallet)
	if escapes.ReplaceAllString(painted.String(), "") != plain.String() || strings.Contains(plain.String(), "\x1b") ||
		!strings.Contains(painted.String(), "\x1b[1m") {
		t.Errorf("colours change more than the colour codes:\n%s\n%s", plain.String(), painted.String())
	}
	fits(t, plain.String())
	var brief strings.Builder
	a.brief(sheet{Writer: &brief}, what, zeroWallet)
	fits(t, brief.String())
	return plain.String()
}

// fits checks that no line is wider than 80 columns.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

// TestReportWidth: reports of all answers fit into 80 columns, with large numbers, every flag and
// every reason for a refusal.
func TestReportWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	stop, url, key, err := startDemo()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	client := asker{url, key}
	var whole map[string]any
	for _, asset := range []string{"BTC", "DOGE"} {
		for _, action := range []string{"close", "short", "long"} {
			for _, size := range []dollars{0.5, 20_000, 3e6} {
				for _, wallet := range []string{zeroWallet, crossWallet} {
					ask := validateCmd{
						Asset: asset, Action: action, Size: &size, Wallet: wallet, Leverage: 10,
						MonteCarlo: size > 1000,
					}
					body, err := client.ask("/v1/validate?explain=true", ask.request())
					if err != nil {
						t.Fatal(err)
					}
					var a answer
					unmarshal(t, string(body), &a)
					reportText(t, &a, ask.describe())
					unmarshal(t, string(body), &whole)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		text, err := json.Marshal(scaled(random, whole))
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		unmarshal(t, string(text), &a)
		a.Meta.Asset = []string{"BTC", "kPEPE", "xyz:SILVERMINERS"}[i%3]
		a.Recommendation = []types.Recommendation{"proceed", "proceed_with_caution", "abort"}[i%3]
		a.Admissibility.Verdict = []types.Verdict{"will_reject", "ok", "unknown"}[random.IntN(3)]
		raiseAll(random, &a)
		if i%4 == 0 {
			a.Explanation = nil
		}
		if out := reportText(t, &a, "long 1,000,000,000 USD of xyz:SILVERMINERS at 12.5x, isolated"); t.Failed() {
			t.Fatal(out)
		}
	}
}

// scaled returns a copy of an answer with other figures.
func scaled(random *rand.Rand, v any) any {
	switch x := v.(type) {
	case float64:
		factor := []float64{1, -1, 0, 1e-7, 0.37, 19.3, 1234.5}[random.IntN(7)]
		y := math.Max(-2e10, math.Min(2e10, x*factor))
		if x == math.Trunc(x) { // it may be a count
			return math.Trunc(y)
		}
		return y
	case []any:
		list := make([]any, len(x))
		for i := range x {
			list[i] = scaled(random, x[i])
		}
		return list
	case map[string]any:
		fields := map[string]any{}
		for name := range x {
			fields[name] = scaled(random, x[name])
		}
		return fields
	}
	return v
}

// raiseAll gives an answer every flag and every reason for a refusal.
func raiseAll(random *rand.Rand, a *answer) {
	a.Explanation.Flags, a.Flags = nil, nil
	for _, f := range risk.FlagTable {
		a.Flags = append(a.Flags, types.Flag(f.Name))
		a.Explanation.Flags = append(a.Explanation.Flags, types.RaisedFlag{
			Name: types.Flag(f.Name), Severity: types.Severity(f.Severity.String()),
			Value: 1e7 * random.NormFloat64(), Threshold: 1e7 * random.Float64(), Unit: f.Unit, Meaning: f.Meaning,
		})
	}
	fix := 1e9 * random.Float64()
	a.Admissibility.Issues = nil
	for code := range (risk.Admissibility{}).Issues {
		a.Admissibility.Issues = append(a.Admissibility.Issues, types.Issue{
			Code: types.IssueCode(risk.IssueCode(code).String()), Got: fix, Limit: number(1.5 * fix), Fix: &fix,
			FixLeverage: fix,
		})
	}
}

// Digits that are only rounding are not printed.
func TestDigits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{price(59271.00000000001), "59271.0"}, {price(0.30000000000000004), "0.300000"},
		{amount(0.30000000000000004), "0.3"}, {amount(59271.00000000001), "59271"}, {amount(0.00075), "0.00075"},
		{amount(123456789.5), "123456789.5"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	liquidation, day, week := 60000.0, 0.00004, 0.5
	for _, row := range []struct {
		name        string
		change      func(*answer)
		there, gone string
	}{
		{"simulated", func(a *answer) { a.Meta.Venue = "simulated" }, "SIMULATED VENUE\nPROCEED", ""},
		{"computed", func(a *answer) { a.Meta.LatencyMs = 1.5 }, "computed in 1.500 ms, engine", ""},
		{"computed cold", func(a *answer) { a.Meta.LatencyMs = 0 }, "ms old, engine", "computed in"},
		{"real", func(a *answer) {
			a.Meta.Venue = "hyperliquid-mainnet"
		}, "long 50,000 USD of BTC at 10x, mark price ", "SIMULATED"},
		{"chances", func(a *answer) { a.Liquidation.Probability24h, a.Liquidation.Probability7d = &day, &week },
			"Chance of liquidation: under 0.01 % within 24 h, 50.00 % within 7 days", ""},
		{"no candles", func(a *answer) {
			a.Liquidation.Probability24h = nil
		}, "Chance of liquidation: not known", "within 24 h,"},
		{"flat after", func(a *answer) {
			none := 0.0
			a.Position.After, a.Liquidation.Probability24h, a.Liquidation.Probability7d = nil, &none, &none
		}, "flat", "Chance of liquidation"},
		{"flat after, with other positions", func(a *answer) {
			a.Position.After = nil
		}, "Chance of liquidation: 0.61 % within 24 h", ""},
		{"before and after", func(a *answer) {
			a.Position.Before = &types.PositionState{Side: "short", SizeCoin: 1.5, NotionalUSD: 99000, Leverage: 4,
				Mode: "isolated", EntryPrice: number(65000)}
			a.Position.After = &types.PositionState{Side: "long", SizeCoin: 0.5, NotionalUSD: 33000, Leverage: 10,
				Mode: "cross", EntryPrice: number(66000), LiquidationPrice: &liquidation}
		}, "liquidation price                      none               60000.0\n", ""},
		{"refused", func(a *answer) {
			a.Admissibility.Verdict, a.Admissibility.Issues = "will_reject",
				[]types.Issue{{Code: "max_leverage", Got: 50.0, Limit: number(40)}}
		}, "THE VENUE WOULD REFUSE THE ORDER\n  leverage 50x, the asset allows 40x\n", "send"},
		{"taken", func(a *answer) {
			a.Admissibility.Verdict, a.Admissibility.Issues, a.Admissibility.OrderSizeCoin,
				a.Admissibility.OrderSizeUSD = "ok", nil, 0.00075, 49.95
		}, "The venue would take the order: send 0.00075 BTC (49.95 USD)\n", "REFUSE"},
		{"unknown", func(a *answer) {
			a.Admissibility.Verdict, a.Admissibility.Issues = "unknown", nil
		},
			"Whether the venue would take the order is not known", "send"},
		{"a hard rule", func(a *answer) {
			unmarshal(t,
				`{"components":[{"name":"oi"}],"base":10,"floor":85,"raw_score":85,"hard_rules":{"H3":85,"H7":50}}`,
				&a.Explanation)
		}, "hard rule H3 sets the score: 85.0, free margin too small", "H7"},
		{"a reduction", func(a *answer) {
			unmarshal(t, `{"base":50,"raw_score":30}`, &a.Explanation)
		}, "a trade that only reduces scores 30 at most",
			"hard rule"},
		{"a guessed cap", func(a *answer) {
			unmarshal(t, `{"components":[{"name":"oi"}],"oi_cap_estimated":true}`, &a.Explanation)
		},
			"oi           no weight: the open-interest cap is an estimate", "weight 0"},
		{"flags", func(a *answer) {
			a.Flags = []types.Flag{"high_var"}
			unmarshal(t,
				`{"flags":[{"name":"high_var","severity":"warning","value":27725,"threshold":14711,"unit":"USD",`+
					`"meaning":"a bad day costs much"}]}`, &a.Explanation)
		}, "  warning   high_var: a bad day costs much (27,725 USD, limit 14,711 USD)\n", ""},
	} {
		out := reportOf(t, row.change)
		if !strings.Contains(out, row.there) || row.gone != "" && strings.Contains(out, row.gone) {
			t.Errorf("%s:\n%s", row.name, out)
		}
	}
}

func unmarshal(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}
