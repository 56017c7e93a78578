package sim

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/goccy/go-json"
	"github.com/valyala/fasthttp"

	"ballast/marketcache/venue/exchange"
)

func (e *Exchange) handle(ctx *fasthttp.RequestCtx) {
	defer func() {
		if r := recover(); r != nil {
			e.count(&e.counts.Panics, 1)
			e.cfg.Log("panic in %s: %v", ctx.Path(), r)
			ctx.Response.Reset()
			reply(ctx, failed)
		}
	}()
	e.count(&e.counts.Requests, 1)
	path := string(ctx.Path())
	if path == "/sim/stats" || path == "/sim/fault" {
		e.control(ctx, path)
		return
	}
	f := e.faults.Load()
	date := time.UnixMilli(e.nowMs() + f.skewMs())
	ctx.Response.Header.SetBytesV("Date", fasthttp.AppendHTTPDate(nil, date))
	if f.on("down", "") {
		ctx.HijackSetNoResponse(true)
		ctx.Hijack(func(c net.Conn) { _ = c.Close() })
		return
	}
	switch {
	case path == "/info" && ctx.IsPost():
		e.handleInfo(ctx, f)
	case path == "/exchange" && ctx.IsPost():
		e.handleExchange(ctx, f)
	case path == "/ws":
		ip := ctx.RemoteIP().String()
		if !e.ledger.connect(ip, e.nowMs()) {
			e.tooMany(ctx)
			return
		}
		// When it fails, the upgrader has already sent an answer.
		if e.upgrader.Upgrade(ctx, func(ws *websocket.Conn) { e.serveSocket(ws, ip) }) != nil {
			e.ledger.disconnect(ip)
		}
	case path == "/info", path == "/exchange":
		ctx.Error("method not allowed", fasthttp.StatusMethodNotAllowed)
	default:
		ctx.Error("not found", fasthttp.StatusNotFound)
	}
}

func reply(ctx *fasthttp.RequestCtx, a answer) { respond(ctx, a, a.body()) }

// respond writes the status and content type of an answer, and the given body.
func respond(ctx *fasthttp.RequestCtx, a answer, body []byte) {
	ctx.SetStatusCode(a.status)
	ctx.SetContentType("application/json")
	if a.text != "" {
		ctx.SetContentType("text/plain; charset=utf-8")
	}
	ctx.Response.SetBodyRaw(body)
}

// handleInfo answers POST /info: faults first, then limits, then the source.
func (e *Exchange) handleInfo(ctx *fasthttp.RequestCtx, f *faults) {
	r, good := decodeInfo(ctx.PostBody())
	kind := r.Type
	e.countInfo(kind)
	if e.faulty(ctx, f, kind) {
		return
	}
	a := answer{status: fasthttp.StatusUnsupportedMediaType, text: wrongType}
	switch {
	case !isJSON(ctx):
	case !good && !json.Valid(ctx.PostBody()):
		a = unparsed
	case !good:
		a = refused
	default:
		if a = e.askInfo(r, ctx.RemoteIP().String(), f); a.status == fasthttp.StatusTooManyRequests {
			e.tooMany(ctx)
			return
		}
	}
	respond(ctx, a, f.spoil(a.body(), kind))
}

// faulty waits or answers as the active faults want; it reports whether it has answered.
func (e *Exchange) faulty(ctx *fasthttp.RequestCtx, f *faults, kind string) bool {
	if d := f.times["slow"]; d > 0 {
		e.pause(d)
	}
	switch {
	case f.on("429", kind):
		e.tooMany(ctx)
		if retry := f.times["429"]; retry > 0 {
			ctx.Response.Header.Set("Retry-After", strconv.Itoa(int(retry/time.Second)))
		}
		return true
	case f.on("500", kind):
		reply(ctx, failed)
		return true
	}
	return false
}

const wrongType = "Expected request with `Content-Type: application/json`"

// unparsed is the venue's answer to a body that is not JSON.
var unparsed = answer{status: 400, text: "Failed to parse the request body as JSON"}

func isJSON(ctx *fasthttp.RequestCtx) bool {
	return strings.HasPrefix(string(ctx.Request.Header.ContentType()), "application/json")
}

// limited is the answer over a limit; tooMany writes it.
var limited = answer{status: fasthttp.StatusTooManyRequests, text: "Too many requests"}

// askInfo answers a readable info request within the limits of an address.
func (e *Exchange) askInfo(r *infoRequest, ip string, f *faults) answer {
	cost := exchange.InfoWeight(r.Type, 0)
	if !e.ledger.spend(ip, overWeight, cost, e.nowMs()) {
		return limited
	}
	a := e.source.info(r, f)
	extra := exchange.InfoWeight(r.Type, a.rows()) - cost
	e.count(&e.counts.Weight, cost+extra)
	e.ledger.charge(ip, extra, e.nowMs())
	return a
}

// tooMany answers 429 with a page of the proxy in front of the venue.
func (e *Exchange) tooMany(ctx *fasthttp.RequestCtx) {
	e.count(&e.counts.TooManyRequests, 1)
	ctx.SetStatusCode(fasthttp.StatusTooManyRequests)
	ctx.SetContentType("text/html")
	ctx.SetBodyString("<html><head><title>429 Too Many Requests</title></head></html>\r\n")
}

// control serves the paths under /sim, which the venue does not have.
func (e *Exchange) control(ctx *fasthttp.RequestCtx, path string) {
	if path == "/sim/stats" {
		reply(ctx, ok(e.Stats()))
		return
	}
	if ctx.IsPost() {
		var in struct{ Fault string }
		err := json.Unmarshal(ctx.PostBody(), &in)
		if err == nil {
			err = e.SetFaults(in.Fault)
		}
		if err != nil {
			reply(ctx, answer{status: 400, data: map[string]string{"error": err.Error()}})
			return
		}
	}
	reply(ctx, ok(map[string]any{"fault": e.Faults(), "have": FaultHelp()}))
}
