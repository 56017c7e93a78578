package feed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		var out bytes.Buffer
		s := NewSupervisor(slog.New(slog.NewTextHandler(&out, nil)))
		runs := 0
		s.Run(t.Context(), "test", func(context.Context) {
			if runs++; runs < 4 {
				panic("again")
			}
		})
		if runs != 4 || s.Panics() != 3 {
			t.Errorf("%d runs, %d panics", runs, s.Panics())
		}
		if err := s.Guard("test", func() error { panic("once") }); !errors.Is(err, ErrPanic) {
			t.Error(err)
		}
		out.Reset()
		for range 25 {
			s.Warn("text", "n", 1)
			time.Sleep(time.Second)
		}
		if got := strings.Count(out.String(), "msg=text"); got != 3 || !strings.Contains(out.String(), "n=1 more=9") {
			t.Errorf("%d lines:\n%s", got, out.String())
		}
	})
}

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
