package transport

import (
	"net"
	"sync"
)

// listener counts accepted connections and refuses connections beyond the limits.
type listener struct {
	*steadyListener
	t *Transport

	once     sync.Once
	closeErr error
}

// Close closes the listener. Further calls do nothing and return the same error.
func (l *listener) Close() error {
	l.once.Do(func() { l.closeErr = l.steadyListener.Close() })
	return l.closeErr
}

// Accept returns the next connection within the limits, and refuses the others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.steadyListener.Accept()
		if err != nil {
			return nil, err
		}
		addr := addrOf(c)
		if l.t.conns.enter(addr) == HasRoom {
			return l.t.accept(c, addr), nil
		}
		l.refuse(c)
	}
}
