package server

import (
	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/policy"
	"ballast/server/journal"
)

// judgement is the scratch of what the operator's limits say.
type judgement struct {
	facts   policy.Facts
	by      policy.Case // of a trade
	verdict policy.Verdict
	held    []policy.Verdict // of the positions of a monitor call
}

// inForce returns the policy of a wallet, nil for none, and the switch.
func (s *Server) inForce(w *marketcache.Wallet) (*policy.Policy, *policy.Switch) {
	live := s.cfg.Policies.InForce()
	return live.Table().Of(w), live.Switch()
}

// judge judges the trade that was assessed last, number i of its request, by the limits of the operator. What they do
// not allow is answered with abort. The facts are there without limits too where they are recorded.
func (x *exchange) judge(w *marketcache.Wallet, i int) {
	p, turned := x.s.inForce(w)
	c, f, v := &x.judged.by, &x.judged.facts, &x.judged.verdict
	*c = policy.Case{}
	if v.Applies = x.limited(w, p, turned); !v.Applies && x.s.cfg.Journal.Mode() == journal.Off {
		return
	}
	f.OfTrade(x.memory)
	*c = policy.Case{Policy: p, Switch: turned, Unread: x.s.cfg.Policies.State() == nil, Day: x.day(w, p)}
	x.orders(c, i)
	c.Judge(f, v)
	v.Forbid(&x.memory.Out.Recommendation, &x.memory.Out.Flags)
}

// orders enters what the rules about the sending of orders count: the trades of a batch are sent one after the other.
func (x *exchange) orders(c *policy.Case, i int) {
	since, sent := policy.NoOrders, 1
	for k := range x.batch.Trades[:i] {
		if earlier := &x.batch.Trades[k]; earlier.Bad == nil {
			sent++
			if sameOrder(&earlier.Trade, &x.batch.Trades[i].Trade) {
				since = 0
			}
		}
	}
	c.Minute, c.Today, c.SinceSame = sent, sent, since
}

// sameOrder reports whether two trades are sent as the same order.
func sameOrder(a, b *risk.Trade) bool {
	return a.Asset == b.Asset && a.Action == b.Action && a.SizeUSD == b.SizeUSD && a.SizeCoin == b.SizeCoin &&
		a.Order == b.Order
}

// limited reports whether anything limits a wallet: a policy, the switch, a halt that outlives its policy, or what has
// not been read yet.
func (x *exchange) limited(w *marketcache.Wallet, p *policy.Policy, turned *policy.Switch) bool {
	if p != nil || turned.IsOn() || x.s.cfg.Policies.State() == nil {
		return true
	}
	day := x.s.cfg.Days.Of(w)
	return day != nil && len(day.Halts) > 0
}

// day returns the record of a wallet whose facts are those of x, nil where there is none.
func (x *exchange) day(w *marketcache.Wallet, p *policy.Policy) *policy.Day {
	if p == nil || !p.Rules.LimitsLosses() {
		return x.s.cfg.Days.Of(w)
	}
	f, at := &x.judged.facts, x.memory.In.Account.VenueMs
	if at == 0 {
		at = f.NowMs
	}
	return x.s.cfg.Days.Answered(w, f.AccountUSD, at)
}

// judgeReport judges a wallet as held, and each of its positions.
func (x *exchange) judgeReport(w *marketcache.Wallet) {
	p, turned := x.s.inForce(w)
	j, r := &x.judged, &x.report
	j.held = j.held[:0]
	if j.verdict.Applies = x.limited(w, p, turned); !j.verdict.Applies {
		return
	}
	for i := range r.Positions {
		if i < cap(j.held) {
			j.held = j.held[:i+1]
		} else {
			j.held = append(j.held, policy.Verdict{})
		}
		j.facts.OfPosition(x.memory, r, i)
		policy.Judge(p, turned, &j.facts, &j.held[i])
		j.held[i].Forbid(&r.Positions[i].Recommendation, &r.Positions[i].Flags)
	}
	j.facts.OfAccount(x.memory, r)
	j.facts.Unread = x.s.cfg.Policies.State() == nil
	j.facts.Losses(x.day(w, p))
	j.facts.Orders(1, 1, policy.NoOrders)
	policy.Judge(p, turned, &j.facts, &j.verdict)
}
