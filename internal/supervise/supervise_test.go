package supervise

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := New(slog.New(slog.NewTextHandler(&out, nil)))
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

// Suppressing a message allocates nothing, because messages may come in a flood.
func TestAllowAllocatesNothing(t *testing.T) {
	s := New(slog.New(slog.DiscardHandler))
	s.Allow("key", time.Hour)
	if n := testing.AllocsPerRun(100, func() { s.Allow("key", time.Hour) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if _, ok := s.Allow("other", time.Hour); !ok {
		t.Error("one key suppresses another")
	}
}
