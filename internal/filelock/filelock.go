//go:build unix

// Package filelock takes the advisory lock of an open file. The system lets go of it when the
// file is closed, so also when the process ends, however it ends.
package filelock

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// ErrHeld says that another process has the lock.
var ErrHeld = errors.New("locked by another process")

// poll is the pause between two attempts.
const poll = 5 * time.Millisecond

// Take takes the lock of f, which may be a directory, and waits for it for as long as it is
// told: then it returns ErrHeld.
func Take(f *os.File, wait time.Duration) error {
	for end := time.Now().Add(wait); ; time.Sleep(poll) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		case !time.Now().Before(end):
			return ErrHeld
		}
	}
}

// Release lets go of the lock of f, which stays open.
func Release(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
