package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ballast/marketcache"
	"ballast/server/auth"
	"ballast/server/limits"
)

// operator issues an operator's key, with which change makes its requests.
func (f *fixture) operator() (change func(method, path, body string, headers ...string) *reply) {
	f.t.Helper()
	key, _, err := f.keys.Issue("ops@example.org", auth.Operator)
	if err != nil {
		f.t.Fatal(err)
	}
	return func(method, path, body string, headers ...string) *reply {
		f.t.Helper()
		text := f.request(method, path, body, headers...)
		return f.raw(strings.Replace(text, f.key, key, 1))
	}
}

// everyRule is a policy with every rule.
const everyRule = `{"max_leverage":5,"max_order_usd":50000,"max_position_usd":100000,"max_gross_leverage":3,` +
	`"max_asset_share_pct":50,"max_daily_loss_pct":3,"max_drawdown_pct":10,"max_score":70,"max_probability_24h":0.02,` +
	`"max_probability_7d":0.1,"min_liquidation_distance_pct":10,"price_collar_pct":5,"orders_per_minute":20,` +
	`"trades_per_day":100,"duplicate_window_s":2,"allowed_assets":["BTC","ETH"],"denied_assets":["ETH"],` +
	`"halt":true,"expires_at":"2027-01-01T00:00:00Z"}`

// answersOfOperators gets every answer about policies and the kill switch, and leaves none of them set.
func (f *fixture) answersOfOperators() {
	change := f.operator()
	f.raw(f.request("PUT", "/v1/policy/*", `{}`)).want(403, "forbidden")
	f.get("/v1/policy/*")
	change("PUT", "/v1/policy/*", everyRule)
	change("PUT", "/v1/policy/*", `{}`).want(428, "precondition_required")
	change("PUT", "/v1/policy/*", `{}`, `If-Match: "99"`).want(412, "precondition_failed")
	tag := f.get("/v1/policy/*").header.Get("Etag")
	change("DELETE", "/v1/policy/*", "", "If-Match: "+tag)
	change("DELETE", "/v1/policy/*", "").want(404, "not_found")
	f.get("/v1/kill-switch")
	change("PUT", "/v1/kill-switch", `{"on":true,"reason":"a test"}`)
	f.get("/health")
	change("PUT", "/v1/kill-switch", `{"on":false}`)
}

// TestPolicies: a policy is made, read, changed and removed, each time by the revision that was read.
func TestPolicies(t *testing.T) {
	f := warmFixture(t, nil)
	change := f.operator()
	const path = "/v1/policy/" + wallet
	f.get(path).ok(`"revision":0,"since":null,"who":null,"rules":null,"effective":null`)
	made := change("PUT", path, `{"max_leverage":5}`)
	made.ok(`"revision":1,`, `"who":"ops@example.org, key_`,
		`"rules":{"max_leverage":5},"effective":{"max_leverage":5},"may_change":true}`)
	made.holds("Etag", `"1"`)
	change("PUT", path, `{"max_leverage":9}`).want(428, "precondition_required")
	change("PUT", path, `{"max_leverage":9}`, `If-Match: "2"`).want(412, "precondition_failed")
	change("PUT", path, `{}`, `If-Match: "0"`).holds("revision", 1.0)
	change("PUT", "/v1/policy/%2A", `{"max_leverage":3,"max_score":50}`).ok(`"wallet":"*","revision":2`)
	f.get(path).ok(`"revision":1`, `"rules":{"max_leverage":5},"effective":{"max_leverage":3,"max_score":50}`)
	change("PUT", path, `{"max_leverage":2}`, `If-Match: 1`).ok(`"revision":3`,
		`"effective":{"max_leverage":2,"max_score":50}`)
	change("PUT", path, `{"max_leverage":2}`, `If-Match: 3`).ok(`"revision":3`)
	change("DELETE", path, "", `If-Match: "1"`).want(412, "precondition_failed")
	change("DELETE", path, "").want(428, "precondition_required")
	change("DELETE", path, "", `If-Match: "3"`).ok(`"revision":0`,
		`"rules":null,"effective":{"max_leverage":3,"max_score":50}`)
	change("DELETE", path, "", `If-Match: "3"`).want(412, "precondition_failed")
	change("PUT", path, `{}`).ok(`"revision":5`) // revisions do not come again
	f.get("/health").ok(`"policies":{"count":2,"revision":5,"trouble":null}`)
}

// TestAgentsChangeNothing: an agent's key may read, and with no method, header or body changes anything.
func TestAgentsChangeNothing(t *testing.T) {
	f := warmFixture(t, nil)
	change := f.operator()
	change("PUT", "/v1/policy/*", `{"max_leverage":2}`).ok(`"revision":1`)
	change("PUT", "/v1/kill-switch", `{"on":true,"reason":"stop"}`).ok(`"revision":2`)
	for _, row := range []struct{ method, path, body, header string }{
		{"PUT", "/v1/policy/*", `{}`, `If-Match: "1"`}, {"PUT", "/v1/policy/%2a", `{}`, `If-Match: "1"`},
		{"PUT", "/v1/policy/" + wallet, `{"max_leverage":50}`, "X-Role: operator"},
		{"DELETE", "/v1/policy/*", "", `If-Match: "1"`}, {"PUT", "/v1/kill-switch", `{"on":false}`, `If-Match: "2"`},
		{"PUT", "/v1/kill-switch", `{"on":true,"reason":"more"}`, "X-HTTP-Method-Override: GET"},
	} {
		f.raw(f.request(row.method, row.path, row.body, row.header)).want(403, "forbidden", "--role operator")
	}
	for _, method := range []string{"POST", "PATCH"} {
		f.raw(f.request(method, "/v1/policy/*", `{}`, `If-Match: "1"`)).want(405, "method_not_allowed")
	}
	f.raw(f.request("GET", "/v1/policy/*", `{}`, "X-HTTP-Method-Override: PUT")).ok(`"revision":1`)
	f.get("/v1/policy/*").ok(`"rules":{"max_leverage":2}`, `"may_change":false}`)
	f.get("/v1/kill-switch").ok(`"on":true,"reason":"stop"`, `"revision":2`)
	withoutKey := strings.Replace(f.request("PUT", "/v1/kill-switch", `{"on":false}`), f.key, "x", 1)
	f.raw(withoutKey).want(401, "")
}

// TestOneNameAWallet: all spellings of a wallet are one policy, or refused: none has a policy of its own.
func TestOneNameAWallet(t *testing.T) {
	f := warmFixture(t, nil)
	change := f.operator()
	upper := "0x" + strings.ToUpper(wallet[2:])
	change("PUT", "/v1/policy/"+upper, `{"max_leverage":2}`).ok(`"wallet":"` + wallet + `"`)
	change("PUT", "/v1/policy/"+wallet, `{"max_leverage":9}`).want(428, "precondition_required")
	f.get("/v1/policy/" + wallet).ok(`"rules":{"max_leverage":2}`)
	for _, name := range []string{
		"0X" + wallet[2:], wallet[2:], wallet + "0", wallet[:41], "**", "%2a%2a", "*/", wallet + "/", wallet + "%00",
		"%30x" + wallet[2:], strings.Replace(wallet, "0x", "0\u0445", 1), wallet[:41] + "\uff10",
		wallet[:41] + "%D9%A0",
		"\u2217", "\uff0a", "%EF%BC%8A", ".", "..",
	} {
		r := change("PUT", "/v1/policy/"+name, `{"max_leverage":50}`)
		if r.status != 400 || r.errorCode() != "validation_error" && r.errorCode() != "bad_request" {
			t.Errorf("%q: %d %s", name, r.status, r.body)
		}
	}
	f.get("/health").ok(`"policies":{"count":1,`)
}

// TestPolicyBodies: a body that is no policy is refused with the rule, and with a word that mends it.
func TestPolicyBodies(t *testing.T) {
	f := warmFixture(t, nil)
	change := f.operator()
	for _, row := range []struct{ body, code, field, says string }{
		{`{"max_leverge":5}`, "validation_error", "max_leverge", "max_leverage"},
		{`{"Max_Leverage":5}`, "validation_error", "Max_Leverage", "max_leverage"},
		{`{"max_leverage":"5"}`, "validation_error", "max_leverage", "number"},
		{`{"max_leverage":-1}`, "validation_error", "max_leverage", ""},
		{`{"max_leverage":5,"max_leverage":50}`, "validation_error", "max_leverage", "twice"},
		{`{"denied_assets":["btc"]}`, "validation_error", "denied_assets", "BTC"},
		{`{"denied_assets":["\u0412TC"]}`, "validation_error", "denied_assets", ""},
		{`{"max_leverage":5}{}`, "invalid_json", "", ""}, {`[]`, "invalid_json", "", ""}, {``, "invalid_json", "", ""},
	} {
		change("PUT", "/v1/policy/*", row.body).want(400, row.code, row.says).holds("field", row.field)
	}
	for _, header := range []string{
		"If-Match: *", `If-Match: W/"1"`, `If-Match: "1", "2"`, "If-Match: 01", "If-Match: -1",
		`If-Match: ""`, "If-Match: 1.0", "If-Match: 18446744073709551616", "If-Match: 1\r\nIf-Match: 2",
	} {
		change("PUT", "/v1/policy/*", `{}`, header).want(400, "").holds("field", "If-Match")
	}
	f.get("/v1/policy/*").ok(`"revision":0`)
	f.raw(strings.Replace(f.request("PUT", "/v1/policy/*", `{}`), "application/json", "text/plain", 1)).
		want(403, "") // the key comes first
	change("PUT", "/v1/policy/*", everyRule[:len(everyRule)-1]+`,"max_leverage":null}`)
}

// TestKillSwitch: the switch needs a reason, is told to everybody, and keeps since when it is on.
func TestKillSwitch(t *testing.T) {
	f := warmFixture(t, nil)
	change := f.operator()
	put := func(body string, headers ...string) *reply { return change("PUT", "/v1/kill-switch", body, headers...) }
	f.get("/v1/kill-switch").ok(`{"on":false,"reason":null,"since":null,"who":null,"revision":0,"may_change":false}`)
	for body, field := range map[string]string{
		`{"on":true}`: "reason", `{"on":true,"reason":" \t"}`: "reason", `{"on":true,"reason":null}`: "reason",
		`{"on":true,"reason":"a\nb"}`: "reason", `{"on":true,"reason":"a\u202eb"}`: "reason", `{"reason":"x"}`: "on",
		`{"on":true,"reason":"` + strings.Repeat("é", 281) + `"}`: "reason", `{"on":"true","reason":"x"}`: "on",
		`{"on":true,"reason":5}`: "reason", `{"on":true,"reason":"x","who":"y"}`: "who",
	} {
		put(body).want(400, "").holds("field", field)
	}
	put(`{"on":"yes"}`).want(400, "validation_error", `"got":"yes","allowed":{"type":"boolean"},"suggestion":true`)
	put(`{"enabled":true}`).want(400, "validation_error", `"suggestion":"on"`)
	on := put(`{"on":true,"reason":" exchange maintenance "}`)
	on.ok(`"on":true,"reason":"exchange maintenance"`, `"revision":1`)
	put(`{"on":true,"reason":"exchange maintenance"}`).ok(`"revision":1`)
	put(`{"on":true,"reason":"and a fire"}`).holds("since", on.tree["since"], "revision", 2.0)
	f.get("/health").ok(fmt.Sprintf(`"kill_switch":{"on":true,"since":%q}`, on.tree["since"]))
	f.get("/metrics").ok("\nballast_kill_switch 1\n")
	put(`{"on":false}`, `If-Match: "1"`).want(412, "precondition_failed")
	put(`{"on":false}`, `If-Match: "2"`).ok(`"on":false,"reason":null`, `"revision":3`)
	put(`{"on":false}`).ok(`"revision":3`)
	f.get("/metrics").ok("\nballast_kill_switch 0\n")
}

// unkept is a keeper whose changes cannot be kept.
type unkept struct{ *limits.Memory }

func (unkept) Change(context.Context, string, limits.Edit) (*limits.State, error) {
	return nil, errors.New("no room on the disk")
}

// TestSwitchThatCannotBeKept: who stops trading is obeyed here even if nothing can be kept, and told so. Nothing
// else that cannot be kept has an effect.
func TestSwitchThatCannotBeKept(t *testing.T) {
	memory := limits.NewMemory()
	f := warmFixture(t, func(c *Config) { c.Policies = unkept{memory} })
	change := f.operator()
	change("PUT", "/v1/policy/*", `{"max_leverage":5}`).want(503, "not_saved")
	change("PUT", "/v1/kill-switch", `{"on":false}`).want(503, "not_saved")
	f.get("/v1/kill-switch").ok(`"on":false`)
	change("PUT", "/v1/kill-switch", `{"on":true,"reason":"stop"}`).want(503, "not_saved", "on in this process")
	f.get("/v1/kill-switch").ok(`"on":true,"reason":"stop"`)
	if !memory.InForce().Switch().On {
		t.Error("assessments are judged without the switch")
	}
	f.s.cfg.Policies = memory
	change("PUT", "/v1/kill-switch", `{"on":false}`).ok(`"on":false`)
	f.get("/v1/kill-switch").ok(`"on":false`)
	if memory.InForce().Switch().On {
		t.Error("still on")
	}
}

// slow is a keeper whose changes take long.
type slow struct {
	*limits.Memory
	begun, end chan bool
}

func (k *slow) Change(ctx context.Context, who string, edit limits.Edit) (*limits.State, error) {
	k.begun <- true
	<-k.end
	return k.Memory.Change(ctx, who, edit)
}

// TestSwitchIsOnAtOnce: the kill switch is on while a slow disk keeps it. A change that is refused turns nothing on,
// and what is to be off is on until that is kept.
func TestSwitchIsOnAtOnce(t *testing.T) {
	keeper := &slow{limits.NewMemory(), make(chan bool), make(chan bool)}
	f := warmFixture(t, func(c *Config) { c.Policies = keeper })
	change := f.operator()
	for _, row := range []struct {
		body, match   string
		status        int
		during, after bool
	}{
		{`{"on":true,"reason":"stop"}`, `If-Match: "9"`, 412, false, false},
		{`{"on":true,"reason":" "}`, "", 400, false, false},
		{`{"on":true,"reason":"stop"}`, "", 200, true, true},
		{`{"on":true,"reason":"still"}`, "", 200, true, true},
		{`{"on":false}`, "", 200, true, false},
	} {
		headers := []string{}
		if row.match != "" {
			headers = append(headers, row.match)
		}
		answered := make(chan *reply)
		go func() { answered <- change("PUT", "/v1/kill-switch", row.body, headers...) }()
		<-keeper.begun
		during := keeper.InForce().Switch().On
		keeper.end <- true
		r, after := <-answered, keeper.InForce().Switch().On
		if r.status != row.status || during != row.during || after != row.after {
			t.Errorf("%s: %d %s, on %v and then %v", row.body, r.status, r.body, during, after)
		}
	}
}

// unread is a keeper that has not read anything yet.
type unread struct{ limits.Live }

func (*unread) Change(context.Context, string, limits.Edit) (*limits.State, error) { return nil, nil }
func (*unread) Trouble() string                                                    { return "not read" }

// TestNothingBeforePolicies: before the policies are known, nothing is assessed and no policy is told.
func TestNothingBeforePolicies(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Policies = &unread{} })
	f.cache.SetModel(&marketcache.Model{Name: "none"})
	f.post(trade("BTC")).want(503, "starting")
	f.get("/v1/policy/*").want(503, "starting")
	if r := f.get("/health"); !strings.Contains(string(r.body), `"kill_switch":null`) {
		t.Errorf("%s", r.body)
	}
}

// TestEveryRuleIsDocumented: the contract has exactly the rules of a policy.
func TestEveryRuleIsDocumented(t *testing.T) {
	var want map[string]any
	if err := json.Unmarshal([]byte(everyRule), &want); err != nil {
		t.Fatal(err)
	}
	f := warmFixture(t, nil)
	r := f.operator()("PUT", "/v1/policy/*", everyRule).ok()
	if rules, _ := r.tree["rules"].(map[string]any); len(rules) != len(want) {
		t.Errorf("%s", r.body)
	}
}
