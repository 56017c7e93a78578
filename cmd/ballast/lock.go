//go:build unix

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// errLocked reports that another process uses the data directory.
var errLocked = errors.New("in use by another service: end it, or choose another --data-dir")

// errNoDataDir rejects an empty --data-dir.
var errNoDataDir = errors.New(`--data-dir "": want a folder, such as ./data`)

// lockName is the lock file in a data directory. The service that uses the directory holds its lock.
const lockName = "serve.lock"

// lockData makes this process the only service on a data directory. Two services would write the same
// histories and spend the venue's budget twice. The operating system releases the lock when the process
// ends. It waits up to wait for a service that is ending. On a read-only disk without a lock file it locks
// the directory itself.
func lockData(dataDir string, wait time.Duration) (*os.File, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	warnShared(dataDir)
	f, err := os.OpenFile(filepath.Join(dataDir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil { // the disk may take writes again while the lock is held: so the same file, if it is there
		f, err = os.Open(filepath.Join(dataDir, lockName))
	}
	if err != nil {
		if f, err = os.Open(dataDir); err != nil {
			return nil, fmt.Errorf("data directory: %w", err)
		}
	}
	if err := lockFile(f, wait); err != nil {
		f.Close()
		return nil, fmt.Errorf("data directory %s is %w", dataDir, err)
	}
	return f, nil
}

// lockFile locks an open file or directory. If another process has the lock, it waits up to the given time and
// then returns errLocked.
func lockFile(f *os.File, wait time.Duration) error {
	for end := time.Now().Add(wait); ; time.Sleep(lockPoll) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return err
		case !time.Now().Before(end):
			return errLocked
		}
	}
}

// lockPoll is the interval between attempts.
const lockPoll = 5 * time.Millisecond

// warnShared warns of a data directory that others may write to.
func warnShared(dataDir string) {
	if info, err := os.Stat(dataDir); err == nil && info.Mode().Perm()&0o022 != 0 {
		slog.Warn("others may write to the data directory, and so make API keys of their own: chmod 700",
			"directory", dataDir, "mode", info.Mode().Perm())
	}
}

// dataInUse reports whether a service holds the lock of a data directory. It creates nothing.
func dataInUse(dataDir string) bool {
	f, err := os.Open(filepath.Join(dataDir, lockName))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockFile(f, 0), errLocked)
}

// checkDataDir reports an error if a data directory cannot be created or written. It tries with a folder
// that it removes again.
func checkDataDir(dir string) error {
	existing := filepath.Clean(dir)
	info, err := os.Stat(existing)
	for ; errors.Is(err, os.ErrNotExist) && existing != filepath.Dir(existing); info, err = os.Stat(existing) {
		existing = filepath.Dir(existing)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", existing)
	}
	if err == nil {
		var probe string
		if probe, err = os.MkdirTemp(existing, ".check-"); err == nil {
			err = os.Remove(probe)
		}
	}
	if err != nil {
		return fmt.Errorf("--data-dir %s: %w: choose a folder that this user may write to, or change its owner", dir,
			err)
	}
	return nil
}
