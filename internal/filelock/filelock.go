//go:build unix

// Package filelock locks open files with advisory locks. The system releases a lock when the file is
// closed, including when the process ends in any way.
package filelock

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// ErrHeld: another process has the lock.
var ErrHeld = errors.New("locked by another process")

// poll is the interval between attempts.
const poll = 5 * time.Millisecond

// Take locks f, which may be a directory. If another process has the lock, it waits up to the given time
// and then returns ErrHeld.
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

// Release unlocks f, which stays open.
func Release(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
