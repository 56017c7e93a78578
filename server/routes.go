package server

import (
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
	"ballast/server/console"
	"ballast/server/spec"
)

// The places in routeTable of the routes that differ in code.
const (
	routeNone = iota // no such route
	routeValidate
	routeBatch
	routeMetrics
	routeReady
	routeConsole
	routeMCP
	routeExchange
)

// route is one endpoint.
type route struct {
	name     string   // in metrics and the log
	path     string   // as in the request line; paths are not normalised
	tail     string   // the path is a prefix, followed by a name of this kind; "" for a whole path
	end      string   // what follows the name
	post     bool     // POST with a JSON body; otherwise GET and HEAD
	open     bool     // needs no key
	operator bool     // needs an operator's key, whatever the method
	gate     bool     // part of the gate, in the venue's own protocol; there with a gate only
	query    []string // accepted parameters; a route without parameters ignores its query

	handler func(*Server, *exchange)
	// put answers PUT with a JSON body, remove answers DELETE; nil: not allowed. Only operators' keys may, unless each
	// key changes what is its own.
	put, remove func(*Server, *exchange)
	own         bool

	document *spec.Document // for the handler document
	policy   string         // the Content-Security-Policy of an HTML page
}

// routeTable is the only place where a path is spelled. It is set by init, because the handlers read it.
var routeTable []route

func init() {
	trade := []string{"explain", "view", "record"}
	document := (*Server).document
	routeTable = []route{
		routeNone: {name: "none"},
		routeValidate: {name: "validate", path: "/v1/validate", post: true, query: append(trade[:3:3], "deposit"),
			handler: (*Server).validate},
		routeBatch: {name: "validate_batch", path: "/v1/validate/batch", post: true, query: trade,
			handler: (*Server).validateBatch},
		routeMetrics: {name: "metrics", path: "/metrics", handler: (*Server).metricsHandler},
		routeReady:   {name: "readyz", path: "/readyz", open: true, handler: (*Server).ready},
		routeConsole: {name: "console", path: "/", open: true, handler: document, document: console.Page,
			policy: console.Policy},
		routeMCP:      {name: "mcp", path: "/mcp", post: true, handler: (*Server).mcpMessages},
		routeExchange: {name: "exchange", path: "/exchange", post: true, gate: true, handler: (*Server).exchangeAction},
		{name: "venue_socket", path: "/ws", gate: true, handler: (*Server).venueSocket},
		{name: "info", path: "/info", post: true, gate: true, handler: (*Server).venueInfo},
		{name: "size", path: "/v1/size", post: true, query: trade, handler: (*Server).size},
		{name: "stress", path: "/v1/stress", post: true, handler: (*Server).stress},
		{name: "monitor", path: "/v1/monitor/", tail: "{wallet}",
			query: []string{"view", maxProbability, "survive"}, handler: (*Server).monitor},
		{name: "policy_test", path: "/v1/policy/", tail: "{wallet}", end: "/test", post: true, operator: true,
			handler: (*Server).testPolicy},
		{name: "policy", path: "/v1/policy/", tail: "{wallet}", handler: (*Server).getPolicy,
			put: (*Server).putPolicy, remove: (*Server).deletePolicy},
		{name: "kill_switch", path: "/v1/kill-switch", put: (*Server).putKillSwitch,
			handler: func(s *Server, x *exchange) { x.replySwitch(s.cfg.Policies.State()) }},
		{name: "decisions", path: "/v1/decisions", query: decisionParameters, handler: (*Server).listDecisions},
		{name: "decision", path: "/v1/decisions/", tail: "{request_id}", handler: (*Server).getDecision},
		{name: "audit", path: "/v1/audit", operator: true, query: auditParameters, handler: (*Server).audit},
		{name: "receipt_key", path: "/v1/receipt-key", open: true, handler: (*Server).receiptKey},
		{name: "watch", path: "/v1/watch/", tail: "{wallet}", own: true, handler: (*Server).getWatch,
			put: (*Server).putWatch, remove: (*Server).deleteWatch},
		{name: "watches", path: "/v1/watch", handler: (*Server).listWatches},
		{name: "alerts_ws", path: "/v1/alerts/ws", open: true, handler: (*Server).alertSocket},
		{name: "assets", path: "/v1/assets", handler: (*Server).assets},
		{name: "market", path: "/v1/market/", tail: "{asset}", handler: (*Server).market},
		{name: "model_info", path: "/v1/model-info", handler: (*Server).modelInfoHandler},
		{name: "backtest", path: "/v1/backtest/", tail: "{asset}", handler: (*Server).backtest},
		{name: "calibration_health", path: "/v1/calibration/health", handler: (*Server).calibrationHealth},
		{name: "outcome", path: "/v1/outcome", post: true, handler: (*Server).reportOutcome},
		{name: "outcomes_stats", path: "/v1/outcomes/stats", handler: (*Server).accuracy},
		{name: "accuracy", path: "/v1/accuracy", handler: (*Server).accuracy},
		{name: "health", path: "/health", open: true, handler: (*Server).health},
		{name: "livez", path: "/livez", open: true, handler: (*Server).live},
		{name: "openapi", path: "/openapi.json", open: true, handler: (*Server).openAPI},
		{name: "asyncapi", path: "/asyncapi.json", open: true, handler: document, document: spec.AsyncAPI},
		{name: "llms_txt", path: "/llms.txt", open: true, handler: document, document: spec.LLMs},
		{name: "llms_full_txt", path: "/llms-full.txt", open: true, handler: document, document: spec.LLMsFull},
		{name: "docs", path: "/docs", open: true, handler: document, document: spec.Docs, policy: spec.DocsPolicy},
		{name: "docs_operations", path: "/docs/operations.md", open: true, handler: document,
			document: spec.Operations},
		{name: "docs_script", path: "/docs/redoc.js", open: true, handler: document, document: spec.DocsScript},
	}
}

// dispatch passes a request that passed admitHead to its handler.
func (s *Server) dispatch(x *exchange) {
	if len(x.query) > 0 && !x.checkQuery() {
		return
	}
	r := &routeTable[x.route]
	switch h := &x.ctx.Request.Header; {
	case r.put != nil && h.IsPut():
		r.put(s, x)
	case r.remove != nil && h.IsDelete():
		r.remove(s, x)
	default:
		r.handler(s, x)
	}
}

func findRoute(path []byte) int {
	for i := range routeTable {
		r := &routeTable[i]
		if string(path) == r.path && r.tail == "" || r.tail != "" && len(path) > len(r.path)+len(r.end) &&
			string(path[:len(r.path)]) == r.path && string(path[len(path)-len(r.end):]) == r.end {
			return i
		}
	}
	return routeNone
}

// tail returns the name behind the path of the request's route.
func (x *exchange) tail() []byte {
	r := &routeTable[x.route]
	return x.path[len(r.path) : len(x.path)-len(r.end)]
}

// handle answers one request, whose time fasthttp has just set.
func (s *Server) handle(ctx *fasthttp.RequestCtx) { s.serve(ctx, ctx.Time()) }

// serve answers one request, received at the given time. It is our outermost stack frame.
func (s *Server) serve(ctx *fasthttp.RequestCtx, at time.Time) {
	x := s.begin(ctx, at)
	defer s.end(x)
	if s.admitHead(x) {
		s.dispatch(x)
	} else if status := x.ctx.Response.StatusCode(); x.route == routeMCP &&
		(status == fasthttp.StatusTooManyRequests || status == fasthttp.StatusServiceUnavailable) {
		x.mcpRefused()
	}
}

// admitHead makes all checks that need only the headers, and answers when one fails.
func (s *Server) admitHead(x *exchange) bool {
	h := &x.ctx.Request.Header
	if x.headers.fault != "" {
		x.linger()
		return x.fail(api.CodeBadRequest, x.headers.fault)
	}
	if v := h.Protocol(); string(v) != "HTTP/1.1" && string(v) != "HTTP/1.0" {
		return x.fail(api.CodeHTTPVersion, "this service speaks HTTP/1.1")
	}
	x.route = findRoute(x.path)
	elsewhere := s.elsewhere(x, &routeTable[x.route])
	if elsewhere != "" {
		x.route = routeNone
	}
	if x.route == routeNone && h.IsOptions() && s.cfg.CORSOrigin != "" {
		x.preflight("GET, HEAD, POST, PUT, DELETE") // the page hears of the route by the request itself
		return false
	}
	if x.route == routeNone {
		return x.refuse(api.CodeNotFound, "no such route: "+printable.Text(x.path)+elsewhere, s.mendPath(x))
	}
	r := &routeTable[x.route]
	return s.checkMethod(x, r) && (r.open || r.gate && !s.cfg.Gate.KeyRequired || s.authorize(x)) && s.checkRole(x) &&
		(!r.post && !h.IsPut() || checkContentType(x))
}

// elsewhere returns why the listener of a request does not serve a route, "" if it does: the gate may have one of its
// own, which serves nothing else but whether the service is ready.
func (s *Server) elsewhere(x *exchange, r *route) string {
	switch apart := x.conn != nil && x.conn.Apart; {
	case apart && !r.gate && r.path != routeTable[routeReady].path:
		return " on the gate's listener, --gate-listen"
	case r.gate && s.cfg.Gate == nil:
		return ", because the gate is off: ballast serve --gate"
	case r.gate && !apart && s.cfg.Gate.Apart:
		return ", because the gate has a listener of its own: --gate-listen"
	}
	return ""
}

// linger gives a client that is still sending time to read the answer before its connection closes.
func (x *exchange) linger() {
	if x.conn != nil {
		x.conn.Linger()
	}
}

// methods returns the methods that a route allows.
func (r *route) methods() string {
	if r.post {
		return "POST"
	}
	methods := "GET, HEAD"
	if r.put != nil {
		methods += ", PUT"
	}
	if r.remove != nil {
		methods += ", DELETE"
	}
	return methods
}

func (s *Server) checkMethod(x *exchange, r *route) bool {
	h := &x.ctx.Request.Header
	switch {
	case r.post && h.IsPost(), !r.post && (h.IsGet() || h.IsHead()), r.put != nil && h.IsPut(),
		r.remove != nil && h.IsDelete():
		return true
	case h.IsOptions() && s.cfg.CORSOrigin != "":
		x.preflight(r.methods())
		return false
	}
	allow := r.methods()
	x.ctx.Response.Header.Set("Allow", allow)
	return x.refuse(api.CodeMethodNotAllowed, printable.Text(h.Method())+" is not allowed here, "+allow+" is",
		api.Mending{Got: printable.Text(h.Method()), Allowed: &api.Allowed{Values: strings.Split(allow, ", ")}})
}

func checkContentType(x *exchange) bool {
	field, got, want := "Content-Type", x.headers.contentType, "application/json"
	if isJSON(got) {
		field, got, want = "Content-Encoding", x.headers.contentEncoding, "identity"
		if len(got) == 0 || string(got) == want {
			return true
		}
	}
	return x.refuse(api.CodeMediaType, "the body must be application/json, not compressed",
		api.Mending{Field: field, Got: printable.Text(got), Allowed: &api.Allowed{Values: []string{want}}})
}

// mendPath suggests the known path most similar to an unknown path, with its {name} if it has one.
func (s *Server) mendPath(x *exchange) api.Mending {
	var paths []string
	tails := map[string]string{}
	for i, r := range routeTable {
		if i != routeNone && i != routeConsole && s.elsewhere(x, &r) == "" { // the console is for people
			paths = append(paths, r.path)
			tails[r.path] = r.tail
		}
	}
	nearest := similar.Name(string(x.path), paths)
	return api.Mending{Suggestion: api.Suggestion(nearest + tails[nearest])}
}
