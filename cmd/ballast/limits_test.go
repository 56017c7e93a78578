package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
)

// put sends a body with the remote's key, and returns the status and the answer.
func (s *remote) put(t *testing.T, path, body, match string) (int, map[string]any) {
	t.Helper()
	req := s.request("PUT", path, body)
	if match != "" {
		req.Header.Set("If-Match", match)
	}
	return do(t, req)
}

// isOn reports whether a replica says that the kill switch is on, to a key and to everybody.
func (s *remote) isOn(t *testing.T, reason string) bool {
	t.Helper()
	_, turned := s.get(t, "/v1/kill-switch")
	_, health := s.get(t, "/health")
	open, _ := health["kill_switch"].(map[string]any)
	return turned["on"] == true && turned["reason"] == reason && open["on"] == true
}

// policyFile writes a file of policies.
func policyFile(t *testing.T, text string) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), "policies.yaml"), text)
}

// TestE2ELimits: policies and the kill switch that commands set are in force in the running service and after a
// kill; what the service is told, commands see; and all of it is in the audit.
func TestE2ELimits(t *testing.T) {
	dir := t.TempDir()
	agent, operator := issue(t, "a@example.com", "--data-dir", dir), issueOperator(t, dir)
	s := serving(t, "--venue", nowhere, "--data-dir", dir)
	s.key = agent.Key
	if _, health := s.get(t, "/health"); fmt.Sprint(health["kill_switch"]) != "map[on:false since:<nil>]" {
		t.Errorf("%v", health["kill_switch"])
	}
	var on switched
	printed(t, &on, "kill-switch", "on", "--reason", "a drill", "--data-dir", dir)
	eventually(t, "the switch is on", 10*time.Second, func() bool { return s.isOn(t, "a drill") })
	file := policyFile(t, "'*':\n  max_leverage: 5\n"+crossWallet+":\n  max_order_usd: 1000\n")
	var changes []shownChange
	printed(t, &changes, "policy", "apply", file, "--data-dir", dir)
	eventually(t, "the policy holds", 10*time.Second, func() bool {
		_, p := s.get(t, "/v1/policy/"+crossWallet)
		return fmt.Sprint(p["effective"]) == "map[max_leverage:5 max_order_usd:1000]" && p["revision"] == 2.0
	})
	if status, answer := s.put(t, "/v1/kill-switch", `{"on":false}`, ""); status != 403 {
		t.Errorf("an agent turned the switch: %d %v", status, answer)
	}
	s.key = operator.Key
	if status, answer := s.put(t, "/v1/policy/*", `{}`, `"1"`); status != 412 || answer["revision"] != 2.0 {
		t.Errorf("a stale revision: %d %v", status, answer)
	}
	if status, answer := s.put(t, "/v1/policy/*", `{"max_leverage":3}`, `"2"`); status != 200 {
		t.Errorf("%d %v", status, answer)
	}
	s.kill()
	var shown []shownChange
	printed(t, &shown, "policy", "show", "*", "--data-dir", dir)
	if len(shown) != 1 || shown[0].Revision != 3 || string(shown[0].Rules.AppendJSON(nil)) != `{"max_leverage":3}` {
		t.Errorf("%+v", shown)
	}
	s = serving(t, "--venue", nowhere, "--data-dir", dir)
	s.key = agent.Key
	if !s.isOn(t, "a drill") { // from the first answer on
		t.Error("the switch is off after a restart")
	}
	if out, _, status := command(t, nil, "policy", "diff", file, "--data-dir", dir); status != 10 ||
		!strings.Contains(out, "max_leverage: 3 -> 5") {
		t.Errorf("diff: %d\n%s", status, out)
	}
	printed(t, &on, "kill-switch", "off", "--data-dir", dir)
	if printed(t, &on, "kill-switch", "status", "--data-dir", dir); on.On || on.Since == nil || on.Revision != 4 {
		t.Errorf("%+v", on)
	}
	auditTells(t, dir, operator.ID)
}

// auditTells checks who did what of TestE2ELimits.
func auditTells(t *testing.T, dir, operator string) {
	t.Helper()
	out, _, _ := command(t, nil, "audit", "--json", "--data-dir", dir)
	var events []store.Event
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events[2:] {
		who := "command"
		if strings.Contains(e.Who, operator) {
			who = "operator"
		}
		told = append(told, who+" "+e.Event+" "+e.Subject)
	}
	want := "command kill_switch_on kill switch, command policy_set *, command policy_set " + crossWallet +
		", operator policy_set *, command kill_switch_off kill switch"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("audit: %s, want %s", got, want)
	}
}

// TestE2EPoliciesThatCannotBeRead: a service does not start on policies that are not as they were written, and says
// what to do; a file that is wrong changes nothing.
func TestE2EPoliciesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	issue(t, "a@example.com", "--data-dir", dir)
	printed(t, new(any), "policy", "apply", policyFile(t, "'*':\n  max_leverage: 5\n"), "--data-dir", dir)
	before := contents(t, filepath.Join(dir, store.MainFile))
	spoilt := strings.ReplaceAll(before, `{"max_leverage":5}`, `{"max_leverage":9}`)
	if spoilt == before {
		t.Fatal("the rules are not in the file itself")
	}
	writeFile(t, filepath.Join(dir, store.MainFile), spoilt)
	limited, cancel := context.WithTimeout(t.Context(), time.Minute) // a service that starts does not end
	defer cancel()
	serve := exec.CommandContext(limited, binary(t, "ballast"), "serve", "--listen", "127.0.0.1:0", "--venue", nowhere,
		"--data-dir", dir)
	const says = "policies or the kill switch are not as they were written"
	if out, err := serve.CombinedOutput(); err == nil || !strings.Contains(string(out), says) ||
		!strings.Contains(string(out), "ballast backup") {
		t.Errorf("%v\n%s", err, out)
	}
	empty := t.TempDir()
	refused(t, []badCall{
		{1, "no such file", []string{"policy", "apply", "/nowhere.yaml", "--data-dir", dir}},
		{1, "damaged", []string{"policy", "show", "--data-dir", dir}},
		{1, "there is no ballast.db", []string{"kill-switch", "on", "--reason", "x", "--data-dir", empty}},
		{2, "--reason", []string{"kill-switch", "on", "--data-dir", dir}},
		{1, "is no wallet", []string{"policy", "show", "0x1", "--data-dir", dir}},
	})
}

// TestPruneOfEverything: a file without a rule, perhaps one whose template came out empty, lifts no limit by --prune.
func TestPruneOfEverything(t *testing.T) {
	dir, none := t.TempDir(), policyFile(t, "{}\n")
	issue(t, "a@example.com", "--data-dir", dir)
	printed(t, new(any), "policy", "apply", "--prune", none, "--data-dir", dir) // there is nothing to lift
	rules := policyFile(t, "'*':\n  max_leverage: 5\n"+crossWallet+":\n  max_order_usd: 1000\n")
	printed(t, new(any), "policy", "apply", rules, "--data-dir", dir)
	for _, file := range []string{none, policyFile(t, "'*': {}\n"), policyFile(t, crossWallet+": {}\n")} {
		refused(t, []badCall{{1, "would lift every limit: nothing was applied",
			[]string{"policy", "apply", "--prune", file, "--data-dir", dir}}})
	}
	if out, _, status := command(t, nil, "policy", "diff", rules, "--data-dir", dir); status != 0 {
		t.Errorf("%d %s", status, out)
	}
	printed(t, new(any), "policy", "apply", policyFile(t, "'*': {}\n"+crossWallet+": {}\n"), "--data-dir", dir)
}
