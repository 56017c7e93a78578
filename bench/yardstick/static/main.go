// Command static is a yardstick for compare: the cost of HTTP and the socket alone. It uses
// fasthttp like the service, and answers every request with the same bytes, as many as a validation
// has, in one write.
package main

import (
	"github.com/valyala/fasthttp"

	"ballast/bench/yardstick/sample"
)

// writeBuffer is the size of the service's write buffer in bytes. With fasthttp's default of 4 KB
// the answer would need two system calls.
const writeBuffer = 16 << 10

func main() {
	s := fasthttp.Server{Name: "static", Handler: answer, WriteBufferSize: writeBuffer, ReadBufferSize: 8 << 10}
	sample.Serve("static", s.Serve)
}

func answer(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	ctx.SetBody(sample.JSON)
}
