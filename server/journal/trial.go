package journal

import (
	"slices"
	"time"

	"ballast/marketcache"
	"ballast/policy"
	"ballast/server/api"
)

// Trial is what recorded decisions would have been under other policies, by the figures that are recorded with them.
// The kill switch counts as it was. A halt that a loss had set does not count, the loss does.
type Trial struct {
	From, To time.Time // To is not included
	// Decisions is how many were judged again. NotAssessed have no figures: actions of the gate that were passed on or
	// refused without an assessment.
	Decisions, NotAssessed int
	Unreadable             int                    // blocks, of 256 decisions at most
	Before, After          map[policy.Outcome]int // how many
	Changed                int
	Changes                []Change // the first MaxChanges of those that changed
}

// MaxChanges is how many changes a Trial lists.
const MaxChanges = 1000

// Change is a decision whose verdict would have been another one.
type Change struct {
	Decision      *Decision
	Before, After policy.Outcome
	Violations    []policy.Violation // under the policies that were tried
}

// Try judges the decisions of the times from (included) to to (not included) by the policies of a table. wallets are
// those whose decisions count, nil for all. It asks before each decision whether to go on, and reports whether it has
// come to the end.
func (r *Reader) Try(from, to time.Time, table *policy.Table, wallets []string,
	goOn func() bool) (*Trial, bool, error) {
	t := &Trial{From: from, To: to, Before: map[policy.Outcome]int{}, After: map[policy.Outcome]int{}}
	ended := true
	var verdict policy.Verdict
	unreadable, err := r.Each(from, to, func(d *Decision) bool {
		if ended = goOn(); ended && (wallets == nil || slices.Contains(wallets, d.Wallet)) {
			t.judge(d, table, &verdict)
		}
		return ended
	})
	t.Unreadable = unreadable
	return t, ended, err
}

// judge judges a decision again.
func (t *Trial) judge(d *Decision, table *policy.Table, v *policy.Verdict) {
	wallet, known := marketcache.ParseWallet([]byte(d.Wallet))
	if !known || d.Recommendation == "" {
		t.NotAssessed++
		return
	}
	t.Decisions++
	before := policy.Pass
	var turned *policy.Switch
	if d.Policy != nil {
		for o := range policy.Unknown + 1 {
			if o.String() == d.Policy.Verdict {
				before = o
			}
		}
		turned = &policy.Switch{On: slices.ContainsFunc(d.Policy.Broken, func(b Violation) bool {
			return b.Rule == policy.KillSwitch.String()
		})}
	}
	facts := d.facts()
	policy.Judge(table.Of(&wallet), turned, &facts, v)
	t.Before[before]++
	t.After[v.Outcome]++
	if before == v.Outcome {
		return
	}
	if t.Changed++; len(t.Changes) < MaxChanges {
		t.Changes = append(t.Changes, Change{d, before, v.Outcome, slices.Clone(v.Violations)})
	}
}

// facts returns what rules are compared with.
func (d *Decision) facts() policy.Facts {
	f := policy.Facts{Subject: policy.Trade, Reduces: d.Reduces, Asset: d.Asset, NowMs: d.At.UnixMilli(),
		AccountUSD: policy.NotKnown}
	for rule := range policy.Numbers {
		f.Values[rule] = policy.NotKnown
		if x, has := d.Facts[rule.String()]; has {
			f.Values[rule] = x
		}
	}
	return f
}

// AppendJSON appends the trial as a JSON object. name is whose policy was tried, as the API has it.
func (t *Trial) AppendJSON(dst []byte, name string) []byte {
	w := api.NewWriter(dst)
	w.Text(`{"wallet":`, name)
	w.Text(`,"from":`, string(api.AppendTime(nil, t.From.UnixMilli())))
	w.Text(`,"to":`, string(api.AppendTime(nil, t.To.UnixMilli())))
	w.Integer(`,"decisions":`, t.Decisions)
	w.Integer(`,"not_assessed":`, t.NotAssessed)
	w.Integer(`,"unreadable_blocks":`, t.Unreadable)
	appendCounts(&w, `,"before":`, t.Before)
	appendCounts(&w, `,"after":`, t.After)
	w.Integer(`,"changed":`, t.Changed)
	w.Raw(`,"changes":[`)
	for i := range t.Changes {
		c := &t.Changes[i]
		d := c.Decision
		key := `{"request_id":`
		if i > 0 {
			key = `,{"request_id":`
		}
		w.Text(key, d.RequestID)
		w.Integer(`,"index":`, d.Index)
		w.Text(`,"at":`, string(api.AppendTime(nil, d.At.UnixMilli())))
		w.Text(`,"kind":`, string(d.Kind))
		w.Text(`,"wallet":`, d.Wallet)
		w.Text(`,"asset":`, d.Asset)
		w.Text(`,"action":`, d.Action)
		w.Exact(`,"size_usd":`, d.SizeUSD)
		w.Text(`,"before":`, c.Before.String())
		w.Text(`,"after":`, c.After.String())
		w.Violations(`,"violations":`, c.Violations)
		w.Raw(`}`)
	}
	w.Raw(`]}`)
	return w.Bytes()
}

func appendCounts(w *api.Writer, key string, counts map[policy.Outcome]int) {
	w.Raw(key)
	w.Integer(`{"pass":`, counts[policy.Pass])
	w.Integer(`,"deny":`, counts[policy.Deny])
	w.Integer(`,"unknown":`, counts[policy.Unknown])
	w.Raw(`}`)
}
