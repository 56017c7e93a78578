package policy

import (
	"slices"

	"ballast/compute/risk"
)

// Outcome is a verdict's first word.
type Outcome uint8

const (
	Pass    Outcome = iota
	Deny            // a rule is broken
	Unknown         // no rule is known to be broken, and the figure of one is not known
)

// String returns pass, deny or unknown.
func (o Outcome) String() string { return [...]string{"pass", "deny", "unknown"}[o] }

// Verdict is the judgement of a policy and the switch. Its memory may be used again.
type Verdict struct {
	// Applies: there is a policy, a halt, or a switch that is on; otherwise there is nothing to tell.
	Applies bool
	Outcome Outcome
	// Revision is that of the policy, 0 without one.
	Revision   uint64
	Violations []Violation
	// Rules are those of the policy, nil without one, and Figures what its rules with a number were compared with:
	// NotKnown where data are missing, and for rules that do not judge the subject.
	Rules   *Rules
	Figures [Numbers]float64
}

// Violation is a rule that is broken, or that cannot be judged.
type Violation struct {
	Rule Rule
	// Limit and Value are of a rule with a number, and of ExpiresAt, in ms since 1970. A value that is not known is
	// NaN.
	Limit, Value float64
	Asset        string // of a rule that is a list
	// HaltedMs is when the loss set a halt, ms since 1970; 0: it set none.
	HaltedMs int64
}

// Facts are what rules are compared with.
type Facts struct {
	Subject Subject
	// Unread: the policies and the switch are not known yet.
	Unread bool
	// Reduces: the trade adds nothing to any position.
	Reduces bool
	Asset   string // of the trade or the position
	NowMs   int64  // ms since 1970
	// Values are the figures of the rules with a number: NotKnown where data are missing.
	Values [Numbers]float64
	// AccountUSD is the account value before the trade, NotKnown where some of the wallet could not be read.
	AccountUSD float64
	// Halts were set by losses and have not been lifted.
	Halts []LossHalt
}

// LossHalt is a halt that a loss has set. Only an operator lifts it.
type LossHalt struct {
	Rule  Rule    `json:"rule"`  // MaxDailyLossPct or MaxDrawdownPct
	Limit float64 `json:"limit"` // percent
	Value float64 `json:"value"` // the loss when it was set, percent
	AtMs  int64   `json:"at_ms"`
}

// Judge fills in the verdict of a policy (nil: none) and the switch (nil: off) on the facts. It allocates nothing
// once v has grown.
func Judge(p *Policy, turned *Switch, f *Facts, v *Verdict) {
	*v = Verdict{Violations: v.Violations[:0]}
	on := turned.IsOn()
	if v.Applies = p != nil || on || len(f.Halts) > 0 || f.Unread; !v.Applies {
		return
	}
	if p != nil {
		v.Revision, v.Rules = p.Revision, &p.Rules
		for rule := range Numbers {
			if v.Figures[rule] = NotKnown; f.judgedBy(rule) {
				v.Figures[rule] = f.Values[rule]
			}
		}
	}
	if f.Reduces {
		return
	}
	if f.Unread {
		v.Outcome = Unknown
	}
	if on && f.judgedBy(KillSwitch) {
		v.add(Violation{Rule: KillSwitch})
	}
	for i := range f.Halts {
		if h := &f.Halts[i]; f.judgedBy(Halt) {
			v.add(Violation{Rule: h.Rule, Limit: h.Limit, Value: h.Value, HaltedMs: h.AtMs})
		}
	}
	if p != nil {
		v.judge(&p.Rules, f)
	}
}

// judgedBy reports whether a rule judges the subject.
func (f *Facts) judgedBy(rule Rule) bool { return RuleTable[rule].Judges>>f.Subject&1 != 0 }

// halted reports whether a rule has set a halt that the verdict names already.
func (f *Facts) halted(rule Rule) bool {
	return f.judgedBy(Halt) && slices.ContainsFunc(f.Halts, func(h LossHalt) bool { return h.Rule == rule })
}

// judge applies the rules of a policy.
func (v *Verdict) judge(r *Rules, f *Facts) {
	for rule := range Numbers {
		limit, has := r.Limit(rule)
		if !has || !f.judgedBy(rule) || f.halted(rule) {
			continue
		}
		if value := f.Values[rule]; !Keeps(rule, value, limit) {
			v.add(Violation{Rule: rule, Limit: limit, Value: value})
		}
	}
	if r.OnlyAllowed && f.judgedBy(AllowedAssets) && !slices.Contains(r.Allowed, f.Asset) {
		v.add(Violation{Rule: AllowedAssets, Asset: f.Asset})
	}
	if f.judgedBy(DeniedAssets) && slices.Contains(r.Denied, f.Asset) {
		v.add(Violation{Rule: DeniedAssets, Asset: f.Asset})
	}
	if r.Halt && f.judgedBy(Halt) {
		v.add(Violation{Rule: Halt})
	}
	if r.ExpiresAt != 0 && f.NowMs >= r.ExpiresAt && f.judgedBy(ExpiresAt) {
		v.add(Violation{Rule: ExpiresAt, Limit: float64(r.ExpiresAt), Value: float64(f.NowMs)})
	}
}

// Keeps reports whether a value keeps the limit of a rule. One that is not known does not.
func Keeps(rule Rule, value, limit float64) bool {
	return risk.Keeps(value, limit, RuleTable[rule].Least)
}

// Known reports whether the rule is broken, as opposed to not judged.
func (v *Violation) Known() bool { return v.Value == v.Value }

// add adds a violation to the verdict.
func (v *Verdict) add(broken Violation) {
	v.Violations = append(v.Violations, broken)
	if broken.Known() {
		v.Outcome = Deny
	} else if v.Outcome == Pass {
		v.Outcome = Unknown
	}
}

// Has reports whether a rule is among the violations.
func (v *Verdict) Has(rule Rule) bool {
	return slices.ContainsFunc(v.Violations, func(b Violation) bool { return b.Rule == rule })
}
