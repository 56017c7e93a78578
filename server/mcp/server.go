// Package mcp offers the service to language models by the Model Context Protocol. It has no rules of
// its own: each tool sends a request to a route of the HTTP interface, in this process or over the
// network, and returns its answer or error.
package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Answer is the answer of a route of the HTTP interface.
type Answer struct {
	Status     int
	RetryAfter string // header, seconds
	RequestID  string // header
	Body       []byte
}

// Ask sends a request to a route of the HTTP interface: POST with a body, otherwise GET. header is the
// header of the HTTP request with the tool call, nil over stdio.
type Ask func(ctx context.Context, header http.Header, target string, body []byte) (Answer, error)

// Config configures a Server. Ask is required.
type Config struct {
	Ask     Ask
	Version string // of the program
	// Panicked is called after a panic of a tool; may be nil.
	Panicked func(any)
}

// Server has the tools and resources. It is safe for concurrent use.
type Server struct {
	cfg   Config
	sdk   *sdk.Server
	http  *sdk.StreamableHTTPHandler
	known map[string]string // the names that a method knows, in words for its errors
}

const instructions = "Ballast tells whether a trade in a perpetual future on Hyperliquid is safe for a wallet now. " +
	"It only reads: it sends no order.\n" +
	"Before each order call validate_trade, for several orders validate_plan. recommendation is proceed, " +
	"proceed_with_caution or abort: send nothing on abort, and only what admissibility says the venue takes.\n" +
	"An error is no permission: mend the arguments as it says, or ask again later. Without a fresh assessment do " +
	"not open or increase a position. meta.venue \"simulated\" means that nothing is real."

// New returns a server.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, known: map[string]string{"tools/call": ", known:"}}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "ballast", Title: "Ballast, pre-trade risk", Version: cfg.Version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// Without listChanged, which would keep subscriptions/listen open forever.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{},
				Resources: &sdk.ResourceCapabilities{}},
		})
	s.addTools()
	s.addResources()
	s.sdk.AddReceivingMiddleware(s.guard)
	s.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return s
}

// guard turns panics into errors, because the library would let them end the process.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.panicked(r)
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
					Message: "an error of this service in " + method}
			}
		}()
		result, err = next(ctx, method, req)
		if fault, ok := err.(*jsonrpc.Error); ok && fault.Code == jsonrpc.CodeInvalidParams {
			fault.Message += s.known[method]
			if !json.Valid(fault.Data) { // the library quotes an address as Go does
				fault.Data = nil
			}
		}
		return result, err
	}
}

func (s *Server) panicked(r any) {
	if s.cfg.Panicked != nil {
		s.cfg.Panicked(r)
	}
}
