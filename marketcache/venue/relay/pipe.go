package relay

import (
	"context"
	"net"
	"sync"
)

// pipe is a listener without a network: what dials is handed to Accept. Nobody else can
// reach it.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipe) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept implements net.Listener.
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener.
func (p *pipe) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "memory" }
func (pipeAddr) String() string  { return "relay" }
