package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

const (
	// maxAnswerBody bounds the body of an answer, bytes.
	maxAnswerBody = 64 << 20
	// readBuffer holds the whole answer to a validation, so that one system call reads it.
	readBuffer = 16 << 10
	// reconnectPause is the pause between two attempts to connect.
	reconnectPause = 100 * time.Millisecond
)

// connection is a keep-alive connection with one request at a time.
type connection struct {
	net.Conn // nil: not connected
	reader   *bufio.Reader
	answer   fasthttp.Response
	in       int64 // bytes received
	err      error // that ended the last read
}

// Read counts the bytes, and keeps the error: fasthttp returns EOF for every error at the first byte.
func (c *connection) Read(b []byte) (n int, err error) {
	n, err = c.Conn.Read(b)
	c.in += int64(n)
	c.err = err
	return n, err
}

// exchange sends a request and receives its answer. It returns the reason when there is none, one of the
// lost constants.
func (c *connection) exchange(text []byte) (lost string) {
	c.err = nil
	if _, err := c.Write(text); err != nil {
		return reason(err)
	}
	switch err := c.answer.ReadLimitBody(c.reader, maxAnswerBody); {
	case c.err != nil && err != nil:
		return reason(c.err)
	case err != nil, c.reader.Buffered() > 0: // bytes behind the answer
		return lostMalformed
	}
	return ""
}

// quiet reports whether nothing has arrived on a connection without a request: no byte, and no end.
func (c *connection) quiet() bool {
	raw, err := c.Conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return false
	}
	var b [1]byte
	if bad := raw.Read(func(fd uintptr) bool {
		_, _, err = unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		return true
	}); bad != nil {
		return false
	}
	return err == unix.EAGAIN
}

// connectAll makes all connections before the first arrival is due.
func (l *loop) connectAll() error {
	ctx, cancel := context.WithTimeout(l.ctx, connectTime)
	defer cancel()
	for i := range l.conns {
		if err := l.dial(ctx, &l.conns[i]); err != nil {
			return fmt.Errorf("connection %d of %d: %w", i+1, len(l.conns), err)
		}
	}
	return nil
}

func (l *loop) dial(ctx context.Context, c *connection) error {
	conn, err := l.dialer.DialContext(ctx, "tcp", l.target.address)
	l.mu.Lock()
	if err != nil {
		l.tally.lost[lostConnect]++
		l.mu.Unlock()
		return err
	}
	c.Conn = conn
	l.setPatience(c, l.now())
	l.mu.Unlock()
	if c.reader == nil {
		c.reader = bufio.NewReaderSize(c, readBuffer)
	}
	c.reader.Reset(c)
	return nil
}

// connect connects a connection that has ended. It reports false at the end of the run.
func (l *loop) connect(c *connection) bool {
	for c.Conn == nil {
		if l.over() {
			return false
		}
		if l.dial(l.ctx, c) == nil {
			break
		}
		select {
		case <-l.ctx.Done():
		case <-time.After(reconnectPause):
		}
	}
	return true
}

// drop closes a connection, which connect replaces.
func (l *loop) drop(c *connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Close()
	c.Conn = nil
	l.tally.reconnects++
}

// reason returns the reason for an error of a socket, one of the lost constants.
func reason(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return lostTimeout
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return lostReset
	case errors.Is(err, io.EOF):
		return lostClosed
	}
	return lostOther
}

// timer sleeps with the resolution of the kernel's timers; the runtime's own sleep of an idle process
// ends up to a millisecond late.
type timer struct {
	file *os.File
	tick [8]byte
}

func newTimer() (*timer, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	return &timer{file: os.NewFile(uintptr(fd), "timer")}, nil
}

// sleep returns after d, or early with an error after stop.
func (t *timer) sleep(d time.Duration) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	raw, err := t.file.SyscallConn()
	if err != nil {
		return err
	}
	if err := raw.Control(func(fd uintptr) { err = unix.TimerfdSettime(int(fd), 0, &spec, nil) }); err != nil {
		return err
	}
	if err == nil {
		_, err = t.file.Read(t.tick[:])
	}
	return err
}

// stop ends all sleeps, now and later.
func (t *timer) stop() { t.file.SetReadDeadline(time.Unix(1, 0)) }
