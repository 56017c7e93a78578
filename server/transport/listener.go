package transport

import (
	"net"
	"sync"
)

// listener counts connections and refuses what is too many.
type listener struct {
	*steadyListener
	t *Transport

	once     sync.Once
	closeErr error
}

// Close closes the listener; again is no error.
func (l *listener) Close() error {
	l.once.Do(func() { l.closeErr = l.steadyListener.Close() })
	return l.closeErr
}

// Accept returns the next connection that there is room for.
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
