package transport

import "net"

// listener counts accepted connections and refuses connections beyond the limits.
type listener struct {
	*steadyListener
	t     *Transport
	close func() error // closes once; further calls do nothing and return the same error
}

// Close closes the listener.
func (l *listener) Close() error { return l.close() }

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
