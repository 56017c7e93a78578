package policy

import "ballast/compute/risk"

// Case is what a trade is judged by beside its assessment. The zero value limits nothing.
type Case struct {
	Policy *Policy
	Switch *Switch
	// Unread: the policies and the switch are not known yet.
	Unread bool
	Day    *Day // the record of the wallet, nil for none
	// The arguments of Facts.Orders.
	Minute, Today int
	SinceSame     float64
}

// Judge fills in the verdict on facts that OfTrade has filled.
func (c *Case) Judge(f *Facts, v *Verdict) {
	f.Unread = c.Unread
	f.Losses(c.Day)
	f.Orders(c.Minute, c.Today, c.SinceSame)
	Judge(c.Policy, c.Switch, f, v)
}

// bounds are the rules about figures that depend on the size of a trade.
var bounds = [risk.Bounds]Rule{
	risk.BoundLeverage: MaxLeverage, risk.BoundOrder: MaxOrderUSD, risk.BoundPosition: MaxPositionUSD,
	risk.BoundGross: MaxGrossLeverage, risk.BoundShare: MaxAssetSharePct, risk.BoundPriceAway: PriceCollarPct,
	risk.BoundScore: MaxScore, risk.BoundProbability24h: MaxProbability24h,
	risk.BoundProbability7d: MaxProbability7d, risk.BoundDistance: MinLiquidationDistancePct,
}

// notKnownYet bars every size while the policies and the switch are not known.
const notKnownYet = "policy_unread"

// Limits are what the case allows of the sizes of a trade whose facts Before has filled; f and v are used as memory.
// An order that was sent before does not count: another size is another order.
func (c *Case) Limits(f *Facts, v *Verdict) (l risk.Limits) {
	if c.Policy != nil {
		for b, rule := range bounds {
			if limit, has := c.Policy.Rules.Limit(rule); has {
				l.Set(risk.Bound(b), limit)
				f.Values[rule] = limit // which keeps it
			}
		}
	}
	another := *c
	another.SinceSame = NoOrders
	switch another.Judge(f, v); {
	case v.Outcome == Pass:
	case len(v.Violations) == 0:
		l.Barred = notKnownYet
	default:
		l.Barred = v.Violations[0].Rule.String()
	}
	return l
}

// Forbid makes an answer one of abort where the verdict applies and is not pass.
func (v *Verdict) Forbid(r *risk.Recommendation, flags *risk.FlagSet) {
	if !v.Applies || v.Outcome == Pass {
		return
	}
	*r = risk.Abort
	killed := v.Has(KillSwitch)
	rules := len(v.Violations)
	if killed {
		rules--
	}
	if !killed {
		rules = max(rules, 1)
	}
	flags.Forbid(killed, rules)
}
