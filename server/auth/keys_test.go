package auth

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
