package server

import (
	"strings"
	"testing"
)

const policyTestPath = "/v1/policy/" + wallet + "/test"

func TestPoliciesAreTriedOnRecordedDecisions(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	ask := f.operator()
	f.post(tradeOf("long", 50000, ""))
	f.post(tradeOf("long", 10000, ""))
	f.post(tradeOf("close", 10000, ""))
	f.s.cfg.Journal.Flush(t.Context())
	a := ask("POST", policyTestPath, `{"rules":{"max_order_usd":20000}}`).ok(`"decisions":3,`,
		`"before":{"pass":3,"deny":0,"unknown":0},"after":{"pass":2,"deny":1,"unknown":0},"changed":1,`,
		`"asset":"BTC","action":"long","size_usd":50000,"before":"pass","after":"deny",`+
			`"violations":[{"rule":"max_order_usd","limit":20000,"value":50000}]`)
	if n := len(a.tree["changes"].([]any)); n != 1 {
		t.Errorf("%d changes", n)
	}
	ask("POST", "/v1/policy/*/test", `{"rules":{"max_leverage":1000},"from":null}`).ok(`"wallet":"*"`, `"changed":0`)
	ask("POST", policyTestPath, `{"rules":{},"from":"2020-01-01T00:00:00Z","to":"2020-01-02T00:00:00+01:00"}`).ok(
		`"from":"2020-01-01T00:00:00.000Z","to":"2020-01-01T23:00:00.000Z","decisions":0`)
	if state := f.s.cfg.Policies.State(); len(state.Policies) != 0 {
		t.Errorf("a policy was set: %v", state.Policies)
	}
	for body, part := range map[string]string{
		`{"rules":{"max_order":1}}`:                  "max_order_usd",
		`{"rules":{"allowed_assets":["NOPE"]}}`:      "NOPE",
		`{"rules":7}`:                                "rules must be an object",
		`{"rulez":{}}`:                               `"suggestion":"rules"`,
		`{}`:                                         "rules must be an object",
		`{"rules":{},"from":"yesterday"}`:            "from must be a time",
		`{"rules":{},"to":7}`:                        "to must be a time",
		`{"rules":{},"from":"2999-01-01T00:00:00Z"}`: "from must be before to",
	} {
		ask("POST", policyTestPath, body).want(400, "validation_error", part)
	}
	ask("POST", policyTestPath, `{"rules":{}`).want(400, "invalid_json")
	ask("POST", strings.Replace(policyTestPath, "0x", "0y", 1), `{"rules":{}}`).want(400, "validation_error")
	ask("GET", policyTestPath, "").want(405, "method_not_allowed")
	f.call("POST "+policyTestPath, `{"rules":{}}`).want(403, "forbidden", "only a key of the role operator")
}

func TestPoliciesAreNotTriedWithoutAJournal(t *testing.T) {
	f := newFixture(t, nil)
	f.operator()("POST", policyTestPath, `{"rules":{}}`).want(404, "not_found", "--journal off")
}

// answersAboutDecisions makes every endpoint that reads decisions answer.
func answersAboutDecisions(f *fixture) {
	f.post(trade("BTC"))
	f.s.cfg.Journal.Flush(f.t.Context())
	f.operator()("POST", policyTestPath, `{"rules":{"max_order_usd":1}}`)
}
