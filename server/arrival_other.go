//go:build !linux

package server

import "time"

type arrival struct{}

// sinceLastByte is not known here: requests are refused by their number alone.
func (c *conn) sinceLastByte() time.Duration { return 0 }

func (*connections) ready() int { return 0 }
