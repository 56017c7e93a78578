package api

import (
	"math"
	"time"

	"ballast/policy"
)

// heldVerdict returns the verdict on position i of a report, nil for none.
func (e *Envelope) heldVerdict(i int) *policy.Verdict {
	if i >= len(e.Held) {
		return nil
	}
	return &e.Held[i]
}

// policy writes the block, nothing for a verdict that does not apply.
func (w *Writer) policy(v *policy.Verdict) {
	if v != nil && v.Applies {
		w.verdict(v, len(v.Violations))
		w.facts(v)
		w.end()
	}
}

// facts writes what the limits of the policy were compared with, as far as it is known.
func (w *Writer) facts(v *policy.Verdict) {
	w.Raw(`,"facts":{`)
	for rule, n := policy.Rule(0), 0; v.Rules != nil && rule < policy.Numbers; rule++ {
		figure := v.Figures[rule]
		if !v.Rules.Has(rule) || math.IsNaN(figure) || math.IsInf(figure, 0) {
			continue
		}
		w.comma(n)
		w.word(`"`, rule.String())
		w.fixed(`:`, figure)
		n++
	}
	w.end()
}

// verdict writes the block with a number of violations at most, all but its end.
func (w *Writer) verdict(v *policy.Verdict, most int) {
	w.word(`,"policy":{"verdict":"`, v.Outcome.String())
	w.IntegerOrNull(`,"revision":`, int(v.Revision), v.Revision > 0)
	w.Raw(`,"violations":[`)
	for i := range v.Violations[:min(most, len(v.Violations))] {
		w.comma(i)
		w.violation(&v.Violations[i])
	}
	w.Raw(`]`)
}

// violation writes one element. limit is null for a rule that is no bound, value where it is not known.
func (w *Writer) violation(b *policy.Violation) {
	w.word(`{"rule":"`, b.Rule.String())
	switch b.Rule {
	case policy.KillSwitch, policy.Halt:
		w.Raw(`,"limit":null,"value":true`)
	case policy.AllowedAssets, policy.DeniedAssets:
		w.Text(`,"limit":null,"value":`, b.Asset)
	case policy.ExpiresAt:
		w.b = append(AppendTime(append(w.b, `,"limit":"`...), int64(b.Limit)), '"')
		w.b = append(AppendTime(append(w.b, `,"value":"`...), int64(b.Value)), '"')
	default:
		w.Exact(`,"limit":`, b.Limit)
		w.fixedIf(`,"value":`, b.Value, b.Known())
	}
	if b.HaltedMs != 0 {
		w.b = append(AppendTime(append(w.b, `,"halted_at":"`...), b.HaltedMs), '"')
	}
	w.end()
}

// shortViolations is how many violations a compact view lists.
const shortViolations = 4

// shortPolicy writes the block of a compact view.
func (c *compact) shortPolicy(v *policy.Verdict) {
	if v == nil || !v.Applies {
		return
	}
	c.verdict(v, shortViolations)
	c.end()
}

// policyWords is a sentence about what the operator's limits do not allow, empty where they allow it.
func policyWords(v *policy.Verdict) string {
	if v == nil || !v.Applies || v.Outcome == policy.Pass {
		return ""
	}
	text, separator := " The operator does not allow an increase: ", ""
	for i := range v.Violations[:min(len(v.Violations), 2)] {
		text += separator + violationWords(&v.Violations[i])
		separator = "; "
	}
	return string(appendMore([]byte(text), len(v.Violations)-2)) + "."
}

// violationWords puts a violation in words.
func violationWords(b *policy.Violation) string {
	name := b.Rule.String()
	switch {
	case b.Rule == policy.KillSwitch:
		return "the kill switch is on"
	case b.Rule == policy.Halt:
		return "the wallet is halted"
	case b.Rule == policy.ExpiresAt:
		return "the permission ended at " + time.UnixMilli(int64(b.Limit)).UTC().Format(time.RFC3339)
	case b.Rule == policy.AllowedAssets:
		return b.Asset + " is not among " + name
	case b.Rule == policy.DeniedAssets:
		return b.Asset + " is among " + name
	case b.HaltedMs != 0:
		return "halted by " + name + " " + rounded(b.Value) + ", limit " + rounded(b.Limit) +
			", until an operator lifts it"
	case !b.Known():
		return name + " cannot be judged: data are missing"
	}
	return name + " " + rounded(b.Value) + ", limit " + rounded(b.Limit)
}
