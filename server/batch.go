package server

import (
	"time"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/journal"
	"ballast/server/receipt"
)

// batch is the scratch of a batch request.
type batch struct {
	api.Batch
	steps *risk.Batch
}

// fill takes the snapshot for all trades before the first is assessed: no trade may find data missing.
func (b *batch) fill(steps *risk.Batch, in *risk.Input) risk.Unavailable {
	b.steps = steps
	for i := range b.Trades {
		if t := &b.Trades[i]; t.Bad == nil {
			if missing := steps.Fill(in, &t.Trade); missing.Reason != risk.Complete {
				return missing
			}
			t.Bad = in.Trade.TooLarge()
		}
	}
	return risk.Unavailable{}
}

// validateBatch answers POST /v1/validate/batch.
func (s *Server) validateBatch(x *exchange) {
	b := &x.batch
	if bad := x.scanner.Batch(x.ctx.PostBody(), &b.Batch); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendBatch(bad, &b.Batch))
		return
	}
	universe := s.cfg.Cache.Universe()
	if !x.listed(universe) {
		return
	}
	if _, ok := marketcache.ParseWallet(b.Wallet.Value); !ok {
		x.refuse(risk.CodeValidation, "invalid wallet address: "+printable.Text(b.Wallet.Value),
			api.MendWallet(b.Wallet.Value))
		return
	}
	kind := admission.Batch
	if b.check(universe) {
		kind = admission.SimulatedBatch
	}
	if !x.admit(kind, len(b.Trades)) {
		return
	}
	if s.snapshotBatch(x) {
		s.answerBatch(x)
	}
}

// check applies the rules of a single request to each trade. It reports whether one that passes asks for
// a simulation.
func (b *batch) check(universe *marketcache.Universe) (simulates bool) {
	for i := range b.Trades {
		t := &b.Trades[i]
		if t.Bad == nil {
			t.Bad = t.Request.Check(universe, &t.Trade)
		}
		simulates = simulates || t.Bad == nil && t.Trade.MonteCarlo
	}
	return simulates
}

// snapshotBatch reads the wallet, with the leverage settings that the trades need, and then, when it is
// the batch's turn, takes the market snapshot. It answers and returns false if something is missing.
func (s *Server) snapshotBatch(x *exchange) bool {
	var account *marketcache.Account
	var now marketcache.Instant
	for i := range x.batch.Trades {
		t := &x.batch.Trades[i]
		if t.Bad != nil || account != nil && !usesSetting(&t.Trade) {
			continue
		}
		if account, now = s.account(x, &t.Trade, s.cfg.Engine.Ages().WalletHard); account == nil {
			return false
		}
	}
	if account != nil && !x.accountItself(account, x.batch.Wallet.Value) {
		return false
	}
	return account == nil || s.snapshot(x, account, now, tradesInRow) // without a wallet no trade is assessed
}

// answerBatch assesses the trades in order, each as if those before it had been filled. Fifty trades of
// a large wallet with simulations take seconds: the batch yields to short requests between trades, and
// stops as soon as it cannot meet the deadline.
func (s *Server) answerBatch(x *exchange) {
	b := &x.batch
	x.takeDigest()
	envelope := x.envelope()
	body := x.newBody(batchBodies)
	body.B = append(body.B, `{"results":[`...)
	for i := range b.Trades {
		if i > 0 {
			body.B = append(body.B, ',')
		}
		if t := &b.Trades[i]; t.Bad != nil {
			body.B = x.appendRejected(body.B, t, &envelope)
		} else if !s.answerTrade(x, i, &envelope) {
			return
		}
	}
	b.steps = nil
	body.B = append(body.B, `]}`...)
	x.send(true, false)
}

// answerTrade appends the assessment of one trade. If the trade cannot be assessed, it answers the whole batch
// with an error and returns false.
func (s *Server) answerTrade(x *exchange, i int, e *api.Envelope) bool {
	memory, started := x.memory, time.Now()
	if marketcache.InstantOf(started) > memory.Deadline {
		return x.failLate("the batch")
	}
	switch missing := x.batch.steps.Fill(&memory.In, &x.batch.Trades[i].Trade); missing.Reason {
	case risk.Complete:
	case risk.Inconsistent: // the trades before it have moved the position that it would reduce
		return s.failInconsistent(x, &missing)
	default:
		panic("BUG: a batch lacks what was read: " + missing.What)
	}
	memory.Explain = e.Explain || e.Compact
	x.limit(&x.batch.Trades[i].Trade.Wallet, i)
	s.cfg.Engine.Assess(memory)
	if memory.Late {
		return x.failLate("the batch")
	}
	if t := &x.batch.Trades[i]; memory.Refused != nil {
		t.Bad = memory.Refused
		x.body.B = x.appendRejected(x.body.B, t, e)
		return true
	}
	x.judge()
	var err error
	begin := len(x.body.B)
	if x.body.B, err = api.AppendAssessment(x.body.B, &memory.Out, e); err != nil {
		return x.failNotFinite()
	}
	x.record(journal.Batch, i, x.batch.Trades[i].Text, x.body.B[begin:])
	x.body.B = x.appendReceipt(x.body.B, receipt.Batch, i)
	now := time.Now()
	x.tally.verdicts[memory.Out.Recommendation].Add(1)
	if !x.ticket.Progress(i+1, marketcache.InstantOf(now)) {
		x.ticket.Done()
		return x.fail(api.CodeOverloaded, admission.TooLate.String())
	}
	x.batch.steps.Apply(memory)
	x.ticket.Yield()
	return true
}

// appendRejected appends the error for a trade that breaks a rule.
func (x *exchange) appendRejected(body []byte, t *api.BatchTrade, e *api.Envelope) []byte {
	how := api.MendTrade(t.Bad, &t.Request, x.s.cfg.Cache.Universe(), true)
	cache, now := x.s.cfg.Cache, marketcache.Now()
	meta := risk.Meta{Asset: printable.Text(t.Request.Asset.Value), AsOfUnixMs: cache.Venue.Clock.VenueMs(now),
		VenueNotice: cache.Rules().CurrentNotice(now)}
	version := risk.ModelVersion{EngineVersion: risk.EngineVersion, CalibrationName: cache.Model().Name}
	return api.AppendRejected(body, t.Bad.Detail, &how, &meta, &version, e)
}
