package server

import (
	"context"
	"math"
	"net"
	"strings"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/pprofhandler"

	"ballast/server/api"
	"ballast/server/transport"
)

// metricsConns is the number of connections of the metrics listener; a new one takes the oldest one's place.
const metricsConns = 64

// ServeMetrics answers GET /metrics and profiles of the process, and nothing else, without a key on a separate
// listener, until the server shuts down or ln fails.
func (s *Server) ServeMetrics(ln net.Listener) error {
	conns := transport.New(transport.Config{
		Limits:  transport.Limits{MaxConns: metricsConns, MaxKeylessConnsPerIP: -1},
		TooMany: tooManyConns, Warn: s.warn,
	})
	open := fasthttp.Server{
		Name:                 serverName,
		ReadTimeout:          s.cfg.ReadTimeout,
		WriteTimeout:         s.cfg.WriteTimeout,
		Concurrency:          math.MaxInt32, // conns has the limit
		NoDefaultContentType: true,
		Logger:               quiet{s},
		ErrorHandler:         s.handleBroken,
		Handler: func(ctx *fasthttp.RequestCtx) {
			if isProfile(ctx) {
				s.guarded("profile", func() { pprofhandler.PprofHandler(ctx) })
				return
			}
			x := s.begin(ctx, ctx.Time())
			defer s.end(x)
			if x.route = findRoute(x.path); x.route != routeMetrics || !ctx.IsGet() {
				x.fail(api.CodeNotFound, "this listener serves GET /metrics and /debug/pprof only")
				return
			}
			s.metricsHandler(x)
		},
	}
	stop := context.AfterFunc(s.life, func() { open.Shutdown() })
	defer stop()
	wrapped, err := conns.Listen(ln)
	if err != nil {
		return err
	}
	return open.Serve(wrapped)
}

// isProfile reports whether a request is for a profile. The page with the command line is none, because that
// may have secrets.
func isProfile(ctx *fasthttp.RequestCtx) bool {
	name, is := strings.CutPrefix(string(ctx.Path()), "/debug/pprof/")
	return is && ctx.IsGet() && name != "cmdline"
}
