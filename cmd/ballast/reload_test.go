package main

import (
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/internal/locked"
)

// TestHangups: hangups while a reload runs are logged and lead to one more; a hangup after that is as the
// first.
func TestHangups(t *testing.T) {
	hangups, reloads := make(chan os.Signal), make(chan chan struct{})
	var said locked.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		onHangups(hangups, func() {
			release := make(chan struct{})
			reloads <- release
			<-release
		}, slog.New(slog.NewTextHandler(&said, nil)))
	}()
	for range 2 {
		hangups <- syscall.SIGHUP
		waiting := <-reloads
		for range 3 {
			hangups <- syscall.SIGHUP
		}
		close(waiting)
		close(<-reloads)
		select {
		case <-reloads:
			t.Fatal("a reload that nobody wants")
		case <-time.After(50 * time.Millisecond):
		}
	}
	close(hangups)
	<-ended
	if n := strings.Count(said.String(), "another follows"); n != 6 {
		t.Errorf("%d of 6 hangups are logged: %s", n, said.String())
	}
}
