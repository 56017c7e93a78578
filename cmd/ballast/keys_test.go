package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
)

// printed runs a command with --json, which must succeed, and decodes what it prints.
func printed(t *testing.T, into any, args ...string) {
	t.Helper()
	out, errs, status := command(t, nil, append(args, "--json")...)
	if status != 0 {
		t.Fatalf("%v: status %d\n%s%s", args, status, out, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// issue issues a key; flags say where.
func issue(t *testing.T, email string, flags ...string) (made issued) {
	t.Helper()
	printed(t, &made, append([]string{"keys", "issue", "--email", email}, flags...)...)
	return made
}

// issueOperator issues an operator's key for the service of a data directory.
func issueOperator(t *testing.T, dir string) issued {
	t.Helper()
	return issue(t, "ops@example.com", "--role", "operator", "--data-dir", dir)
}

type listed struct {
	ID, Email string
	Revoked   bool
	LastUsed  *time.Time `json:"last_used"`
}

// status makes a request with a key and returns the status.
func status(t *testing.T, url, key string) int {
	t.Helper()
	resp, err := http.DefaultClient.Do((&remote{url: url, key: key}).request("GET", "/v1/assets", ""))
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// serving starts a service and returns once it accepts requests, whether ready or not. What it says is read.
func serving(t *testing.T, args ...string) *remote {
	t.Helper()
	p := start(t, "ballast", append([]string{"serve", "--listen", "127.0.0.1:0", "--auth-failure-limit", "1000000"},
		args...)...)
	s := &remote{process: p, url: p.find(t, `serving url=(http://\S+)`)[1]}
	s.drain()
	return s
}

// nowhere is the address of a venue that does not answer, for tests of keys only.
const nowhere = "http://127.0.0.1:1"

// TestE2EKeysWrongFolder: list and revoke fail without a data directory with keys and create nothing; issue
// creates the directory.
func TestE2EKeysWrongFolder(t *testing.T) {
	absent, empty := filepath.Join(t.TempDir(), "typo"), t.TempDir()
	for dir, says := range map[string]string{
		absent: "ballast: --data-dir: stat " + absent + ": no such file or directory: want the data directory",
		empty:  "ballast: --data-dir " + empty + ": there is no ballast.db in it: want the data directory",
	} {
		refused(t, []badCall{
			{1, says, []string{"list", "--data-dir", dir}},
			{1, says, []string{"revoke", "key_x", "--data-dir", dir}},
		}, "keys")
		if made, _ := filepath.Glob(filepath.Join(dir, "*")); len(made) != 0 {
			t.Errorf("list or revoke created %q", made)
		}
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("list or revoke created the data directory")
	}
	old := filepath.Dir(writeFile(t, filepath.Join(t.TempDir(), oldKeys), ""))
	refused(t, []badCall{{1, "start release 0.3.0 once", []string{"list", "--data-dir", old}}}, "keys")
	issue(t, "a@example.com", "--data-dir", absent)
	var list []listed
	if printed(t, &list, "keys", "list", "--data-dir", absent); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

// TestE2EKeysNotPrinted: a key that cannot be printed is revoked, and the command fails.
func TestE2EKeysNotPrinted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	cmd := exec.Command(binary(t, "ballast"), "keys", "issue", "--email", "a@example.com", "--data-dir", dir)
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = writer, &errs
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(),
		"the key was not printed and has been revoked (id key_") {
		t.Errorf("%v %s", cmd.ProcessState, errs.String())
	}
	var list []listed
	if printed(t, &list, "keys", "list", "--data-dir", dir); len(list) != 1 || !list[0].Revoked {
		t.Errorf("%+v", list)
	}
}

// becomes waits until a service answers a key with 401, or with anything else.
func becomes(t *testing.T, url, key string, refused bool) {
	t.Helper()
	eventually(t, fmt.Sprintf("a key refused: %v", refused), 5*time.Second, func() bool {
		return (status(t, url, key) == 401) == refused
	})
}

// TestE2EKeysBesideTheService: every keys command works while the service runs, which follows, after it was
// killed and after it stopped.
func TestE2EKeysBesideTheService(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a folder, 100% of a kind?", "data")
	first := issue(t, "a@example.com", "--data-dir", dir)
	s := serving(t, "--venue", nowhere, "--data-dir", dir)
	if status(t, s.url, first.Key) == 401 {
		t.Error("a key from before the start is refused")
	}
	second := issue(t, "b@example.com", "--data-dir", dir)
	becomes(t, s.url, second.Key, false)
	var revoked struct{ Revoked bool }
	printed(t, &revoked, "keys", "revoke", second.ID, "--data-dir", dir)
	begun := time.Now()
	becomes(t, s.url, second.Key, true)
	if took := time.Since(begun); !revoked.Revoked || took > 2*time.Second { // one on a quiet machine
		t.Errorf("revoked %v, which took effect after %v", revoked.Revoked, took)
	}
	refused(t, []badCall{
		{1, `no key with id "key_nobody"`, []string{"keys", "revoke", "key_nobody", "--data-dir", dir}},
		{1, "not an e-mail address", []string{"keys", "issue", "--email", "nobody", "--data-dir", dir}},
		{1, "in use by another service", []string{"serve", "--venue", nowhere, "--listen", "127.0.0.1:0",
			"--data-dir", dir}},
	})
	// SIGKILL leaves the log of the database and the lock file behind.
	s.kill()
	var list []listed
	printed(t, &list, "keys", "list", "--data-dir", dir)
	if len(list) != 2 || list[0].ID != first.ID || list[0].Revoked || list[1].ID != second.ID || !list[1].Revoked {
		t.Errorf("%+v", list)
	}
	s = serving(t, "--venue", nowhere, "--data-dir", dir)
	if status(t, s.url, first.Key) == 401 || status(t, s.url, second.Key) != 401 {
		t.Error("after a kill the first key is refused or the revoked one accepted")
	}
	if said := s.end(t); strings.Contains(strings.ToLower(said), "nats") {
		t.Errorf("a service that shares nothing speaks of NATS: %s", said)
	}
	printed(t, &list, "keys", "list", "--data-dir", dir)
	if list[0].LastUsed == nil || time.Since(*list[0].LastUsed) > 10*time.Minute || list[1].LastUsed != nil {
		t.Errorf("last used: %v, %v", list[0].LastUsed, list[1].LastUsed)
	}
}

// TestE2EKeysDamagedStore: a service does not start on a damaged database, and says what mends it: a backup,
// made while the service ran, from which keys, revocations and their audit come back.
// Injects the fault damaged-store of docs/faults.md.
func TestE2EKeysDamagedStore(t *testing.T) {
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup.db")
	s := serving(t, "--venue", nowhere, "--data-dir", dir)
	good := issue(t, "a@example.com", "--data-dir", dir)
	gone := issue(t, "b@example.com", "--data-dir", dir)
	printed(t, new(any), "keys", "revoke", gone.ID, "--data-dir", dir)
	if out, errs, code := command(t, nil, "backup", backup, "--data-dir", dir); code != 0 || errs != "" ||
		!strings.Contains(out, "wrote "+backup) {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	refused(t, []badCall{{1, "exists already", []string{"backup", backup, "--data-dir", dir}}})
	s.end(t)
	db := filepath.Join(dir, store.MainFile)
	b := contents(t, db)
	writeFile(t, db, b[:4096]+strings.Repeat("\x00", 4096)+b[8192:])
	for _, args := range [][]string{{"serve", "--venue", nowhere, "--listen", "127.0.0.1:0"}, {"keys", "list"},
		{"keys", "issue", "--email", "a@b.c"}, {"audit"}} {
		if _, errs, code := command(t, nil, append(args, "--data-dir", dir)...); code != 1 ||
			!strings.Contains(errs, db+" is damaged") || !strings.Contains(errs, "ballast backup") {
			t.Errorf("%q on a damaged database: %d %s", args, code, errs)
		}
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		os.Remove(db + ending)
	}
	writeFile(t, db, contents(t, backup))
	s = serving(t, "--venue", nowhere, "--data-dir", dir)
	if status(t, s.url, good.Key) == 401 || status(t, s.url, gone.Key) != 401 {
		t.Error("after the restore the good key is refused or the revoked one accepted")
	}
	out, errs, code := command(t, nil, "audit", "--data-dir", dir, "--json")
	var events []store.Event
	if err := json.Unmarshal([]byte(out), &events); err != nil || code != 0 || len(events) != 3 {
		t.Fatalf("%d %v %s%s", code, err, out, errs)
	}
	if e := events[2]; e.Event != store.KeyRevoked || e.Subject != gone.ID || e.Detail != "b@example.com" ||
		e.Who == "" || time.Since(e.Time) > 10*time.Minute {
		t.Errorf("%+v", e)
	}
	if out, _, _ := command(t, nil, "audit", "--data-dir", dir); strings.Count(out, "\n") != 4 ||
		!strings.Contains(out, "key_revoked  "+gone.ID) {
		t.Errorf("audit: %s", out)
	}
}

// TestE2ESimulatedKeysGone: with a simulated venue a key that replaces lost ones comes with a warning, the
// first key does not.
func TestE2ESimulatedKeysGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, again := range []bool{false, true} {
		p := start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue", "sim", "--data-dir", dir)
		p.find(t, "API key, shown this once")
		if said := p.end(t); strings.Contains(said, "there are no API keys, although") != again {
			t.Errorf("again %v: %s", again, said)
		}
		if err := os.Remove(filepath.Join(dir, store.MainFile)); err != nil {
			t.Fatal(err)
		}
	}
}
