package server

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/journal"
	"ballast/server/transport"
)

// exchange is one request and its answer. It is pooled and must not be used after the handler returns.
type exchange struct {
	s          *Server
	ctx        *fasthttp.RequestCtx
	started    time.Time           // when fasthttp passed the request to the handler
	at         marketcache.Instant // the same time as an Instant
	conn       *transport.Conn     // nil when there is none
	headers    requestHeaders
	path       []byte // raw, without the query
	query      []byte
	explain    bool             // asked for by the query
	compact    bool             // asked for by the query
	deposit    bool             // asked for by the query
	unrecorded bool             // asked for by the query
	until      risk.Target      // of a monitor call, from the query
	route      int              // its place in routeTable
	ticket     admission.Ticket // set by admission
	memory     *risk.Scratch    // set by admission
	id         []byte
	keyID      string // of the key that was accepted, "" on a route without one
	scanner    api.Scanner
	request    risk.Request
	trade      risk.Trade
	batch      batch
	report     risk.WalletReport
	shocks     api.Shocks
	sizes      api.Sizes
	largest    risk.SizeAnswer
	least      risk.Deposit
	judged     judgement
	entry      journal.Entry           // the decision that is being made
	pause      func()                  // yield
	body       *transport.ResponseBody // being written
	scratch    []byte                  // a body that is copied when sent
	tally      *tally                  // of the metrics; shared by few exchanges

	watch       watchCall // of a call that a watch makes
	shockReport risk.ShockReport
	action      action // through the gate
	receipts    receipts
}

// begin starts the exchange of a request that fasthttp passed to the handler at the given time.
func (s *Server) begin(ctx *fasthttp.RequestCtx, at time.Time) *exchange {
	x := s.exchanges.Get().(*exchange)
	x.ctx, x.started, x.route = ctx, at, routeNone
	x.keyID, x.watch = "", watchCall{}
	x.explain, x.compact, x.deposit, x.unrecorded = false, false, false, false
	x.until = risk.DefaultTarget
	x.at = marketcache.InstantOf(at)
	if x.conn = transport.ConnOf(ctx); x.conn != nil {
		x.conn.TakeUp(int64(x.at))
	}
	h := &ctx.Request.Header
	x.headers.fault = x.headers.read(h.RawHeaders())
	if x.headers.close {
		ctx.SetConnectionClose()
	}
	x.path, x.query = splitURI(h.RequestURI())
	if usableID(x.headers.requestID) {
		x.id = append(x.id[:0], x.headers.requestID...)
	} else {
		x.id = s.ids.append(x.id[:0], x.at)
	}
	return x
}

// end counts the request and returns its memory. It answers a panic; the memory is then discarded,
// because it may be half-written.
func (s *Server) end(x *exchange) {
	if r := recover(); r != nil {
		s.recovered(x, r)
		return
	}
	x.release()
	took := time.Since(x.started)
	x.tally.count(x.route, x.ctx.Response.StatusCode(), took)
	if s.cfg.AccessLog > 0 {
		s.logAccess(x, took)
	}
	x.ctx = nil
	s.exchanges.Put(x)
}

// release returns what admission gave.
func (x *exchange) release() {
	if x.memory != nil {
		x.s.memories.release(x.memory)
		x.memory = nil
	}
	if x.body != nil { // never sent
		x.body.Close()
		x.body = nil
	}
	x.ticket.Done()
}

// admit decides whether the request, of the given number of trades, may run, and gives it memory;
// otherwise it answers the refusal.
func (x *exchange) admit(kind admission.Kind, trades int) bool {
	var arrival admission.Arrival
	if x.conn != nil {
		arrival = x.conn
	}
	deadline := x.at.Add(x.s.cfg.RequestTimeout)
	var refusal admission.Refusal
	if x.ticket, refusal = x.s.admission.Admit(kind, trades, x.at, arrival); x.ticket.Held() {
		_, refusal = x.ticket.Wait()
		x.at = marketcache.Now() // the ages of what is read from now on include the wait
	}
	if refusal != admission.Admitted {
		if x.conn != nil {
			x.conn.Refused(int64(marketcache.Now()))
		}
		return x.fail(api.CodeOverloaded, refusal.String())
	}
	x.memory = x.s.memories.acquire()
	x.memory.Deadline, x.memory.Limits = deadline, risk.Limits{}
	if kind != admission.Plain {
		x.s.transport.Batch.FlushHeld()
	}
	return true
}

// splitURI splits the target of a request line, a path or (as sent to a proxy) an absolute URI, into
// path and query.
func splitURI(uri []byte) (path, query []byte) {
	if len(uri) > 0 && uri[0] != '/' {
		uri = withoutAuthority(uri)
	}
	if i := bytes.IndexByte(uri, '?'); i >= 0 {
		return uri[:i], uri[i+1:]
	}
	return uri, nil
}

// envelope returns the parts of an answer besides the assessment, including the requested view.
func (x *exchange) envelope() api.Envelope {
	return api.Envelope{RequestID: x.id, Venue: x.s.cfg.VenueKind, Started: x.started, Explain: x.explain,
		Compact: x.compact, Policy: &x.judged.verdict, Held: x.judged.held}
}

// withoutAuthority returns the part of an absolute URI from the path on.
func withoutAuthority(uri []byte) []byte {
	scheme, rest, found := bytes.Cut(uri, []byte("://"))
	if s := string(bytes.ToLower(scheme)); !found || s != "http" && s != "https" {
		return uri
	}
	if i := bytes.IndexAny(rest, "/?"); i >= 0 && rest[i] == '/' {
		return rest[i:]
	}
	return []byte("/")
}
