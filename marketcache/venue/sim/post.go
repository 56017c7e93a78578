package sim

import (
	"errors"
	"strconv"

	"github.com/goccy/go-json"
	"github.com/valyala/fasthttp"

	"ballast/marketcache/venue/exchange"
)

// exchangeKind is the argument of faults that means POST /exchange.
const exchangeKind = "exchange"

// handleExchange answers POST /exchange.
func (e *Exchange) handleExchange(ctx *fasthttp.RequestCtx, f *faults) {
	if e.faulty(ctx, f, exchangeKind) {
		return
	}
	a := answer{status: fasthttp.StatusUnsupportedMediaType, text: wrongType}
	if isJSON(ctx) {
		if a = e.act(ctx.PostBody(), ctx.RemoteIP().String(), f); a.status == fasthttp.StatusTooManyRequests {
			e.tooMany(ctx)
			return
		}
	}
	respond(ctx, a, f.spoil(a.body(), exchangeKind))
}

// act decodes a signed action and carries it out, within the limits of an address.
func (e *Exchange) act(body []byte, ip string, f *faults) answer {
	var env exchange.Envelope
	if err := exchange.Decode(body, &env); err != nil {
		e.countAction(nil)
		var why *exchange.DecodeError
		if errors.As(err, &why) && why.Syntax {
			return unparsed
		}
		return refused
	}
	e.countAction(&env.Action)
	weight := 1 + env.Action.Elements()/40
	if !e.ledger.spend(ip, overWeight, weight, e.nowMs()) {
		return limited
	}
	e.count(&e.counts.Weight, weight)
	if env.Action.Class() == exchange.ClassUnknown {
		return refused
	}
	said := refuseAction("Recordings take no actions.")
	if e.market != nil {
		said = e.market.act(&env, f)
	}
	return ok(json.RawMessage(said.AppendJSON(nil)))
}

// post answers the method post of a socket: what POST /info or POST /exchange would answer.
func (e *Exchange) post(r *postRequest, ip string) object {
	f, a := e.faults.Load(), refused
	payload := func(data any) any { return data }
	switch r.Type {
	case "action":
		a = e.act(r.Payload, ip, f)
	case "info":
		q, good := decodeInfo(r.Payload)
		e.countInfo(q.Type)
		if good {
			a = e.askInfo(q, ip, f)
		}
		payload = func(data any) any { return object{"type": q.Type, "data": data} }
	}
	switch {
	case a.text != "":
		return object{"type": "error", "payload": strconv.Itoa(a.status) + " " + a.text}
	case a.status != fasthttp.StatusOK:
		return object{"type": "error", "payload": strconv.Itoa(a.status)}
	}
	return object{"type": r.Type, "payload": payload(json.RawMessage(encode(a.data)))}
}
