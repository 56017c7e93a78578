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

// limit makes the sizes of what is assessed next keep the limits of the operator: the trade of the snapshot, number i
// of its request, whose trades are sent one after the other.
func (x *exchange) limit(w *marketcache.Wallet, i int) {
	if !x.openCase(w) {
		return
	}
	since, sent := policy.NoOrders, 1
	for k := range x.batch.Trades[:i] {
		if earlier := &x.batch.Trades[k]; earlier.Bad == nil {
			sent++
			if sameOrder(&earlier.Trade, &x.batch.Trades[i].Trade) {
				since = 0
			}
		}
	}
	x.limitSizes(sent, sent, since)
}

// openCase begins the case of the snapshot's trade, and reports whether it is needed: without limits the facts are
// there where they are recorded.
func (x *exchange) openCase(w *marketcache.Wallet) bool {
	p, turned := x.s.inForce(w)
	j := &x.judged
	j.by, x.memory.Limits = policy.Case{}, risk.Limits{}
	if j.verdict.Applies = x.limited(w, p, turned); !j.verdict.Applies && x.s.cfg.Journal.Mode() == journal.Off {
		return false
	}
	j.facts.Before(x.memory, p)
	j.by = policy.Case{Policy: p, Switch: turned, Unread: x.s.cfg.Policies.State() == nil, Day: x.day(w, p)}
	return true
}

// limitSizes completes the case with the arguments of policy.Facts.Orders.
func (x *exchange) limitSizes(minute, today int, sinceSame float64) {
	j := &x.judged
	j.by.Minute, j.by.Today, j.by.SinceSame = minute, today, sinceSame
	if j.verdict.Applies {
		x.memory.Limits = j.by.Limits(&j.facts, &j.verdict)
	}
}

// judge judges the trade that was assessed last by the limits of the operator. What they do not allow is answered with
// abort.
func (x *exchange) judge() {
	x.verdict()
	x.judged.verdict.Forbid(&x.memory.Out.Recommendation, &x.memory.Out.Flags)
}

// verdict completes the facts and the verdict of the case.
func (x *exchange) verdict() {
	j := &x.judged
	if j.verdict.Applies || x.s.cfg.Journal.Mode() != journal.Off {
		j.facts.OfTrade(x.memory)
		j.by.Judge(&j.facts, &j.verdict)
	}
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
