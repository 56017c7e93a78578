package server

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// packers are idle compressors: creating one costs more than compressing most bodies.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for unknown levels only
	return w
}}

// pack compresses a body.
func pack(body []byte) []byte {
	b := bytes.NewBuffer(make([]byte, 0, len(body)/3))
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(b)
	w.Write(body) // a bytes.Buffer never fails
	w.Close()
	return b.Bytes()
}
