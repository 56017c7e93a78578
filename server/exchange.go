package server

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/internal/yield"
	"ballast/marketcache"
	"ballast/server/api"
)

// exchange is one request and its answer. It is pooled: nothing in it outlives the
// handler.
type exchange struct {
	s       *Server
	ctx     *fasthttp.RequestCtx
	started time.Time           // when the request was taken up
	at      marketcache.Instant // the same
	begun   time.Time           // when work on it began: the same, unless there is too much of it
	head    headers
	path    []byte // raw, without the query
	query   []byte
	route   routeID
	fresh   bool         // did not wait for another request of its connection
	slot    *slot        // held from admission on
	waiting bool         // counted as waiting
	waited  bool         // has been counted so
	line    *line        // entered, or nil
	place   *yield.Point // taken in it, or nil
	taken   time.Time    // when it was
	works   bool         // counted as being at work
	id      []byte
	decoder api.Decoder
	request risk.Request
	trade   risk.Trade
	batch   batch
	report  risk.WalletReport
	text    *text  // a body in the making
	list    []byte // one that is copied
	tally   *tally // of the metrics; not shared with exchanges of other processors
}

func (s *Server) newExchange() *exchange {
	return &exchange{s: s, id: make([]byte, 0, maxRequestID), tally: s.metrics.nextTally()}
}

// begin takes up the request of ctx, which fasthttp handed over at an instant.
func (s *Server) begin(ctx *fasthttp.RequestCtx, at time.Time) *exchange {
	x := s.exchanges.Get().(*exchange)
	x.ctx, x.started, x.route, x.waited = ctx, at, routeNone, false
	x.at = marketcache.InstantOf(at)
	x.begun = x.started
	s.busyPoll.note(x.started)
	x.fresh = takeFresh(ctx)
	h := &ctx.Request.Header
	x.head.read(h.RawHeaders())
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
	x.tally.count(x.route, x.ctx.Response.StatusCode())
	x.ctx = nil
	s.exchanges.Put(x)
}

// release gives back what admission took.
func (x *exchange) release() {
	if x.slot != nil {
		x.s.slots.give(x.slot)
		x.slot = nil
	}
	x.leaveLine()
	if x.text != nil { // not sent
		x.text.Close()
		x.text = nil
	}
	x.endWait()
	x.endWork()
}

// enter puts the exchange into a line; false when it must be refused.
func (x *exchange) enter(l *line) bool {
	if !l.enter(x.at) {
		return false
	}
	x.line = l
	return true
}

// takePlace waits for the exchange's turn in its line. It reports whether it had to, and false
// when it must be refused.
func (x *exchange) takePlace() (waited, ok bool) {
	if x.place, waited = x.line.wait(); x.place == nil {
		x.line = nil
		return waited, false
	}
	x.taken = time.Now()
	return waited, true
}

func (x *exchange) leaveLine() {
	if x.line == nil {
		return
	}
	x.line.leave() // before the next takes the place, and looks at how many there are
	if x.place != nil {
		x.line.give(x.place, x.taken)
		x.place = nil
	}
	x.line = nil
}

// beginWait marks the exchange as waiting for the venue; false when too many do.
func (x *exchange) beginWait() bool {
	if !x.waiting {
		x.waiting, x.waited = x.s.slots.beginWait(), true
	}
	return x.waiting
}

func (x *exchange) endWait() {
	if x.waiting {
		x.waiting = false
		x.s.slots.endWait()
	}
}

func splitURI(uri []byte) (path, query []byte) {
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
