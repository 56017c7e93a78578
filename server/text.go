package server

import (
	"io"
	"sync"

	"github.com/valyala/fasthttp"
)

// text is the body of an answer. fasthttp reads it as a stream, straight into the buffer of
// the connection, and closes it, which gives the memory back at once: the next answer is
// written where the last one was, on whichever connection, and finds that memory in the
// processor's cache. A body that belongs to its connection would be as cold as that.
type text struct {
	b    []byte
	read int // how much of it has been read
	pool *sync.Pool
	kept int // the largest capacity that is kept
}

// newTexts returns a pool of texts with room from the start.
func newTexts(room, kept int) *sync.Pool {
	pool := new(sync.Pool)
	pool.New = func() any { return &text{b: make([]byte, 0, room), pool: pool, kept: kept} }
	return pool
}

var (
	// texts are for one assessment, of which one without explanation fits from the start, or
	// the monitoring of one wallet.
	texts = newTexts(12<<10, 1<<20)
	// batchTexts are for fifty.
	batchTexts = newTexts(256<<10, 4<<20)
)

// Read implements io.Reader.
func (t *text) Read(p []byte) (int, error) {
	if t.read == len(t.b) {
		return 0, io.EOF
	}
	n := copy(p, t.b[t.read:])
	t.read += n
	return n, nil
}

// WriteTo implements io.WriterTo.
func (t *text) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(t.b[t.read:])
	t.read += n
	return int64(n), err
}

// Close gives the memory back.
func (t *text) Close() error {
	t.read = 0
	if cap(t.b) <= t.kept {
		t.pool.Put(t)
	}
	return nil
}

// newText returns an empty body of a pool, for the exchange to send or to give back at its end.
func (x *exchange) newText(pool *sync.Pool) *text {
	x.text = pool.Get().(*text)
	x.text.b = x.text.b[:0]
	return x.text
}

// send answers with the exchange's text, compressed when the client accepts that and packs
// is set.
func (x *exchange) send(packs bool) {
	if packs && len(x.text.b) >= gzipFrom {
		x.ctx.Response.Header.SetCanonical(headerVary, varyEncoding)
		if acceptsGzip(x.head.acceptEncoding) {
			x.reply(fasthttp.StatusOK, typeJSON, x.text.b)
			return
		}
	}
	x.heads(fasthttp.StatusOK, typeJSON)
	x.ctx.Response.SetBodyStream(x.text, len(x.text.b))
	x.text = nil // fasthttp's
}
