package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestE2EValidate tests the terminal report, its exit status, and errors.
func TestE2EValidate(t *testing.T) {
	skipShort(t)
	run := func(args ...string) (string, int) {
		cmd := exec.Command(binary(t, "ballast"), args...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if slices.Contains(args, "--bogus") || slices.Contains(args, "NOSUCH") {
			cmd.Stderr = &out
		}
		cmd.Run()
		return out.String(), cmd.ProcessState.ExitCode()
	}
	// The README's line gives the report of its picture, but for the market's movements since.
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("`bin/ballast (validate .*?)`").FindSubmatch(readme)
	if line == nil {
		t.Fatal("the README has no line that validates")
	}
	out, status := run(strings.Fields(string(line[1]))...)
	picture := regexp.MustCompile(
		`^SIMULATED VENUE\nABORT   risk score ([89]\d\.\d|100\.0) of 100\nlong 450,000 USD of ETH at 20x, `)
	if status != 20 || !picture.MatchString(out) ||
		!strings.Contains(out, "\nwallet 0xba11a57000000000000000000000000000000002, ") {
		t.Errorf("%s: %d\n%s", line[1], status, out)
	}

	out, status = run("validate", "--asset", "BTC", "--action", "long", "--size", "50000", "--leverage", "5")
	first, rest, _ := strings.Cut(out, "\n")
	old := ""
	if strings.HasPrefix(rest, "STALE ") { // a machine this slow: no plain proceed
		old, rest, _ = strings.Cut(rest, "\n")
	}
	if first != "SIMULATED VENUE" || !strings.HasPrefix(rest, "PROCEED") && !strings.HasPrefix(rest, "ABORT") {
		t.Errorf("no venue and verdict first:\n%s", out)
	}
	fits(t, out)
	if strings.Contains(out, "computed in") {
		t.Errorf("the time of a cold start in the report:\n%s", out)
	}
	for _, part := range []string{
		"side, margin mode", "maintenance ratio", "Chance of liquidation: ", "\nThe venue would take the order: send ",
		"What drives the score", "Numbers", "Stress",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in the report:\n%s", part, out)
		}
	}
	want := map[string]int{"PROCEED": 0, "PROCEED WITH CAUTION": 10, "ABORT": 20}
	verdict, _, _ := strings.Cut(rest, "   ")
	if old != "" {
		want["PROCEED"] = 10
	}
	if status != want[verdict] {
		t.Errorf("%q exits with %d:\n%s", verdict, status, out)
	}
	out, status = run("validate", "--asset", "BTC", "--action", "close", "--size", "1", "--json")
	var answer map[string]any
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || answer["explanation"] != nil {
		t.Errorf("--json: %v, status %d\n%s", err, status, out)
	}
	if meta := answer["meta"].(map[string]any); meta["venue"] != "simulated" {
		t.Errorf("venue %v", meta["venue"])
	}
	out, status = run("validate", "--asset", "BTC", "--action", "long", "--size", "50000", "--leverage", "20",
		"--wallet",
		"0xba11a57000000000000000000000000000000005")
	if !strings.Contains(out, "\nTHE VENUE WOULD REFUSE THE ORDER\n  free margin 0.00 USD, needs 2,500: ") ||
		!strings.Contains(out, "no_account_equity: the wallet is empty") {
		t.Errorf("an empty wallet: %d\n%s", status, out)
	}
	if out, status = run("validate", "--asset", "NOSUCH", "--action", "long", "--size", "5"); status != 1 ||
		!strings.Contains(out, "invalid asset: NOSUCH") {
		t.Errorf("unknown asset: %d %s", status, out)
	}
	if out, status = run("validate", "--asset", "BTC", "--action", "long", "--size", "5", "--wallet", zeroWallet); status != 2 || out != "" {
		t.Errorf("a wallet that the simulated venue has not: %d %s", status, out)
	}
	if out, status = run("validate", "--asset", "BTC", "--bogus"); status != 2 || !strings.Contains(out, "bogus") {
		t.Errorf("unknown flag: %d %s", status, out)
	}
	cmd := exec.Command(binary(t, "ballast"), "version")
	cmd.Env = append(os.Environ(), "BALLAST_LISTNE=x")
	if b, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 ||
		!strings.Contains(string(b), "BALLAST_LISTNE") {
		t.Errorf("unknown environment name: %s", b)
	}
	cmd = exec.Command(binary(t, "ballast"), "version")
	cmd.Env = append(os.Environ(), "BALLAST_LOAD_KEY=of-the-load-generator")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the load generator's environment: %v %s", err, b)
	}
}
