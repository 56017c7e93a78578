package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serveFlags returns the settings of "ballast serve" with these arguments.
func serveFlags(args ...string) (*serveCmd, error) {
	ctx, err := parse(append([]string{"serve"}, args...), nil)
	if err != nil {
		return nil, err
	}
	return ctx.Selected().Target.Addr().Interface().(*serveCmd), nil
}

// TestFlagsAndEnvironment: the command line overrides the environment, which overrides the default.
func TestFlagsAndEnvironment(t *testing.T) {
	for name, value := range map[string]string{"RATE_LIMIT": "2", "LISTEN": "127.0.0.1:2", "DEXES": "main,xyz",
		"REQUEST_TIMEOUT": "3s", "NO_CONSOLE": "yes", "CORS_ORIGIN": ""} {
		t.Setenv("BALLAST_"+name, value)
	}
	c, err := serveFlags("--listen", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:1" || c.RateLimit != 2 || c.MaxConnections != 16384 || !c.NoConsole ||
		strings.Join(c.Dexes, "+") != "main+xyz" || c.RequestTimeout != 3*time.Second {
		t.Errorf("%+v", c)
	}
}

// TestFlagErrors: each error names flag and value, where it was set, and what is allowed, and contains no secret.
func TestFlagErrors(t *testing.T) {
	t.Setenv("BALLAST_FEED", "mine")
	t.Setenv("BALLAST_RATE_LIMIT", "-3")
	for _, c := range []struct {
		args string
		want []string
	}{
		{"--feed own --listen a\tb:80", []string{`--listen "a\tb:80": want host:port`}},
		{"--feed own --listen \u202eabc:80", []string{`--listen "\u202eabc:80": want host:port`}},
		{"--feed own --listen 127.0.0.1:80 --metrics-listen 127.0.0.1:80",
			[]string{`--metrics-listen "127.0.0.1:80": --listen has the same address`}},
		{"--feed own --smtp-port 0", []string{"--smtp-port 0: want 1 to 65535"}},
		{"--listen a:1 --listen b:1", []string{"--listen: given 2 times"}},
		{"--rate-limit many", []string{`--rate-limit: expected a whole number but got "many"`}},
		{"", []string{`--feed must be one of "own","shared" but got "mine" (BALLAST_FEED)`}},
		{"--feed own --venue-share 7", []string{"--venue-share 7: want a share", "--rate-limit -3: want",
			"(BALLAST_RATE_LIMIT)", "`ballast serve --help`"}},
		{"--feed own --rate-limit=-5", []string{"--rate-limit -5: want a number of requests, or 0 for no limit\n"}},
		{"--feed own --cors-origin nonsense",
			[]string{`--cors-origin "nonsense": want an origin such as https://console.example or`}},
		{"--feed own --venue http://", []string{"--venue", "http://host:port"}},
		{"--feed own --venue https://:443", []string{"--venue", "http://host:port"}},
		{"--feed own --venue http://user:hush@", []string{"--venue", "http://host:port"}},
		{"--feed own --data-dir=", []string{`--data-dir "": want a folder, such as ./data`}},
	} {
		var args []string
		if c.args != "" {
			args = strings.Split(c.args, " ")
		}
		_, err := serveFlags(args...)
		if err == nil {
			t.Errorf("%s: no error", c.args)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%s: %q in\n%v", c.args, want, err)
			}
		}
	}
	_, err := parse([]string{"keys", "issue", "--email", "hush\xff@example.org"}, []string{"BALLAST_DATA_DIR=hush\xff",
		"BALLAST_LISTEN=ü:1", "OTHER=\xff"})
	if err == nil || err.Error() != "argument 4 of the command line is not valid UTF-8: write it in "+
		"UTF-8\nBALLAST_DATA_DIR is not valid UTF-8: write it in UTF-8" {
		t.Errorf("not UTF-8: %v", err)
	}
	for _, command := range []string{"issue --email a@b.cc", "list", "revoke key_x", "rebuild"} {
		args := append([]string{"keys"}, strings.Fields(command)...)
		if _, err := parse(append(args, "--data-dir", ""), nil); err == nil || !strings.Contains(err.Error(),
			`--data-dir "": want a folder`) {
			t.Errorf("keys %s: %v", command, err)
		}
	}
}

// TestProblems: each part of a joined error is a problem of its own; an error that says more than its parts is one.
func TestProblems(t *testing.T) {
	a, b := errors.New("a"), errors.New("b")
	for _, c := range []struct {
		err  error
		want string
	}{
		{a, "a"},
		{errors.Join(a, errors.Join(b, a)), "a|b|a"},
		{fmt.Errorf("serve: %w", errors.Join(a, b)), "a|b"},
		{fmt.Errorf("--flag: %w, %w", a, b), "--flag: a, b"},
		{errors.Join(a, fmt.Errorf("in %w", fmt.Errorf("--flag: %w, %w", a, b))), "a|in --flag: a, b"},
	} {
		var got []string
		for _, p := range problems(c.err) {
			got = append(got, p.Error())
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q, want %s", got, c.want)
		}
	}
}

// TestE2ECheck: --check starts nothing and reports every wrong value, or else every problem with files.
func TestE2ECheck(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data, used, open, file := at("not/yet"), at("used"), at("open"), at("file")
	lock, err := lockData(used, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	err = errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.WriteFile(file, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		out  string   // without "configuration ok", which all print that end with 0
		says []string // parts of the log; none: it is empty
	}{
		{args: "--data-dir " + data + " --dexes nope",
			out: "--dexes: the venue is asked for their names at the start, not here\n"},
		{args: "--data-dir " + data + " --listen 127.0.0.1:http --nats-url nats://u:secret@host:4222,tls://b"},
		{args: "--data-dir " + used,
			out: "data directory " + used + " is in use by a running service: until that ends, none can start on it\n"},
		{args: "--data-dir " + open, says: []string{"others may write to the data directory"}},
		{args: "--data-dir /proc/x", code: 1, says: []string{"--data-dir /proc/x: "}},
		{args: "--listen nowhere --metrics-listen 127.0.0.1:99999 --nats-url http://u:secret@host --venue hyper " +
			"--feed shared --nats-replicas 9 --key-max-stale 0s --tls-cert no/such.pem --smtp-from a@example.com",
			code: 2, says: []string{
				`--listen "nowhere": want host:port`, `--metrics-listen "127.0.0.1:99999": want host:port`,
				"--nats-url: replicas: NATS URL http://***@host: want nats://", `--venue "hyper": want sim`,
				"--nats-replicas 9: want 1 to 5", "--key-max-stale 0s: want", "--tls-cert, --tls-key: HTTPS needs both",
				"--smtp-host is missing"}},
		{args: "--data-dir " + file + " --tls-cert no/such.pem --tls-key " + file, code: 1,
			says: []string{"--data-dir " + file + ": " + file + " is not a directory: choose",
				"--tls-cert: open no/such.pem"}},
	} {
		if c.code == 0 {
			c.out += "configuration ok\n"
		}
		out, errs, code := command(t, nil, append([]string{"serve", "--check"}, strings.Fields(c.args)...)...)
		if code != c.code || out != c.out || strings.Contains(errs, "secret@") || c.says == nil && errs != "" {
			t.Errorf("%q: %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
		for _, want := range c.says {
			if !strings.Contains(errs, want) {
				t.Errorf("%q: no %q in\n%s", c.args, want, errs)
			}
		}
		for line := range strings.Lines(errs) {
			if code != 0 && !strings.HasPrefix(line, "ballast: ") {
				t.Errorf("%q: %q", c.args, line)
			}
		}
	}
	if _, err := os.Stat(filepath.Dir(data)); err == nil {
		t.Error("a check has made the data directory")
	}
}
