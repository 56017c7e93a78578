package alerts

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"ballast/server/api"
)

// Upgrade turns a request into an alert socket, or returns the code and the detail of the error with which
// the caller has to answer. Pages of any origin may connect: the socket uses no cookies and requires no key.
// Extensions and subprotocols are declined. With details, alerts have since when their condition stands and how
// often it was found.
//
// The fasthttp server must set KeepHijackedConns. For non-blocking writes its connections need
// the method SyscallConn, as the connections of package net have.
func (h *Hub) Upgrade(ctx *fasthttp.RequestCtx, client Client, details bool) (code, detail string) {
	if h.refusing.Load() {
		h.stats.Refused.Add(1)
		return api.CodeOverloaded, notAccepting
	}
	err := errBadHeaders
	if !websocket.FastHTTPIsWebSocketUpgrade(ctx) || headersOK(&ctx.Request.Header) {
		err = h.upgrader.Upgrade(ctx, func(ws *websocket.Conn) { h.adopt(ws, client, details) })
	}
	if err == nil {
		return "", ""
	}
	h.stats.Refused.Add(1)
	ctx.Response.Header.Set("Sec-WebSocket-Version", "13")
	return api.CodeBadRequest, strings.TrimPrefix(err.Error(), "websocket: ")
}

// notAccepting is the reason while SetAccepting is false.
const notAccepting = "alert sockets are not accepted now"

var errBadHeaders = errors.New("want one header Sec-WebSocket-Key, 16 bytes in base64, and one Sec-WebSocket-Version")

// headersOK checks what the library does not.
func headersOK(h *fasthttp.RequestHeader) bool {
	keys := bytes.Join(h.PeekAll("Sec-WebSocket-Key"), []byte(", ")) // two are not base64
	key, err := base64.StdEncoding.DecodeString(string(keys))
	return err == nil && len(key) == 16 && len(h.PeekAll("Sec-WebSocket-Version")) < 2
}

// adopt turns a hijacked connection into a socket.
func (h *Hub) adopt(ws *websocket.Conn, client Client, details bool) {
	defer h.supervisor.Recover("alert handshake")
	hijacked := ws.NetConn()
	conn := hijacked
	if wrapper, ok := hijacked.(interface{ UnsafeConn() net.Conn }); ok {
		conn = wrapper.UnsafeConn()
	}
	s := newSocket(h, client, conn, hijacked)
	s.details = details
	h.admit(s)
}

// admit starts a socket, or closes it when the hub accepts no more sockets.
func (h *Hub) admit(s *socket) {
	refusal := h.join(s)
	if refusal == nil {
		return
	}
	h.stats.Refused.Add(1)
	_ = s.conn.SetWriteDeadline(time.Now().Add(closeWait))
	_, _ = s.conn.Write(refusal)
	s.drop()
}
