package transport

import (
	"bufio"
	"io"
	"sync"
)

// ResponseBody is the body of an answer. fasthttp takes it as a stream and closes it, which gives
// the memory back at once: the next answer is written where the last one was, on whichever
// connection, and finds that memory in the processor's cache. The buffer of a connection
// would be as cold as that; so over plain TCP the body passes it by, in one write with the
// head of the answer, for which there is room in front.
type ResponseBody struct {
	B     []byte     // HeadRoom bytes, then the body
	read  int        // how much of the body has been read
	conn  *Conn      // where it may go by itself, or nil
	batch *SendBatch // that it is sent with, or nil
	pool  *sync.Pool
	kept  int // the largest capacity that is kept
}

// HeadRoom is for status line and headers, which take some 250 bytes.
const HeadRoom = 1 << 10

// Bytes is the body.
func (t *ResponseBody) Bytes() []byte { return t.B[HeadRoom:] }

// BodyPool is a pool of bodies.
type BodyPool struct{ pool sync.Pool }

// NewBodyPool returns a pool of bodies with room from the start, which keeps them up to a
// capacity.
func NewBodyPool(room, kept int) *BodyPool {
	p := new(BodyPool)
	p.pool.New = func() any {
		return &ResponseBody{B: make([]byte, HeadRoom, HeadRoom+room), pool: &p.pool, kept: kept}
	}
	return p
}

// Get returns an empty body, which must be closed.
func (p *BodyPool) Get() *ResponseBody {
	t := p.pool.Get().(*ResponseBody)
	t.B = t.B[:HeadRoom]
	return t
}

// Direct lets the body go to a connection by itself, held back by a batch if that is not nil.
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

// bypass writes what is in the connection's buffer, which is the head, and the body.
func (t *ResponseBody) bypass(bw *bufio.Writer) (int64, error) {
	from := HeadRoom - bw.Buffered()
	t.conn.heldBack = t.B[from:from:HeadRoom]
	err := bw.Flush()
	t.conn.heldBack = nil
	if err != nil {
		return 0, err
	}
	t.batch.yieldBeforeSend()
	n, err := t.conn.Write(t.B[from:])
	n = max(0, n-(HeadRoom-from))
	t.read = n
	return int64(n), err
}

// Close gives the memory back.
func (t *ResponseBody) Close() error {
	t.read, t.conn, t.batch = 0, nil, nil
	if cap(t.B) <= t.kept {
		t.pool.Put(t)
	}
	return nil
}
