package server

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"ballast/server/api"
)

// recovered answers a request whose handler panicked.
func (s *Server) recovered(x *exchange, r any) {
	s.panicked(r, "request_id", string(x.id), "route", routeTable[x.route].path, "traceparent", x.trace())
	x.memory = nil // half-written
	x.release()
	x.ctx.Response.Reset()
	x.fail(api.CodeInternal, ourFault)
	x.ctx.Response.SetConnectionClose()
	x.tally.count(x.route, x.ctx.Response.StatusCode())
}

// panicked counts and logs a panic, with the stack of the goroutine that recovers it.
func (s *Server) panicked(r any, where ...any) {
	s.metrics.panics.Inc()
	s.cfg.Log.Error("panic", append(where, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))...)
}

// guarded runs work of a goroutine and survives its panic.
func (s *Server) guarded(what string, work func()) {
	defer func() {
		if r := recover(); r != nil {
			s.panicked(r, "in", what)
		}
	}()
	work()
}

// warn logs something that may come in floods, at a bounded rate.
func (s *Server) warn(msg string, args ...any) {
	if dropped, ok := s.complain.allow(); ok {
		s.cfg.Log.Log(s.life, slog.LevelWarn, msg, append(args, "suppressed_before", dropped)...)
	}
}

// warnFailed does so of a request, of which most are suppressed in a flood: those leave
// nothing on the heap.
func (s *Server) warnFailed(x *exchange, code, detail string) {
	if dropped, ok := s.complain.allow(); ok {
		s.cfg.Log.Log(s.life, slog.LevelWarn, "request failed", "request_id", string(x.id), "route", routeTable[x.route].path,
			"code", code, "detail", detail, "traceparent", x.trace(), "suppressed_before", dropped)
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
	q.s.metrics.connErrors.Inc()
	q.s.cfg.Log.Debug("connection", "event", format)
}
