package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBackupOnAFullDisk: a backup that finds no room says how to mend it, and leaves nothing.
func TestBackupOnAFullDisk(t *testing.T) {
	m := openedMain(t, t.TempDir())
	large := Photograph{RequestID: "r", Data: make([]byte, 1<<20)}
	if _, err := m.PutDecisions(nil, []Photograph{large}); err != nil {
		t.Fatal(err)
	}
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 19, Max: free.Max}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bad := m.Backup(filepath.Join(dir, "b.db"))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if bad == nil || !strings.Contains(bad.Error(), "make room on its disk, or name a file on another") ||
		err != nil || len(left) > 0 {
		t.Errorf("%v; left behind: %v %v", bad, left, err)
	}
}
