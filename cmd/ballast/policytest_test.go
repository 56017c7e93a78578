package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestE2EPolicyTest(t *testing.T) {
	s := sharedSim(t)
	begin := time.Now().UTC().Add(-time.Minute).Format(time.RFC3339)
	if status, got := s.post(t, trade("BTC", "long", 12345, crossWallet)); status != 200 {
		t.Fatalf("%d %v", status, got)
	}
	file := policyFile(t, "max_order_usd: 12000\n")
	test := func(args ...string) (out string, status int) {
		args = append([]string{"policy", "test", file, "--decisions", "--data-dir", shared.dir}, args...)
		out, errs, status := command(t, nil, args...)
		if errs != "" {
			t.Errorf("%v: %s", args, errs)
		}
		return out, status
	}
	var out string
	eventually(t, "the decision is recorded", 20*time.Second, func() bool {
		var status int
		out, status = test("--wallet", crossWallet, "--from", begin)
		return status == differ && strings.Contains(out, "long 12,345 USD of BTC")
	})
	for _, part := range []string{"VERDICT", "pass -> deny",
		"max_order_usd 12345, limit 12000"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in\n%s", part, out)
		}
	}
	out, _ = test("--json", "--from", begin)
	var trial struct {
		Wallet          string
		Changed         int
		Before, After   map[string]int
		UnreadableBlock int `json:"unreadable_blocks"`
	}
	if err := json.Unmarshal([]byte(out), &trial); err != nil || trial.Wallet != "*" || trial.Changed == 0 ||
		trial.After["deny"] == 0 || trial.UnreadableBlock != 0 {
		t.Errorf("%v: %.500s", err, out)
	}
	out, status := test("--to", "2020-01-02", "--from", "2020-01-01")
	if status != 0 || !strings.HasPrefix(out, "0 decisions") {
		t.Errorf("of a time without decisions: status %d\n%s", status, out)
	}
	refused(t, []badCall{
		{2, "--decisions", []string{file, "--data-dir", shared.dir}},
		{1, "--from: want a time before --to",
			[]string{file, "--decisions", "--from", "2999-01-01", "--data-dir", shared.dir}},
	}, "policy", "test")
}
