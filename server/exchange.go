package server

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/transport"
)

// exchange is one request and its answer. It is pooled: nothing in it outlives the
// handler.
type exchange struct {
	s       *Server
	ctx     *fasthttp.RequestCtx
	started time.Time           // when the request was taken up
	at      marketcache.Instant // the same
	took    time.Duration       // until it was answered, where that says what it costs; 0: it does not
	conn    *transport.Conn     // under it, nil when there is none
	head    headers
	path    []byte // raw, without the query
	query   []byte
	route   routeID
	ticket  admission.Ticket // from admission on
	memory  *risk.Scratch    // the same
	id      []byte
	decoder api.Decoder
	request risk.Request
	trade   risk.Trade
	batch   batch
	report  risk.WalletReport
	body    *transport.ResponseBody // in the making
	scratch []byte                  // one that is copied
	tally   *tally                  // of the metrics; not shared with exchanges of other processors
}

func (s *Server) newExchange() *exchange {
	return &exchange{s: s, id: make([]byte, 0, maxRequestID), tally: s.metrics.nextTally()}
}

// begin takes up the request of ctx, which fasthttp handed over at an instant.
func (s *Server) begin(ctx *fasthttp.RequestCtx, at time.Time) *exchange {
	x := s.exchanges.Get().(*exchange)
	x.ctx, x.started, x.took, x.route = ctx, at, 0, routeNone
	x.at = marketcache.InstantOf(at)
	s.transport.NoteRequest(x.started)
	if x.conn = transport.ConnOf(ctx); x.conn != nil {
		x.conn.TakeUp()
	}
	h := &ctx.Request.Header
	x.head.fault = x.head.read(h.RawHeaders())
	x.path, x.query = splitURI(h.RequestURI())
	if usableID(x.head.requestID) {
		x.id = append(x.id[:0], x.head.requestID...)
	} else {
		x.id = s.ids.append(x.id[:0], x.at)
	}
	return x
}

// end counts the request and gives everything back. A panic on the way is answered here,
// and then nothing is given back: whatever it left half-written is thrown away.
func (s *Server) end(x *exchange) {
	if r := recover(); r != nil {
		s.recovered(x, r)
		return
	}
	x.release()
	took := x.took
	if took == 0 {
		took = time.Since(x.started)
	}
	x.tally.count(x.route, x.ctx.Response.StatusCode(), took)
	if s.cfg.AccessLog > 0 {
		s.logAccess(x, took)
	}
	x.ctx = nil
	s.exchanges.Put(x)
}

// release gives back what admission gave.
func (x *exchange) release() {
	if x.memory != nil {
		x.s.memories.give(x.memory)
		x.memory = nil
	}
	if x.body != nil { // not sent
		x.body.Close()
		x.body = nil
	}
	x.ticket.Done(x.at.Add(x.took))
}

// admit decides whether the request may run, which is of trades trades, and gives it its memory;
// or answers that it may not.
func (x *exchange) admit(kind admission.Kind, trades int) bool {
	var arrival admission.Arrival
	if x.conn != nil {
		arrival = x.conn
	}
	var refusal admission.Refusal
	if x.ticket, refusal = x.s.admission.Admit(kind, trades, x.at, arrival); refusal != admission.Admitted {
		return x.fail(api.CodeOverloaded, refusal.String())
	}
	x.memory = x.s.memories.take()
	if kind != admission.Plain {
		x.s.transport.Batch.FlushHeld()
	}
	return true
}

// beginWait marks the request as waiting for the venue; false when too many do.
func (x *exchange) beginWait() bool { return x.ticket.BeginOutside() }

func (x *exchange) endWait() { x.ticket.EndOutside() }

// splitURI splits what a request line asks for: a path, or a whole address as one may send
// to a proxy, with or without a query.
func splitURI(uri []byte) (path, query []byte) {
	if len(uri) > 0 && uri[0] != '/' {
		uri = withoutAuthority(uri)
	}
	for i, c := range uri {
		if c == '?' {
			return uri[:i], uri[i+1:]
		}
	}
	return uri, nil
}

// envelope is what the answer carries beside the assessment, and the view that is asked for.
func (x *exchange) envelope() api.Envelope {
	e := api.Envelope{RequestID: x.id, Venue: x.s.cfg.VenueKind, Started: x.started}
	if len(x.query) > 0 {
		e.Explain, e.Compact = x.queryIs("explain=true"), x.queryIs("view=compact")
	}
	return e
}

// withoutAuthority returns the path of an address and what follows it.
func withoutAuthority(uri []byte) []byte {
	for _, scheme := range []string{"http://", "https://"} {
		if len(uri) < len(scheme) || !bytes.EqualFold(uri[:len(scheme)], []byte(scheme)) {
			continue
		}
		rest := uri[len(scheme):]
		if i := bytes.IndexAny(rest, "/?"); i >= 0 && rest[i] == '/' {
			return rest[i:]
		}
		return []byte("/")
	}
	return uri
}

// queryIs reports whether one of the query's pairs is exactly pair.
func (x *exchange) queryIs(pair string) bool {
	for rest := x.query; len(rest) > 0; {
		item := rest
		if i := bytes.IndexByte(rest, '&'); i >= 0 {
			item, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if string(item) == pair {
			return true
		}
	}
	return false
}
