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
