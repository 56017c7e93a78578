package server

import (
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"ballast/server/api"
)

// recovered answers a request whose handler panicked.
func (s *Server) recovered(x *exchange, r any) {
	s.supervisor.Panicked(r, "request_id", string(x.id), "endpoint", routeTable[x.route].name, "traceparent", x.trace())
	x.memory = nil // half-written
	x.ctx.Response.Reset()
	x.fail(api.CodeInternal, ourFault)
	x.release()
	x.ctx.Response.SetConnectionClose()
	x.tally.count(x.route, x.ctx.Response.StatusCode(), 0)
}

// guarded runs work and recovers its panic.
func (s *Server) guarded(what string, work func()) {
	defer s.supervisor.Recover(what)
	work()
}

// floodEvery is the minimum interval between log lines about requests with one code or message.
const floodEvery = 100 * time.Millisecond

// warn logs an event at a limited rate.
func (s *Server) warn(msg string, args ...any) {
	s.supervisor.WarnEvery(msg, floodEvery, msg, args...)
}

// warnFailed logs a failed request at a limited rate. Suppressed lines allocate nothing.
func (s *Server) warnFailed(x *exchange, code, detail string) {
	if more, ok := s.supervisor.Allow(code, floodEvery); ok {
		s.cfg.Log.Warn("request failed", "request_id", string(x.id), "endpoint", routeTable[x.route].name,
			"code", code, "detail", detail, "traceparent", x.trace(), "more", more)
	}
}

// logAccess logs a share of the requests, without key and wallet.
func (s *Server) logAccess(x *exchange, took time.Duration) {
	if rand.Float64() < s.cfg.AccessLog {
		s.cfg.Log.Info("request", "request_id", string(x.id), "endpoint", routeTable[x.route].name,
			"status", x.ctx.Response.StatusCode(), "took", took, "key", s.caller(x), "traceparent", x.trace())
	}
}

// trace returns the request's traceparent for the log, "" without a usable one.
func (x *exchange) trace() string {
	if !usableTrace(x.headers.traceparent) {
		return ""
	}
	return string(x.headers.traceparent)
}

// quiet is fasthttp's logger. fasthttp's messages quote what clients sent, including keys, so only their
// constant part is used.
type quiet struct{ s *Server }

// Printf counts a message and logs its format. Errors of connections that were closed to make room for newer
// ones are ignored.
func (q quiet) Printf(format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, net.ErrClosed) {
			return
		}
	}
	q.s.metrics.connErrors.Add(1)
	q.s.cfg.Log.Debug("connection", "event", format)
}
