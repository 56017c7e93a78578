package server

import (
	"time"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
)

// batch is the scratch of a batch request.
type batch struct {
	body   api.Batch
	trades []batchTrade
	steps  *risk.Batch
}

// batchTrade is one trade after its checks.
type batchTrade struct {
	trade risk.Trade
	bad   *risk.Reject // nil: the trade is assessed
}

// fill takes the snapshot for all trades before the first is assessed: no trade may find data missing.
func (b *batch) fill(steps *risk.Batch, in *risk.Input) risk.Unavailable {
	b.steps = steps
	for i := range b.trades {
		if t := &b.trades[i]; t.bad == nil {
			if missing := steps.Fill(in, &t.trade); missing.Reason != risk.Complete {
				return missing
			}
		}
	}
	return risk.Unavailable{}
}

// validateBatch answers POST /v1/validate/batch.
func (s *Server) validateBatch(x *exchange) {
	b := &x.batch
	if bad := x.decoder.Batch(x.ctx.PostBody(), &b.body); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendBatch(bad, &b.body))
		return
	}
	universe := s.cfg.Cache.Universe()
	if len(universe.Assets) == 0 {
		x.fail(api.CodeStarting, noAssets)
		return
	}
	wallet, ok := marketcache.ParseWallet(b.body.Wallet.Value)
	if !ok {
		x.refuse(risk.CodeValidation, "invalid wallet address: "+printable.Text(b.body.Wallet.Value), api.MendWallet(b.body.Wallet.Value))
		return
	}
	assessed, simulates := b.check(universe)
	kind := admission.Batch
	if simulates {
		kind = admission.SimulatedBatch
	}
	if !x.admit(kind, len(b.trades)) {
		return
	}
	if assessed == 0 || s.snapshotBatch(x, wallet) {
		s.answerBatch(x)
	}
}

// check applies the rules of a single request to each trade. It returns how many pass, and whether one
// of those asks for a simulation.
func (b *batch) check(universe *marketcache.Universe) (passed int, simulates bool) {
	b.trades = b.trades[:0]
	for i := range b.body.Trades {
		t := &b.body.Trades[i]
		next := batchTrade{bad: t.Bad}
		if next.bad == nil {
			next.bad = t.Request.Check(universe, &next.trade)
		}
		if next.bad == nil {
			passed++
			simulates = simulates || next.trade.MonteCarlo
		}
		b.trades = append(b.trades, next)
	}
	return passed, simulates
}

// snapshotBatch reads the wallet, with the leverage settings that the trades need, and then, when it is
// the batch's turn, takes the market snapshot. It answers and returns false if something is missing.
func (s *Server) snapshotBatch(x *exchange, wallet marketcache.Wallet) bool {
	var account *marketcache.Account
	var now marketcache.Instant
	for i := range x.batch.trades {
		t := &x.batch.trades[i]
		if t.bad != nil || account != nil && t.trade.Leverage > 0 {
			continue
		}
		if account, now = s.account(x, &t.trade, s.cfg.Engine.Ages().WalletHard); account == nil {
			return false
		}
	}
	return s.snapshot(x, account, now, tradesInRow)
}

// answerBatch assesses the trades in order, each as if those before it had been filled. Fifty trades of
// a large wallet with simulations take seconds: the batch yields to short requests between trades, and
// stops as soon as it cannot meet the deadline.
func (s *Server) answerBatch(x *exchange) {
	b := &x.batch
	envelope := x.envelope()
	body := x.newBody(batchBodies)
	body.B = append(body.B, `{"results":[`...)
	for i := range b.trades {
		if i > 0 {
			body.B = append(body.B, ',')
		}
		if b.trades[i].bad != nil {
			body.B = x.appendRejected(body.B, i, &envelope)
		} else if !s.answerTrade(x, i, &envelope) {
			return
		}
	}
	b.steps = nil
	body.B = append(body.B, `]}`...)
	x.took = time.Since(x.started)
	x.send(true, false)
}

// answerTrade appends the assessment of one trade. If there is none, it fails the whole batch.
func (s *Server) answerTrade(x *exchange, i int, e *api.Envelope) bool {
	t, memory, started := &x.batch.trades[i], x.memory, time.Now()
	if started.Sub(x.started) > s.cfg.RequestTimeout {
		return x.fail(api.CodeDeadlineExceeded, "the batch could not be assessed within "+seconds(s.cfg.RequestTimeout))
	}
	switch missing := x.batch.steps.Fill(&memory.In, &t.trade); missing.Reason {
	case risk.Complete:
	case risk.Inconsistent: // the trades before it have moved the position that it would reduce
		return s.failInconsistent(x, &missing)
	default:
		panic("BUG: a batch lacks what was read: " + missing.What)
	}
	s.cfg.Engine.Assess(memory)
	var err error
	if x.body.B, err = api.AppendAssessment(x.body.B, &memory.Out, e); err != nil {
		return x.failNotFinite()
	}
	now := time.Now()
	x.tally.verdicts[memory.Out.Recommendation].Add(1)
	if !x.ticket.Progress(i+1, marketcache.InstantOf(now)) {
		return x.fail(api.CodeOverloaded, admission.TooLate.String())
	}
	x.batch.steps.Apply(memory)
	x.ticket.Yield()
	return true
}

// appendRejected appends the error for a trade that breaks a rule.
func (x *exchange) appendRejected(body []byte, i int, e *api.Envelope) []byte {
	t := &x.batch.trades[i]
	request := &x.batch.body.Trades[i].Request
	var how api.Mending
	if e.Compact {
		how = api.MendTrade(t.bad, request, x.s.cfg.Cache.Universe())
	}
	meta := risk.Meta{Asset: printable.Text(request.Asset.Value), AsOfUnixMs: x.s.cfg.Cache.Venue.Clock.VenueMs(marketcache.Now())}
	version := risk.ModelVersion{EngineVersion: risk.EngineVersion, CalibrationName: x.s.cfg.Cache.Model().Name}
	return api.AppendRejected(body, t.bad.Detail, &how, &meta, &version, e)
}
