package auth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/locked"
	"ballast/internal/store"
)

func database(t *testing.T, dir string) *store.Main {
	t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func keysOf(t *testing.T, dir string) *Keys {
	t.Helper()
	k, err := NewKeys(database(t, dir), "alice", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *Keys) issue(t *testing.T) (string, Key) {
	t.Helper()
	key, made, err := k.Issue(t.Context(), "a@example.org", Agent)
	if err != nil {
		t.Fatal(err)
	}
	return key, made
}

// run runs the keys of a service until stop is called, or the test ends.
func (k *Keys) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { k.Run(ctx) })
	wg.Go(func() { k.db.Follow(ctx, func(error) {}, k.Follow) })
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

func (k *Keys) becomes(t *testing.T, what, key string, want Verdict) {
	t.Helper()
	for begun := time.Now(); verdict(k.Store(), key) != want; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 5*time.Second {
			t.Fatalf("not soon: %s", what)
		}
	}
}

// TestServiceFollowsCommands: what commands do to the database of a running service takes effect in it within a
// second, and outlives it.
func TestServiceFollowsCommands(t *testing.T) {
	dir := t.TempDir()
	service, command := keysOf(t, dir), keysOf(t, dir)
	stop := service.run(t)
	key, made := command.issue(t)
	other, _ := command.issue(t)
	service.becomes(t, "issued", key, Accepted)
	service.becomes(t, "issued", other, Accepted)
	if err := command.Revoke(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	service.becomes(t, "revoked", key, Unknown)
	if err := command.Revoke(t.Context(), made.ID); err != nil {
		t.Error("revoking twice:", err)
	}
	own, ownKey := service.issue(t)
	if verdict(service.Store(), own) != Accepted {
		t.Error("a key issued by the service itself is refused")
	}
	if err := command.Revoke(t.Context(), ownKey.ID); err != nil {
		t.Error("a command does not know the service's key:", err)
	}
	if err := command.Revoke(t.Context(), "key_nobody"); !errors.Is(err, ErrNoSuchKey) {
		t.Error(err)
	}
	if _, _, err := command.Issue(t.Context(), "nobody", Agent); !errors.Is(err, ErrBadEmail) {
		t.Error(err)
	}
	stop()
	list, err := keysOf(t, dir).List(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, k := range list {
		if k.Revoked != (k.ID == made.ID || k.ID == ownKey.ID) {
			t.Errorf("%+v", k)
		}
		if k.LastUsed == nil || time.Since(*k.LastUsed) > 2*time.Minute {
			t.Errorf("last used: %+v", k)
		}
	}
}

// TestNoSecretOnDisk: the database has the hash of a key, never the key, and nobody else may read it.
func TestNoSecretOnDisk(t *testing.T) {
	dir := t.TempDir()
	k := keysOf(t, dir)
	key, _ := k.issue(t)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		text, _ := os.ReadFile(filepath.Join(dir, f.Name()))
		info, _ := f.Info()
		if strings.Contains(string(text), key[5:]) || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, or it has the key", f.Name(), info.Mode())
		}
	}
}

// line returns a line of an audit file of the last release.
func line(event string, r Record) string {
	l := auditLine{Event: event, Time: r.Created.Add(time.Minute), ID: r.ID, Email: r.Email, SHA256: r.SHA256,
		Created: r.Created}
	l.Sum = l.sum()
	text, _ := json.Marshal(l)
	return string(text) + "\n"
}

// TestImport: the keys and revocations of the last release's file are taken over, once.
func TestImport(t *testing.T) {
	good, goodRecord := record(t, 1)
	gone, goneRecord := record(t, 2)
	begun := line("issued", goodRecord) + line("issued", goneRecord)
	for name, row := range map[string]struct {
		text string
		says string // part of the error; "": taken over
	}{
		"issued and revoked":      {begun + line("revoked", goneRecord), ""},
		"in another order, twice": {line("revoked", goneRecord) + begun + begun, ""},
		"an empty line":           {begun + "\n" + line("revoked", goneRecord), ""},
		"an incomplete last line": {begun + line("revoked", goneRecord) + line("revoked", goodRecord)[:100], ""},
		"a last line without end": {begun + strings.TrimSuffix(line("revoked", goneRecord), "\n"), ""},
		"a damaged line": {begun + strings.Replace(line("revoked", goneRecord), "revoked", "issued", 1) +
			line("issued", goodRecord), "line 3 is damaged"},
		"not JSON": {"\x00\x00\n" + begun, "line 1 is damaged"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, AuditFile)
		if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		db := database(t, dir)
		var said locked.Buffer
		log := slog.New(slog.NewTextHandler(&said, nil))
		err := Import(dir, db, log)
		if row.says != "" {
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the file is gone", name)
			}
			continue
		}
		if err != nil || !strings.Contains(said.String(), "taken over") {
			t.Errorf("%s: %v, the log says %q", name, err, said.String())
			continue
		}
		k := keysOf(t, dir)
		if verdict(k.Store(), good) != Accepted || verdict(k.Store(), gone) != Unknown || k.Store().Len() != 2 {
			t.Errorf("%s: %+v", name, k.Store().List())
		}
		if r := k.Store().Records()[0]; !r.Created.Equal(goodRecord.Created) {
			t.Errorf("%s: created %v, want %v", name, r.Created, goodRecord.Created)
		}
		db.Audit(func(e store.Event) error {
			if e.Who != AuditFile || time.Since(e.Time) < time.Hour {
				t.Errorf("%s: %+v", name, e)
			}
			return nil
		})
		if _, err := os.Stat(path + ".imported"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// A file that comes back, from a backup, is not read again.
		os.WriteFile(path, []byte(line("revoked", goodRecord)), 0o600)
		if err := Import(dir, db, log); err != nil || verdict(keysOf(t, dir).Store(), good) != Accepted {
			t.Errorf("%s: read twice: %v", name, err)
		}
	}
}

// TestImportNothing: a new directory needs nothing; keys of the last release without its file are not lost
// without a word.
func TestImportNothing(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	dir := t.TempDir()
	db := database(t, dir)
	if err := Import(dir, db, log); err != nil {
		t.Error(err)
	}
	if err := os.Mkdir(filepath.Join(dir, OldStore), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Import(dir, db, log); err == nil || !strings.Contains(err.Error(), "start the earlier release once") {
		t.Error(err)
	}
	os.WriteFile(filepath.Join(dir, AuditFile), nil, 0o600) // the last release had issued no key
	for range 2 {
		if err := Import(dir, db, log); err != nil {
			t.Error(err)
		}
	}
}
