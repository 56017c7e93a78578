package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/server/auth"
)

func newRecord(t testing.TB) auth.Record {
	t.Helper()
	_, r, err := auth.New("a@example.org")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func revoked(r auth.Record) auth.Record {
	r.Revoked = true
	return r
}

func mustAudit(t testing.TB, dir string) *audit {
	t.Helper()
	a, err := openAudit(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	return a
}

func noted(t testing.TB, a *audit, records ...auth.Record) {
	t.Helper()
	if err := a.note(records...); err != nil {
		t.Fatal(err)
	}
}

func TestAuditRemembers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a := mustAudit(t, dir)
	x, y, z := newRecord(t), newRecord(t), newRecord(t)
	noted(t, a, x, y)
	noted(t, a, x, revoked(x), y)
	noted(t, a, revoked(x), revoked(z))
	path := filepath.Join(dir, AuditFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for line := range bytes.Lines(text) {
		var l auditLine
		if err := json.Unmarshal(line, &l); err != nil || time.Since(l.Time) > time.Minute || l.Email != "a@example.org" {
			t.Errorf("%v %s", err, line)
		}
		events = append(events, l.Event+" "+l.ID)
	}
	want := []string{"issued " + x.ID, "issued " + y.ID, "revoked " + x.ID, "issued " + z.ID, "revoked " + z.ID}
	if fmt.Sprint(events) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", events, want)
	}
	for p, mode := range map[string]os.FileMode{path: 0o600, dir: 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", p, info.Mode(), err)
		}
	}
	again := mustAudit(t, dir)
	if got := again.records(); len(got) != 3 || got[x.ID] != revoked(x) || got[y.ID] != y || got[z.ID] != revoked(z) || again.bad != 0 {
		t.Errorf("%+v", got)
	}
	// Another key with the same id is not written.
	foreign := newRecord(t)
	foreign.ID = y.ID
	noted(t, again, foreign)
	if after, _ := os.ReadFile(path); !bytes.Equal(after, text) {
		t.Errorf("written again: %s", after[len(text):])
	}
}

// TestAuditTorn: when a crash cuts the last line at any byte, earlier lines are kept, and lines
// written later can be read.
func TestAuditTorn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, AuditFile)
	a := mustAudit(t, dir)
	x, y, z := newRecord(t), newRecord(t), newRecord(t)
	noted(t, a, x)
	first, _ := os.ReadFile(path)
	noted(t, a, y)
	whole, _ := os.ReadFile(path)
	a.close()
	for n := len(first); n <= len(whole); n++ {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := openAudit(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := b.record(x.ID); !ok {
			t.Fatalf("torn at %d: the line before the torn line is lost", n)
		}
		_, ok := b.record(y.ID)
		if ok != (n >= len(whole)-1) { // only the newline may be missing
			t.Fatalf("torn at %d of %d: the torn line counts: %v", n, len(whole), ok)
		}
		noted(t, b, z)
		b.close()
		c, err := openAudit(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.records(); got[x.ID] != x || got[z.ID] != z || c.bad > 0 {
			t.Fatalf("torn at %d: what was written after it is lost, or the torn line has stayed: %d", n, c.bad)
		}
		c.close()
	}
}

// TestAuditAltered: a changed byte makes its line invalid; the line is never read as another key.
func TestAuditAltered(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, AuditFile)
	a := mustAudit(t, dir)
	x, y := newRecord(t), newRecord(t)
	noted(t, a, x, revoked(y))
	text, _ := os.ReadFile(path)
	a.close()
	for i := range text {
		b := bytes.Clone(text)
		b[i] ^= 1 << (i % 7)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := openAudit(dir)
		if err != nil {
			t.Fatal(err)
		}
		for id, r := range c.records() {
			if r.SHA256 != x.SHA256 && r.SHA256 != y.SHA256 || id != x.ID && id != y.ID || id == x.ID && r != x {
				t.Fatalf("byte %d: %+v", i, r)
			}
		}
		c.close()
	}
	// Invalid content is skipped, and the file is appended to.
	rubbish := append(bytes.Repeat([]byte("x"), 3*maxAuditLine), "\n{}\nnull\n\xff\xfe\n\n"...)
	if err := os.WriteFile(path, append(rubbish, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	c := mustAudit(t, dir)
	if len(c.records()) != 2 || c.bad != 4 {
		t.Errorf("%d keys, %d bad lines", len(c.records()), c.bad)
	}
}

// TestAuditShared: several writers of one file write each line once.
func TestAuditShared(t *testing.T) {
	dir := t.TempDir()
	records := make([]auth.Record, 20)
	for i := range records {
		records[i] = newRecord(t)
	}
	var wg sync.WaitGroup
	for range 4 {
		a := mustAudit(t, dir)
		wg.Go(func() {
			for _, r := range records {
				if err := a.note(r, revoked(r)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	text, _ := os.ReadFile(filepath.Join(dir, AuditFile))
	if n := bytes.Count(text, []byte("\n")); n != 2*len(records) {
		t.Errorf("%d lines, want %d", n, 2*len(records))
	}
	if got := mustAudit(t, dir).records(); len(got) != len(records) {
		t.Errorf("%d keys", len(got))
	}
}

// TestAuditFailsAndRecovers: lines that could not be written are written later; a file that was
// removed or truncated is noticed.
func TestAuditFailsAndRecovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, AuditFile)
	a := mustAudit(t, dir)
	x, y := newRecord(t), newRecord(t)
	noted(t, a, x)
	good := a.file
	closed, err := os.Open(path) // opened for reading only, so that writes fail as on a full disk
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	a.file = closed
	if err := a.note(y); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("no error, or one without the file: %v", err)
	}
	if _, ok := a.record(y.ID); ok {
		t.Error("the key counts as written although the write failed")
	}
	a.file = good
	noted(t, a, y)
	if got := mustAudit(t, dir).records(); len(got) != 2 {
		t.Errorf("%d keys", len(got))
	}
	for what, harm := range map[string]func() error{
		"removed":   func() error { return os.Remove(path) },
		"cut short": func() error { return os.Truncate(path, 10) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if !a.replaced() {
			t.Errorf("%s: not noticed", what)
		}
		noted(t, a, x, y)
		if got := mustAudit(t, dir).records(); len(got) != 2 || a.replaced() {
			t.Errorf("%s: %d keys", what, len(got))
		}
	}
}
