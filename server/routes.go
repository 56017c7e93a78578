package server

import (
	"bytes"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
	"ballast/server/auth"
	"ballast/server/console"
	"ballast/server/spec"
	"ballast/server/transport"
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
		{name: "kill_switch", path: "/v1/kill-switch", handler: (*Server).getKillSwitch,
			put: (*Server).putKillSwitch},
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

// headReceived returns the limit of a request's body. fasthttp calls expectation for a lower-case 100-continue
// of any version only, so every expectation of HTTP/1.1 becomes that, and those of HTTP/1.0 are removed.
func headReceived(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if len(h.PeekCanonical(headerExpect)) > 0 {
		h.DelBytes(headerExpect)
		if h.IsHTTP11() {
			h.SetCanonical(headerExpect, expectContinue)
		}
	}
	uri := h.RequestURI()
	if len(uri) < len(routeTable[routeBatch].path) {
		return fasthttp.RequestConfig{MaxRequestBodySize: maxBody}
	}
	path, _ := splitURI(uri)
	return fasthttp.RequestConfig{MaxRequestBodySize: bodyLimit(path)}
}

// expectation returns the status of the answer to an Expect header: 100, or that of an error, which it answers.
func (s *Server) expectation(ctx *fasthttp.RequestCtx) int {
	for line := range bytes.SplitSeq(ctx.Request.Header.RawHeaders(), []byte("\r\n")) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if value = trimBlanks(value); bytes.EqualFold(name, headerExpect) && !bytes.EqualFold(value, expectContinue) {
			x := s.begin(ctx, time.Now())
			defer s.end(x)
			x.linger()
			x.refuse(api.CodeExpectation, "the service can only send 100 Continue",
				api.Mending{Field: "Expect", Got: printable.Text(value),
					Allowed: &api.Allowed{Values: []string{"100-continue"}}})
			return fasthttp.StatusExpectationFailed
		}
	}
	if path, _ := splitURI(ctx.RequestURI()); ctx.Request.Header.ContentLength() > bodyLimit(path) {
		s.handleBroken(ctx, fasthttp.ErrBodyTooLarge)
		return ctx.Response.StatusCode()
	}
	return fasthttp.StatusContinue
}

// bodyLimit returns the maximum size of a request's body, by path.
func bodyLimit(path []byte) int {
	if string(path) == routeTable[routeBatch].path {
		return maxBatchBody
	}
	return maxBody
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

// lookup looks up the key of a request.
func (s *Server) lookup(x *exchange) (auth.Caller, auth.Verdict) {
	if x.conn == nil {
		return s.cfg.Keys.Lookup(x.headers.authorization, x.started)
	}
	session, _ := x.conn.State.(*auth.Session)
	if session == nil {
		conn := x.conn
		session = &auth.Session{Shown: func(keyID string) {
			conn.Show(keyID)
			if keyID != "" && s.cfg.Keys.Revoked(keyID) { // meanwhile, perhaps before Show
				conn.Show("")
			}
		}}
		conn.State = session
	}
	return session.Lookup(s.cfg.Keys, x.headers.authorization, x.started)
}

// crowded answers when the request's key may hold no more connections.
func (x *exchange) crowded() bool {
	if x.conn == nil || x.conn.Refusal == transport.HasRoom {
		return false
	}
	x.ctx.SetConnectionClose()
	if x.conn.Refusal == transport.TooManyConnsOfKey {
		x.fail(api.CodeRateLimited, "too many connections are open, and no key holds more than this one: keep few "+
			"and send requests over them again, watch several wallets on one alert socket, close what is not needed")
	} else {
		x.fail(api.CodeOverloaded, "too many connections are open, each with another key")
	}
	return true
}

// authorize checks key and rate limit.
func (s *Server) authorize(x *exchange) bool {
	caller, verdict := s.lookup(x)
	if !s.accepted(x, verdict) {
		return false
	}
	x.keyID = caller.ID
	if s.cfg.Policies.State() == nil { // what would be answered could be more than is allowed
		return x.fail(api.CodeStarting, "the policies and the kill switch have not been read: NATS does not answer")
	}
	if s.cfg.RateLimit <= 0 {
		return true
	}
	q, ok := caller.Take(int64(x.at), s.cfg.RateLimit)
	x.rateHeaders(q)
	if !ok {
		return x.failUntil(api.CodeRateLimited,
			"more than "+strconv.Itoa(s.cfg.RateLimit)+" requests a minute with this key", q.Wait)
	}
	return true
}

// mayChange reports whether the request's key is an operator's.
func (x *exchange) mayChange() bool {
	r, ok := x.s.cfg.Keys.Record(x.keyID)
	return ok && r.Role == auth.Operator
}

// checkRole reports whether the request's key may do what its method does, and answers otherwise. Only operators
// change what holds for others.
func (s *Server) checkRole(x *exchange) bool {
	h := &x.ctx.Request.Header
	changes := h.IsPut() || h.IsDelete() || routeTable[x.route].operator
	if !changes || routeTable[x.route].own || x.mayChange() {
		return true
	}
	detail := "this key's role is agent: it may read this, and only a key of the role operator may change it"
	if routeTable[x.route].operator {
		detail = "this key's role is agent: only a key of the role operator may ask this"
	}
	return x.refuse(api.CodeForbidden, detail, api.Mending{Field: "Authorization",
		Suggestion: "`ballast keys issue --role operator` makes such a key, for a person"})
}

// accepted reports whether the request's key is valid and may hold one more connection, and answers otherwise.
func (s *Server) accepted(x *exchange, verdict auth.Verdict) bool {
	switch verdict {
	case auth.Malformed:
		return x.refuseKey(api.MissingAuthorization, "Bearer", "a key is needed, in one header "+keyForm)
	case auth.Unavailable: // a revocation may have been missed
		return x.fail(api.CodeStarting, "keys cannot be judged: the store of keys has been out of reach for too long")
	case auth.Unknown:
		if q, ok := s.guesses.Refused(transport.ClientAddr(x.ctx.Conn()), int64(x.at)); !ok {
			return x.failUntil(api.CodeRateLimited, "too many refused keys from this address", q.Wait)
		}
		return x.refuseKey(api.InvalidKey, `Bearer error="invalid_token"`,
			"this service has not issued the key in the header Authorization, or has revoked it")
	}
	return !x.crowded()
}

const keyForm = "Authorization: Bearer blst_..."

// refuseKey refuses a request without a valid key. It never repeats what the header holds.
func (x *exchange) refuseKey(code, challenge, detail string) bool {
	x.ctx.Response.Header.Set("Www-Authenticate", challenge)
	return x.refuse(code, detail, api.Mending{Field: "Authorization",
		Suggestion: keyForm + ", a key that `ballast keys issue` printed"})
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

// handleBroken answers a request that cannot be read. The connection then ends.
func (s *Server) handleBroken(ctx *fasthttp.RequestCtx, err error) {
	now := time.Now()
	if nc := ctx.Conn(); nc != nil {
		// fasthttp keeps the write deadline of the previous answer, which may have passed.
		nc.SetWriteDeadline(now.Add(s.cfg.WriteTimeout))
	}
	x := s.begin(ctx, now)
	defer s.end(x)
	x.linger()
	var head *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		// Only the body is too large: check the headers first. fasthttp has discarded the headers of
		// a chunked request.
		if len(ctx.Request.Header.RawHeaders()) == 0 || s.admitHead(x) {
			limit := bodyLimit(x.path)
			x.refuse(api.CodeBodyTooLarge, "the body exceeds "+strconv.Itoa(limit)+" bytes",
				api.Mending{Allowed: &api.Allowed{Max: float64(limit)}})
		}
	case errors.As(err, &head):
		if len(ctx.Request.Header.RawHeaders()) == 0 && headIsOneLine(err) {
			x.fail(api.CodeURITooLong, "the request line exceeds "+strconv.Itoa(maxHeader)+" bytes")
		} else {
			x.fail(api.CodeHeadersTooLarge, "the headers or trailers exceed "+strconv.Itoa(maxHeader)+" bytes")
		}
	case errors.As(err, &network) && network.Timeout():
		if s.draining.Load() {
			x.fail(api.CodeRequestTimeout, "the request did not arrive in time: the service is ending")
		} else {
			x.fail(api.CodeRequestTimeout, "the request did not arrive within "+s.cfg.ReadTimeout.String())
		}
	default:
		x.fail(api.CodeBadRequest, malformedRequest)
	}
}

const malformedRequest = "malformed HTTP request: want METHOD /path HTTP/1.1, one Host header, " +
	"lines of Name: value that end with CR LF, and a body of Content-Length bytes or in chunks"

// headIsOneLine reports whether headers are too large because of the request line. fasthttp shows that
// only in the text of the error, which quotes the beginning.
func headIsOneLine(err error) bool {
	_, contents, quoted := strings.Cut(err.Error(), `contents: "`)
	contents, _, _ = strings.Cut(contents, `"..."`)
	return quoted && !strings.Contains(contents, `\n`)
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
