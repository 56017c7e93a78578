// Command static is a yardstick for compare: the cost of HTTP and the socket alone. It uses
// fasthttp like the service, and answers every request with the same bytes, as many as a validation
// has, in one write.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"

	"github.com/valyala/fasthttp"

	"ballast/bench/yardstick/sample"
)

// writeBuffer is the size of the service's write buffer in bytes. With fasthttp's default of 4 KB
// the answer would need two system calls.
const writeBuffer = 16 << 10

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to answer on")
	flag.Parse()
	if err := serve(*listen); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}

func serve(address string) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", ln.Addr())
	s := fasthttp.Server{Name: "static", Handler: answer, WriteBufferSize: writeBuffer, ReadBufferSize: 8 << 10}
	return s.Serve(ln)
}

func answer(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	ctx.SetBody(sample.JSON)
}
