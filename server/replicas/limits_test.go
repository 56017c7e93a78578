package replicas

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/store"
	"ballast/policy"
	"ballast/server/limits"
)

// limiter is the part of a replica that handles policies and the kill switch.
type limiter struct {
	*Limits
	t    testing.TB
	node *Node
	copy *store.Main
	stop func()
}

// newLimiter opens limits with a copy without running them.
func newLimiter(t testing.TB, url string, copy *store.Main) *limiter {
	t.Helper()
	n := openNode(t, Config{URL: url, Timing: hasty})
	l, err := NewLimits(n, copy)
	if err != nil {
		t.Fatal(err)
	}
	return &limiter{Limits: l, t: t, node: n, copy: copy, stop: func() {}}
}

func (l *limiter) run() *limiter {
	l.t.Helper()
	l.stop = running(l.t, l.Run)
	eventually(l.t, "the limits are read", func() bool { return l.State() != nil })
	return l
}

// end stops a replica as for a restart.
func (l *limiter) end() {
	l.stop()
	l.node.Close()
}

// set sets the order limit of all wallets, whatever it is now.
func (l *limiter) set(usd float64) {
	l.t.Helper()
	eventually(l.t, "a policy is set", func() bool {
		var rules policy.Rules
		rules.SetLimit(policy.MaxOrderUSD, usd)
		var match *uint64
		if held, ok := l.State().Policies[limits.All]; ok {
			match = &held.Revision
		}
		_, err := l.Change(l.t.Context(), "ops", limits.Put(limits.All, &rules, match))
		return err == nil
	})
}

// raw returns the bucket itself, and its entry.
func (l *limiter) raw() (jetstream.KeyValue, jetstream.KeyValueEntry) {
	l.t.Helper()
	kv, err := l.node.js.KeyValue(l.t.Context(), limitsBucket)
	if err != nil {
		l.t.Fatal(err)
	}
	e, err := kv.Get(l.t.Context(), limitsEntry)
	if err != nil {
		l.t.Fatal(err)
	}
	return kv, e
}

func (l *limiter) turn(on bool) {
	l.t.Helper()
	eventually(l.t, "the switch is turned", func() bool {
		now, err := l.Change(l.t.Context(), "ops", limits.Turn(on, "a drill", nil))
		if err == nil && now.Switch.On != on {
			l.t.Errorf("the switch is turned, and Change returns %+v", now.Switch)
		}
		return err == nil
	})
}

// holds waits until a replica has a revision, an order limit of all wallets (0: none) and a switch.
func (l *limiter) holds(what string, revision uint64, usd float64, on bool) {
	l.t.Helper()
	eventually(l.t, what, func() bool {
		now := l.State()
		limit := 0.0
		if p := now.Table.Everyones(); p != nil {
			limit, _ = p.Rules.Limit(policy.MaxOrderUSD)
		}
		return now.Revision == revision && limit == usd && now.Switch.On == on && l.InForce().Switch().On == on
	})
}

// limitEvents returns the events in the audit of a copy.
func limitEvents(t testing.TB, db *store.Main) (all []string) {
	t.Helper()
	err := db.Audit(func(e store.Event) error {
		all = append(all, e.Who+" "+e.Event+" "+e.Subject)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLimitsAreShared: what one replica or a command changes is in force on all, and in the audit of every copy with
// who did it.
func TestLimitsAreShared(t *testing.T) {
	s := startNATS(t)
	a, b := newLimiter(t, s.url(), newCopy(t)).run(), newLimiter(t, s.url(), newCopy(t)).run()
	if err := a.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.set(5)
	b.holds("a's policy is in force at b", 1, 5, false)
	command := newLimiter(t, s.url(), nil)
	eventually(t, "the command reads the bucket", func() bool { return command.Load(t.Context()) == nil })
	command.turn(true)
	a.holds("the switch is on at a", 2, 5, true)
	b.holds("the switch is on at b", 2, 5, true)
	stale := uint64(9)
	_, err := b.Change(t.Context(), "ops", limits.Remove(limits.All, &stale))
	if refusal := new(limits.Refusal); !errors.As(err, &refusal) || refusal.Revision != 1 {
		t.Errorf("a stale revision: %v", err)
	}
	want := []string{"ops policy_set *", "ops kill_switch_on kill switch"}
	for name, db := range map[string]*store.Main{"a": a.copy, "b": b.copy} {
		eventually(t, "the audit of "+name, func() bool { return slices.Equal(limitEvents(t, db), want) })
	}
	if trouble := a.Trouble(); trouble != "" {
		t.Error(trouble)
	}
}

// TestConcurrentLimits: changes at several replicas at once are all made, none twice.
func TestConcurrentLimits(t *testing.T) {
	s := startNATS(t)
	const each = 10
	replicas := []*limiter{newLimiter(t, s.url(), newCopy(t)).run(), newLimiter(t, s.url(), newCopy(t)).run()}
	var wg sync.WaitGroup
	for i, l := range replicas {
		wg.Go(func() {
			for j := range each {
				wallet := fmt.Sprintf("0x%040x", i*each+j)
				eventually(t, "a policy is set", func() bool {
					_, err := l.Change(t.Context(), "ops", limits.Put(wallet, &policy.Rules{Halt: true}, nil))
					var refused *limits.Refusal
					return err == nil || errors.As(err, &refused) // set before, and the answer was lost
				})
			}
		})
	}
	wg.Wait()
	for _, l := range replicas {
		eventually(t, "all policies are in force", func() bool { return len(l.State().Policies) == len(replicas)*each })
		if r := l.State().Revision; r != uint64(len(replicas)*each) {
			t.Errorf("revision %d", r)
		}
	}
}

// TestLimitsWithoutBus: a replica that loses contact, or starts without it, keeps what it knew last and says so; it
// changes nothing. One that never knew anything has no state.
func TestLimitsWithoutBus(t *testing.T) {
	s := startNATS(t)
	copy := newCopy(t)
	a := newLimiter(t, s.url(), copy).run()
	a.set(5)
	a.turn(true)
	s.stop()
	if _, err := a.Change(t.Context(), "ops", limits.Turn(false, "", nil)); err == nil {
		t.Error("the switch was turned without the bus")
	}
	a.holds("the switch stays on", 2, 5, true)
	a.Hold("ops", "again") // changes nothing that is kept
	if kept := a.Kept(); kept.Switch.Reason != "a drill" {
		t.Errorf("%+v", kept.Switch)
	}
	a.end()
	again := newLimiter(t, s.url(), copy)
	again.stop = running(t, again.Run)
	again.holds("the switch is on after a restart", 2, 5, true)
	eventually(t, "the replica says that it is alone", func() bool { return again.Trouble() != "" })
	if first := newLimiter(t, s.url(), newCopy(t)); first.State() != nil {
		t.Error("a replica that has read nothing has a state")
	}
	s.start()
	again.turn(false)
	again.holds("the switch is off", 3, 5, false)
	eventually(t, "the replica is not alone any more", func() bool { return again.Trouble() == "" })
}

// TestLimitsOutliveTheBucket: a bucket that is deleted, or goes back to an older state, gets the limits of the
// replica that knows newer ones; revisions go on.
func TestLimitsOutliveTheBucket(t *testing.T) {
	s := startNATS(t)
	a := newLimiter(t, s.url(), newCopy(t)).run()
	a.set(5)
	kv, old := a.raw()
	a.set(4)
	a.turn(true)
	put := func(text []byte) {
		t.Helper()
		if _, err := kv.Put(t.Context(), limitsEntry, text); err != nil {
			t.Fatal(err)
		}
	}
	there := func(what string, revision uint64) {
		t.Helper()
		eventually(t, what, func() bool {
			kv, err := a.node.js.KeyValue(t.Context(), limitsBucket)
			if err != nil {
				return false
			}
			e, err := kv.Get(t.Context(), limitsEntry)
			var state limitsState
			return err == nil && json.Unmarshal(e.Value(), &state) == nil && state.Revision == revision
		})
	}
	put(old.Value())
	there("the newer limits are put back", 3)
	if err := kv.Delete(t.Context(), limitsEntry); err != nil {
		t.Fatal(err)
	}
	there("a deleted entry is put back", 3)
	deleteBucket(t, a.node, limitsBucket)
	there("a deleted bucket is put back", 3)
	a.holds("nothing changed here", 3, 4, true)
	a.turn(false)
	a.holds("revisions go on", 4, 4, false)
}

// TestGarbageInTheLimits: an entry that cannot be understood, or names a wallet in a second spelling, changes nothing.
func TestGarbageInTheLimits(t *testing.T) {
	s := startNATS(t)
	a := newLimiter(t, s.url(), newCopy(t)).run()
	a.set(5)
	kv, good := a.raw()
	text := strings.Replace(string(good.Value()), `"revision":1,"switch"`, `"revision":9,"switch"`, 1)
	change := func(old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%s is not in %s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, bad := range []string{
		"", "x", "{}", "null", "[]", change(`"*":`, `"0x00000000000000000000000000000000000000AA":`),
		change(`"*":`, `"":`), change("max_order_usd", "max_order_eur"), change(`:5}`, `:"5"}`),
		change(`"revision":9,"switch"`, `"revision":0,"switch"`), change(`{"id"`, `{"more":1,"id"`),
	} {
		if _, err := kv.Put(t.Context(), limitsEntry, []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if err := a.Load(t.Context()); err == nil && a.State().Revision == 9 {
			t.Errorf("taken: %.200s", bad)
		}
		a.holds("the old policy stays", 1, 5, false)
		if _, err := kv.Put(t.Context(), limitsEntry, good.Value()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimitsOfADataDirectory: the limits of a single service come with it to a cluster in which none were ever set;
// those of a cluster replace them.
func TestLimitsOfADataDirectory(t *testing.T) {
	s := startNATS(t)
	newLimiter(t, s.url(), newCopy(t)).run() // an empty cluster
	own := func(usd float64) *store.Main {
		db := newCopy(t)
		local, err := limits.NewLocal(db, testLog(t))
		if err != nil {
			t.Fatal(err)
		}
		var rules policy.Rules
		rules.SetLimit(policy.MaxOrderUSD, usd)
		for _, edit := range []limits.Edit{limits.Put(limits.All, &rules, nil), limits.Turn(true, "why", nil)} {
			if _, err := local.Change(t.Context(), "ops", edit); err != nil {
				t.Fatal(err)
			}
		}
		return db
	}
	a := newLimiter(t, s.url(), own(7))
	if !a.InForce().Switch().On {
		t.Error("the switch is off before the bucket is read")
	}
	a.run()
	late := newLimiter(t, s.url(), newCopy(t)).run()
	late.holds("the limits came to the cluster", 2, 7, true)
	b := newLimiter(t, s.url(), own(8)).run()
	b.holds("the cluster's count", 2, 7, true)
	eventually(t, "the copy is the cluster's", func() bool {
		held, err := b.copy.Limits()
		return err == nil && held.ID == a.State().ID
	})
	if _, err := NewLimits(b.node, spoilt(t)); !errors.As(err, new(*store.DamagedError)) {
		t.Errorf("a copy that was changed by hand: %v", err)
	}
}

// spoilt returns a database whose policies are not as they were written.
func spoilt(t *testing.T) *store.Main {
	t.Helper()
	db := newCopy(t)
	if err := db.CopyLimits(&store.Limits{ID: "x", Policies: map[string]store.Policy{
		"*": {Rules: json.RawMessage(`{ }`), Revision: 1, At: time.Unix(1, 1)}, // no time that can be kept
	}}, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestKillSwitchReachesAllReplicas measures how long after a replica has acknowledged the kill switch it is in force
// in all. That is at most a second on a machine that is not overloaded; tests also run on others.
func TestKillSwitchReachesAllReplicas(t *testing.T) {
	const replicas, turns, bound = 5, 10, 5 * time.Second
	s := startNATS(t)
	timing := quick
	timing.Check = defaultTiming.Check
	var all []*Limits
	for range replicas {
		l, err := NewLimits(openNode(t, Config{URL: s.url(), Timing: timing}), newCopy(t))
		if err != nil {
			t.Fatal(err)
		}
		running(t, l.Run)
		all = append(all, l)
	}
	for i, l := range all {
		eventually(t, fmt.Sprintf("replica %d reads the limits", i), func() bool { return l.State() != nil })
	}
	var slowest time.Duration
	for n := range turns {
		on := n%2 == 0
		eventually(t, "the switch is turned", func() bool {
			_, err := all[n%replicas].Change(t.Context(), "ops", limits.Turn(on, "a drill", nil))
			return err == nil
		})
		turned := time.Now()
		for i, l := range all {
			eventually(t, fmt.Sprintf("turn %d holds in replica %d", n, i), func() bool {
				return l.InForce().Switch().On == on
			})
		}
		slowest = max(slowest, time.Since(turned))
	}
	if t.Logf("the slowest of %d turns was in force in %d replicas after %v", turns, replicas,
		slowest); slowest > bound {
		t.Errorf("want at most %v, and 1 s on a calm machine", bound)
	}
}
