package server

import (
	"errors"
	"net"

	"github.com/valyala/fasthttp"
)

// Errors of fasthttp for requests that it could not read.

func isBodyTooLarge(err error) bool { return errors.Is(err, fasthttp.ErrBodyTooLarge) }

func isHeadTooLarge(err error) bool {
	var small *fasthttp.ErrSmallBuffer
	return errors.As(err, &small)
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
