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

// steadyListener outlives a shortage of file descriptors. It holds a spare one: when there is no
// other left, the spare one is given up to take a connection and to refuse it, so that clients do
// not wait in vain. Accept is for one goroutine.
type steadyListener struct {
	net.Listener
	refusal string   // written to a connection that is refused; "": nothing, under TLS
	spare   *os.File // nil: none
	warn    func(msg string, args ...any)
}

func (t *Transport) newSteadyListener(ln net.Listener, refusal string) *steadyListener {
	l := &steadyListener{Listener: ln, refusal: refusal, warn: t.cfg.Warn}
	l.takeSpare()
	return l
}

// takeSpare opens the spare descriptor and reports whether there was one.
func (l *steadyListener) takeSpare() bool {
	var err error
	l.spare, err = os.Open("/") // which is there where nothing else is, /dev included
	return err == nil
}

// Accept returns the next connection. It fails only when the listener is of no more use.
func (l *steadyListener) Accept() (net.Conn, error) {
	for pause := minAcceptPause; ; pause = min(2*pause, maxAcceptPause) {
		c, err := l.Listener.Accept()
		switch {
		case err == nil && (l.spare != nil || l.takeSpare()):
			return c, nil
		case err == nil: // on the spare descriptor
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

// refuse closes a connection that there is no room for.
func (l *steadyListener) refuse(c net.Conn) {
	if l.refusal != "" {
		c.SetWriteDeadline(time.Now().Add(time.Millisecond)) // fits an empty send buffer
		io.WriteString(c, l.refusal)
	}
	c.Close()
}

// passing reports whether a failed accept says nothing about the next one.
func passing(err error) bool {
	return slices.ContainsFunc([]error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED},
		func(e error) bool { return errors.Is(err, e) })
}
