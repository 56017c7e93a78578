//go:build !linux

package server

import "time"

type arrival struct{}

// SinceLastByte is not known here: requests are refused by their number alone.
func (c *conn) SinceLastByte() time.Duration { return 0 }

func (*connections) ready() int { return 0 }
