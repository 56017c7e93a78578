//go:build !linux

package load

import (
	"context"
	"errors"
)

// Run returns an error: the load generator needs Linux, for epoll and timers with a resolution of a
// microsecond.
func Run(context.Context, Config) (*Report, error) {
	return nil, errors.New("the load generator runs on Linux only")
}
