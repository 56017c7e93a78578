package transport

import (
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestSpareDescriptor: with no descriptor left, a client is refused at once; when descriptors
// are free again, the next client is served.
// Injects the fault no-descriptors of docs/faults.md.
func TestSpareDescriptor(t *testing.T) {
	const refusal = "no room"
	tr := New(Config{TooMany: refusal, Warn: func(string, ...any) {}})
	ln := loopback(t)
	waiting := dial(t, ln)
	l := tr.newSteadyListener(ln, refusal)
	if l.spare == nil {
		t.Fatal("no spare descriptor")
	}
	next, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = uint64(next.Fd())
	next.Close()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}
	defer restore()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	waiting.SetReadDeadline(time.Now().Add(5 * time.Second))
	if b, err := io.ReadAll(waiting); string(b) != refusal || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	restore()
	dial(t, ln)
	select {
	case c := <-accepted:
		c.Close()
	case <-time.After(5 * time.Second):
		t.Error("no client is accepted any more")
	}
}
