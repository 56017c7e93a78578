package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// settled parses a command line with a configuration file that contains text.
func settled(t *testing.T, text string, args ...string) (*serveCmd, error) {
	t.Helper()
	path := writeFile(t, filepath.Join(t.TempDir(), "b.yaml"), text)
	ctx, err := parse(append([]string{"serve", "--config", path}, args...), nil)
	if err != nil {
		return nil, err
	}
	return ctx.Selected().Target.Addr().Interface().(*serveCmd), nil
}

// TestConfigFile: the command line overrides the environment, the environment overrides the file,
// the file overrides the default; and each type of value is parsed.
func TestConfigFile(t *testing.T) {
	t.Setenv("BALLAST_RATE_LIMIT", "2")
	t.Setenv("BALLAST_LISTEN", "127.0.0.1:2")
	c, err := settled(t, `
# comments are allowed
listen: 127.0.0.1:3
rate-limit: 3
max-in-flight: 3
dexes: [main, xyz]
request-timeout: 3s
no-console: yes
venue-share: 0.25
smtp-host: mail.example.org
smtp-from: keys@example.org
smtp-user: keys
smtp-password: 007
cors-origin: ""
`, "--listen", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:1" || c.RateLimit != 2 || c.MaxInFlight != 3 || c.MaxConnections != 16384 {
		t.Errorf("%+v", c)
	}
	if strings.Join(c.Dexes, "+") != "main+xyz" || c.RequestTimeout != 3*time.Second || !c.NoConsole ||
		c.VenueShare != 0.25 || c.Password != "007" {
		t.Errorf("%+v", c)
	}
	if c, err = settled(t, "# nothing\n"); err != nil || c.MaxInFlight != 256 {
		t.Errorf("an empty file: %v", err)
	}
	if c, err = settled(t, "no-console: false\n"); err != nil || c.NoConsole {
		t.Errorf("no-console: false: %v", err)
	}
}

// fileErrors are configuration files, arguments beside them, and parts of the error that follows.
var fileErrors = []struct {
	name, text string
	args       []string
	want       []string
}{
	{"a misspelt setting", "listen: a:1\nrate_limit: 5\n", nil,
		[]string{"b.yaml:2: rate_limit: no such setting, did you mean rate-limit?"}},
	{"the file itself", "config: x\n", nil, []string{"config: no such setting"}},
	{"no host", "listen: \"a\\tb:80\"\n", nil, []string{`--listen "a\tb:80": want host:port`, "b.yaml:1)"}},
	{"a host that shows as another", "listen: \"\\u202eabc:80\"\n", nil,
		[]string{`--listen "\u202eabc:80": want host:port`}},
	{"one address for two", "listen: 127.0.0.1:80\nmetrics-listen: 127.0.0.1:80\n", nil,
		[]string{`--metrics-listen "127.0.0.1:80": --listen has the same address`, "b.yaml:2, "}},
	{"no port of mail", "smtp-port: 0\n", nil, []string{"--smtp-port 0: want 1 to 65535 ("}},
	{"a flag of another command", "monte-carlo: true\n", nil, []string{"monte-carlo: no such setting"}},
	{"twice", "listen: a:1\nfeed: own\nlisten: b:1\n", nil,
		[]string{"b.yaml:3: listen: given twice, on line 1 too"}},
	{"in capitals", "RATE-LIMIT: 5\n", nil, []string{"RATE-LIMIT: no such setting, did you mean rate-limit?"}},
	{"like no setting", "check: true\n", nil, []string{"check: no such setting. `ballast"}},
	{"a flag twice", "", []string{"--listen", "a:1", "--listen", "b:1"}, []string{"--listen: given 2 times"}},
	{"a map", "listen: {host: a}\n", nil, []string{"b.yaml:1: listen: want one value, or a list"}},
	{"nothing", "listen:\n", nil, []string{"b.yaml:1: listen: want one value, or a list"}},
	{"a list", "- listen\n", nil, []string{"b.yaml:1: want lines such as data-dir:"}},
	{"two documents", "listen: a:1\n---\nfeed: own\n", nil, []string{"b.yaml:2: a second document"}},
	{"no YAML", "listen: [\n", nil, []string{"b.yaml: yaml: line "}},
	{"a secret", "smtp-password: [hush: hush]\n", nil, []string{"b.yaml:1: smtp-password: want one value"}},
	{"no number", "feed: own\nrate-limit: many\n", nil,
		[]string{`--rate-limit: expected a whole number but got "many" (`, "b.yaml:2)"}},
	{"not of the list", "feed: mine\n", nil, []string{`--feed must be one of "own","shared" but got "mine" (`,
		"b.yaml:1)"}},
	{"out of range, twice", "venue-share: 7\nrate-limit: -1\n", nil, []string{"--venue-share 7: want a share",
		"b.yaml:1)", "--rate-limit -1: want", "b.yaml:2)", "`ballast serve --help`"}},
	{"no origin", "cors-origin: nonsense\n", nil,
		[]string{`--cors-origin "nonsense": want an origin such as https://console.example or`, "b.yaml:1)"}},
	{"no host of the venue", "venue: http://\n", nil, []string{"--venue", "http://host:port"}},
	{"a port without a host", "venue: https://:443\n", nil, []string{"--venue", "http://host:port"}},
	{"a user without a host", "venue: http://user:hush@\n", nil, []string{"--venue", "http://host:port"}},
	{"no folder", "data-dir: \"\"\n", nil, []string{`--data-dir "": want a folder, such as ./data (`,
		"b.yaml:1)"}},
	{"the command line counts more", "rate-limit: 4\n", []string{"--rate-limit=-5"},
		[]string{"--rate-limit -5: want a number of requests, or 0 for no limit\n"}},
}

// TestConfigFileErrors: each error names file, line and setting and states what is allowed, and
// contains no secret.
func TestConfigFileErrors(t *testing.T) {
	for _, c := range fileErrors {
		_, err := settled(t, c.text, c.args...)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%s: %q in\n%v", c.name, want, err)
			}
		}
	}
	if _, err := parse([]string{"serve", "--config", "no/such.yaml"}, nil); err == nil ||
		!strings.Contains(err.Error(),
			"--config: open no/such.yaml") {
		t.Error(err)
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
	t.Setenv("BALLAST_RATE_LIMIT", "-3")
	if _, err := settled(t, "rate-limit: 4\n"); err == nil || !strings.Contains(err.Error(), "(BALLAST_RATE_LIMIT)") {
		t.Error(err)
	}
	// A command that reads no configuration file ignores BALLAST_CONFIG.
	t.Setenv("BALLAST_CONFIG", "no/such.yaml")
	if _, err := parse([]string{"version"}, nil); err != nil {
		t.Error(err)
	}
	if _, err := parse([]string{"keys", "list"}, nil); err == nil || !strings.Contains(err.Error(), "no/such.yaml") {
		t.Error(err)
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

// check is a call of serve --check.
type check struct {
	text string      // of the configuration file; "": there is none
	mode os.FileMode // of the file
	args []string
	code int
	out  string   // without "configuration ok", which all print that end with 0
	says []string // parts of the log; none: it is empty
}

// checks returns calls of serve --check and what they must print. The folder data does not exist, a service runs on
// used, and everybody may write to open.
func checks(data, used, open, file string) []check {
	const shared = "others may change the configuration file, or read a secret in it"
	return []check{
		{args: []string{"--data-dir", data, "--dexes", "nope"},
			out: "--dexes: the venue is asked for their names at the start, not here\n"},
		{text: "data-dir: " + data + "\nlisten: 127.0.0.1:http\nnats-url: nats://u:secret@host:4222, tls://b\n"},
		{args: []string{"--data-dir", used},
			out: "data directory " + used + " is in use by a running service: until that ends, none can start on it\n"},
		{args: []string{"--data-dir", open}, says: []string{"others may write to the data directory"}},
		{args: []string{"--data-dir", "/proc/x"}, code: 1, says: []string{"--data-dir /proc/x: "}},
		{args: []string{"--config", "/dev/zero"}, code: 2, says: []string{"--config: /dev/zero is larger than 1 MiB"}},
		{text: "rate-limit: 5\n", mode: 0o644, args: []string{"--data-dir", data}},
		{text: "rate-limit: 5\n", mode: 0o646, args: []string{"--data-dir", data}, says: []string{shared}},
		{text: "venue: http://user:secret@host:1\n", mode: 0o640, args: []string{"--data-dir", data}},
		{text: "venue: http://user:secret@host:1\n", mode: 0o644, args: []string{"--data-dir", data},
			says: []string{shared}},
		{text: "smtp-host: host\nsmtp-from: a@b.c\nsmtp-user: user\nsmtp-password: secret\n", mode: 0o644,
			args: []string{"--data-dir", data}, says: []string{shared}},
		{text: `listen: nowhere
metrics-listen: 127.0.0.1:99999
nats-url: http://u:secret@host
venue: hyper
feed: shared
nats-replicas: 9
key-max-stale: 0s
tls-cert: no/such.pem
smtp-from: a@example.com
`, code: 2, says: []string{
			`--listen "nowhere": want host:port`, `--metrics-listen "127.0.0.1:99999": want host:port`,
			"--nats-url: replicas: NATS URL http://***@host: want nats://", `--venue "hyper": want sim`,
			"--nats-replicas 9: want 1 to 5", "--key-max-stale 0s: want", "--tls-cert, --tls-key: HTTPS needs both",
			"--smtp-host is missing", "b.yaml:2)"}},
		{args: []string{"--data-dir", file, "--tls-cert", "no/such.pem", "--tls-key", file}, code: 1,
			says: []string{"--data-dir " + file + ": " + file + " is not a directory: choose",
				"--tls-cert: open no/such.pem"}},
	}
}

// TestE2ECheck: --check starts nothing and reports every wrong value, or else every problem with files.
func TestE2ECheck(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data, used, open := at("not/yet"), at("used"), at("open")
	lock, err := lockData(used, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	err = errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.WriteFile(at("file"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks(data, used, open, at("file")) {
		args := append([]string{"serve", "--check"}, c.args...)
		if c.text != "" {
			mode := cmp.Or(c.mode, 0o600)
			err := errors.Join(os.WriteFile(at("b.yaml"), []byte(c.text), mode), os.Chmod(at("b.yaml"), mode))
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, "--config", at("b.yaml"))
		}
		if c.code == 0 {
			c.out += "configuration ok\n"
		}
		out, errs, code := command(t, nil, args...)
		if code != c.code || out != c.out || strings.Contains(errs, "secret@") || c.says == nil && errs != "" {
			t.Errorf("%q: %d, want %d\n%s%s", args, code, c.code, out, errs)
		}
		for _, want := range c.says {
			if !strings.Contains(errs, want) {
				t.Errorf("%q: no %q in\n%s", args, want, errs)
			}
		}
		for line := range strings.Lines(errs) {
			if code != 0 && !strings.HasPrefix(line, "ballast: ") {
				t.Errorf("%q: %q", args, line)
			}
		}
	}
	if _, err := os.Stat(filepath.Dir(data)); err == nil {
		t.Error("a check has made the data directory")
	}
}
