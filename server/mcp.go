package server

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/mcp"
)

// mcpMessages answers POST /mcp: one message, or the messages of a batch. Each counts as one request of its key.
func (s *Server) mcpMessages(x *exchange) {
	header := http.Header{"X-Request-Id": {string(x.id)}, "Authorization": {string(x.headers.authorization)}}
	for name, value := range x.ctx.Request.Header.All() {
		if strings.HasPrefix(string(name), "Mcp-") {
			header.Set(string(name), string(value))
		}
	}
	if origin := x.ctx.Request.Header.Peek("Origin"); len(origin) > 0 && !s.mayCall(origin, x.ctx.Host()) {
		r := mcp.Refused("pages of " + printable.Text(origin) + " may not call: the service's --cors-origin names " +
			"the origin that may")
		x.reply(fasthttp.StatusForbidden, typeJSON, r)
		return
	}
	// A copy, because a tool may still use it after a timeout.
	body := append([]byte(nil), x.ctx.PostBody()...)
	messages, batch := mcp.Read(body, header.Get("Mcp-Protocol-Version"))
	var replies []mcp.Reply
	for i, m := range messages {
		if i > 0 && !s.authorize(x) {
			replies = append(replies, m.Refuse(x.refusal()))
			continue
		}
		replies = append(replies, s.mcpAnswer(x, header, m))
	}
	x.replyMCP(replies, batch)
}

// mayCall reports whether pages of an origin may call: those of --cors-origin, and the service's own.
func (s *Server) mayCall(origin, host []byte) bool {
	allowed := s.cfg.CORSOrigin
	_, site, _ := bytes.Cut(origin, []byte("://"))
	return allowed == "*" || string(origin) == allowed || bytes.EqualFold(site, host)
}

// replyMCP sends the answer to the messages of one body.
func (x *exchange) replyMCP(replies []mcp.Reply, batch bool) {
	r := replies[0]
	if batch {
		r = mcp.Join(replies)
	}
	if r.Status < fasthttp.StatusBadRequest {
		x.ctx.Response.Header.Del("Retry-After") // that of a refused message, whose answer has the seconds
	}
	contentType := typeJSON
	if len(r.Body) == 0 {
		contentType = nil
	}
	x.reply(r.Status, contentType, r.Body)
}

// mcpAnswer answers one message. Admission is checked here and again for each tool call's request, so that a
// refusal costs little.
func (s *Server) mcpAnswer(x *exchange, header http.Header, m mcp.Message) mcp.Reply {
	if !x.admit(admission.Plain, 1) {
		return m.Refuse(x.refusal())
	}
	x.ticket.Cancel()
	x.release()
	ctx, cancel := context.WithTimeout(s.life, s.cfg.RequestTimeout)
	defer cancel()
	r, ok := s.mcp.Answer(ctx, header, m)
	switch {
	case ok:
		return r
	case ctx.Err() != nil:
		x.fail(api.CodeDeadlineExceeded, "the tool did not answer within "+seconds(s.cfg.RequestTimeout))
	default:
		x.fail(api.CodeInternal, ourFault)
	}
	return m.Refuse(x.refusal())
}

// mcpRefused replaces the error of HTTP with which a message was refused before it was read.
func (x *exchange) mcpRefused() {
	messages, batch := mcp.Read(x.ctx.PostBody(), string(x.ctx.Request.Header.Peek("Mcp-Protocol-Version")))
	refusal := x.refusal()
	var replies []mcp.Reply
	for _, m := range messages {
		replies = append(replies, m.Refuse(refusal))
	}
	x.replyMCP(replies, batch)
}

// refusal returns the error that the exchange would answer.
func (x *exchange) refusal() *mcp.Answer {
	r := &x.ctx.Response
	return &mcp.Answer{Status: r.StatusCode(), RetryAfter: string(r.Header.Peek("Retry-After")),
		RequestID: string(x.id), Body: append([]byte(nil), r.Body()...)}
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
