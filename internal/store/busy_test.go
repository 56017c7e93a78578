package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAnotherWriter: while another process holds ballast.db for writing, reads go on, a write fails in bounded time
// with a word, and works again afterwards.
func TestAnotherWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := openedMain(t, dir)
	other, err := open(filepath.Join(dir, MainFile), "FULL", mainSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	issue := Change{At: time.Now(), Who: "test", Key: Key{ID: "key_1", Email: "a@b.c", Created: time.Now()}}
	for range 2 * mainConns { // however many want to write
		go m.Apply(issue)
	}
	time.Sleep(100 * time.Millisecond)
	begun := time.Now()
	if _, _, err := m.Keys(0); err != nil || time.Since(begun) > busyTimeout/2 {
		t.Errorf("a reader waited %v: %v", time.Since(begun), err)
	}
	start := time.Now()
	err = m.Apply(issue)
	if err == nil || !strings.Contains(err.Error(), "another process has been writing") {
		t.Errorf("%v", err)
	}
	second, err := OpenMain(dir) // as `ballast keys issue` does
	if err == nil {
		err = second.Apply(issue)
		second.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "another process has been writing") {
		t.Errorf("%v", err)
	}
	if _, _, err := m.Keys(0); err != nil {
		t.Errorf("keys cannot be read: %v", err)
	}
	if took := time.Since(start); took > 6*busyTimeout {
		t.Errorf("took %v", took)
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := m.Apply(issue); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
