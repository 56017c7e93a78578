//go:build unix

package auth

import (
	"os"
	"syscall"
)

// stamp tells one state of the file from another. Every write makes a new inode, and a
// reused inode number comes with another time.
type stamp struct {
	inode   uint64
	modTime int64
	size    int64
}

func stampOf(path string) (s stamp, found bool) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, false
	}
	s = stamp{modTime: info.ModTime().UnixNano(), size: info.Size()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = uint64(sys.Ino)
	}
	return s, true
}
