//go:build unix

package cluster

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockWait bounds how long a frozen process can keep others from the audit file.
const lockWait = 5 * time.Second

// lockFile takes the advisory lock of f, waiting for it. The system lets go of it when the
// process ends, however it ends.
func lockFile(f *os.File) (unlock func(), err error) {
	for end := time.Now().Add(lockWait); ; time.Sleep(5 * time.Millisecond) {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { unix.Flock(int(f.Fd()), unix.LOCK_UN) }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) || time.Now().After(end) {
			return nil, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}
