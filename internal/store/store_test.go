package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const testSchema = "CREATE TABLE IF NOT EXISTS t (k TEXT PRIMARY KEY, v BLOB) STRICT"

func TestOpenRefusesDamage(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"no database": func([]byte) []byte { return []byte("this is no database at all") },
		"a torn page": func(b []byte) []byte { copy(b[4096:], make([]byte, 4096)); return b },
		"cut short":   func(b []byte) []byte { return b[:len(b)/2] },
	} {
		path := filepath.Join(t.TempDir(), "a.db")
		db, err := open(path, "FULL", testSchema)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, err := db.Exec("INSERT INTO t VALUES (hex(randomblob(8)), randomblob(1000))"); err != nil {
				t.Fatal(err)
			}
		}
		db.Close() // writes the log into the file
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(b), 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := open(path, "FULL", testSchema); !errors.As(err, &damaged) {
			t.Errorf("%s: %v, want a DamagedError", name, err)
		}
	}
}

func TestVersionSeesOtherConnections(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "a.db"), context.Background()
	ours, err := open(path, "FULL", testSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	theirs, err := open(path, "FULL", testSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	conn, err := ours.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before, _ := version(ctx, conn)
	if again, _ := version(ctx, conn); again != before {
		t.Errorf("version went from %d to %d without a change", before, again)
	}
	if _, err := theirs.Exec("INSERT INTO t VALUES ('a', x'00')"); err != nil {
		t.Fatal(err)
	}
	if after, err := version(ctx, conn); err != nil || after == before {
		t.Errorf("version %d, %v after a change, %d before", after, err, before)
	}
	copied := filepath.Join(t.TempDir(), "b.db")
	if err := backup(ours, copied); err != nil {
		t.Fatal(err)
	}
	if err := backup(ours, copied); err == nil {
		t.Error("a backup replaced a file")
	}
	held, err := open(copied, "FULL", testSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	var n int
	if err := held.QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil || n != 1 {
		t.Errorf("the copy has %d rows, %v; want 1", n, err)
	}
}
