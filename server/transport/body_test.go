package transport

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
)

// Accept admits the connection c and returns its Conn.
func (t *Transport) Accept(c net.Conn) *Conn {
	conn := t.newConn(c)
	t.conns.enter(conn)
	return conn
}

// A connection's write buffer with more than HeadRoom bytes is written before the body, and no
// byte is lost or written twice.
func TestBodyBehindOthers(t *testing.T) {
	pool := NewBodyPool(12<<10, 1<<20)
	for _, waiting := range []int{0, 1, HeadRoom, HeadRoom + 1, 3 * HeadRoom} {
		near, far := net.Pipe()
		got := make(chan string)
		go func() {
			b, _ := io.ReadAll(far)
			got <- string(b)
		}()
		c := New(Config{Limits: upTo(1)}).Accept(near)
		bw := bufio.NewWriterSize(c, 4*HeadRoom)
		before := strings.Repeat("h", waiting)
		bw.WriteString(before)
		body := strings.Repeat("body ", 3000)
		text := pool.Get()
		text.B = append(text.B, body...)
		text.Direct(c, nil)
		n, err := text.WriteTo(bw)
		if n != int64(len(body)) || err != nil {
			t.Errorf("%d bytes waiting: wrote %d bytes, error %v", waiting, n, err)
		}
		if n, err := text.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d bytes waiting: %d bytes and %v are left to read", waiting, n, err)
		}
		text.Close()
		bw.Flush()
		near.Close()
		if s := <-got; s != before+body {
			t.Errorf("%d bytes waiting: %d bytes arrived, not %d", waiting, len(s), len(before)+len(body))
		}
	}
}
