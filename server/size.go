package server

import (
	"ballast/compute/risk"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/journal"
)

// size answers POST /v1/size: the largest order that the venue takes and that meets a target.
func (s *Server) size(x *exchange) {
	q, universe := &x.sizes, s.cfg.Cache.Universe()
	refuse := func(bad *risk.Reject) { x.refuse(bad.Code, bad.Detail, api.MendSizes(bad, q, universe)) }
	if bad := x.scanner.Sizes(x.ctx.PostBody(), q); bad != nil {
		refuse(bad)
		return
	}
	if !x.listed(universe) {
		return
	}
	if bad := q.Check(universe); bad != nil {
		refuse(bad)
		return
	}
	if !x.admit(admission.Size, 1) {
		return
	}
	x.trade = q.Trade
	account, now := s.account(x, &x.trade, s.cfg.Engine.Ages().WalletHard)
	if account == nil || !x.accountItself(account, q.Request.Wallet.Value) || !s.snapshot(x, account, now, oneTrade) {
		return
	}
	question := q.Question()
	x.limit(&x.trade.Wallet, 0)
	x.memory.Explain = x.explain || x.compact
	x.memory.Pause = x.pause
	s.cfg.Engine.Size(x.memory, &question, &x.largest)
	x.memory.Pause = nil
	if bad := x.memory.Refused; bad != nil {
		refuse(bad)
		return
	}
	if x.memory.Late {
		x.failLate("the search")
		return
	}
	x.judge()
	t := x.newBody(bodies)
	envelope := x.envelope()
	var err error
	if t.B, err = api.AppendSizes(t.B, &question, &x.largest, &x.memory.Out, &envelope); err != nil {
		x.failNotFinite()
		return
	}
	x.record(journal.Size, 0, x.ctx.PostBody(), t.Bytes())
	x.send(true, false)
}

// yield lets short requests run first.
func (x *exchange) yield() { x.ticket.Yield() }
