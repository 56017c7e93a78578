package server

import (
	"bytes"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"

	"ballast/internal/promtext"
	"ballast/server/api"
	"ballast/server/auth"
	"ballast/server/transport"
)

// Canonical header names and constant values of frequent answers.
var (
	headerRequestID = []byte("X-Request-Id")
	headerTrace     = []byte("Traceparent")
	headerLimit     = []byte("Ratelimit-Limit")
	headerRemaining = []byte("Ratelimit-Remaining")
	headerReset     = []byte("Ratelimit-Reset")
	headerExpect    = []byte("Expect")

	typeJSON    = []byte("application/json")
	typeText    = []byte("text/plain; charset=utf-8")
	typeMetrics = []byte(promtext.ContentType)

	expectContinue = []byte("100-continue")
)

// exposed are the headers of answers that pages of other origins may read.
const exposed = "X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Alert-Fanout, " +
	"ETag, Traceparent, WWW-Authenticate"

// accepted are the headers that pages of other origins may send: those of the service, of the Model Context
// Protocol, and of tracing.
const accepted = "Authorization, Content-Type, If-Match, If-None-Match, X-Request-Id, MCP-Protocol-Version, " +
	"Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, Traceparent, Tracestate, Baggage"

// tooManyConns is the answer on a connection beyond the limit.
var tooManyConns = func() string {
	body := string(api.AppendError(nil, api.CodeOverloaded, "too many connections are open"))
	return "HTTP/1.1 503 Service Unavailable\r\nServer: " + serverName + "\r\nContent-Type: application/json\r\n" +
		"Retry-After: 1\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}()

// gzipFrom is the size from which compression saves network packets: about one packet.
const gzipFrom = 1400

// startAnswer sets the headers of every answer. One without a body has no content type: some clients parse what is
// not there.
func (x *exchange) startAnswer(status int, contentType []byte) {
	r := &x.ctx.Response
	r.SetStatusCode(status)
	r.Header.SetContentTypeBytes(contentType)
	r.Header.SetCanonical(headerRequestID, x.id)
	if len(x.headers.traceparent) > 0 && usableTrace(x.headers.traceparent) {
		r.Header.SetCanonical(headerTrace, x.headers.traceparent)
	}
	if x.s.draining.Load() {
		r.SetConnectionClose()
		x.linger() // the client may have sent more requests
	}
	if origin := x.s.cfg.CORSOrigin; origin != "" {
		r.Header.Set("Access-Control-Allow-Origin", origin)
		r.Header.Set("Access-Control-Expose-Headers", exposed)
	}
}

// reply answers with a copy of body, compressed if that is worth it.
func (x *exchange) reply(status int, contentType, body []byte) {
	x.startAnswer(status, contentType)
	if len(body) >= gzipFrom && x.gzips() {
		x.ctx.Response.SetBodyRaw(pack(body))
	} else {
		x.ctx.Response.SetBody(body)
	}
}

// gzips reports whether to compress the answer, as the client accepts, and sets the headers that say so.
func (x *exchange) gzips() bool {
	accepted := acceptsGzip(x.headers.acceptEncoding)
	x.ctx.Response.Header.Set("Vary", "Accept-Encoding")
	if accepted {
		x.ctx.Response.Header.Set("Content-Encoding", "gzip")
	}
	return accepted
}

var (
	// bodies are for one assessment (without explanation they need not grow) or one monitored wallet; a
	// wallet with two hundred positions takes 3 MB.
	bodies = transport.NewBodyPool(12<<10, 4<<20)
	// batchBodies are for fifty assessments.
	batchBodies = transport.NewBodyPool(256<<10, 4<<20)
)

// newBody returns an empty body from a pool, which the exchange sends or returns at its end.
func (x *exchange) newBody(pool *transport.BodyPool) *transport.ResponseBody {
	x.body = pool.Get()
	return x.body
}

// send answers with the exchange's body, compressed if packs is set and the client accepts gzip. If short
// is set (the assessment took little time), the answer is sent together with others that are ready.
func (x *exchange) send(packs, short bool) {
	t := x.body
	if packs && len(t.Bytes()) >= gzipFrom && x.gzips() {
		x.reply(fasthttp.StatusOK, typeJSON, t.Bytes())
		return
	}
	x.startAnswer(fasthttp.StatusOK, typeJSON)
	if x.conn != nil {
		var batch *transport.SendBatch
		if short {
			batch = &x.s.transport.Batch
		}
		t.Direct(x.conn, batch)
	}
	x.ctx.Response.SetBodyStream(t, len(t.Bytes()))
	x.body = nil // now owned by fasthttp
}

// fail answers with an error and returns false, so that a check can return its result.
func (x *exchange) fail(code, detail string) bool {
	return x.failUntil(code, detail, 0)
}

// failUntil is fail with the time after which to try again; 0: the default of the code.
func (x *exchange) failUntil(code, detail string, after time.Duration) bool {
	x.ticket.Cancel() // a refusal is quicker than the work whose cost is to be known
	rule := api.RuleOf(code)
	// "not ready yet" is no failure of a probe
	if rule.Status >= fasthttp.StatusInternalServerError && x.route != routeReady {
		x.s.warnFailed(x, code, detail)
	}
	x.s.metrics.failed(code)
	x.startAnswer(rule.Status, typeJSON)
	r := &x.ctx.Response
	seconds := rule.RetryAfter
	if after > 0 {
		seconds = wholeSeconds(after)
	}
	if seconds > 0 {
		x.scratch = strconv.AppendInt(x.scratch[:0], int64(seconds), 10)
		r.Header.SetBytesV("Retry-After", x.scratch)
	}
	if rule.Close {
		r.SetConnectionClose()
	}
	x.scratch = api.AppendError(x.scratch[:0], code, detail)
	r.SetBody(x.scratch)
	return false
}

// refuse is fail with a suggestion how to mend the request.
func (x *exchange) refuse(code, detail string, how api.Mending) bool {
	x.fail(code, detail)
	x.scratch = api.AppendMendable(x.scratch[:0], code, detail, &how)
	x.ctx.Response.SetBody(x.scratch)
	return false
}

// rateHeaders sets the headers about the remaining rate limit.
func (x *exchange) rateHeaders(q auth.Quota) {
	var number [20]byte
	h := &x.ctx.Response.Header
	set := func(name []byte, n int) { h.SetCanonical(name, strconv.AppendInt(number[:0], int64(n), 10)) }
	set(headerLimit, q.Limit)
	set(headerRemaining, q.Remaining)
	set(headerReset, wholeSeconds(q.Reset))
}

// wholeSeconds rounds up, so that whoever waits this long does not come too early.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// preflight answers a browser's CORS preflight request.
func (x *exchange) preflight(methods string) {
	x.startAnswer(fasthttp.StatusNoContent, nil)
	h := &x.ctx.Response.Header
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", accepted)
	h.Set("Access-Control-Max-Age", "600")
}

// packers are idle compressors: creating one costs more than compressing most bodies.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for unknown levels only
	return w
}}

// pack compresses a body.
func pack(body []byte) []byte {
	b := bytes.NewBuffer(make([]byte, 0, len(body)/3))
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(b)
	w.Write(body) // a bytes.Buffer never fails
	w.Close()
	return b.Bytes()
}
