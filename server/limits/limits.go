// Package limits keeps what operators set: the policies of wallets and the kill switch. Every change has a
// revision, an author and an event in the audit, and is on disk before it is acknowledged.
//
// A keeper changes them: Local in the database of the data directory, replicas.Limits in the bucket that replicas
// share. What is in force is a State, which requests load without a lock.
package limits

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

// State is what is in force. Immutable.
type State struct {
	store.Limits
	Table *policy.Table // as they hold for each wallet
}

// Keeper keeps the limits.
type Keeper interface {
	// State returns what is in force, nil before the limits were read. It takes no lock.
	State() *State
	// InForce returns what State returns in the form that assessments are judged by.
	InForce() *policy.Live
	// Change makes an edit, and returns what is then in force here. A *Refusal is an edit that cannot be made; with
	// any other error nothing was kept.
	Change(ctx context.Context, who string, edit Edit) (*State, error)
	// Hold puts the kill switch on here alone, until it is changed or Release is called.
	Hold(who, reason string)
	Release()
	// Trouble says why what others change may not be known here, "" if nothing is wrong.
	Trouble() string
}

// Live is what is in force in this process. The zero Live has read nothing.
type Live struct {
	state   atomic.Pointer[State]
	inForce policy.Live

	mu   sync.Mutex // serialises changes of state
	kept *store.Limits
	held *store.Switch // on, although no keeper has it; nil: none
}

// State returns what is in force, nil before the limits were read.
func (l *Live) State() *State { return l.state.Load() }

// InForce implements Keeper.
func (l *Live) InForce() *policy.Live { return &l.inForce }

// Kept returns the limits that were published last: State without what Hold does. The limits must have been read.
func (l *Live) Kept() store.Limits {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.kept
}

// Publish puts limits into force, unless newer ones of the same history are. Limits that cannot be understood are
// an error, and change nothing.
func (l *Live) Publish(now *store.Limits) error {
	table, err := tableOf(now)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept != nil && l.kept.ID == now.ID && l.kept.Revision > now.Revision {
		return nil
	}
	if l.held != nil && l.held.Revision != now.Switch.Revision { // somebody has changed the switch since
		l.held = nil
	}
	l.kept = now
	l.publish(table)
	return nil
}

// Hold implements Keeper. The limits must have been read.
func (l *Live) Hold(who, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = &store.Switch{
		On: true, Reason: reason, At: moment(time.Now()), Who: who, Revision: l.kept.Switch.Revision,
	}
	l.publish(l.state.Load().Table)
}

// Release implements Keeper.
func (l *Live) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil {
		l.held = nil
		l.publish(l.state.Load().Table)
	}
}

// publish stores the state of kept and held. The caller holds mu.
func (l *Live) publish(table *policy.Table) {
	now := State{*l.kept, table}
	if l.held != nil {
		now.Switch = *l.held
	}
	s := &now.Switch
	l.inForce.SetTable(table)
	l.inForce.SetSwitch(&policy.Switch{On: s.On, Reason: s.Reason, Since: s.At, Who: s.Who, Revision: s.Revision})
	l.state.Store(&now)
}

// tableOf returns the policies as they hold for each wallet.
func tableOf(l *store.Limits) (*policy.Table, error) {
	var all *policy.Policy
	wallets := make(map[marketcache.Wallet]*policy.Policy, len(l.Policies))
	for name, p := range l.Policies {
		if canonical, ok := Name([]byte(name)); !ok || canonical != name {
			return nil, fmt.Errorf("a policy of %.64q: that is no wallet in lower case, nor *", name)
		}
		rules, bad := policy.DecodeJSON(p.Rules)
		if bad != nil {
			return nil, fmt.Errorf("the policy of %s cannot be read: %w", name, bad)
		}
		if p.Revision == 0 || p.Revision > l.Revision {
			return nil, fmt.Errorf("the policy of %s has revision %d, and the newest is %d", name, p.Revision,
				l.Revision)
		}
		own := &policy.Policy{Rules: rules, Revision: p.Revision}
		if name == All {
			all = own
			continue
		}
		wallet, _ := marketcache.ParseWallet([]byte(name))
		wallets[wallet] = own
	}
	return policy.NewTable(all, wallets), nil
}

// Tried returns the policies as they would hold if those of wanted stood in place of the policies of the same names,
// and, with prune, of all others.
func (s *State) Tried(wanted map[string]policy.Rules, prune bool) (*policy.Table, error) {
	tried := store.Limits{Revision: s.Revision + 1, Policies: map[string]store.Policy{}}
	if !prune {
		maps.Copy(tried.Policies, s.Policies)
	}
	for name, rules := range wanted {
		tried.Policies[name] = store.Policy{Rules: rules.AppendJSON(nil), Revision: tried.Revision}
	}
	return tableOf(&tried)
}

// Try makes an edit of a copy, and returns why it is refused.
func (s *State) Try(edit Edit) error {
	_, err := edit(s.Next(), Author{})
	return err
}

// moment returns a time as it is kept: in milliseconds, UTC.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// By returns the author of a change made now.
func By(who string) Author { return Author{who, moment(time.Now())} }
