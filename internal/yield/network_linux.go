package yield

import (
	"encoding/binary"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// network is an eventfd in the runtime's network poller. A write to it becomes an edge-triggered event,
// so its counter need never be read.
type network struct {
	file *os.File
	raw  syscall.RawConn
	step func(fd uintptr) bool // created once
	sent bool
	err  error
}

var one = binary.NativeEndian.AppendUint64(nil, 1)

func (n *network) open() {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return
	}
	file := os.NewFile(uintptr(fd), "eventfd") // a non-blocking descriptor is added to the poller
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return
	}
	n.file, n.raw = file, raw
	n.step = func(fd uintptr) bool {
		if n.sent {
			return true
		}
		n.sent = true
		_, n.err = unix.Write(int(fd), one)
		return n.err != nil // false: wait for the event
	}
}

// wait waits until the poller delivers the event, and reports whether that was possible.
func (n *network) wait() bool {
	if n.raw == nil {
		return false
	}
	n.sent = false
	return n.raw.Read(n.step) == nil && n.err == nil
}

func (n *network) close() {
	if n.file != nil {
		n.file.Close()
		n.file, n.raw = nil, nil
	}
}
