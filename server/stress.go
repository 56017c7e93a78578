package server

import (
	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
)

// stress answers POST /v1/stress: the wallet, as it is or after a trade, after price moves of the caller's own.
func (s *Server) stress(x *exchange) {
	b, universe := &x.shocks, s.cfg.Cache.Universe()
	refuse := func(bad *risk.Reject) { x.refuse(bad.Code, bad.Detail, api.MendShocks(bad, b, universe)) }
	if bad := x.scanner.Shocks(x.ctx.PostBody(), b); bad != nil {
		refuse(bad)
		return
	}
	if !x.listed(universe) {
		return
	}
	if bad := b.Check(universe); bad != nil {
		refuse(bad)
		return
	}
	if !x.admit(admission.Stress, 1) {
		return
	}
	what := oneTrade
	x.trade = b.Trade.Trade
	x.trade.MonteCarlo = false
	if !b.HasTrade() { // no leverage setting is needed
		what, x.trade.Asset, x.trade.Leverage = wholeWallet, marketcache.NoAsset, 1
	}
	account, now := s.account(x, &x.trade, s.cfg.Engine.Ages().WalletHard)
	if account == nil || !x.accountItself(account, b.Wallet.Value) || !s.snapshot(x, account, now, what) {
		return
	}
	if bad := x.memory.In.Trade.TooLarge(); bad != nil && b.HasTrade() {
		refuse(api.OfTrade(bad))
		return
	}
	named, star := b.Moves()
	s.cfg.Engine.Shock(x.memory, named, star, &x.shockReport)
	if bad := x.memory.Refused; bad != nil && b.HasTrade() {
		refuse(api.OfTrade(bad))
		return
	}
	t := x.newBody(bodies)
	envelope := x.envelope()
	var err error
	if t.B, err = api.AppendShocks(t.B, x.trade.Wallet.String(), &x.shockReport, &envelope); err != nil {
		x.failNotFinite()
		return
	}
	x.send(true, false)
}
