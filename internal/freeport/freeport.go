// Package freeport finds ports for tests that end a server and start it again on the same
// one.
package freeport

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports below those that systems give to connections (Linux: from 32,768 on): a port of
// that range could be taken by any connection while its server is away.
const first, count = 15_000, 15_000

// Find returns a TCP port of the loopback interface that nobody listens on just now.
func Find() (int, error) {
	for range 100 {
		port := first + rand.IntN(count)
		if ln, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, ln.Close()
		}
	}
	return 0, errors.New("no free port")
}
