package server

import (
	"bufio"
	"io"
	"sync"

	"github.com/valyala/fasthttp"
)

// text is the body of an answer. fasthttp takes it as a stream and closes it, which gives
// the memory back at once: the next answer is written where the last one was, on whichever
// connection, and finds that memory in the processor's cache. The buffer of a connection
// would be as cold as that; so over plain TCP the body passes it by, in one write with the
// head of the answer, for which there is room in front.
type text struct {
	b    []byte  // headRoom bytes, then the body
	read int     // how much of the body has been read
	conn *conn   // where it may go by itself, or nil
	held *cohort // that it is sent with, or nil
	pool *sync.Pool
	kept int // the largest capacity that is kept
}

// headRoom is for status line and headers, which take some 250 bytes.
const headRoom = 1 << 10

func (t *text) body() []byte { return t.b[headRoom:] }

// newTexts returns a pool of texts with room from the start.
func newTexts(room, kept int) *sync.Pool {
	pool := new(sync.Pool)
	pool.New = func() any { return &text{b: make([]byte, headRoom, headRoom+room), pool: pool, kept: kept} }
	return pool
}

var (
	// texts are for one assessment, of which one without explanation fits from the start, or
	// the monitoring of one wallet. That of a book of two hundred positions takes 3 MB.
	texts = newTexts(12<<10, 4<<20)
	// batchTexts are for fifty.
	batchTexts = newTexts(256<<10, 4<<20)
)

// Read implements io.Reader.
func (t *text) Read(p []byte) (int, error) {
	if t.read == len(t.body()) {
		return 0, io.EOF
	}
	n := copy(p, t.body()[t.read:])
	t.read += n
	return n, nil
}

// WriteTo implements io.WriterTo.
func (t *text) WriteTo(w io.Writer) (int64, error) {
	if bw, ok := w.(*bufio.Writer); ok && t.conn != nil && t.read == 0 && bw.Buffered() <= headRoom {
		return t.bypass(bw)
	}
	n, err := w.Write(t.body()[t.read:])
	t.read += n
	return int64(n), err
}

// bypass writes what is in the connection's buffer, which is the head, and the body.
func (t *text) bypass(bw *bufio.Writer) (int64, error) {
	from := headRoom - bw.Buffered()
	t.conn.heldBack = t.b[from:from:headRoom]
	err := bw.Flush()
	t.conn.heldBack = nil
	if err != nil {
		return 0, err
	}
	t.held.hold()
	n, err := t.conn.Write(t.b[from:])
	n = max(0, n-(headRoom-from))
	t.read = n
	return int64(n), err
}

// Close gives the memory back.
func (t *text) Close() error {
	t.read, t.conn, t.held = 0, nil, nil
	if cap(t.b) <= t.kept {
		t.pool.Put(t)
	}
	return nil
}

// newText returns an empty body of a pool, for the exchange to send or to give back at its end.
func (x *exchange) newText(pool *sync.Pool) *text {
	x.text = pool.Get().(*text)
	x.text.b = x.text.b[:headRoom]
	return x.text
}

// send answers with the exchange's text, compressed when the client accepts that and packs
// is set.
func (x *exchange) send(packs bool) {
	t := x.text
	if packs && len(t.body()) >= gzipFrom {
		x.ctx.Response.Header.SetCanonical(headerVary, varyEncoding)
		if acceptsGzip(x.head.acceptEncoding) {
			x.reply(fasthttp.StatusOK, typeJSON, t.body())
			return
		}
	}
	x.heads(fasthttp.StatusOK, typeJSON)
	if x.conn != nil && x.conn.plain {
		t.conn = x.conn
	}
	x.ctx.Response.SetBodyStream(t, len(t.body()))
	x.text = nil // fasthttp's
}
