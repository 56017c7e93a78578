//go:build unix

package cluster

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockDir takes the advisory lock of dir, or returns ErrInUse. The system lets go of it
// when the process ends, however it ends.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			break
		}
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		f.Close()
		return nil, ErrInUse
	case err != nil:
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return func() { f.Close() }, nil
}
