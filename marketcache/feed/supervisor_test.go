package feed

import (
	"bytes"
	"context"
	"errors"
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

func TestConnectionsEndTogether(t *testing.T) {
	var c Connections
	a, b := net.Pipe()
	defer b.Close()
	own, err := c.Add(a)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := own.Read(make([]byte, 1))
		read <- err
	}()
	c.Close()
	if err := <-read; err == nil {
		t.Error("a connection outlives Close")
	}
	late, other := net.Pipe()
	defer other.Close()
	if _, err := c.Add(late); !errors.Is(err, net.ErrClosed) {
		t.Errorf("added after Close: %v", err)
	}
}
