//go:build !linux

package main

import (
	"context"
	"errors"
	"net"
)

// There are no abstract sockets: on a disk that takes no socket the service cannot be reached.

func listenDiskless(string) (net.Listener, error) { return nil, errors.ErrUnsupported }

func dialDiskless(context.Context, string) (net.Conn, error) { return nil, errors.ErrUnsupported }
