// Package sample holds what the yardsticks share: an example of a validation, which they answer with (a real answer
// of the service for a wallet without positions), and their command line.
package sample

import (
	_ "embed"
	"flag"
	"fmt"
	"net"
	"os"
)

// JSON is the answer, 7.3 KB.
//
//go:embed answer.json
var JSON []byte

// Serve listens on the address that the command line names, says so, and serves until that fails.
func Serve(name string, serve func(net.Listener) error) {
	listen := flag.String("listen", "127.0.0.1:0", "address to answer on")
	flag.Parse()
	ln, err := net.Listen("tcp", *listen)
	if err == nil {
		fmt.Printf("listening on http://%s\n", ln.Addr())
		err = serve(ln)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(1)
}
