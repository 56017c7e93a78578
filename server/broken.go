package server

import (
	"bytes"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/server/api"
)

// headReceived returns the limit of a request's body. fasthttp calls expectation for a lower-case 100-continue
// of any version only, so every expectation of HTTP/1.1 becomes that, and those of HTTP/1.0 are removed.
func headReceived(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if len(h.PeekCanonical(headerExpect)) > 0 {
		h.DelBytes(headerExpect)
		if h.IsHTTP11() {
			h.SetCanonical(headerExpect, expectContinue)
		}
	}
	uri := h.RequestURI()
	if len(uri) < len(routeTable[routeBatch].path) {
		return fasthttp.RequestConfig{MaxRequestBodySize: maxBody}
	}
	path, _ := splitURI(uri)
	return fasthttp.RequestConfig{MaxRequestBodySize: bodyLimit(path)}
}

// expectation returns the status of the answer to an Expect header: 100, or that of an error, which it answers.
func (s *Server) expectation(ctx *fasthttp.RequestCtx) int {
	for line := range bytes.SplitSeq(ctx.Request.Header.RawHeaders(), []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if value = trimBlanks(value); bytes.EqualFold(name, headerExpect) && !bytes.EqualFold(value, expectContinue) {
			x := s.begin(ctx, time.Now())
			defer s.end(x)
			x.linger()
			x.refuse(api.CodeExpectation, "the service can only send 100 Continue",
				api.Mending{Field: "Expect", Got: printable.Text(value),
					Allowed: &api.Allowed{Values: []string{"100-continue"}}})
			return fasthttp.StatusExpectationFailed
		}
	}
	if path, _ := splitURI(ctx.RequestURI()); ctx.Request.Header.ContentLength() > bodyLimit(path) {
		s.handleBroken(ctx, fasthttp.ErrBodyTooLarge)
		return ctx.Response.StatusCode()
	}
	return fasthttp.StatusContinue
}

// bodyLimit returns the maximum size of a request's body, by path.
func bodyLimit(path []byte) int {
	if string(path) == routeTable[routeBatch].path {
		return maxBatchBody
	}
	return maxBody
}

// handleBroken answers a request that cannot be read. The connection then ends.
func (s *Server) handleBroken(ctx *fasthttp.RequestCtx, err error) {
	now := time.Now()
	if nc := ctx.Conn(); nc != nil {
		// fasthttp keeps the write deadline of the previous answer, which may have passed.
		nc.SetWriteDeadline(now.Add(s.cfg.WriteTimeout))
	}
	x := s.begin(ctx, now)
	defer s.end(x)
	x.linger()
	var head *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		// Only the body is too large: check the headers first. fasthttp has discarded the headers of
		// a chunked request.
		if len(ctx.Request.Header.RawHeaders()) == 0 || s.admitHead(x) {
			limit := bodyLimit(x.path)
			x.refuse(api.CodeBodyTooLarge, "the body exceeds "+strconv.Itoa(limit)+" bytes",
				api.Mending{Allowed: &api.Allowed{Max: float64(limit)}})
		}
	case errors.As(err, &head):
		if len(ctx.Request.Header.RawHeaders()) == 0 && headIsOneLine(err) {
			x.fail(api.CodeURITooLong, "the request line exceeds "+strconv.Itoa(maxHeader)+" bytes")
		} else {
			x.fail(api.CodeHeadersTooLarge, "the headers or trailers exceed "+strconv.Itoa(maxHeader)+" bytes")
		}
	case errors.As(err, &network) && network.Timeout():
		if s.draining.Load() {
			x.fail(api.CodeRequestTimeout, "the request did not arrive in time: the service is ending")
		} else {
			x.fail(api.CodeRequestTimeout, "the request did not arrive within "+s.cfg.ReadTimeout.String())
		}
	default:
		x.fail(api.CodeBadRequest, malformedRequest)
	}
}

const malformedRequest = "malformed HTTP request: want METHOD /path HTTP/1.1, one Host header, " +
	"lines of Name: value that end with CR LF, and a body of Content-Length bytes or in chunks"

// headIsOneLine reports whether headers are too large because of the request line. fasthttp shows that
// only in the text of the error, which quotes the beginning.
func headIsOneLine(err error) bool {
	_, contents, quoted := strings.Cut(err.Error(), `contents: "`)
	contents, _, _ = strings.Cut(contents, `"..."`)
	return quoted && !strings.Contains(contents, `\n`)
}
