//go:build !linux

package transport

import "time"

// SinceLastByte returns 0 (unknown): on this system no request is refused for its wait in the socket.
func (c *Conn) SinceLastByte() time.Duration { return 0 }

func readable(int32) bool { return false }

func (*connections) unread() int { return 0 }
