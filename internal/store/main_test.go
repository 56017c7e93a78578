package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func openedMain(t *testing.T, dir string) *Main {
	t.Helper()
	m, err := OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// change returns a change of the i-th key.
func change(i int, revoked bool) Change {
	k := Key{
		ID: fmt.Sprintf("key_%012d", i), Email: "a@example.org", SHA256: [32]byte{1, byte(i), byte(i >> 8)},
		Created: noon.Add(time.Duration(i) * time.Second), Revoked: revoked,
	}
	return Change{Key: k, At: noon.Add(time.Hour), Who: "alice"}
}

func apply1(t *testing.T, m *Main, changes ...Change) {
	t.Helper()
	if err := m.Apply(changes...); err != nil {
		t.Fatal(err)
	}
}

func events(t *testing.T, m *Main) (all []string) {
	t.Helper()
	err := m.Audit(func(e Event) error {
		if !e.Time.Equal(noon.Add(time.Hour)) || e.Who != "alice" || e.Detail != "a@example.org" {
			t.Errorf("%+v", e)
		}
		all = append(all, e.Event+" "+e.Subject)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestKeysAndAudit(t *testing.T) {
	dir := t.TempDir()
	m := openedMain(t, dir)
	foreign := change(1, true)
	foreign.SHA256[31] = 9
	apply1(t, m, change(2, false), change(1, false))
	apply1(t, m, change(1, true), foreign)
	apply1(t, m, change(1, false), change(1, true)) // a revocation is final
	apply1(t, m, change(3, true))
	want := []string{
		"key_issued key_000000000002", "key_issued key_000000000001", "key_revoked key_000000000001",
		"key_issued key_000000000003", "key_revoked key_000000000003",
	}
	if got := events(t, m); !slices.Equal(got, want) {
		t.Errorf("audit %q, want %q", got, want)
	}
	if err := m.NoteUses(map[string]time.Time{change(2, false).ID: noon, "key_nobody": noon}); err != nil {
		t.Fatal(err)
	}
	if err := m.NoteUses(map[string]time.Time{change(2, false).ID: noon.Add(-time.Minute)}); err != nil {
		t.Fatal(err)
	}
	m.Close()
	m = openedMain(t, dir)
	all := []Key{change(1, true).Key, change(2, false).Key, change(3, true).Key}
	all[1].LastUsed = noon
	for after, want := range map[int64][]Key{0: all, 1: {all[0], all[2]}, 3: all[2:], 5: nil} {
		got, newest, err := m.Keys(after)
		if err != nil || newest != 5 || !slices.Equal(got, want) {
			t.Errorf("after %d: %+v, newest %d, %v; want %+v", after, got, newest, err, want)
		}
	}
}

// TestManyProcesses: several openings of a file that does not exist yet, as by several processes, lose no key, and
// each learns of what the others do.
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir()
	const n, each = 6, 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			m, err := OpenMain(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer m.Close()
			if changed, err := m.Changed(t.Context()); err != nil || !changed {
				t.Error("the first look is no change:", err)
			}
			for j := range each {
				if err := m.Apply(change(i*each+j, j%2 == 0)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	m := openedMain(t, dir)
	if keys, _, err := m.Keys(0); err != nil || len(keys) != n*each {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	other := openedMain(t, dir)
	m.Changed(t.Context())
	for _, want := range []bool{false, true, false} {
		if changed, err := m.Changed(t.Context()); err != nil || changed != want {
			t.Errorf("changed %v, %v; want %v", changed, err, want)
		}
		if !want {
			apply1(t, other, change(n*each, true))
		}
	}
}

func TestRegimesTable(t *testing.T) {
	m := openedMain(t, t.TempDir())
	put := func(at time.Time, states map[string]string) {
		t.Helper()
		if err := m.PutRegimes(states, at); err != nil {
			t.Fatal(err)
		}
	}
	put(noon, map[string]string{"a": "{}", "b": `{"BTC":1}`})
	put(noon.Add(time.Hour), map[string]string{"b": `{"BTC":2}`})
	if err := m.ForgetRegimes(noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for wallet, want := range map[string]string{"a": "", "b": `{"BTC":2}`, "c": ""} {
		if got, err := m.Regimes(wallet); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", wallet, got, err, want)
		}
	}
}

func TestCopyMark(t *testing.T) {
	m := openedMain(t, t.TempDir())
	for _, is := range []bool{false, true, true, false} {
		if err := m.SetCopy(is); err != nil {
			t.Fatal(err)
		}
		if got, err := m.IsCopy(); err != nil || got != is {
			t.Errorf("%v %v, want %v", got, err, is)
		}
	}
}

// TestMainRefuses: a file that this program cannot use is refused, with words that say what to do, and stays
// as it is.
func TestMainRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
	}{
		"damaged": {func(t *testing.T, path string) {
			overwrite(t, path, 4096, make([]byte, 4096))
		}, "ballast backup"},
		"not a database": {func(t *testing.T, path string) {
			overwrite(t, path, 0, []byte("no database"))
		}, "ballast backup"},
		"newer": {func(t *testing.T, path string) {
			m := openedMain(t, filepath.Dir(path))
			newer := fmt.Sprintf("PRAGMA user_version = %d", mainVersion+1)
			if _, err := m.opened.Load().db.Exec(newer); err != nil {
				t.Fatal(err)
			}
			m.Close()
		}, ErrNewer.Error()},
		"cut short": {func(t *testing.T, path string) { os.Truncate(path, 8192) }, "ballast backup"},
		"empty":     {func(t *testing.T, path string) { os.Truncate(path, 0) }, "ballast backup"},
		"one byte":  {func(t *testing.T, path string) { os.Truncate(path, 1) }, "ballast backup"},
		"gone, and its log is there": {func(t *testing.T, path string) {
			os.Remove(path)
			os.WriteFile(path+"-wal", []byte("a log"), 0o600)
		}, "ballast backup"},
		"another key":        {change1("sha256 = replace(sha256, '01', '02')"), "ballast backup"},
		"a key that is none": {change1("sha256 = 'abc'"), "ballast backup"},
		"a revoked key back": {change1("revoked = 0"), "ballast backup"},
		"a column gone":      {edited("ALTER TABLE keys RENAME created TO creased"), "ballast backup"},
		"a key gone":         {edited("DELETE FROM keys WHERE id = 'key_000000000007'"), "ballast backup"},
		"a revocation gone":  {edited("DELETE FROM audit WHERE event = 'key_revoked'"), "ballast backup"},
	} {
		dir := t.TempDir()
		m := openedMain(t, dir)
		var many []Change
		for i := range 200 {
			many = append(many, change(i, i == 5))
		}
		apply1(t, m, many...)
		m.Close()
		path := filepath.Join(dir, MainFile)
		row.spoil(t, path)
		before, _ := os.ReadFile(path)
		m, err := OpenMain(dir)
		if err == nil {
			_, _, err = m.Keys(0)
			m.Close()
		}
		if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// edited returns a function that changes the file behind the program's back.
func edited(statement string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		m := openedMain(t, filepath.Dir(path))
		if _, err := m.opened.Load().db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
}

func change1(what string) func(t *testing.T, path string) {
	return edited("UPDATE keys SET " + what + " WHERE id = 'key_000000000005'")
}

func overwrite(t *testing.T, path string, at int64, with []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(with, at); err != nil {
		t.Fatal(err)
	}
}

// TestReadOnly: a file on a disk that takes no writes is read, all writes fail, and Reopen makes it whole. With
// commits of a process that was killed in a log beside the file, these are read too.
func TestReadOnly(t *testing.T) {
	refused := errors.New("read-only file system")
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		m := openedMain(t, dir)
		apply1(t, m, change(1, true))
		if killed { // what a kill leaves: the log is not in the file yet
			dir = copyFiles(t, dir)
		}
		m.Close()
		path := filepath.Join(dir, MainFile)
		f, err := readMain(path, refused)
		if err != nil {
			t.Fatal(err)
		}
		m = &Main{path: path, turn: make(chan struct{}, 1)}
		m.opened.Store(f)
		m.wrote(f.readOnly)
		if keys, _, err := m.Keys(0); err != nil || len(keys) != 1 || !keys[0].Revoked {
			t.Errorf("killed %v: %+v %v", killed, keys, err)
		}
		if changed, err := m.Changed(t.Context()); err != nil || !changed {
			t.Error(changed, err)
		}
		err, trouble := m.Apply(change(2, false)), m.Trouble()
		if !errors.Is(err, refused) || !errors.Is(trouble, refused) || !strings.Contains(err.Error(),
			path+" cannot be written") {
			t.Errorf("written: %v, trouble %v", err, trouble)
		}
		if err := m.Reopen(); err != nil || m.Trouble() != nil {
			t.Fatal(err, m.Trouble())
		}
		apply1(t, m, change(2, false))
		m.Close()
	}
}

func copyFiles(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestBackupIsSound(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	m := openedMain(t, dir)
	apply1(t, m, change(1, true))
	if err := m.Backup(filepath.Join(to, MainFile)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(to, MainFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if keys, _, err := openedMain(t, to).Keys(0); err != nil || len(keys) != 1 || !keys[0].Revoked {
		t.Errorf("%+v %v", keys, err)
	}
	if err := m.Backup(filepath.Join(to, "nowhere", "b.db")); err == nil {
		t.Error("wrote into a directory that does not exist")
	}
	if err := m.Backup(filepath.Join(to, MainFile)); err == nil {
		t.Error("replaced a file")
	}
}

// TestBackupIsWhole: a backup gets its name only when all of it is written, so a kill leaves no part under that name.
func TestBackupIsWhole(t *testing.T) {
	m := openedMain(t, t.TempDir())
	large := Photograph{RequestID: "r", Data: make([]byte, 30<<20)}
	if _, err := m.PutDecisions(nil, []Photograph{large}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, done := filepath.Join(dir, "b.db"), make(chan error, 1)
	go func() { done <- m.Backup(path) }()
	first, err := os.Stat(path)
	for ; err != nil; first, err = os.Stat(path) {
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if whole, bad := os.Stat(path); bad != nil || err != nil || first.Size() != whole.Size() || len(left) != 1 {
		t.Errorf("at first %d bytes; then %v, %v, in the directory %v", first.Size(), whole, bad, left)
	}
}

// TestReportsOf: the reports about a request are found by an index, those of other keys are not among them.
func TestReportsOf(t *testing.T) {
	m := openedMain(t, t.TempDir())
	merge := func(kept, more string) (string, error) { return kept + more, nil }
	for i, key := range []string{"key_a", "key_b", "key_a", "key_a"} {
		r := &Report{Key: key, TradeID: fmt.Sprint("t", i), At: noon.Add(-time.Duration(i) * time.Second), Answer: "{}",
			Body: fmt.Sprintf(`{"request_id":"r%d"}`, i/3)}
		if _, err := m.ReportOutcome(r, SumName{Key: key}, "", merge); err != nil {
			t.Fatal(err)
		}
	}
	of := func(key, request string, limit int) (got []string) {
		err := m.ReportsOf(key, request, limit, func(r Report) error {
			got = append(got, r.TradeID+r.Body)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, row := range []struct {
		key, request string
		limit        int
		want         []string
	}{
		{"key_a", "r0", 9, []string{`t2{"request_id":"r0"}`, `t0{"request_id":"r0"}`}},
		{"key_a", "r0", 1, []string{`t2{"request_id":"r0"}`}},
		{"key_a", "r1", 9, []string{`t3{"request_id":"r1"}`}},
		{"key_b", "r1", 9, nil}, {"key_c", "r0", 9, nil},
	} {
		if got := of(row.key, row.request, row.limit); !slices.Equal(got, row.want) {
			t.Errorf("%s %s: %q, want %q", row.key, row.request, got, row.want)
		}
	}
	var plan string
	err := m.opened.Load().db.QueryRow(`EXPLAIN QUERY PLAN SELECT 1 FROM outcomes
		WHERE json_extract(body, '$.request_id') = 'r0' AND key_id = 'key_a'`).Scan(new(int), new(int), new(int), &plan)
	if err != nil || !strings.Contains(plan, "outcomes_by_request") {
		t.Errorf("%q, %v", plan, err)
	}
}
