// Package freeport finds ports for tests that stop a server and start it again on the same port.
package freeport

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports below the range that systems assign to connections (Linux: from 32,768 on). A port of that range
// could be taken by a connection while the server is stopped.
const first, count = 15_000, 15_000

// Find returns a TCP port of the loopback interface on which nothing listens at the moment.
func Find() (int, error) {
	for range 100 {
		port := first + rand.IntN(count)
		if ln, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, ln.Close()
		}
	}
	return 0, errors.New("no free port")
}
