package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/mcp"
)

// mcpMessage answers POST /mcp. Admission is checked here and again for each tool call's request, so
// that a refusal costs little.
func (s *Server) mcpMessage(x *exchange) {
	if !x.admit(admission.Plain, 1) {
		return
	}
	x.ticket.Cancel()
	x.release()
	header := http.Header{"X-Request-Id": {string(x.id)}, "Authorization": {string(x.headers.authorization)}}
	for name, value := range x.ctx.Request.Header.All() {
		if strings.HasPrefix(string(name), "Mcp-") {
			header.Set(string(name), string(value))
		}
	}
	ctx, cancel := context.WithTimeout(s.life, s.cfg.RequestTimeout)
	defer cancel()
	// Copies, because a tool may still use them after a timeout.
	switch r := s.mcp.ServeHTTP(ctx, header, append([]byte(nil), x.ctx.PostBody()...)); {
	case r.Fault != "":
		x.fail(api.CodeValidation, r.Fault)
	case r.Status == fasthttp.StatusInternalServerError:
		x.fail(api.CodeInternal, ourFault)
	case r.Status == 0:
		x.fail(api.CodeDeadlineExceeded, "the tool did not answer within "+seconds(s.cfg.RequestTimeout))
	default:
		x.reply(r.Status, typeJSON, r.Body)
	}
}

// askRoute answers a tool's request with the handler of its route. The request has the key and id of the
// message with the tool call, which was admitted.
func (s *Server) askRoute(_ context.Context, header http.Header, target string, body []byte) (mcp.Answer, error) {
	var request fasthttp.Request
	request.SetRequestURI(target)
	request.SetBody(body)
	var ctx fasthttp.RequestCtx
	ctx.Init(&request, nil, nil)
	s.handleInner(&ctx, header)
	r := &ctx.Response
	return mcp.Answer{Status: r.StatusCode(), RetryAfter: string(r.Header.Peek("Retry-After")),
		RequestID: header.Get("X-Request-Id"), Body: r.Body()}, nil
}

func (s *Server) handleInner(ctx *fasthttp.RequestCtx, header http.Header) {
	x := s.begin(ctx, time.Now())
	defer s.end(x)
	x.headers.authorization = []byte(header.Get("Authorization"))
	x.id = append(x.id[:0], header.Get("X-Request-Id")...)
	if x.route = findRoute(x.path); x.route == routeNone {
		x.fail(api.CodeNotFound, "no such route")
		return
	}
	s.dispatch(x)
}
