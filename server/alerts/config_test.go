package alerts

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"ballast/internal/jsonscan"
	"ballast/marketcache"
)

const mixedWallet = "0xAbCdEf0123456789aBcDeF0123456789abcdef01"

// configRow is a message of a client, and what it means.
type configRow struct {
	name, text string
	want       Thresholds
	problem    string // part of the error; "": no error
}

const (
	walletField = `"wallet":"` + mixedWallet + `"`
	badScore    = "field thresholds.max_risk_score must be an integer from 0 to 255"
)

var defaults = DefaultThresholds()

var configTable = []configRow{
	{"wallet alone", `{` + walletField + `}`, defaults, ""},
	{"white space around", " \t\r\n{" + walletField + "}\n", defaults, ""},
	{"name escaped", `{"wall\u0065t":"` + mixedWallet + `"}`, defaults, ""},
	{"no thresholds in it", withThresholds(``), defaults, ""},
	{"null thresholds", `{` + walletField + `,"thresholds":null}`, defaults, ""},
	{"null for each", withThresholds(`"max_risk_score":null,"min_liquidation_distance_pct":null,` +
		`"max_portfolio_var_pct":null,"max_funding_drag_daily_pct":null`), defaults, ""},
	{"all given", withThresholds(`"max_risk_score":0,"min_liquidation_distance_pct":7.5,` +
		`"max_portfolio_var_pct":1e2,"max_funding_drag_daily_pct":0`), Thresholds{0, 7.5, 100, 0}, ""},
	{"one given", withThresholds(`"max_portfolio_var_pct":12.25`), Thresholds{70, 5, 12.25, 1}, ""},
	{"thresholds first", `{"thresholds":{"max_risk_score":255},` + walletField + `}`, Thresholds{255, 5, 50, 1}, ""},
	{"negative", withThresholds(
		`"min_liquidation_distance_pct":-1,"max_portfolio_var_pct":-0.5,"max_funding_drag_daily_pct":-3`),
		Thresholds{70, -1, -0.5, -3}, ""},
	{"largest", withThresholds(`"max_portfolio_var_pct":1.7976931348623157e308`),
		Thresholds{70, 5, 1.7976931348623157e308, 1}, ""},
	{"integer with decimals", withThresholds(`"max_risk_score":70.0`), defaults, ""},
	{"integer with exponent", withThresholds(`"max_risk_score":8e1`), Thresholds{80, 5, 50, 1}, ""},
	{"integer of both", withThresholds(`"max_risk_score":0.71e2`), Thresholds{71, 5, 50, 1}, ""},
	{"minus zero", withThresholds(`"max_risk_score":-0`), Thresholds{0, 5, 50, 1}, ""},

	{"score over 255", withThresholds(`"max_risk_score":256`), defaults, badScore + ", got 256"},
	{"score below 0", withThresholds(`"max_risk_score":-1`), defaults, badScore + ", got -1"},
	{"score between integers", withThresholds(`"max_risk_score":71.5`), defaults, badScore + ", got 71.5"},
	{"score enormous", withThresholds(`"max_risk_score":1e300`), defaults, badScore + ", got 1e+300"},
	{"score tiny", withThresholds(`"max_risk_score":1e-300`), defaults, badScore + ", got 1e-300"},
	{"score as text", withThresholds(`"max_risk_score":"70"`), defaults, badScore},
	{"score as bool", withThresholds(`"max_risk_score":true`), defaults, badScore},
	{"number as text", withThresholds(`"max_portfolio_var_pct":"5"`), defaults,
		"field thresholds.max_portfolio_var_pct must be a number"},
	{"number as list", withThresholds(`"max_funding_drag_daily_pct":[1]`), defaults,
		"field thresholds.max_funding_drag_daily_pct must be a number"},
	{"number as bool", withThresholds(`"min_liquidation_distance_pct":false`), defaults,
		"field thresholds.min_liquidation_distance_pct must be a number"},
	{"number out of range", withThresholds(`"max_portfolio_var_pct":1e309`), defaults, "number out of range at byte "},
	{"score out of range", withThresholds(`"max_risk_score":1e400`), defaults, "number out of range at byte "},
	{"not a number", withThresholds(`"max_portfolio_var_pct":NaN`), defaults,
		", in field thresholds.max_portfolio_var_pct"},
	{"infinity", withThresholds(`"max_portfolio_var_pct":Infinity`), defaults, "at byte "},

	{"unknown key", `{` + walletField + `,"walet":1}`, defaults, "unknown field: walet"},
	{"unknown threshold", withThresholds(`"max_score":1`), defaults, "unknown field: thresholds.max_score"},
	{"unknown threshold, null", withThresholds(`"max_score":null`), defaults, "unknown field: thresholds.max_score"},
	{"other case", `{"Wallet":"` + mixedWallet + `"}`, defaults, "unknown field: Wallet"},
	{"other case of a threshold", withThresholds(`"Max_risk_score":1`), defaults,
		"unknown field: thresholds.Max_risk_score"},
	{"key without a name", `{"":1}`, defaults, `unknown field: ""`},
	{"threshold without a name", withThresholds(`"":1`), defaults, `unknown field: thresholds.""`},
	{"unknown key that does not print", `{"\u001b[2J":1}`, defaults, "unknown field: ?[2J"},
	{"key twice", `{` + walletField + `,` + walletField + `}`, defaults, ", in field wallet"},
	{"key twice, escaped once", `{` + walletField + `,"w\u0061llet":null}`, defaults, "name used twice at byte "},
	{"threshold twice", withThresholds(`"max_risk_score":1,"max_risk_score":1`), defaults,
		", in field thresholds.max_risk_score"},
	{"twice inside what is unknown", `{` + walletField + `,"x":{"a":1,"a":1}}`, defaults, ", in field x.a"},

	{"wallet missing", `{"thresholds":{}}`, defaults, "missing field: wallet"},
	{"wallet null", `{"wallet":null}`, defaults, "missing field: wallet"},
	{"wallet a number", `{"wallet":1}`, defaults, "field wallet must be a string"},
	{"wallet an object", `{"wallet":{"a":1}}`, defaults, "field wallet must be a string"},
	{"wallet with 0X", `{"wallet":"0X` + mixedWallet[2:] + `"}`, defaults, "invalid wallet address: 0X"},
	{"wallet too short", `{"wallet":"` + mixedWallet[:41] + `"}`, defaults, "invalid wallet address: "},
	{"wallet too long", `{"wallet":"` + mixedWallet + `0"}`, defaults, "invalid wallet address: "},
	{"wallet not hexadecimal", `{"wallet":"` + mixedWallet[:41] + `g"}`, defaults, "invalid wallet address: "},
	{"wallet of wide digits", `{"wallet":"0x` + strings.Repeat("１", 40) + `"}`, defaults, "invalid wallet address: "},
	{"wallet with blanks", `{"wallet":" ` + mixedWallet + `"}`, defaults, "invalid wallet address: "},
	{"thresholds a list", `{` + walletField + `,"thresholds":[]}`, defaults, "field thresholds must be an object"},
	{"thresholds a number", `{` + walletField + `,"thresholds":5}`, defaults, "field thresholds must be an object"},
	{"first fault counts", `{"thresholds":5,"wallet":1,"x":1}`, defaults, "field thresholds must be an object"},

	{"empty", "", defaults, "expected an object, found nothing at byte 0"},
	{"byte order mark", "\ufeff{" + walletField + "}", defaults, "expected an object, found a byte order mark"},
	{"text behind", `{` + walletField + `}x`, defaults, "text behind the JSON value"},
	{"unfinished", `{` + walletField, defaults, "expected ',' or '}'"},
	{"broken behind a fault", `{"x":1,"wallet":`, defaults, "at byte "},
	{"nested deep", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, defaults, "nested too deep"},
}

func withThresholds(body string) string { return `{` + walletField + `,"thresholds":{` + body + `}}` }

func TestConfig(t *testing.T) {
	if defaults != (Thresholds{70, 5, 50, 1}) {
		t.Fatalf("defaults %+v", defaults)
	}
	for _, row := range configTable {
		t.Run(row.name, func(t *testing.T) {
			got, bad := decodeConfig([]byte(row.text))
			if row.problem != "" {
				if bad == nil || !strings.Contains(bad.detail, row.problem) {
					t.Errorf("fault %+v, want %q", bad, row.problem)
				}
				if got != (AlertConfig{}) {
					t.Errorf("gave %+v with an error", got)
				}
				return
			}
			if bad != nil {
				t.Fatal(bad.detail)
			}
			if got.Thresholds != row.want || got.Wallet.String() != strings.ToLower(mixedWallet) {
				t.Errorf("got %s %+v, want %+v", got.Wallet, got.Thresholds, row.want)
			}
		})
	}
}

// TestConfigMendsWallet: the error for a wrong address suggests the one that was probably meant, or says what an
// address consists of.
func TestConfigMendsWallet(t *testing.T) {
	for text, want := range map[string]string{
		" " + mixedWallet: mixedWallet, mixedWallet[2:]: mixedWallet, "0x1": "0x and 40 hexadecimal digits, not 1",
	} {
		_, bad := decodeConfig([]byte(`{"wallet":"` + text + `"}`))
		if bad == nil || bad.how.Field != "wallet" || bad.how.Suggestion != want || bad.how.Allowed != nil {
			t.Errorf("%q: %+v, want %s", text, bad, want)
		}
	}
}

// plainConfig makes the same decision about a strict JSON object with encoding/json, in the simplest way.
func plainConfig(text []byte) (c AlertConfig, ok bool) {
	c.Thresholds = DefaultThresholds()
	var scan jsonscan.Scanner
	var v jsonscan.Value
	scan.Reset(text)
	if !scan.Value(&v) || !scan.End() || v.Kind != jsonscan.Object {
		return c, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var top map[string]any
	if d.Decode(&top) != nil {
		return c, false
	}
	wallet := false
	for name, raw := range top {
		switch {
		case name == "wallet" && raw == nil:
		case name == "wallet":
			s, is := raw.(string)
			if !is || !regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`).MatchString(s) {
				return c, false
			}
			c.Wallet, wallet = marketcache.ParseWallet([]byte(s))
		case name == "thresholds" && raw == nil:
		case name == "thresholds":
			object, is := raw.(map[string]any)
			if !is || !plainThresholds(&c.Thresholds, object) {
				return c, false
			}
		default:
			return c, false
		}
	}
	return c, wallet
}

func plainThresholds(th *Thresholds, object map[string]any) bool {
	fields := map[string]*float64{
		"min_liquidation_distance_pct": &th.MinLiquidationDistancePct,
		"max_portfolio_var_pct":        &th.MaxPortfolioVaRPct,
		"max_funding_drag_daily_pct":   &th.MaxFundingDragDailyPct,
	}
	for name, raw := range object {
		field, known := fields[name]
		if !known && name != "max_risk_score" {
			return false
		}
		if raw == nil {
			continue
		}
		number, is := raw.(json.Number)
		if !is {
			return false
		}
		x, err := strconv.ParseFloat(string(number), 64)
		if err != nil {
			return false
		}
		if known {
			*field = x
			continue
		}
		th.MaxRiskScore = uint8(x)
		if x < 0 || x > 255 || float64(th.MaxRiskScore) != x {
			return false
		}
	}
	return true
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"wallet":"` + mixedWallet + `","thresholds":{"max_risk_score":7e1,` +
		`"min_liquidation_distance_pct":-1.5,"max_portfolio_var_pct":null,"max_funding_drag_daily_pct":1e-400}}`))
	f.Add([]byte(`{"thresholds":null,"w\u0061llet":"` + mixedWallet + `"}`))
	f.Add([]byte(`{"wallet":"` + mixedWallet + `","thresholds":{"max_risk_score":255.0000000000000001}} `))
	f.Add([]byte(`{"wallet":null,"x":[{"a":"\ud83d\ude00"},1e999,"\ud800"]}`))
	f.Add([]byte(`{"thresholds":{"thresholds":{}},"wallet":"0x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got, bad := decodeConfig(text)
		if !bytes.Equal(text, before) {
			t.Fatal("the message was changed")
		}
		if bad != nil && (!utf8.ValidString(bad.detail) || len(bad.detail) > 400) {
			t.Errorf("fault %q", bad.detail)
		}
		want, ok := plainConfig(text)
		if ok != (bad == nil) {
			t.Fatalf("%q: %+v, encoding/json says %v", text, bad, ok)
		}
		if ok && got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	})
}
