package policy

import (
	"cmp"
	"slices"
	"time"

	"ballast/marketcache"
)

// Day is the record of a wallet's account value: the first reading of the UTC day, the highest ever, and the halts
// that losses have set. It does not change.
type Day struct {
	First Mark `json:"first"`
	Peak  Mark `json:"peak"`
	// ValueUSD is the newest reading, ReadMs its time, ms since 1970 by the venue's clock.
	ValueUSD float64 `json:"value_usd"`
	ReadMs   int64   `json:"read_ms"`
	// FlowsMs is the time up to which deposits and withdrawals are in the marks.
	FlowsMs int64      `json:"flows_ms"`
	Halts   []LossHalt `json:"halts,omitempty"`
}

// Mark is an account value that later ones are compared with, and what was deposited since, less what was withdrawn.
type Mark struct {
	ValueUSD float64 `json:"value_usd"`
	AtMs     int64   `json:"at_ms"` // 0: there is no mark
	FlowsUSD float64 `json:"flows_usd"`
}

// Reading is an account value, and what is known of deposits and withdrawals before it.
type Reading struct {
	AtMs     int64
	ValueUSD float64
	// FlowsRead: Flows has all since the FlowsMs of the day before.
	FlowsRead bool
	Flows     []marketcache.Flow
}

const (
	// MaxReadingAge is the age from which a reading says nothing about now.
	MaxReadingAge = 90 * time.Second
	// emptyBelowUSD is the account value below which a wallet has nothing to lose.
	emptyBelowUSD = 1
)

// LossPct is what is lost since the mark when the account value is value, percent of the mark with what was deposited.
func (m *Mark) LossPct(value float64) float64 {
	had := m.ValueUSD + m.FlowsUSD
	base := max(m.ValueUSD, had)
	if m.AtMs == 0 || base < emptyBelowUSD {
		return 0
	}
	return 100 * max(0, had-value) / base
}

// add adds a flow after the mark.
func (m *Mark) add(f *marketcache.Flow) {
	if f.AtMs > m.AtMs {
		m.FlowsUSD += f.USD
	}
}

// Next returns the record after a reading, which is later than those before.
func (d *Day) Next(r *Reading) Day {
	next := *d
	if r.FlowsRead {
		for i := range r.Flows {
			if f := &r.Flows[i]; f.AtMs > d.FlowsMs && f.AtMs <= r.AtMs {
				next.First.add(f)
				next.Peak.add(f)
			}
		}
		next.FlowsMs = r.AtMs
	}
	next.ReadMs, next.ValueUSD = r.AtMs, r.ValueUSD
	now := Mark{ValueUSD: r.ValueUSD, AtMs: r.AtMs}
	if r.ValueUSD >= emptyBelowUSD && (next.First.AtMs == 0 || dayOf(next.First.AtMs) != dayOf(r.AtMs)) {
		next.First = now
	}
	if next.Peak.AtMs == 0 || r.ValueUSD > next.Peak.ValueUSD+next.Peak.FlowsUSD {
		next.Peak = now
	}
	return next
}

// dayOf numbers the UTC days.
func dayOf(ms int64) int64 { return ms / (24 * time.Hour).Milliseconds() }

// lossPct is the loss that a rule limits, at a moment, when the account value is value.
func (d *Day) lossPct(rule Rule, value float64, nowMs int64) float64 {
	if rule == MaxDrawdownPct {
		return d.Peak.LossPct(value)
	}
	if dayOf(d.First.AtMs) != dayOf(nowMs) { // the day has begun, and value is its first reading
		return 0
	}
	return d.First.LossPct(value)
}

var lossRules = [...]Rule{MaxDailyLossPct, MaxDrawdownPct}

// LimitsLosses reports whether a rule needs the record of the wallet.
func (r *Rules) LimitsLosses() bool { return r.Has(MaxDailyLossPct) || r.Has(MaxDrawdownPct) }

// NearLimit reports whether a loss at the newest reading is beyond a share of its limit.
func (d *Day) NearLimit(r *Rules, share float64) bool {
	for _, rule := range lossRules {
		if limit, has := r.Limit(rule); has && d.lossPct(rule, d.ValueUSD, d.ReadMs) > share*limit {
			return true
		}
	}
	return false
}

// Breaches returns the halts that the losses at the newest reading set, and that are not set already.
func (d *Day) Breaches(r *Rules) (set []LossHalt) {
	for _, rule := range lossRules {
		limit, has := r.Limit(rule)
		loss := d.lossPct(rule, d.ValueUSD, d.ReadMs)
		if has && !Keeps(rule, loss, limit) && !d.halted(rule) {
			set = append(set, LossHalt{Rule: rule, Limit: limit, Value: loss, AtMs: d.ReadMs})
		}
	}
	return set
}

func (d *Day) halted(rule Rule) bool {
	for i := range d.Halts {
		if d.Halts[i].Rule == rule {
			return true
		}
	}
	return false
}

// Lifted returns the record without its halts. What has set them is counted from the newest reading on.
func (d *Day) Lifted() Day {
	next, now := *d, Mark{ValueUSD: d.ValueUSD, AtMs: d.ReadMs}
	if d.halted(MaxDailyLossPct) {
		next.First = now
	}
	if d.halted(MaxDrawdownPct) {
		next.Peak = now
	}
	next.Halts = nil
	return next
}

// Losses enters the record of the wallet's day, nil for none. The larger loss counts: that of the newest reading or
// that of AccountUSD.
func (f *Facts) Losses(d *Day) {
	if d == nil {
		return
	}
	f.Halts = d.Halts
	if f.NowMs-d.ReadMs > MaxReadingAge.Milliseconds() || f.AccountUSD != f.AccountUSD {
		return
	}
	for _, rule := range lossRules {
		f.Values[rule] = max(d.lossPct(rule, d.ValueUSD, f.NowMs), d.lossPct(rule, f.AccountUSD, f.NowMs))
	}
}

// Merged returns what two records of a wallet say together, as of replicas that have read it apart: the newest reading,
// the earlier first reading of its day, the higher peak, and the halts of both.
func Merged(a, b *Day) Day {
	if cmp.Or(cmp.Compare(a.ReadMs, b.ReadMs), cmp.Compare(a.FlowsMs, b.FlowsMs),
		cmp.Compare(a.ValueUSD, b.ValueUSD)) < 0 {
		a, b = b, a
	}
	m := *a
	if b.First.AtMs != 0 && (m.First.AtMs == 0 || dayOf(b.First.AtMs) == dayOf(m.First.AtMs) &&
		b.First.AtMs < m.First.AtMs) {
		m.First = b.First
	}
	if b.Peak.ValueUSD+b.Peak.FlowsUSD > m.Peak.ValueUSD+m.Peak.FlowsUSD {
		m.Peak = b.Peak
	}
	m.Halts = slices.Clone(a.Halts)
	for _, h := range b.Halts {
		if !m.halted(h.Rule) {
			m.Halts = append(m.Halts, h)
		}
	}
	slices.SortFunc(m.Halts, func(a, b LossHalt) int { return cmp.Compare(a.Rule, b.Rule) })
	return m
}
