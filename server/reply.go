package server

import (
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/server/api"
	"ballast/server/auth"
)

// Header names in their canonical form, and values that never change.
var (
	headerRequestID    = []byte("X-Request-Id")
	headerAllow        = []byte("Allow")
	headerRetryAfter   = []byte("Retry-After")
	headerAuthenticate = []byte("Www-Authenticate")
	headerLimit        = []byte("Ratelimit-Limit")
	headerRemaining    = []byte("Ratelimit-Remaining")
	headerReset        = []byte("Ratelimit-Reset")
	headerEncoding     = []byte("Content-Encoding")
	headerVary         = []byte("Vary")
	headerCORS         = []byte("Access-Control-Allow-Origin")
	headerCORSMethods  = []byte("Access-Control-Allow-Methods")
	headerCORSHeaders  = []byte("Access-Control-Allow-Headers")
	headerCORSExpose   = []byte("Access-Control-Expose-Headers")
	headerCORSMaxAge   = []byte("Access-Control-Max-Age")
	headerCache        = []byte("Cache-Control")

	bearerScheme = []byte("Bearer")
	typeJSON     = []byte("application/json")
	typeText     = []byte("text/plain; charset=utf-8")
	typeMetrics  = []byte("text/plain; version=0.0.4; charset=utf-8")
	gzipName     = []byte("gzip")
	varyEncoding = []byte("Accept-Encoding")
	noStore      = []byte("no-store")
)

// gzipFrom is the size from which compressing saves packets (one holds about as much).
const gzipFrom = 1400

// heads sets what every answer carries.
func (x *exchange) heads(status int, contentType []byte) {
	r := &x.ctx.Response
	r.SetStatusCode(status)
	r.Header.SetContentTypeBytes(contentType)
	r.Header.SetCanonical(headerRequestID, x.id)
	if origin := x.s.cfg.CORSOrigin; origin != "" {
		r.Header.SetCanonical(headerCORS, []byte(origin))
		r.Header.SetCanonical(headerCORSExpose, headerRequestID)
	}
}

// reply answers with a body that is copied, compressed when that is worth it.
func (x *exchange) reply(status int, contentType, body []byte) {
	x.heads(status, contentType)
	r := &x.ctx.Response
	if len(body) < gzipFrom {
		r.SetBody(body)
		return
	}
	r.Header.SetCanonical(headerVary, varyEncoding)
	if acceptsGzip(x.head.acceptEncoding) {
		r.Header.SetCanonical(headerEncoding, gzipName)
		r.SetBodyRaw(pack(body))
		return
	}
	r.SetBody(body)
}

// fail answers with an error. It returns false, so that a check can end with it.
func (x *exchange) fail(code, detail string) bool { return x.failAfter(code, detail, 0) }

// failAfter is fail with a time after which trying again makes sense; 0: what the table
// of errors says.
func (x *exchange) failAfter(code, detail string, after time.Duration) bool {
	rule := api.RuleOf(code)
	if rule.Status >= fasthttp.StatusInternalServerError && x.route != routeReady { // a probe's "not yet" is no failure
		x.s.warnFailed(x, code, detail)
	}
	x.s.metrics.failed(code)
	x.heads(rule.Status, typeJSON)
	r := &x.ctx.Response
	seconds := rule.RetryAfter
	if after > 0 {
		seconds = int((after + time.Second - 1) / time.Second)
	}
	if seconds > 0 {
		x.scratch = strconv.AppendInt(x.scratch[:0], int64(seconds), 10)
		r.Header.SetCanonical(headerRetryAfter, x.scratch)
	}
	if rule.Close {
		r.SetConnectionClose()
	}
	x.scratch = api.AppendError(x.scratch[:0], code, detail)
	r.SetBody(x.scratch)
	return false
}

// rateHeaders tells the caller what is left of its allowance.
func (x *exchange) rateHeaders(q auth.Quota) {
	var number [20]byte
	h := &x.ctx.Response.Header
	set := func(name []byte, v int64) { h.SetCanonical(name, strconv.AppendInt(number[:0], v, 10)) }
	set(headerLimit, int64(q.Limit))
	set(headerRemaining, int64(q.Remaining))
	set(headerReset, int64((q.Reset+time.Second-1)/time.Second))
}

// preflight answers a browser that asks whether it may call.
func (x *exchange) preflight(r *route) {
	x.heads(fasthttp.StatusNoContent, typeText)
	method := "GET, HEAD"
	if r.post {
		method = "POST"
	}
	h := &x.ctx.Response.Header
	h.SetCanonical(headerCORSMethods, []byte(method))
	h.SetCanonical(headerCORSHeaders, []byte("Authorization, Content-Type, X-Request-Id"))
	h.SetCanonical(headerCORSMaxAge, []byte("600"))
}
