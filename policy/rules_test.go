package policy

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// every is a policy with every rule.
const every = `{"max_leverage":5,"max_order_usd":50000,"max_position_usd":100000.5,"max_gross_leverage":3,` +
	`"max_asset_share_pct":60,"max_daily_loss_pct":4,"max_drawdown_pct":20,"max_score":40,` +
	`"max_probability_24h":0.02,"max_probability_7d":0.1,"min_liquidation_distance_pct":15,"price_collar_pct":2,` +
	`"orders_per_minute":10,"trades_per_day":200,"duplicate_window_s":1.5,"allowed_assets":["BTC","xyz:TSLA"],` +
	`"denied_assets":["kPEPE"],"halt":true,"expires_at":"2027-01-01T00:00:00Z"}`

// everyInYAML is the same.
const everyInYAML = `# limits of the desk
max_leverage: 5
max_order_usd: 50000
max_position_usd: 1.000005e5
max_gross_leverage: 3
max_asset_share_pct: 60
max_daily_loss_pct: 4
max_drawdown_pct: 20
max_score: 40
max_probability_24h: 0.02
max_probability_7d: 0.1
min_liquidation_distance_pct: 15
price_collar_pct: 2
orders_per_minute: 10
trades_per_day: 200
duplicate_window_s: 1.5
allowed_assets: [BTC, "xyz:TSLA"]
denied_assets:
  - kPEPE
halt: true
expires_at: 2027-01-01T01:00:00+01:00
`

func TestEveryRuleIsReadAndWritten(t *testing.T) {
	r, bad := DecodeJSON([]byte(every))
	if bad != nil {
		t.Fatal(bad)
	}
	if got := string(r.AppendJSON(nil)); got != every {
		t.Errorf("got\n%s\nwant\n%s", got, every)
	}
	for rule := range KillSwitch {
		if !r.Has(rule) {
			t.Errorf("%v is not set", rule)
		}
		var none Rules
		if none.Has(rule) {
			t.Errorf("%v is set in no rules", rule)
		}
	}
	if !json.Valid(r.AppendJSON(nil)) || r.Empty() {
		t.Error("not JSON, or empty")
	}
	y, bad := DecodeYAML([]byte(everyInYAML))
	if bad != nil {
		t.Fatal(bad)
	}
	if got := string(y.AppendJSON(nil)); got != every {
		t.Errorf("from YAML\n%s\nwant\n%s", got, every)
	}
}

func TestWhatIsNoPolicyIsRefused(t *testing.T) {
	for _, row := range []struct{ text, field, says string }{
		{`{"max_levrage":5}`, "max_levrage", "max_leverage"},
		{`{"MAX_LEVERAGE":5}`, "MAX_LEVERAGE", "max_leverage"},
		{`{"kill_switch":true}`, "kill_switch", "the rules are"},
		{`{"max_leverage":5,"max_leverage":6}`, "max_leverage", "name used twice"},
		{`{"max_leverage":5,"max\u005fleverage":6}`, "max_leverage", "name used twice"},
		{`{"max_leverage":"5"}`, "max_leverage", "must be a number"},
		{`{"max_leverage":-1}`, "max_leverage", "cannot be -1"},
		{`{"max_leverage":1e400}`, "max_leverage", "out of range"},
		{`{"max_score":101}`, "max_score", "from 0 to 100"},
		{`{"max_probability_24h":5}`, "max_probability_24h", "from 0 to 1"},
		{`{"orders_per_minute":1.5}`, "orders_per_minute", "whole number"},
		{`{"halt":1}`, "halt", "true or false"},
		{`{"expires_at":"tomorrow"}`, "expires_at", "2026-12-31T00:00:00Z"},
		{`{"expires_at":1790000000}`, "expires_at", "RFC 3339"},
		{`{"allowed_assets":"BTC"}`, "allowed_assets", "list"},
		{`{"allowed_assets":["BTC",1]}`, "allowed_assets", "quotes"},
		{`{"allowed_assets":["BTC",["ETH"]]}`, "allowed_assets", "quotes"},
		{`{"denied_assets":["BTС"]}`, "denied_assets", "ASCII"}, // a Cyrillic letter
		{`{"denied_assets":["BT\u0421"]}`, "denied_assets", "ASCII"},
		{`{"denied_assets":["BTC "]}`, "denied_assets", "no ticker"},
		{`{"denied_assets":[""]}`, "denied_assets", "no ticker"},
		{`{"denied_assets":["BTC","btc"]}`, "denied_assets", "both BTC and btc"},
		{`{"denied_assets":{"BTC":1}}`, "denied_assets", "list"},
		{`{"max_leverage":5}x`, "", "behind"},
		{`[]`, "", "one object"},
		{``, "", "one object"},
		{`null`, "", "one object"},
	} {
		r, bad := DecodeJSON([]byte(row.text))
		if bad == nil || bad.Field != row.field || !strings.Contains(bad.Error(), row.says) {
			t.Errorf("%s: %+v, want field %q and %q", row.text, bad, row.field, row.says)
		}
		if !r.Empty() {
			t.Errorf("%s: rules of a refused text", row.text)
		}
	}
	if r, bad := DecodeJSON([]byte(`{"max_leverage":null}`)); bad != nil || !r.Empty() {
		t.Errorf("null is not absence: %v", bad)
	}
}

func TestWhatIsNoPolicyInYAMLIsRefused(t *testing.T) {
	for _, row := range []struct{ text, says string }{
		{"", "has no rule"},
		{"max_levrage: 5", "line 1: unknown rule: max_levrage, did you mean max_leverage?"},
		{"max_leverage: 5\nmax_leverage: 6", "line 2: max_leverage is given twice"},
		{"halt: false\nmax_leverage:", "line 2: max_leverage has no value"},
		{"max_leverage: ~", "has no value"},
		{"max_leverage: 0x10", "plain number"},
		{"max_leverage: 1_000", "plain number"},
		{"max_order_usd: 010", "plain number"},
		{"max_leverage: .inf", "plain number"},
		{"max_leverage: '5'", "must be a number"},
		{"halt: yes", "must be a boolean"},
		{"halt: TRUE", "true or false"},
		{"allowed_assets: BTC", "list"},
		{"allowed_assets: [BTC, 5]", "quotes"},
		{"max_leverage: &a 5\nmax_gross_leverage: *a", "anchor"},
		{"base: &a {max_leverage: 5}\n<<: *a", "base has an anchor"},
		{"<<: {max_leverage: 5}", "line 1"},
		{"max_leverage: 5\n---\nmax_leverage: 6", "second document"},
		{"- max_leverage", "not a list of rules"},
		{"max_leverage: 5\n halt: true", "not YAML"},
		{"5: 5", "not a rule's name"},
	} {
		r, bad := DecodeYAML([]byte(row.text))
		if bad == nil || !strings.Contains(bad.Error(), row.says) || !r.Empty() {
			t.Errorf("%q: %v, want %q", row.text, bad, row.says)
		}
	}
}

func TestAssetsMustBeListedAsWritten(t *testing.T) {
	universe := marketcache.NewUniverse([]*marketcache.Asset{
		{ID: 0, Name: "BTC", Tiers: make([]marketcache.Tier, 1)},
		{ID: 1, Name: "kPEPE", Tiers: make([]marketcache.Tier, 1)},
		{ID: 2, Name: "xyz:TSLA", Dex: "xyz", Tiers: make([]marketcache.Tier, 1)},
	})
	for _, row := range []struct{ rules, says string }{
		{`{"allowed_assets":["BTC","kPEPE","xyz:TSLA"],"denied_assets":["BTC"]}`, ""},
		{`{"allowed_assets":["btc"]}`, "does not list: btc: BTC"},
		{`{"denied_assets":["KPEPE"]}`, "does not list: KPEPE: kPEPE"},
		{`{"denied_assets":["TSLA"]}`, "does not list: TSLA"},
	} {
		r, bad := DecodeJSON([]byte(row.rules))
		if bad == nil {
			bad = r.CheckAssets(universe)
		}
		if row.says == "" && bad != nil || row.says != "" && (bad == nil || !strings.Contains(bad.Error(), row.says)) {
			t.Errorf("%s: %v, want %q", row.rules, bad, row.says)
		}
	}
}

func TestTheNarrowerOfTwoPolicies(t *testing.T) {
	for _, row := range [][3]string{
		{`{}`, `{}`, `{}`},
		{every, `{}`, every},
		{`{"max_leverage":5}`, `{"max_leverage":3,"max_score":9}`, `{"max_leverage":3,"max_score":9}`},
		{`{"min_liquidation_distance_pct":5}`, `{"min_liquidation_distance_pct":9}`,
			`{"min_liquidation_distance_pct":9}`},
		{`{"duplicate_window_s":0}`, `{"duplicate_window_s":5}`, `{"duplicate_window_s":5}`},
		{`{"allowed_assets":["BTC","ETH"]}`, `{"allowed_assets":["ETH","SOL"]}`, `{"allowed_assets":["ETH"]}`},
		{`{"allowed_assets":["BTC"]}`, `{"allowed_assets":[]}`, `{"allowed_assets":[]}`},
		{`{"allowed_assets":[]}`, `{}`, `{"allowed_assets":[]}`},
		{`{"denied_assets":["BTC"]}`, `{"denied_assets":["ETH","BTC"]}`, `{"denied_assets":["BTC","ETH"]}`},
		{`{"halt":true}`, `{"halt":false}`, `{"halt":true}`},
		{`{"expires_at":"2027-01-01T00:00:00Z"}`, `{"expires_at":"2026-01-01T00:00:00.5Z"}`,
			`{"expires_at":"2026-01-01T00:00:00.5Z"}`},
	} {
		a, badA := DecodeJSON([]byte(row[0]))
		b, badB := DecodeJSON([]byte(row[1]))
		if badA != nil || badB != nil {
			t.Fatal(badA, badB)
		}
		n, back := Narrower(&a, &b), Narrower(&b, &a)
		slices.Sort(back.Denied)
		if got := string(n.AppendJSON(nil)); got != row[2] {
			t.Errorf("%s and %s: %s, want %s", row[0], row[1], got, row[2])
		}
		if got := string(back.AppendJSON(nil)); got != row[2] {
			t.Errorf("%s and %s: %s, want %s", row[1], row[0], got, row[2])
		}
	}
}

func TestATableAnswersWithTheNarrowerPolicy(t *testing.T) {
	one, other := marketcache.Wallet{1}, marketcache.Wallet{2}
	var all, own Rules
	all.SetLimit(MaxLeverage, 5)
	own.SetLimit(MaxLeverage, 9)
	own.SetLimit(MaxScore, 40)
	table := NewTable(&Policy{all, 3}, map[marketcache.Wallet]*Policy{one: {own, 7}})
	p := table.Of(&one)
	if x, _ := p.Rules.Limit(MaxLeverage); x != 5 || !p.Rules.Has(MaxScore) || p.Revision != 7 {
		t.Errorf("leverage %g of %+v", x, p)
	}
	if p := table.Of(&other); p == nil || p.Revision != 3 || p.Rules.Has(MaxScore) {
		t.Errorf("another wallet has %+v", p)
	}
	if p := NewTable(nil, nil).Of(&one); p != nil {
		t.Errorf("an empty table has %+v", p)
	}
	var live Live
	if live.Table().Of(&one) != nil || live.Switch() != nil {
		t.Error("something holds before anything was set")
	}
}

// FuzzDecodeJSON: what is taken is written as it was read, and JSON is YAML with the same meaning.
func FuzzDecodeJSON(f *testing.F) {
	f.Add([]byte(every))
	f.Add([]byte(`{"allowed_assets":[],"max_score":1e1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, bad := DecodeJSON(text)
		if bad != nil {
			return
		}
		written := r.AppendJSON(nil)
		again, bad := DecodeJSON(written)
		if bad != nil || !bytes.Equal(again.AppendJSON(nil), written) {
			t.Fatalf("%s became %s: %v", text, written, bad)
		}
		if y, bad := DecodeYAML(written); bad != nil || !bytes.Equal(y.AppendJSON(nil), written) {
			t.Fatalf("%s as YAML: %v", written, bad)
		}
	})
}

// randomRules returns rules of which each is set in one of three cases.
func randomRules(random *rand.Rand) (r Rules) {
	some := func() bool { return random.IntN(3) == 0 }
	for rule := range Numbers {
		if some() {
			r.SetLimit(rule, math.Floor(random.Float64()*5))
		}
	}
	pick := func() (list []string) {
		for _, asset := range []string{"BTC", "ETH", "SOL"} {
			if some() {
				list = append(list, asset)
			}
		}
		return list
	}
	if r.OnlyAllowed = some(); r.OnlyAllowed {
		r.Allowed = pick()
	}
	r.Denied, r.Halt = pick(), random.IntN(12) == 0
	if some() {
		r.ExpiresAt = 1 + random.Int64N(4)
	}
	return r
}

// Bounds of sizes have the names and directions of their rules, and each is the limit of the policy.
func TestBoundsAreRules(t *testing.T) {
	for b, rule := range bounds {
		if name := risk.Bound(b).String(); name != rule.String() {
			t.Errorf("%s bounds %s", rule, name)
		}
		if least := risk.Bound(b) == risk.BoundDistance; least != RuleTable[rule].Least {
			t.Errorf("%s: at least: %t", rule, least)
		}
		var r Rules
		r.SetLimit(rule, 7)
		var want risk.Limits
		want.Set(risk.Bound(b), 7)
		c, f, v := Case{Policy: &Policy{Rules: r}, SinceSame: NoOrders}, Facts{Asset: "BTC"}, Verdict{}
		if got := c.Limits(&f, &v); got != want {
			t.Errorf("%s: %+v, want %+v", rule, got, want)
		}
		r.Halt = true
		if c.Policy = (&Policy{Rules: r}); c.Limits(&f, &v).Barred != "halt" {
			t.Errorf("%s and a halt: %+v", rule, c.Limits(&f, &v))
		}
	}
	c, f, v := Case{Unread: true}, Facts{}, Verdict{}
	if got := c.Limits(&f, &v); got.Barred != notKnownYet {
		t.Errorf("%+v", got)
	}
}
