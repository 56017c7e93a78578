package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// set returns a change that sets the policy of a wallet.
func set(wallet, rules string) func(*Limits) ([]Event, error) {
	return func(now *Limits) ([]Event, error) {
		now.Policies[wallet] = Policy{Rules: json.RawMessage(rules), Revision: now.Revision, At: noon, Who: "ops"}
		return []Event{{noon, "ops", PolicySet, wallet, rules}}, nil
	}
}

// turn returns a change that turns the switch.
func turn(on bool) func(*Limits) ([]Event, error) {
	return func(now *Limits) ([]Event, error) {
		now.Switch = Switch{On: on, Reason: "why", At: noon, Who: "ops", Revision: now.Revision}
		return []Event{{noon, "ops", SwitchedOn, SwitchSubject, "why"}}, nil
	}
}

func changeLimits(t *testing.T, m *Main, change func(*Limits) ([]Event, error)) *Limits {
	t.Helper()
	now, err := m.ChangeLimits(change)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func readBack(t *testing.T, m *Main) *Limits {
	t.Helper()
	l, err := m.Limits()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLimits: what is changed outlives the file's closing, with its audit; revisions rise; a refused change and one
// without an event leave everything as it is.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	m := openedMain(t, dir)
	if l := readBack(t, m); l.Revision != 0 || l.ID != "" || l.Switch != (Switch{}) || len(l.Policies) != 0 {
		t.Errorf("a new file has %+v", l)
	}
	changeLimits(t, m, set("*", `{"max_leverage":5}`))
	changeLimits(t, m, set("0xa", `{}`))
	changeLimits(t, m, turn(true))
	changeLimits(t, m, set("0xa", `{"max_order_usd":1}`))
	want := changeLimits(t, m, func(now *Limits) ([]Event, error) {
		delete(now.Policies, "*")
		return []Event{{noon, "ops", PolicyRemoved, "*", ""}}, nil
	})
	if want.Revision != 5 || want.Policies["0xa"].Revision != 4 || want.Switch.Revision != 3 ||
		len(want.Policies) != 1 {
		t.Errorf("%+v", want)
	}
	refused := errors.New("refused")
	_, err := m.ChangeLimits(func(now *Limits) ([]Event, error) {
		now.Policies["0xb"] = Policy{}
		return nil, refused
	})
	if err != refused || m.Trouble() != nil {
		t.Errorf("%v, trouble %v", err, m.Trouble())
	}
	if now := changeLimits(t, m, func(*Limits) ([]Event, error) { return nil, nil }); now.Revision != 5 {
		t.Errorf("a change of nothing has revision %d", now.Revision)
	}
	m.Close()
	m = openedMain(t, dir)
	if got := readBack(t, m); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	n := 0
	if err := m.Audit(func(Event) error { n++; return nil }); err != nil || n != 5 {
		t.Errorf("%d events in the audit, %v", n, err)
	}
}

// TestCopyOfLimits: a copy takes over limits of another history with their revisions, and the events it is given.
func TestCopyOfLimits(t *testing.T) {
	own, copied := openedMain(t, t.TempDir()), openedMain(t, t.TempDir())
	changeLimits(t, copied, set("0xb", `{"halt":true}`))
	changeLimits(t, own, set("0xa", `{}`))
	want := changeLimits(t, own, turn(true))
	for range 2 {
		if err := copied.CopyLimits(want, []Event{{noon, "ops", SwitchedOn, SwitchSubject, "why"}}); err != nil {
			t.Fatal(err)
		}
		if got := readBack(t, copied); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if err := copied.CopyLimits(&Limits{ID: "x", Policies: map[string]Policy{}}, nil); err != nil {
		t.Fatal(err)
	}
	if got := readBack(t, copied); got.Switch != (Switch{}) || len(got.Policies) != 0 || got.ID != "x" {
		t.Errorf("%+v", got)
	}
}

// TestConcurrentChanges: processes that change limits at once lose no change and share no revision.
func TestConcurrentChanges(t *testing.T) {
	dir := t.TempDir()
	openedMain(t, dir)
	const n, each = 4, 15
	var mu sync.Mutex
	seen := map[uint64]bool{}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			m, err := OpenMain(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer m.Close()
			for j := range each {
				now, err := m.ChangeLimits(set(fmt.Sprint("0x", i*each+j), "{}"))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if seen[now.Revision] {
					t.Errorf("revision %d twice", now.Revision)
				}
				seen[now.Revision] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if l := readBack(t, openedMain(t, dir)); len(l.Policies) != n*each || l.Revision != n*each {
		t.Errorf("%d policies, revision %d", len(l.Policies), l.Revision)
	}
}

// TestSpoiledLimits: limits that are not as they were written are refused, whatever of them was changed or is gone.
func TestSpoiledLimits(t *testing.T) {
	for name, statement := range map[string]string{
		"other rules":       `UPDATE policies SET rules = '{}' WHERE wallet = '*'`,
		"rules of no JSON":  `UPDATE policies SET rules = 'x' WHERE wallet = '*'`,
		"another wallet":    `UPDATE policies SET wallet = '0xB' WHERE wallet = '*'`,
		"a policy gone":     `DELETE FROM policies WHERE wallet = '*'`,
		"all policies gone": `DELETE FROM policies`,
		"switched off":      `UPDATE kill_switch SET is_on = 0`,
		"the switch gone":   `DELETE FROM kill_switch`,
		"no time":           `UPDATE kill_switch SET at = 'noon'`,
		"the seal gone":     `DELETE FROM meta WHERE name = 'limits'`,
		"no seal":           `UPDATE meta SET value = 'x' WHERE name = 'limits'`,
		"an old revision": `UPDATE meta SET value = replace(value, 'revision":3', 'revision":2')
			WHERE name = 'limits'`,
		"all gone":       `DELETE FROM policies; DELETE FROM kill_switch; DELETE FROM meta WHERE name = 'limits'`,
		"the table gone": `DROP TABLE policies`,
	} {
		dir := t.TempDir()
		m := openedMain(t, dir)
		changeLimits(t, m, set("*", `{"max_leverage":5}`))
		changeLimits(t, m, set("0xa", `{}`))
		changeLimits(t, m, turn(true))
		m.Close()
		edited(statement)(t, filepath.Join(dir, MainFile))
		m = openedMain(t, dir)
		_, err := m.Limits()
		if !errors.As(err, new(*DamagedError)) {
			t.Errorf("%s: read: %v", name, err)
		}
		if _, err := m.ChangeLimits(turn(false)); !errors.As(err, new(*DamagedError)) {
			t.Errorf("%s: changed: %v", name, err)
		}
	}
}

// TestUpgrade: a file of version 1 keeps its keys, whose holders are agents, and then has policies. On a disk that
// takes no writes it is refused, with a word.
func TestUpgrade(t *testing.T) {
	dir := t.TempDir()
	m := openedMain(t, dir)
	apply1(t, m, change(1, false), change(2, true))
	m.Close()
	edited(`ALTER TABLE keys DROP COLUMN operator; DROP TABLE policies; DROP TABLE kill_switch;
		DROP TABLE decision_blocks; DROP TABLE photographs; DROP TABLE photograph_parts;
		PRAGMA user_version = 1`)(t, filepath.Join(dir, MainFile))
	if _, err := readMain(filepath.Join(dir, MainFile), errors.New("read-only")); err == nil ||
		!strings.Contains(err.Error(), "earlier version") {
		t.Errorf("read only: %v", err)
	}
	m = openedMain(t, dir)
	operators := change(3, false)
	operators.Operator = true
	apply1(t, m, operators)
	keys, _, err := m.Keys(0)
	if err != nil || len(keys) != 3 || keys[0].Operator || keys[1].Operator || !keys[1].Revoked || !keys[2].Operator {
		t.Errorf("%+v %v", keys, err)
	}
	changeLimits(t, m, turn(true))
	block := DecisionBlock{ID: 1, Count: 1, Marks: []byte{}, Data: []byte("lines")}
	if _, err := m.PutDecisions([]DecisionBlock{block}, nil); err != nil {
		t.Error(err)
	}
	m.Close()
	edited("UPDATE keys SET operator = 1 WHERE id = 'key_000000000001'")(t, filepath.Join(dir, MainFile))
	if _, _, err := openedMain(t, dir).Keys(0); !errors.As(err, new(*DamagedError)) {
		t.Errorf("an agent's key was made an operator's: %v", err)
	}
}

// TestFollow: every reader is called for each change of another process, and again after its own failure.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	m, other := openedMain(t, dir), openedMain(t, dir)
	calls, failures := make(chan int, 100), make(chan error, 100)
	broken := errors.New("broken")
	tries := 0
	readers := []func() error{
		func() error { calls <- 0; return nil },
		func() error {
			if tries++; tries == 1 {
				return broken
			}
			calls <- 1
			return nil
		},
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	wg.Go(func() { m.Follow(ctx, func(err error) { failures <- err }, readers...) })
	both := func() {
		t.Helper()
		seen := map[int]bool{}
		for limit := time.After(30 * time.Second); len(seen) < len(readers); {
			select {
			case i := <-calls:
				seen[i] = true
			case <-limit:
				t.Fatalf("called %v", seen)
			}
		}
	}
	both()
	if err := <-failures; err != broken {
		t.Errorf("told %v", err)
	}
	changeLimits(t, other, turn(true))
	both()
}
