//go:build !linux

package transport

import "time"

type arrival struct{}

// SinceLastByte is not known here: requests are refused by their number alone.
func (c *Conn) SinceLastByte() time.Duration { return 0 }

func (*Conn) unread() bool { return false }

func (*connections) unread() int { return 0 }
