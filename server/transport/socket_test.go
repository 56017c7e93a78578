package transport

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// upTo returns Limits of n connections and no keyless limit.
func upTo(n int) Limits {
	return Limits{MaxConns: n, MaxKeylessConnsPerIP: -1, MaxKeylessSockets: -1, MaxKeylessSocketsPerIP: -1}
}

// tuned runs a test with raw sockets on and off.
func tuned(t *testing.T, test func(t *testing.T, tr *Transport)) {
	for name, raw := range map[string]bool{"raw": true, "ordinary": false} {
		t.Run(name, func(t *testing.T) {
			test(t, New(Config{Limits: upTo(100), Tuning: Tuning{RawSockets: raw}}))
		})
	}
}

// connectionPair returns the server's and the client's end of one connection.
func connectionPair(t *testing.T, tr *Transport) (*Conn, *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := tr.Accept(accepted)
	t.Cleanup(func() { c.Close(); client.Close() })
	return c, client.(*net.TCPConn)
}

// TestSocketBytes sends more bytes than the kernel's buffers hold, in both directions at once,
// and checks that they arrive unchanged.
func TestSocketBytes(t *testing.T) { tuned(t, testSocketBytes) }

func testSocketBytes(t *testing.T, tr *Transport) {
	c, client := connectionPair(t, tr)
	c.Release() // no request may be as large
	out, in := make([]byte, 20<<20), make([]byte, 20<<20)
	random := rand.NewChaCha8([32]byte{1})
	random.Read(out)
	random.Read(in)

	done := make(chan error, 3)
	go func() {
		_, err := client.Write(in)
		done <- err
	}()
	go func() {
		for rest, size := out, 1; len(rest) > 0; size = size*3%5_000_011 + 1 {
			n, err := c.Write(rest[:min(size, len(rest))])
			if rest = rest[n:]; err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	go func() {
		time.Sleep(20 * time.Millisecond) // until the server's writes have filled the buffers
		got := make([]byte, len(out))
		_, err := io.ReadFull(client, got)
		if err == nil && !bytes.Equal(got, out) {
			err = errors.New("other bytes came than were written")
		}
		done <- err
	}()
	got := make([]byte, len(in))
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, in) {
		t.Errorf("other bytes were read than came: %v", err)
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing: %d %v", n, err)
	}
	if n, err := c.Write(nil); n != 0 || err != nil {
		t.Errorf("writing nothing: %d %v", n, err)
	}
}

func TestSocketEnd(t *testing.T) { tuned(t, testSocketEnd) }

func testSocketEnd(t *testing.T, tr *Transport) {
	c, client := connectionPair(t, tr)
	io.WriteString(client, "last words")
	client.CloseWrite()
	b, err := io.ReadAll(c)
	if string(b) != "last words" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	if n, err := c.Read(make([]byte, 8)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d %v", n, err)
	}
}

func TestSocketDeadlines(t *testing.T) { tuned(t, testSocketDeadlines) }

func testSocketDeadlines(t *testing.T, tr *Transport) {
	c, client := connectionPair(t, tr)
	buffer := make([]byte, 1<<20)
	c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if n, err := c.Read(buffer); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nothing came: %d %v", n, err)
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	io.WriteString(client, "late")
	if n, err := c.Read(buffer); string(buffer[:n]) != "late" || err != nil {
		t.Errorf("after a deadline: %q %v", buffer[:n], err)
	}

	c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	written := 0
	for {
		n, err := c.Write(buffer)
		written += n
		if err == nil {
			continue // the kernel's buffers have room
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("nobody reads: %v", err)
		}
		break
	}
	c.Conn.(*net.TCPConn).CloseWrite()
	if n, err := io.Copy(io.Discard, client); int(n) != written || err != nil {
		t.Errorf("%d bytes said to be written, %d came: %v", written, n, err)
	}
}

func TestSocketClosed(t *testing.T) { tuned(t, testSocketClosed) }

func testSocketClosed(t *testing.T, tr *Transport) {
	c, _ := connectionPair(t, tr)
	failed := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 8))
		failed <- err
	}()
	time.Sleep(5 * time.Millisecond)
	c.Close()
	if err := <-failed; !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed while it was read: %v", err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestSocketReset(t *testing.T) { tuned(t, testSocketReset) }

func testSocketReset(t *testing.T, tr *Transport) {
	c, client := connectionPair(t, tr)
	client.SetLinger(0)
	client.Close()
	if _, err := c.Read(make([]byte, 8)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read: %v", err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write: %v", err)
	}
}
