package alerts

import (
	"encoding/base64"
	"net"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"ballast/server/api"
)

// Upgrade turns a request into an alert socket, or answers why not. Pages of any origin
// may connect: there are no cookies, and no key is asked for. Extensions and subprotocols
// are declined.
//
// The fasthttp server must have KeepHijackedConns set. For the cheapest fan-out its
// connections should have the method SyscallConn, as those of package net do.
func (h *Hub) Upgrade(ctx *fasthttp.RequestCtx, client Client) {
	if h.refusing.Load() {
		h.stats.refused.Add(1)
		h.cfg.Refuse(ctx, "alert sockets are not accepted now")
		return
	}
	if websocket.FastHTTPIsWebSocketUpgrade(ctx) && !keyOK(ctx.Request.Header.Peek("Sec-WebSocket-Key")) {
		h.badHandshake(ctx, fasthttp.StatusBadRequest, "header Sec-WebSocket-Key is missing or not 16 bytes in base64")
		return
	}
	_ = h.upgrader.Upgrade(ctx, func(ws *websocket.Conn) { h.adopt(ws, client) }) // it has answered
}

// keyOK checks what the library takes as it comes.
func keyOK(header []byte) bool {
	const size = 16
	var key [size + 2]byte // what 24 characters may decode to
	if len(header) != base64.StdEncoding.EncodedLen(size) {
		return false
	}
	n, err := base64.StdEncoding.Decode(key[:], header)
	return err == nil && n == size
}

func (h *Hub) newUpgrader() websocket.FastHTTPUpgrader {
	return websocket.FastHTTPUpgrader{
		ReadBufferSize:  1, // the library's connection reads and writes nothing
		WriteBufferPool: noBuffers{},
		CheckOrigin:     func(*fasthttp.RequestCtx) bool { return true },
		Error: func(ctx *fasthttp.RequestCtx, status int, reason error) {
			h.badHandshake(ctx, status, strings.TrimPrefix(reason.Error(), "websocket: "))
		},
	}
}

// noBuffers keeps the library from making a write buffer.
type noBuffers struct{}

func (noBuffers) Get() any { return nil }
func (noBuffers) Put(any)  {}

func (h *Hub) badHandshake(ctx *fasthttp.RequestCtx, status int, detail string) {
	h.stats.refused.Add(1)
	h.cfg.BadRequest(ctx, status, detail)
	ctx.Response.Header.Set("Sec-WebSocket-Version", "13")
}

// adopt makes a hijacked connection a socket.
func (h *Hub) adopt(ws *websocket.Conn, client Client) {
	defer h.supervisor.Recover("alert handshake")
	hijacked := ws.NetConn()
	conn := hijacked
	if wrapper, ok := hijacked.(interface{ UnsafeConn() net.Conn }); ok {
		conn = wrapper.UnsafeConn()
	}
	h.admit(newSocket(h, client, conn, hijacked))
}

// admit starts a socket, or closes it when none are accepted any more.
func (h *Hub) admit(s *socket) {
	refusal := h.join(s)
	if refusal == nil {
		h.stats.accepted.Add(1)
		return
	}
	h.stats.refused.Add(1)
	_ = s.conn.SetWriteDeadline(time.Now().Add(closeWait))
	_, _ = s.conn.Write(refusal)
	s.drop()
}

func refusePlainly(ctx *fasthttp.RequestCtx, detail string) {
	ctx.Response.Header.Set("Retry-After", "1")
	answer(ctx, fasthttp.StatusServiceUnavailable, api.CodeOverloaded, detail)
}

func badRequestPlainly(ctx *fasthttp.RequestCtx, status int, detail string) {
	answer(ctx, status, api.CodeBadRequest, detail)
}

func answer(ctx *fasthttp.RequestCtx, status int, code, detail string) {
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBody(api.AppendError(nil, code, detail))
}
