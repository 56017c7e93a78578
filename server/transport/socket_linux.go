//go:build linux && !race

package transport

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket reads and writes a TCP connection by raw system calls, of which the scheduler is not
// told; they do not block. An ordinary system call wakes the runtime's monitor thread whenever
// all processors were idle just before: at half of the capacity that was an eighth of the cost
// of a request. While the monitor sleeps, nothing preempts a long computation. So long computations
// yield, except simulations: these change GOMAXPROCS, which wakes the monitor.
// One goroutine may read while another writes.
type socket struct {
	in, out transfer
}

// transfer is one direction of a socket.
type transfer struct {
	raw  syscall.RawConn
	step func(fd uintptr) bool // receive or send, bound once to avoid an allocation per call
	b    []byte
	n    int
	err  syscall.Errno
	// waited: the connection had no data at the first try.
	waited bool
}

// rawStream returns a socket for a TCP connection, and an ordinary stream for any other.
func rawStream(c net.Conn) stream {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return ordinary{c}
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return ordinary{c}
	}
	s := &socket{in: transfer{raw: raw}, out: transfer{raw: raw}}
	s.in.step, s.out.step = s.in.receive, s.out.send
	return s
}

// Read implements io.Reader.
func (s *socket) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	t := &s.in
	t.b, t.n, t.err, t.waited = b, 0, 0, false
	err := t.raw.Read(t.step)
	t.b = nil
	switch {
	case err != nil:
		return 0, err
	case t.err != 0:
		return 0, os.NewSyscallError("recv", t.err)
	case t.n == 0:
		return 0, io.EOF
	}
	return t.n, nil
}

func (s *socket) waited() bool { return s.in.waited }

// Write implements io.Writer.
func (s *socket) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	t := &s.out
	t.b, t.n, t.err = b, 0, 0
	err := t.raw.Write(t.step)
	t.b = nil
	if err == nil && t.err != 0 {
		err = os.NewSyscallError("send", t.err)
	}
	return t.n, err
}

// receive reads into t.b. It returns false when there are no data: RawConn.Read then waits for
// data and calls it again.
func (t *transfer) receive(fd uintptr) bool {
	for {
		n, _, err := unix.RawSyscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&t.b[0])), uintptr(len(t.b)), 0, 0, 0)
		switch err {
		case 0:
			t.n = int(n)
			return true
		case unix.EAGAIN:
			t.waited = true
			return false
		case unix.EINTR:
		default:
			t.err = err
			return true
		}
	}
}

func (t *transfer) send(fd uintptr) bool {
	for {
		n, _, err := unix.RawSyscall6(unix.SYS_SENDTO, fd, uintptr(unsafe.Pointer(&t.b[t.n])), uintptr(len(t.b)-t.n), unix.MSG_NOSIGNAL, 0, 0)
		switch err {
		case 0:
			if t.n += int(n); t.n == len(t.b) {
				return true
			}
		case unix.EAGAIN:
			return false
		case unix.EINTR:
		default:
			t.err = err
			return true
		}
	}
}
