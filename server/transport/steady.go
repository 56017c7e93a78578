package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	minAcceptPause = 5 * time.Millisecond
	maxAcceptPause = time.Second
)

// steadyListener survives a shortage of file descriptors. It holds a spare descriptor. When no
// other descriptor is left, it closes the spare to accept a connection and refuse it, so that
// clients do not wait in vain. Only one goroutine may call Accept.
type steadyListener struct {
	net.Listener
	refusal string   // text written to a refused connection; "" under TLS: nothing is written
	spare   *os.File // the spare descriptor, nil while given up
	warn    func(msg string, args ...any)
}

func (t *Transport) newSteadyListener(ln net.Listener, refusal string) *steadyListener {
	l := &steadyListener{Listener: ln, refusal: refusal, warn: t.cfg.Warn}
	l.takeSpare()
	return l
}

// takeSpare opens the spare descriptor and reports whether that succeeded.
func (l *steadyListener) takeSpare() bool {
	var err error
	l.spare, err = os.Open("/") // exists everywhere, even where /dev does not
	return err == nil
}

// Accept returns the next connection. It fails only when the listener cannot accept any more.
func (l *steadyListener) Accept() (net.Conn, error) {
	for pause := minAcceptPause; ; pause = min(2*pause, maxAcceptPause) {
		c, err := l.Listener.Accept()
		switch {
		case err == nil && (l.spare != nil || l.takeSpare()):
			return c, nil
		case err == nil: // the connection took the last descriptor
			l.refuse(c)
			l.takeSpare()
			continue
		case !passing(err):
			l.closeSpare()
			return nil, err
		}
		l.warn("no connection accepted", "error", err.Error())
		if l.spare != nil && (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)) {
			l.closeSpare()
		} else {
			time.Sleep(pause)
		}
	}
}

func (l *steadyListener) closeSpare() {
	if l.spare != nil {
		l.spare.Close()
		l.spare = nil
	}
}

// refuse writes the refusal to a connection and closes it.
func (l *steadyListener) refuse(c net.Conn) {
	if l.refusal != "" {
		c.SetWriteDeadline(time.Now().Add(time.Millisecond)) // enough: the send buffer is empty
		io.WriteString(c, l.refusal)
	}
	c.Close()
}

// passing reports whether an error of Accept is temporary.
func passing(err error) bool {
	shortages := []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED}
	return slices.ContainsFunc(shortages, func(e error) bool { return errors.Is(err, e) })
}

// listener counts the accepted connections and keeps them within the Limits.
type listener struct {
	*steadyListener
	t     *Transport
	apart bool
	close func() error // closes once; further calls do nothing and return the same error
}

// Close implements net.Listener.
func (l *listener) Close() error { return l.close() }

// Accept returns the next connection, if need be in place of a keyless one.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.steadyListener.Accept()
	if err != nil {
		return nil, err
	}
	conn := l.t.newConn(c)
	conn.Apart = l.apart
	l.t.conns.enter(conn)
	return conn, nil
}
