//go:build !linux

package load

import (
	"context"
	"errors"
)

// Run needs epoll and timers that are exact to the microsecond.
func Run(context.Context, Config) (*Report, error) {
	return nil, errors.New("the load generator runs on Linux only")
}
