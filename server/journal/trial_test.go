package journal

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/policy"
)

// rulesOf returns a table with policies of the wallets 1 and 2, and of all.
func rulesOf(t *testing.T, one, two, all string) *policy.Table {
	t.Helper()
	decode := func(text string) *policy.Policy {
		if text == "" {
			return nil
		}
		r, bad := policy.DecodeJSON([]byte(text))
		if bad != nil {
			t.Fatal(bad)
		}
		return &policy.Policy{Rules: r, Revision: 9}
	}
	wallets := map[marketcache.Wallet]*policy.Policy{}
	for i, text := range []string{one, two} {
		if p := decode(text); p != nil {
			wallets[marketcache.Wallet{byte(i + 1)}] = p
		}
	}
	return policy.NewTable(decode(all), wallets)
}

// trialOf judges everything recorded, and returns the counts and the changes as a text.
func (s *started) trialOf(table *policy.Table, wallets []string) string {
	s.t.Helper()
	s.Flush(s.t.Context())
	trial, ended, err := s.Try(noon, noon.Add(time.Hour), table, wallets, func() bool { return true })
	if err != nil || !ended {
		s.t.Fatal(ended, err)
	}
	text := fmt.Sprintf("%d-%d", trial.Decisions, trial.NotAssessed)
	for _, counts := range []map[policy.Outcome]int{trial.Before, trial.After} {
		text += fmt.Sprintf(" %d/%d/%d", counts[policy.Pass], counts[policy.Deny], counts[policy.Unknown])
	}
	for _, c := range trial.Changes {
		text += fmt.Sprintf("; %s %v-%v", c.Decision.RequestID, c.Before, c.After)
		for _, v := range c.Violations {
			text += fmt.Sprintf(" %v(%g,%g)", v.Rule, v.Limit, v.Value)
		}
	}
	return text
}

func TestDecisionsUnderOtherPolicies(t *testing.T) {
	s := start(t, t.TempDir(), nil)
	record := func(id string, wallet byte, change func(e *Entry)) {
		e := entry(id, wallet, noon.Add(time.Minute))
		e.facts[policy.MaxOrderUSD], e.facts[policy.MaxLeverage] = 50000, 10
		e.facts[policy.DuplicateWindowS] = math.Inf(1)
		change(e)
		s.Record(e)
	}
	record("plain", 1, func(*Entry) {})
	record("reduces", 1, func(e *Entry) { e.reduces = true })
	record("unknown", 1, func(e *Entry) { e.facts[policy.MaxLeverage] = policy.NotKnown })
	record("denied", 2, func(e *Entry) {
		e.recommendation = risk.Abort
		e.Verdict = &policy.Verdict{Applies: true, Outcome: policy.Deny, Revision: 3, Violations: []policy.Violation{
			{Rule: policy.MaxOrderUSD, Limit: 100, Value: 50000}}}
	})
	record("killed", 2, func(e *Entry) {
		e.Verdict = &policy.Verdict{Applies: true, Outcome: policy.Deny, Violations: []policy.Violation{
			{Rule: policy.KillSwitch}}}
	})
	record("unseen", 2, func(e *Entry) { e.assessed = false })
	record("earlier", 1, func(e *Entry) { e.AtMs = noon.Add(-time.Minute).UnixMilli() })
	for _, row := range []struct {
		one, two, all string
		wallets       []string
		want          string
	}{
		{"", "", "", nil, "5-1 3/2/0 4/1/0; denied deny-pass"},
		{"", `{"max_order_usd":100}`, "", nil, "5-1 3/2/0 3/2/0"},
		{`{"max_order_usd":49999}`, "", "", []string{marketcache.Wallet{1}.String()},
			"3-0 3/0/0 1/2/0; plain pass-deny max_order_usd(49999,50000); unknown pass-deny max_order_usd(49999,50000)"},
		{`{"max_leverage":10}`, "", "", []string{marketcache.Wallet{1}.String()},
			"3-0 3/0/0 2/0/1; unknown pass-unknown max_leverage(10,NaN)"},
		{"", "", `{"denied_assets":["BTC"],"duplicate_window_s":60}`, []string{marketcache.Wallet{2}.String()},
			"2-1 0/2/0 0/2/0"},
		{"", "", `{"expires_at":"2026-11-26T12:00:30Z"}`, []string{marketcache.Wallet{1}.String()},
			"3-0 3/0/0 1/2/0; plain pass-deny expires_at(1.76415843e+12,1.76415846e+12); " +
				"unknown pass-deny expires_at(1.76415843e+12,1.76415846e+12)"},
	} {
		got := s.trialOf(rulesOf(t, row.one, row.two, row.all), row.wallets)
		if i := strings.Index(row.want, "expires_at("); i >= 0 { // the times are those of the test
			got, row.want = got[:i], row.want[:i]
		}
		if got != row.want {
			t.Errorf("%q %q %q: %s, want %s", row.one, row.two, row.all, got, row.want)
		}
	}
	if trial, ended, err := s.Try(noon, noon.Add(time.Hour), nil, nil, func() bool { return false }); ended ||
		err != nil ||
		trial.Decisions != 0 {
		t.Errorf("given up: %v %v %v", trial, ended, err)
	}
}
