package server

import (
	"math/rand/v2"
	"time"

	"ballast/server/api"
)

// recovered answers a request whose handler panicked.
func (s *Server) recovered(x *exchange, r any) {
	s.supervisor.Panicked(r, "request_id", string(x.id), "endpoint", routeTable[x.route].name, "traceparent", x.trace())
	x.memory = nil // half-written
	x.release()
	x.ctx.Response.Reset()
	x.fail(api.CodeInternal, ourFault)
	x.ctx.Response.SetConnectionClose()
	x.tally.count(x.route, x.ctx.Response.StatusCode(), 0)
}

// guarded runs work of a goroutine and survives its panic.
func (s *Server) guarded(what string, work func()) {
	defer s.supervisor.Recover(what)
	work()
}

// floodEvery bounds the rate of what is logged of requests, by code or message.
const floodEvery = 100 * time.Millisecond

// warn logs something that may come in floods, at a bounded rate.
func (s *Server) warn(msg string, args ...any) {
	s.supervisor.WarnEvery(msg, floodEvery, msg, args...)
}

// warnFailed does so of a request, of which most are suppressed in a flood: those leave
// nothing on the heap.
func (s *Server) warnFailed(x *exchange, code, detail string) {
	if more, ok := s.supervisor.Allow(code, floodEvery); ok {
		s.cfg.Log.Warn("request failed", "request_id", string(x.id), "endpoint", routeTable[x.route].name,
			"code", code, "detail", detail, "traceparent", x.trace(), "more", more)
	}
}

// logAccess logs a share of the requests, without what was asked for: neither key nor wallet.
func (s *Server) logAccess(x *exchange, took time.Duration) {
	if rand.Float64() < s.cfg.AccessLog {
		s.cfg.Log.Info("request", "request_id", string(x.id), "endpoint", routeTable[x.route].name, "status", x.ctx.Response.StatusCode(),
			"took", took, "key", s.caller(x), "traceparent", x.trace())
	}
}

// trace is the request's traceparent for the log, "" without a usable one.
func (x *exchange) trace() string {
	if !usableTrace(x.head.traceparent) {
		return ""
	}
	return string(x.head.traceparent)
}

// quiet is fasthttp's logger. Its messages quote what clients sent, keys included, so
// only the fixed part of them is taken.
type quiet struct{ s *Server }

// Printf counts a message and logs its format.
func (q quiet) Printf(format string, _ ...any) {
	q.s.metrics.connErrors.Add(1)
	q.s.cfg.Log.Debug("connection", "event", format)
}
