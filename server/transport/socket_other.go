//go:build !linux || race

package transport

import "net"

// rawStream returns an ordinary stream: raw system calls are for Linux only, and the race
// detector cannot see them.
func rawStream(c net.Conn) stream { return ordinary{c} }
