package auth

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
