package transport

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"
)

// fromAddress is a connection of which only the client's address matters.
type fromAddress struct {
	net.Conn
	addr *net.TCPAddr
}

func (c fromAddress) RemoteAddr() net.Addr { return c.addr }

// accept enters a connection from the n-th address.
func accept(t *testing.T, tr *Transport, n int) *Conn {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	c := tr.newConn(fromAddress{near, &net.TCPAddr{IP: net.IPv4(10, 0, byte(n>>8), byte(n))}})
	tr.conns.enter(c)
	return c
}

// A connection that Close keeps open, to read what its client still sends, makes room for a new one.
// Injects the fault keyless-flood of docs/faults.md.
func TestLingeringConnectionMakesRoom(t *testing.T) {
	tr := New(Config{Limits: upTo(1)})
	c, client := connectionPair(t, tr)
	c.Linger()
	closed := make(chan error, 1)
	go func() { closed <- c.Close() }()
	client.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, err := client.Read(make([]byte, 1)); n != 0 || err == nil { // the server has closed its half
		t.Fatalf("%d bytes, %v", n, err)
	}
	if accept(t, tr, 1); tr.Open() != 1 || tr.Replaced() != 1 {
		t.Errorf("%d open, %d replaced", tr.Open(), tr.Replaced())
	}
	select {
	case err := <-closed:
		if err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(lingerTime / 2):
		t.Error("the replaced connection still waits for its client")
	}
	if tr.Open() != 1 || tr.Listed() != 1 {
		t.Errorf("%d open, %d listed", tr.Open(), tr.Listed())
	}
}

// Each keyless connection of a flood comes from another address. The connection that is replaced
// is an old one: a new client has time to show its key.
// Injects the fault keyless-flood of docs/faults.md.
func TestFloodOfAddressesReplacesTheOldest(t *testing.T) {
	const most, recent = 200, 50
	tr := New(Config{Limits: upTo(most)})
	var flood []*Conn
	for n := range 20 * most {
		c := accept(t, tr, n)
		flood = append(flood, c)
		for _, c := range flood[max(0, n-recent):] {
			if c.closed.Load() {
				t.Fatalf("at connection %d, number %d was replaced", n, c.number)
			}
		}
	}
}

// A connection that was replaced during its handshake does not count as an alert socket.
func TestReplacedConnectionBecomesNoSocket(t *testing.T) {
	tr := New(Config{Limits: upTo(1)})
	c := accept(t, tr, 1)
	accept(t, tr, 2)
	if c.BecomeKeylessSocket() != HasRoom || tr.conns.keylessSockets != 0 || tr.Open() != 1 {
		t.Errorf("%d sockets, %d open", tr.conns.keylessSockets, tr.Open())
	}
}

// An IPv4 address and its IPv6-mapped form are one client, as are all IPv6 addresses of one /64.
func TestClientAddr(t *testing.T) {
	for addr, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1",
		"2001:db8::1": "2001:db8::", "2001:db8::ffff:1": "2001:db8::", "2001:db8:0:1::1": "2001:db8:0:1::",
	} {
		c := fromAddress{addr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr), 1))}
		if got := ClientAddr(c); got != netip.MustParseAddr(want) {
			t.Errorf("%s: %v", addr, got)
		}
	}
	near, _ := net.Pipe()
	if ClientAddr(near).IsValid() {
		t.Error("a pipe has an address")
	}
}
