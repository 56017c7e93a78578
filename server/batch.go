package server

import (
	"runtime"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

// batch is the memory of a batch request.
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

// fill photographs what every trade that is assessed needs, so that nothing is found
// missing in the middle.
func (b *batch) fill(steps *risk.Batch, in *risk.Input) risk.Missing {
	b.steps = steps
	for i := range b.trades {
		if t := &b.trades[i]; t.bad == nil {
			if missing := steps.Fill(in, &t.trade); missing.Lack != risk.Complete {
				return missing
			}
		}
	}
	return risk.Missing{}
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
		x.fail(api.CodeStarting, "the venue's assets have not been read yet")
		return
	}
	wallet, ok := marketcache.ParseWallet(b.body.Wallet.Text)
	if !ok {
		x.refuse(risk.CodeValidation, "invalid wallet address: "+risk.Echo(b.body.Wallet.Text), api.MendWallet(b.body.Wallet.Text))
		return
	}
	assessed, simulates := b.check(universe)
	in := s.overload.batches
	if simulates {
		in = s.overload.simulations
	}
	if !s.admit(x, in) {
		return
	}
	if assessed > 0 {
		if f := s.photographBatch(x, wallet); f.code != "" {
			x.failAfter(f.code, f.detail, f.after)
			return
		}
	}
	s.answerBatch(x)
}

// check applies the rules of a request to each trade. It returns how many pass and whether
// one of those is to be simulated.
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

// photographBatch reads the wallet, with the leverage settings that the trades need, and
// photographs the market, when it is the batch's turn.
func (s *Server) photographBatch(x *exchange, wallet marketcache.Wallet) failure {
	var account *marketcache.Account
	var now marketcache.Instant
	for i := range x.batch.trades {
		t := &x.batch.trades[i]
		if t.bad != nil || account != nil && t.trade.Leverage > 0 {
			continue
		}
		var f failure
		if account, now, f = s.account(x, &t.trade, s.cfg.Engine.Ages().WalletHard); f.code != "" {
			return f
		}
	}
	return s.prepare(x, account, now, tradesInRow)
}

// answerBatch assesses trade after trade, each as if those before it had filled. Fifty of a
// large wallet take tens of milliseconds: what is short goes in between.
func (s *Server) answerBatch(x *exchange) {
	b, scratch := &x.batch, x.slot.scratch
	envelope := x.envelope()
	text := x.newText(batchTexts)
	body := append(text.b, `{"results":[`...)
	deadline := x.started.Add(s.cfg.RequestTimeout)
	for i := range b.trades {
		t := &b.trades[i]
		if i > 0 {
			body = append(body, ',')
		}
		if t.bad != nil {
			body = x.appendRejected(body, i, &envelope)
			continue
		}
		if time.Now().After(deadline) {
			x.fail(api.CodeDeadlineExceeded, "the batch could not be assessed within "+seconds(s.cfg.RequestTimeout))
			return
		}
		missing := b.steps.Fill(&scratch.In, &t.trade)
		if missing.Lack != risk.Complete {
			panic("BUG: a batch lacks what was photographed: " + missing.What)
		}
		begun := time.Now()
		s.cfg.Engine.Assess(scratch)
		var err error
		if body, err = api.AppendAssessment(body, &scratch.Out, &envelope); err != nil {
			s.metrics.notFinite.Inc()
			x.fail(api.CodeInternal, "an error of this service, logged under the request id")
			return
		}
		x.tally.assessed(time.Since(begun), scratch.Out.Recommendation)
		b.steps.Apply(scratch)
		if x.place.Yield() {
			runtime.Gosched() // behind all that was found
		}
	}
	b.steps = nil
	text.b = append(body, `]}`...)
	x.send(true)
}

// appendRejected appends the answer to a trade that breaks a rule.
func (x *exchange) appendRejected(body []byte, i int, e *api.Envelope) []byte {
	t := &x.batch.trades[i]
	meta := risk.Meta{Asset: risk.Echo(x.batch.body.Trades[i].Request.Asset.Text), AsOfUnixMs: x.wallMs(marketcache.Now())}
	version := risk.ModelVersion{EngineVersion: risk.EngineVersion, CalibrationName: x.s.cfg.Cache.Model().Name}
	return api.AppendRejected(body, t.bad.Detail, &meta, &version, e)
}
