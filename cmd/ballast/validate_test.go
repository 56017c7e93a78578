package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestE2EValidate tests the terminal report, its exit status, and errors. The README's line gives the report of its
// picture, but for the market's movements since.
func TestE2EValidate(t *testing.T) {
	line := regexp.MustCompile("`bin/ballast (validate .*?)`").FindStringSubmatch(contents(t, "../../README.md"))
	if line == nil {
		t.Fatal("the README has no line that validates")
	}
	out, _, status := command(t, nil, strings.Fields(line[1])...)
	picture := regexp.MustCompile(
		`^SIMULATED VENUE\n(?:STALE .*\n)?ABORT   risk score ([89]\d\.\d|100\.0) of 100\n.*\n` +
			`long 450,000 USD of ETH at 20x, `)
	if status != 20 || !picture.MatchString(out) {
		t.Errorf("%s: %d\n%s", line[1], status, out)
	}
	fits(t, out)
	if strings.Contains(out, "computed in") {
		t.Errorf("the time of a cold start in the report:\n%s", out)
	}
	for _, part := range []string{
		"\nwallet 0xba11a57000000000000000000000000000000002, ", "side, margin mode", "maintenance ratio",
		"Chance of liquidation: ", "What drives the score", "Numbers", "Stress",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in the report:\n%s", part, out)
		}
	}
	s := sharedSim(t)
	ask := func(args ...string) (out, errs string, status int) {
		return command(t, nil, append([]string{"validate", "--server", s.url, "--key", s.key}, args...)...)
	}
	out, _, status = ask("--asset", "BTC", "--action", "close", "--size", "1", "--json", "--wallet", crossWallet)
	var answer map[string]any
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || answer["explanation"] != nil {
		t.Errorf("--json: %v, status %d\n%s", err, status, out)
	}
	if meta := answer["meta"].(map[string]any); meta["venue"] != "simulated" {
		t.Errorf("venue %v", meta["venue"])
	}
	out, _, status = ask("--asset", "BTC", "--action", "long", "--size", "50000", "--leverage", "20", "--wallet",
		"0xba11a57000000000000000000000000000000005")
	if !strings.Contains(out, "\nTHE VENUE WOULD REFUSE THE ORDER\n  free margin 0.00 USD, needs 2,500: ") ||
		!strings.Contains(out, "no_account_equity: the wallet is empty") {
		t.Errorf("an empty wallet: %d\n%s", status, out)
	}
	refused(t, []badCall{
		{1, "invalid asset: NOSUCH", []string{"--asset", "NOSUCH", "--action", "long", "--size", "5", "--server", s.url,
			"--key", s.key}},
		{2, "--wallet", []string{"--asset", "BTC", "--action", "long", "--size", "5", "--wallet", zeroWallet}},
		{2, "bogus", []string{"--asset", "BTC", "--bogus"}},
	}, "validate")
	if _, errs, status := command(t, []string{"BALLAST_LISTNE=x"}, "version"); status != 2 ||
		!strings.Contains(errs, "BALLAST_LISTNE") {
		t.Errorf("unknown environment name: %d %s", status, errs)
	}
	if _, errs, status := command(t, []string{"BALLAST_LOAD_KEY=of-the-load-generator"}, "version"); status != 0 {
		t.Errorf("the load generator's environment: %d %s", status, errs)
	}
}
