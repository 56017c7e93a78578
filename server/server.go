package server

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/supervise"
	"ballast/server/admission"
	"ballast/server/alerts"
	"ballast/server/auth"
	"ballast/server/mcp"
	"ballast/server/transport"
)

const (
	serverName = "ballast"
	// maxHeader bounds request line and headers together.
	maxHeader = 8 << 10
	// writeBuffer is a connection's: for heads and small answers, since a text passes it by
	// with its head. Under TLS nothing does, and it holds a whole assessment, so that it
	// leaves in one record.
	writeBuffer    = 4 << 10
	writeBufferTLS = 16 << 10
	// maxBody bounds the body of a request, maxBatchBody that of a batch.
	maxBody      = 64 << 10
	maxBatchBody = 512 << 10
)

// ErrDraining is the refusal to serve after Shutdown.
var ErrDraining = errors.New("server is shutting down")

// Server is the HTTP service. Create it with New.
type Server struct {
	cfg     Config
	started time.Time

	http       fasthttp.Server
	admission  *admission.Controller
	memories   memories
	exchanges  sync.Pool
	guesses    *auth.Guesses
	refresher  *refresher
	unset      unsetSettings
	transport  *transport.Transport
	hub        *alerts.Hub
	metrics    *serverMetrics
	supervisor *supervise.Supervisor

	modelInfo modelInfo
	coverages coverages
	ids       *requestIDs
	wasReady  atomic.Bool
	pace      pace // of the warm-up
	draining  atomic.Bool

	mu        sync.Mutex
	listeners []net.Listener

	life context.Context // ends with Shutdown
	stop context.CancelFunc

	mcp *mcp.Server
}

// New returns a server. It starts goroutines that Shutdown ends.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), started: time.Now()}
	s.life, s.stop = context.WithCancel(context.Background())
	s.supervisor = supervise.New(s.cfg.Log)
	s.transport = transport.New(transport.Config{
		Tuning: *s.cfg.Tuning, Limits: s.cfg.Limits, TLS: s.cfg.TLS, TooMany: tooManyConns, Warn: s.warn, Guard: s.guarded,
	})
	s.admission = admission.New(admission.Config{
		Capacity: s.cfg.MaxInFlight, MaxWait: s.cfg.MaxQueueWait, Timeout: s.cfg.RequestTimeout,
		Simulators: s.cfg.Engine.Simulators(), Unread: s.transport.Unread,
	})
	s.memories.positions = s.cfg.Positions
	s.exchanges.New = func() any { return s.newExchange() }
	s.guesses = auth.NewGuesses(s.cfg.AuthFailureLimit)
	s.modelInfo = newModelInfo()
	s.ids = newRequestIDs(s.started)
	s.hub = alerts.NewHub(alerts.Config{Log: s.cfg.Log})
	s.metrics = newServerMetrics()
	s.refresher = newRefresher(s)
	s.mcp = mcp.New(mcp.Config{
		Ask: s.askRoute, Version: s.cfg.Version,
		Panicked: func(r any) { s.supervisor.Panicked(r, "in", "mcp") },
	})
	buffer := writeBuffer
	if s.cfg.TLS != nil {
		buffer = writeBufferTLS
	}
	s.http = fasthttp.Server{
		Name:               serverName,
		Handler:            s.handle,
		ErrorHandler:       s.handleBroken,
		Concurrency:        s.cfg.MaxConns + 1, // the listener refuses first, in JSON
		ReadBufferSize:     maxHeader,
		WriteBufferSize:    buffer,
		ReadTimeout:        s.cfg.ReadTimeout,
		WriteTimeout:       s.cfg.WriteTimeout,
		IdleTimeout:        s.cfg.IdleTimeout,
		MaxRequestBodySize: maxBody,
		HeaderReceived: func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
			path, _ := splitURI(h.RequestURI())
			return fasthttp.RequestConfig{MaxRequestBodySize: bodyLimit(path)}
		},
		DisablePreParseMultipartForm: true, // or a form would go to temporary files
		NoDefaultContentType:         true,
		CloseOnShutdown:              true,
		KeepHijackedConns:            true, // they are the hub's
		Logger:                       quiet{s},
	}
	return s
}

// Serve answers on ln until Shutdown, or until ln fails. It may be called for several
// listeners.
func (s *Server) Serve(ln net.Listener) error {
	wrapped := s.transport.Listen(ln)
	if !s.enlist(wrapped) {
		return ErrDraining
	}
	return s.http.Serve(wrapped)
}

// enlist notes a listener for Shutdown to close; false when that has been called.
func (s *Server) enlist(ln net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() {
		return false
	}
	s.listeners = append(s.listeners, ln)
	return true
}

// Ready reports whether requests will be answered: what GET /readyz says.
func (s *Server) Ready() bool { return s.Readiness().Ready }

// Alerts returns the hub of the alert sockets, for whoever brings results of other
// replicas. It belongs to the server.
func (s *Server) Alerts() *alerts.Hub { return s.hub }

const (
	// drainGrace is how long connections stay open at most that may have sent a request
	// before their client could know of the end: each answer says Connection: close.
	drainGrace = 250 * time.Millisecond
	// acceptGrace is how long the listeners stay open at least, for connections under way.
	acceptGrace = 20 * time.Millisecond
)

// Shutdown ends the service in good order: readiness turns false at once, what arrives within
// drainGrace is still answered, the listeners close, requests in flight are answered, queued
// alerts go out. It returns when all is done, or after DrainTimeout or the end of ctx with
// the connections that are left.
func (s *Server) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.DrainTimeout)
	defer cancel()
	s.mu.Lock()
	again := s.draining.Swap(true)
	s.mu.Unlock()
	if !again {
		s.letArrive(ctx)
	}
	s.transport.Drain()
	for _, ln := range s.listeners { // no more are enlisted
		ln.Close() // fasthttp may not have got it yet
	}
	drained := make(chan error, 1)
	go func() { drained <- s.hub.Shutdown(ctx) }()
	err := s.http.ShutdownWithContext(ctx)
	err = errors.Join(err, <-drained)
	s.stop()
	s.refresher.wait()
	s.transport.Close()
	s.admission.Close()
	return err
}

// letArrive waits for requests that are on their way.
func (s *Server) letArrive(ctx context.Context) {
	for begun := time.Now(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		waited := time.Since(begun)
		if waited >= drainGrace || waited >= acceptGrace && s.transport.Listed() == 0 {
			return
		}
	}
}
