package sim

import (
	"context"
	"net"
	"testing"
	"time"
)

func TestOpenRefusesNonsense(t *testing.T) {
	for _, c := range []Config{{Assets: -5}, {Speed: -1}, {Faults: "nonsense"}, {Replay: "/does/not/exist"}} {
		c.Manual = true
		if e, err := Open(c); err == nil {
			t.Errorf("%+v was accepted", c)
			_ = e.Shutdown(context.Background())
		}
	}
}

// A client that neither reads nor closes delays Shutdown at most until the deadline of its context.
func TestShutdownCutsOffDeadPeers(t *testing.T) {
	e := New(Config{Seed: 1, Assets: 12, Log: t.Logf})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- e.Serve(ln) }()
	r := &running{e, t, ln.Addr().String()}
	s := r.dial()
	s.send(subscribe(`{"type":"l2Book","coin":"BTC"}`))
	s.until("l2Book")
	if err := e.SetFaults("half-open"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := e.Shutdown(ctx); err != nil {
		t.Logf("shutdown: %v", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if n := len(e.open()); n != 0 {
		t.Errorf("%d sockets left", n)
	}
}
