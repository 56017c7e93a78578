package transport

import (
	"bufio"
	"io"
	"sync"
)

// ResponseBody is the body of an answer. fasthttp reads it as a stream and closes it. Close returns
// the memory to the pool at once, so the next answer, on any connection, reuses memory that is
// still in the processor's cache. A connection's own write buffer is not in the cache. So over
// plain TCP the body bypasses that buffer: the head is copied into the HeadRoom bytes before the
// body, and both are sent in one write.
type ResponseBody struct {
	B     []byte     // HeadRoom bytes, then the body
	read  int        // bytes of the body read so far
	conn  *Conn      // connection to which the body may be written directly, or nil
	batch *SendBatch // batch in which the body is sent, or nil
	pool  *sync.Pool
	kept  int // maximum capacity that goes back to the pool, bytes
}

// HeadRoom is the number of bytes reserved for status line and headers, which take about 250.
const HeadRoom = 1 << 10

// Bytes returns the body without the HeadRoom.
func (t *ResponseBody) Bytes() []byte { return t.B[HeadRoom:] }

// BodyPool is a pool of bodies.
type BodyPool struct{ pool sync.Pool }

// NewBodyPool returns a pool of bodies with an initial capacity of room bytes. Bodies that grew
// to more than kept bytes are not returned to the pool.
func NewBodyPool(room, kept int) *BodyPool {
	p := new(BodyPool)
	p.pool.New = func() any {
		return &ResponseBody{B: make([]byte, HeadRoom, HeadRoom+room), pool: &p.pool, kept: kept}
	}
	return p
}

// Get returns an empty body. The caller must close it.
func (p *BodyPool) Get() *ResponseBody {
	t := p.pool.Get().(*ResponseBody)
	t.B = t.B[:HeadRoom]
	return t
}

// Direct lets the body be written directly to a plain connection, as part of a batch unless
// batch is nil.
func (t *ResponseBody) Direct(c *Conn, batch *SendBatch) {
	if c.plain {
		t.conn, t.batch = c, batch
	}
}

// Read implements io.Reader.
func (t *ResponseBody) Read(p []byte) (int, error) {
	if t.read == len(t.Bytes()) {
		return 0, io.EOF
	}
	n := copy(p, t.Bytes()[t.read:])
	t.read += n
	return n, nil
}

// WriteTo implements io.WriterTo.
func (t *ResponseBody) WriteTo(w io.Writer) (int64, error) {
	if bw, ok := w.(*bufio.Writer); ok && t.conn != nil && t.read == 0 && bw.Buffered() <= HeadRoom {
		return t.bypass(bw)
	}
	n, err := w.Write(t.Bytes()[t.read:])
	t.read += n
	return int64(n), err
}

// bypass writes the connection's buffer, which holds the head, and the body in one write.
func (t *ResponseBody) bypass(bw *bufio.Writer) (int64, error) {
	from := HeadRoom - bw.Buffered()
	t.conn.heldBack = t.B[from:from:HeadRoom]
	err := bw.Flush()
	t.conn.heldBack = nil
	if err != nil {
		return 0, err
	}
	if t.batch != nil {
		t.batch.yieldBeforeSend()
	}
	n, err := t.conn.Write(t.B[from:])
	n = max(0, n-(HeadRoom-from))
	t.read = n
	return int64(n), err
}

// Close returns the memory to the pool.
func (t *ResponseBody) Close() error {
	t.read, t.conn, t.batch = 0, nil, nil
	if cap(t.B) <= t.kept {
		t.pool.Put(t)
	}
	return nil
}
