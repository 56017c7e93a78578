package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestE2EHelp tests the output for a new user: no arguments, help, and mistyped commands.
func TestE2EHelp(t *testing.T) {
	skipShort(t)
	alone, errs, code := command(t, nil)
	if code != 0 || errs != "" || !strings.Contains(alone, "\nCommands:\n  serve [flags]\n") || strings.Contains(alone, "__complete") {
		t.Errorf("%d %s\n%s", code, errs, alone)
	}
	if out, _, code := command(t, nil, "--help"); out != alone || code != 0 {
		t.Errorf("%d %s", code, out)
	}
	for _, args := range [][]string{nil, {"serve"}, {"validate"}, {"keys", "issue"}, {"backtest"}, {"candles", "fetch"}, {"candles", "import"}, {"calibrate"}, {"completion"}} {
		out, errs, code := command(t, nil, append(args, "--help")...)
		if code != 0 || errs != "" {
			t.Errorf("%q: %d %s", args, code, errs)
		}
		fits(t, out)
	}
	if out, errs, code := command(t, nil, "--version"); code != 0 || errs != "" || out != "ballast dev (unknown)\n" {
		t.Errorf("%d %s%s", code, out, errs)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"srve"}, "ballast: unexpected argument srve, did you mean \"serve\"?\nballast: see `ballast --help`\n"},
		{[]string{"serve", "--listne", "x"}, "ballast: unknown flag --listne, did you mean \"--listen\"?\nballast: see `ballast serve --help`\n"},
		{[]string{"keys"}, "ballast: expected one of \"issue\", \"list\", \"revoke\", \"rebuild\"\nballast: see `ballast keys --help`\n"},
		{[]string{"serve", "--rate-limit=-1", "--max-in-flight=0"}, "ballast: --max-in-flight 0: want at least 1\nballast: --rate-limit -1: want a number of requests, or 0 for no limit\nballast: see `ballast serve --help`\n"},
	} {
		if out, errs, code := command(t, nil, c.args...); code != 2 || out != "" || errs != c.says {
			t.Errorf("%q: %d\n%s%s", c.args, code, out, errs)
		}
	}
}

// TestAskErrors: the error for an unreachable service, or for a rejected key, states how to fix it.
func TestAskErrors(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte(`{"error":"unauthorized"}`))
	}))
	ask := validateCmd{Asset: "BTC", Action: "long", Size: 1}
	if _, err := ask.ask(refusing.URL, "wrong"); err == nil || err.Error() != "unauthorized: want a key of this service, --key or BALLAST_KEY; `ballast keys issue` makes one" {
		t.Error(err)
	}
	refusing.Close()
	if _, err := ask.ask(refusing.URL, ""); err == nil || !strings.HasPrefix(err.Error(), "--server: ") || !strings.HasSuffix(err.Error(), "refused: is the service running there?") {
		t.Error(err)
	}
}
