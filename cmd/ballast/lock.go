//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// errLocked says that another process works in the data directory.
var errLocked = errors.New("in use by another service")

// lockData makes this process the only one that works in a data directory: two services
// would write the same histories, and spend the venue's budget twice. It waits for as long
// as it is told, since a keys command holds the lock for a moment. The lock ends with the
// process, however it ends.
func lockData(dataDir string, wait time.Duration) (*os.File, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	path := filepath.Join(dataDir, "serve.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	for end := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("data directory %s: lock: %w", dataDir, err)
		}
		if time.Now().After(end) {
			f.Close()
			return nil, fmt.Errorf("data directory %s is %w", dataDir, errLocked)
		}
	}
}
