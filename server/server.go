package server

import (
	"context"
	"errors"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/supervise"
	"ballast/server/admission"
	"ballast/server/alerts"
	"ballast/server/auth"
	"ballast/server/journal"
	"ballast/server/mcp"
	"ballast/server/transport"
)

const (
	serverName = "ballast"
	// maxHeader is the maximum size of request line and headers together.
	maxHeader = 8 << 10
	// writeBuffer is a connection's buffer for headers and small answers; assessments bypass it. With
	// TLS nothing bypasses it, so it holds a whole assessment, which is then sent as one TLS record.
	writeBuffer    = 4 << 10
	writeBufferTLS = 16 << 10
	// maxBody is the maximum size of a request's body in bytes, maxBatchBody the maximum for a batch.
	maxBody      = 64 << 10
	maxBatchBody = 512 << 10
)

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
	transport  *transport.Transport
	hub        *alerts.Hub
	metrics    *serverMetrics
	supervisor *supervise.Supervisor

	modelInfo []byte // the constant part of /v1/model-info
	coverages coverages
	ids       *requestIDs
	wasReady  atomic.Bool
	pace      pace        // speed of the warm-up
	ages      *oldestAges // of the best price of any listed asset, as seen whenever readiness is counted
	wallets   *oldestAges // of the wallets behind answers, of the last minute
	minute    lastMinute
	contract  [2]atomic.Pointer[servedContract] // the second: without unions
	draining  atomic.Bool
	camera    journal.Camera

	life     context.Context // ends with Shutdown
	stop     context.CancelFunc
	watching sync.WaitGroup

	mcp       *mcp.Server
	searching chan struct{} // has a token for each search for decisions

	aftermath *aftermath     // of the gate; nil without one
	gateWork  sync.WaitGroup // goroutines of the gate
}

// New returns a server. It starts goroutines, which Shutdown ends.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), started: time.Now()}
	s.life, s.stop = context.WithCancel(context.Background())
	s.supervisor = supervise.New(s.cfg.Log)
	s.transport = transport.New(transport.Config{
		Limits: s.cfg.Limits, TLS: s.cfg.TLS, TooMany: tooManyConns, Warn: s.warn,
	})
	s.admission = admission.New(admission.Config{
		Capacity: s.cfg.MaxInFlight, MaxWait: s.cfg.MaxQueueWait, Timeout: s.cfg.RequestTimeout,
		Simulators: s.cfg.Engine.Simulators(), Unread: s.transport.Unread,
	})
	s.exchanges.New = func() any {
		x := &exchange{s: s, id: make([]byte, 0, maxRequestID), tally: s.metrics.nextTally()}
		x.pause = x.yield // here: a method value is on the heap
		return x
	}
	s.searching = make(chan struct{}, searchers)
	s.guesses = auth.NewGuesses(s.cfg.AuthFailureLimit)
	s.modelInfo = constantModelInfo()
	s.ids = newRequestIDs(s.started)
	s.hub = alerts.NewHub(s.cfg.Log, s.cfg.Keys.Revoked, s.ownerOf)
	s.cfg.Keys.OnRevoke(func() {
		s.hub.CloseRevoked()
		s.transport.DropKeys(s.cfg.Keys.Revoked)
	})
	s.metrics = newServerMetrics()
	s.refresher = newRefresher(s)
	s.ages, s.wallets = newOldestAges(time.Minute, ageMinutes), newOldestAges(10*time.Second, 7)
	s.mcp = mcp.New(mcp.Config{
		Ask: s.askRoute, Version: s.cfg.Version, Panicked: func(r any) { s.supervisor.Panicked(r, "in", "mcp") },
	})
	if g := s.cfg.Gate; g != nil {
		s.aftermath = newAftermath(s)
		s.gateWork.Go(func() { s.supervisor.Run(s.life, "gate", g.Run) })
		s.gateWork.Go(func() { s.supervisor.Run(s.life, "orders that ended", s.aftermath.run) })
	}
	buffer := writeBuffer
	if s.cfg.TLS != nil {
		buffer = writeBufferTLS
	}
	s.http = fasthttp.Server{
		Name:                         serverName,
		Handler:                      s.handle,
		ErrorHandler:                 s.handleBroken,
		Concurrency:                  math.MaxInt32, // the transport limits connections
		ReadBufferSize:               maxHeader,
		WriteBufferSize:              buffer,
		ReadTimeout:                  s.cfg.ReadTimeout,
		WriteTimeout:                 s.cfg.WriteTimeout,
		IdleTimeout:                  s.cfg.IdleTimeout,
		MaxRequestBodySize:           maxBody,
		HeaderReceived:               headReceived,
		ExpectHandler:                s.expectation,
		DisablePreParseMultipartForm: true, // otherwise a form would be written to temporary files
		NoDefaultContentType:         true,
		CloseOnShutdown:              true,
		KeepHijackedConns:            true, // the alert hub owns them
		Logger:                       quiet{s},
	}
	s.watching.Go(func() {
		s.supervisor.Run(s.life, "watches", func(ctx context.Context) { s.cfg.Watches.Run(ctx, s.watchWallet) })
	})
	return s
}

// Serve serves ln until Shutdown, or until ln fails. It may be called for several listeners.
func (s *Server) Serve(ln net.Listener) error { return s.serveOn(ln, s.transport.Listen) }

// ServeGate is Serve for a listener that serves the gate alone.
func (s *Server) ServeGate(ln net.Listener) error { return s.serveOn(ln, s.transport.ListenApart) }

func (s *Server) serveOn(ln net.Listener, wrap func(net.Listener) (net.Listener, error)) error {
	wrapped, err := wrap(ln)
	if err != nil {
		return err
	}
	return s.http.Serve(wrapped)
}

// Ready reports whether requests are answered: GET /readyz.
func (s *Server) Ready() bool { return s.Readiness().Ready }

// Alerts returns the server's alert hub, for delivering results of other replicas.
func (s *Server) Alerts() *alerts.Hub { return s.hub }

// Shutdown ends the service gracefully. Readiness becomes false at once; requests that arrive meanwhile are
// still answered (transport.Drain); requests in flight are answered; queued alerts are sent. It returns when
// all is done, or after DrainTimeout or the end of ctx, when it closes the remaining connections.
func (s *Server) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.DrainTimeout)
	defer cancel()
	if !s.draining.Swap(true) {
		s.admission.Drain()
	}
	s.transport.Drain(ctx)
	drained := make(chan error, 1)
	go func() { drained <- s.hub.Shutdown(ctx) }()
	err := s.http.ShutdownWithContext(ctx)
	err = errors.Join(err, <-drained)
	s.stop()
	s.refresher.wg.Wait()
	s.watching.Wait()
	s.gateWork.Wait()
	if s.cfg.Gate != nil {
		s.cfg.Gate.Close()
	}
	s.admission.Close()
	return err
}
