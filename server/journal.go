package server

import (
	"context"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/server/api"
	"ballast/server/gate"
	"ballast/server/journal"
)

// record records what was assessed last: number i of the request, whose part of the body and of the answer are given.
func (x *exchange) record(kind journal.Kind, i int, request, answer []byte) {
	j := x.s.cfg.Journal
	if x.unrecorded || j.Mode() == journal.Off {
		return
	}
	e := &x.entry
	*e = journal.Entry{Kind: kind, Index: i, RequestID: x.id, KeyID: x.keyID, Wallet: x.memory.In.Trade.Wallet,
		Request: request, Verdict: &x.judged.verdict}
	if j.Mode() == journal.Full {
		e.Photograph = x.photograph(kind, answer)
	}
	e.Assessed(x.memory, &x.judged.facts)
	j.Record(e)
}

// photograph copies what the answer to what was assessed last was computed from.
func (x *exchange) photograph(kind journal.Kind, answer []byte) journal.Photograph {
	shot := x.s.camera.Take(&x.memory.In, x.id, answer)
	in := &shot.Inputs
	in.Ages, in.Case, in.Venue = *x.s.cfg.Engine.Ages(), x.judged.by, x.s.cfg.VenueKind
	in.Explain, in.Compact = x.explain, x.compact
	if in.Sizes = kind == journal.Size; in.Sizes {
		in.Question, in.In.Trade = x.sizes.Question(), x.trade // of which the search has tried sizes
	}
	return shot
}

// What the gate did with an action.
const (
	didPass   = "passed" // what cannot add risk
	didAllow  = "allowed"
	didRefuse = "refused"
)

// photographOrder keeps what the order of an action that was assessed last was judged by, in place of the one before:
// the figures of the decision are those of the last. The answer is the one that POST /v1/validate would have given.
func (x *exchange) photographOrder() {
	if x.s.cfg.Journal.Mode() != journal.Full {
		return
	}
	out := &x.memory.Out
	told, flags := out.Recommendation, out.Flags
	x.judged.verdict.Forbid(&out.Recommendation, &out.Flags)
	envelope := x.envelope()
	answer, err := api.AppendAssessment(nil, out, &envelope)
	out.Recommendation, out.Flags = told, flags
	if err != nil { // the decision is kept all the same
		x.s.warn("decision not photographed", "error", err)
		return
	}
	x.entry.Photograph = x.photograph(journal.Gate, answer)
}

// beginEntry begins the decision about an action of the gate.
func (x *exchange) beginEntry() {
	a := &x.action
	x.entry = journal.Entry{Kind: journal.Gate, RequestID: x.id, KeyID: x.keyID, Request: a.text,
		AtMs: x.s.cfg.Cache.Venue.Clock.VenueMs(x.at), Gate: journal.Passage{
			Class: a.Action.Class().String(), Type: a.Action.Type()}}
}

// enter completes the decision and records it. firstTry: it is written at the first try or never.
func (x *exchange) enter(did, reason string, firstTry bool) (*journal.GateEntry, error) {
	e := &x.entry
	e.Gate.Did, e.Gate.Reason = did, reason
	if e.Wallet == (marketcache.Wallet{}) {
		e.Resolve = x.s.resolver(e.Request)
	}
	return x.s.cfg.Journal.RecordGate(e, firstTry)
}

// resolver returns what finds the signer of an action, and its account if that is known: the action did not wait for
// it.
func (s *Server) resolver(text []byte) func(*journal.Entry) {
	if s.cfg.Journal.Mode() == journal.Off {
		return nil
	}
	text, g := append([]byte(nil), text...), s.cfg.Gate
	return func(e *journal.Entry) {
		var signed wire.Envelope
		if wire.Decode(text, &signed) != nil {
			return
		}
		signer, err := signed.Signer(g.Network)
		if err != nil {
			return
		}
		e.Gate.Signer = signer.String()
		if multi, is := signed.Action.Form.(*wire.MultiSig); is {
			e.Wallet = marketcache.Wallet(multi.Payload.User)
		} else if signed.HasVault {
			e.Wallet = marketcache.Wallet(signed.Vault)
		} else {
			e.Wallet, _ = g.KnownOwner(signer)
		}
	}
}

// pass hands on an action that cannot add risk. It waits for nothing of this service.
func (s *Server) pass(x *exchange) {
	if !s.cfg.Journal.Strict() {
		x.entry.Gate.VenueStatus = s.handOn(x, nil)
		x.enter(didPass, "", false)
		return
	}
	s.guarded("journal", func() { x.enter(didPass, "", false) })
	s.handOn(x, nil)
}

// refuseAction answers with a refusal, which is recorded before with a journal that is strict.
func (s *Server) refuseAction(x *exchange, why string) {
	entry, _ := x.enter(didRefuse, why, false)
	if s.cfg.Journal.Strict() {
		ctx, cancel := context.WithDeadline(s.life, x.started.Add(s.cfg.RequestTimeout))
		defer cancel()
		entry.Wait(ctx)
	}
	x.answerRefusal(why)
}

// allow hands on an action that was judged; about says what could not be judged, "" for nothing. A journal that is
// strict has the decision on disk before. The disk may take long, and the switch be turned meanwhile.
func (s *Server) allow(x *exchange, about string, held *gate.Reservation) {
	why := ""
	switch j := s.cfg.Journal; {
	case !j.GateRoom():
		why = "decisions cannot be recorded, and too many wait for it: " + notWritten
	case j.Strict():
		ctx, cancel := context.WithDeadline(s.life, x.started.Add(s.cfg.RequestTimeout))
		defer cancel()
		entry, err := x.enter(didAllow, about, true)
		if err == nil {
			err = entry.Wait(ctx)
		}
		if err != nil {
			why = "the decision could not be written to disk (" + err.Error() + "): " + notWritten
		}
	}
	if turned := s.cfg.Policies.InForce().Switch(); turned != x.action.turned && turned.IsOn() {
		why = "increases are being stopped: send it again if it only reduces"
	}
	if why != "" {
		if held != nil {
			held.Withdraw()
		}
		s.refuseAction(x, why)
		return
	}
	x.entry.Gate.VenueStatus = s.handOn(x, held)
	if !s.cfg.Journal.Strict() {
		x.enter(didAllow, about, false)
	}
}

// notWritten says what to do when decisions cannot be written.
const notWritten = "send it again when GET /health says that the journal writes; what only reduces passes"
