package server

import (
	"fmt"
	"slices"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/alerts"
	"ballast/server/api"
	"ballast/server/transport"
)

// monitor answers GET /v1/monitor/{wallet}: a report on the wallet's open positions. Watchers of the
// wallet get the alerts before the caller gets the answer.
func (s *Server) monitor(x *exchange) {
	name := x.tail()
	wallet, ok := marketcache.ParseWallet(name)
	if !ok {
		x.refuse(api.CodeValidation, "invalid wallet address: "+printable.Text(name), api.MendWallet(name))
		return
	}
	if !x.listed(s.cfg.Cache.Universe()) || !x.admit(admission.Monitor, 1) {
		return
	}
	// No trade, so no leverage setting is needed.
	x.trade = risk.Trade{Wallet: wallet, Asset: marketcache.NoAsset, Leverage: 1}
	// Watchers take the result as current, so only a copy within the soft limit may be used.
	limit := s.cfg.Engine.Ages().WalletSoft
	account, now := s.account(x, &x.trade, limit)
	if account == nil || !x.accountItself(account, name) {
		return
	}
	if age := now.Sub(account.Received); age > limit {
		x.failTooOld("wallet", age, limit)
		return
	}
	if !s.snapshot(x, account, now, wholeWallet) {
		return
	}
	s.cfg.Engine.Monitor(x.memory, &x.report, x.until)
	if x.memory.Late {
		x.failLate("the report")
		return
	}
	x.judgeReport(&wallet)
	t := x.newBody(bodies)
	envelope := x.envelope()
	var err error
	if t.B, err = api.AppendMonitor(t.B, wallet.String(), &x.report, &envelope); err != nil {
		x.failNotFinite()
		return
	}
	// The ticket is returned first: the rest needs little processor time, but may wait for other replicas.
	body := x.body
	x.body = nil
	x.release()
	x.body = body
	result := resultOf(wallet.String(), &x.report)
	if !s.alert(result) {
		s.metrics.fanoutLocal.Add(1)
		x.ctx.Response.Header.Set("X-Alert-Fanout", "local")
	}
	if x.watch.key != "" { // nobody reads the answer
		x.watch.result = result
		return
	}
	x.send(true, false)
}

// minValueUSD keeps ratios to the account value finite.
const minValueUSD = 1

// resultOf returns what the alert rules use of a report.
func resultOf(wallet string, r *risk.WalletReport) *alerts.Result {
	result := &alerts.Result{Wallet: wallet, AtMs: r.Meta.AsOfUnixMs, Positions: make([]alerts.Position,
		len(r.Positions))}
	for i := range r.Positions {
		p := &r.Positions[i]
		result.Positions[i] = alerts.Position{
			Asset: p.Asset, RiskScore: p.RiskScore, LiquidationDistancePct: p.Liquidation.DistancePct,
			FundingDragDailyPct: p.FundingDrag24h, HasRegime: p.Regime.Known, Regime: uint8(p.Regime.State),
		}
	}
	if len(r.Positions) > 0 {
		result.HasPortfolio = true
		result.PortfolioVaRPct = 100 * r.BookVaR99 / max(r.AccountValueUSD, minValueUSD)
	}
	return result
}

// alert sends the result of a monitor call to everyone who watches the wallet: on this replica at once,
// and through the other replicas. It reports whether the other replicas are certain to receive the result.
func (s *Server) alert(result *alerts.Result) (fanned bool) {
	if s.cfg.Watch == nil {
		s.hub.Deliver(result)
		return true
	}
	s.cfg.Watch.Remember(s.life, result)
	s.hub.Deliver(result)
	err := s.cfg.Watch.Publish(s.life, result)
	if err != nil {
		s.warn("result of a monitor call not confirmed by the other replicas", "error", err.Error())
	}
	return err == nil
}

// alertSocket answers GET /v1/alerts/ws. No key is needed, but one that is sent must be valid: who believes to have
// the allowance of a key hears of its end. Sockets without a key have a lower limit.
func (s *Server) alertSocket(x *exchange) {
	asked := x.ctx.QueryArgs().Peek("details")
	if allowed := []string{"true", "false"}; len(asked) > 0 && !slices.Contains(allowed, string(asked)) {
		x.refuseQuery("query parameter details must be true or false, or left out, got ", "details", asked, allowed)
		return
	}
	client := alerts.Client{Name: transport.ClientAddr(x.ctx.Conn()).String()}
	if x.headers.authorized {
		caller, verdict := s.lookup(x)
		if !s.accepted(x, verdict) {
			return
		}
		client = alerts.Client{Name: caller.ID, Keyed: true}
	} else if x.conn != nil {
		if refusal := x.conn.BecomeKeylessSocket(); refusal != transport.HasRoom {
			x.ctx.SetConnectionClose()
			if refusal == transport.TooManyKeylessSocketsPerIP {
				x.fail(api.CodeRateLimited, fmt.Sprintf("more alert sockets of one address than %d: "+
					"open them with a key, or watch several wallets on one socket", s.cfg.MaxKeylessSocketsPerIP))
			} else {
				x.fail(api.CodeOverloaded, "too many alert sockets without a key: open this one with a key")
			}
			return
		}
	}
	if code, detail := s.hub.Upgrade(x.ctx, client, string(asked) == "true"); code != "" {
		x.fail(code, detail)
		return
	}
	if x.conn != nil {
		x.conn.Release() // it carries no more requests
	}
	x.ctx.Response.Header.SetCanonical(headerRequestID, x.id)
}
