package policy

import (
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Policy is a set of rules and its revision. Revisions of all policies are numbers of one sequence.
type Policy struct {
	Rules    Rules
	Revision uint64
}

// Table has the policies of all wallets as they hold: each wallet's narrowed by that for all. It does not change.
type Table struct {
	wallets map[marketcache.Wallet]*Policy
	all     *Policy // of the wallets without one; nil: none
}

// NewTable narrows the policies of wallets by that for all, nil for none.
func NewTable(all *Policy, wallets map[marketcache.Wallet]*Policy) *Table {
	p := &Table{all: all, wallets: make(map[marketcache.Wallet]*Policy, len(wallets))}
	for w, own := range wallets {
		if all != nil {
			own = &Policy{Narrower(&all.Rules, &own.Rules), max(all.Revision, own.Revision)}
		}
		p.wallets[w] = own
	}
	return p
}

// Of returns the policy that holds for a wallet, nil for none.
func (t *Table) Of(w *marketcache.Wallet) *Policy {
	if t == nil {
		return nil
	}
	if own := t.wallets[*w]; own != nil {
		return own
	}
	return t.all
}

// All calls f for each wallet with a policy of its own, until f returns false.
func (t *Table) All(f func(marketcache.Wallet, *Policy) bool) {
	if t == nil {
		return
	}
	for w, own := range t.wallets {
		if !f(w, own) {
			return
		}
	}
}

// Everyones returns the policy of the wallets without one of their own, nil for none.
func (t *Table) Everyones() *Policy {
	if t == nil {
		return nil
	}
	return t.all
}

// Switch is the kill switch: while it is on, nothing may increase. It does not change.
type Switch struct {
	On       bool
	Reason   string
	Since    time.Time // when it was last turned
	Who      string
	Revision uint64
}

// IsOn reports whether the switch is on. A switch that was never turned, nil, is off.
func (s *Switch) IsOn() bool { return s != nil && s.On }

// Live is what holds now. Requests read it without a lock. The zero value has neither policies nor a switch that is
// on.
type Live struct {
	table  atomic.Pointer[Table]
	turned atomic.Pointer[Switch]
}

// SetTable replaces the policies.
func (l *Live) SetTable(t *Table) { l.table.Store(t) }

// Table returns the policies, nil for none.
func (l *Live) Table() *Table { return l.table.Load() }

// SetSwitch replaces the switch.
func (l *Live) SetSwitch(s *Switch) { l.turned.Store(s) }

// Switch returns the switch, nil if it was never turned.
func (l *Live) Switch() *Switch { return l.turned.Load() }
