package feed

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

func TestConnectionEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a, b := net.Pipe()
	defer b.Close()
	bound := BindConn(ctx, a)
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := bound.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a read ends with %v", err)
	}
	late, other := net.Pipe()
	defer other.Close()
	if _, err := BindConn(ctx, late).Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a read of a connection made too late ends with %v", err)
	}
}
