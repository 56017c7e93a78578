package transport

import (
	"errors"
	"net"
	"testing"
	"time"
)

// Connections that clients have made, but that nobody has accepted yet, are accepted when the
// listener closes.
func TestCloseAcceptsWhatWaits(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const clients = 50
	ln := New(Config{Limits: upTo(clients)}).Listen(plain)
	for range clients {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	closed := make(chan error, 1)
	go func() { closed <- ln.Close() }()
	time.Sleep(10 * time.Millisecond) // a Close that does not wait is over by now
	for i := range clients {
		c, err := ln.Accept()
		if err != nil {
			t.Fatalf("%d of %d connections accepted: %v", i, clients, err)
		}
		defer c.Close()
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// A listener from which nobody accepts closes nevertheless.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := New(Config{Limits: upTo(1)}).Listen(plain)
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	begun := time.Now()
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < backlogTime || took > backlogTime+5*time.Second {
		t.Errorf("closed after %v", took)
	}
}
