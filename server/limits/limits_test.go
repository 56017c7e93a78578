package limits

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

const wallet = "0x00112233445566778899aabbccddeeff01234567"

func rules(t *testing.T, text string) *policy.Rules {
	t.Helper()
	r, bad := policy.DecodeJSON([]byte(text))
	if bad != nil {
		t.Fatal(bad)
	}
	return &r
}

func must(t *testing.T, k Keeper, edit Edit) *State {
	t.Helper()
	state, err := k.Change(t.Context(), "ops", edit)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// TestNames: a wallet has one name, in lower case; what only looks like it is refused.
func TestNames(t *testing.T) {
	upper := "0x" + strings.ToUpper(wallet[2:])
	for text, want := range map[string]string{
		"*": "*", wallet: wallet, upper: wallet, "": "", "**": "", " *": "", "0X" + wallet[2:]: "", wallet + " ": "",
		" " + wallet: "", wallet[2:]: "", wallet[:41]: "", wallet + "0": "", wallet[:41] + "g": "", "\uff0a": "",
		strings.Replace(wallet, "x", "\u0445", 1): "", wallet[:40] + "\u0435": "", wallet[:40] + "\x00\x00": "",
	} {
		if name, ok := Name([]byte(text)); name != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, name, ok, want)
		}
	}
}

// TestRevisions: every change needs the revision that it replaces, and none comes twice.
func TestRevisions(t *testing.T) {
	m := NewMemory()
	refused := func(edit Edit, reason Reason, revision uint64) {
		t.Helper()
		before := m.State()
		_, err := m.Change(t.Context(), "ops", edit)
		r := new(Refusal)
		if !errors.As(err, &r) || r.Reason != reason || r.Revision != revision || m.State() != before {
			t.Errorf("%v (%+v), want reason %d, revision %d", err, r, reason, revision)
		}
	}
	number := func(n uint64) *uint64 { return &n }
	wide, narrow := rules(t, `{"max_leverage":50}`), rules(t, `{"max_leverage":2}`)
	refused(Put(wallet, wide, number(1)), Mismatch, 0)
	refused(Remove(wallet, nil), Missing, 0)
	refused(Remove(wallet, number(1)), Mismatch, 0)
	must(t, m, Put(wallet, narrow, nil))
	refused(Put(wallet, wide, nil), Required, 1)
	refused(Put(wallet, wide, number(0)), Mismatch, 1)
	refused(Put(wallet, wide, number(2)), Mismatch, 1)
	refused(Remove(wallet, nil), Required, 1)
	must(t, m, Put(wallet, wide, number(1)))
	must(t, m, Put(wallet, wide, number(2))) // the same rules: no change
	must(t, m, Remove(wallet, number(2)))
	must(t, m, Put(wallet, narrow, nil))
	refused(Put(wallet, wide, number(1)), Mismatch, 4)
	refused(Put(wallet, wide, number(2)), Mismatch, 4)
	refused(Together(Put(All, narrow, nil), Put(wallet, wide, nil)), Required, 4)
	refused(Turn(true, "why", number(9)), Mismatch, 0)
	if s := m.State(); s.Revision != 4 || s.Policies[wallet].Revision != 4 || len(s.Policies) != 1 {
		t.Errorf("%+v", s.Limits)
	}
}

// TestBounds: policies are bounded in number and size.
func TestBounds(t *testing.T) {
	m := NewMemory()
	var edits []Edit
	for i := range MaxPolicies {
		edits = append(edits, Put(fmt.Sprintf("0x%040x", i), &policy.Rules{}, nil))
	}
	must(t, m, Together(edits...))
	bad := new(Refusal)
	if _, err := m.Change(t.Context(), "ops", Put(All, &policy.Rules{}, nil)); !errors.As(err, &bad) ||
		bad.Reason != Invalid || len(m.State().Policies) != MaxPolicies {
		t.Error(err)
	}
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf(`"%s%d"`, strings.Repeat("A", 55), i))
	}
	large := rules(t, `{"allowed_assets":[`+strings.Join(names, ",")+`]}`)
	m = NewMemory()
	n := 0
	for ; n < 100; n++ {
		if _, err := m.Change(t.Context(), "ops", Put(fmt.Sprintf("0x%040x", n), large, nil)); err != nil {
			break
		}
	}
	if size := n * len(large.AppendJSON(nil)); size > MaxBytes || size < MaxBytes*4/5 {
		t.Errorf("%d bytes were taken, the limit is %d", size, MaxBytes)
	}
}

// TestInForce: what is changed is what assessments are judged by, at once; older limits never come back.
func TestInForce(t *testing.T) {
	m := NewMemory()
	old := m.Kept()
	must(t, m, Put(All, rules(t, `{"max_leverage":5,"max_score":70}`), nil))
	must(t, m, Put(wallet, rules(t, `{"max_leverage":9,"max_order_usd":10}`), nil))
	must(t, m, Turn(true, "why", nil))
	w, _ := marketcache.ParseWallet([]byte(wallet))
	own := m.InForce().Table().Of(&w)
	if got := string(own.Rules.AppendJSON(nil)); got != `{"max_leverage":5,"max_order_usd":10,"max_score":70}` {
		t.Errorf("%s", got)
	}
	s := m.InForce().Switch()
	if !s.On || s.Reason != "why" || s.Who != "ops" || s.Revision != 3 || time.Since(s.Since) > time.Hour {
		t.Errorf("%+v", s)
	}
	old.ID = m.State().ID // a copy of the same history that was read late
	if err := m.Publish(&old); err != nil || m.State().Revision != 3 || !m.InForce().Switch().On {
		t.Errorf("%v: older limits are in force: %+v", err, m.State().Limits)
	}
	for name, bad := range map[string]store.Policy{
		"0x00112233445566778899AABBCCDDEEFF01234567": {Rules: []byte(`{}`), Revision: 4},
		"": {Rules: []byte(`{}`), Revision: 4}, wallet: {Rules: []byte(`{"max_leverag":5}`), Revision: 4},
		All: {Rules: []byte(`{}`), Revision: 5},
	} {
		kept := m.Kept()
		next := kept.Next()
		next.Policies[name] = bad
		if err := m.Publish(next); err == nil || m.State().Revision != 3 {
			t.Errorf("%q: %s is taken", name, bad.Rules)
		}
	}
}

// TestHold: a switch that could not be kept is on here until somebody changes the switch, or releases it; a change
// of a policy leaves it on.
func TestHold(t *testing.T) {
	for name, row := range map[string]struct {
		then func(m *Memory)
		on   bool
	}{
		"nothing":        {func(*Memory) {}, true},
		"a policy":       {func(m *Memory) { must(t, m, Put(All, &policy.Rules{}, nil)) }, true},
		"off, as before": {func(m *Memory) { must(t, m, Turn(false, "", nil)) }, true}, // no change of what is kept
		"released":       {func(m *Memory) { m.Release() }, false},
		"on and then off": {func(m *Memory) {
			must(t, m, Turn(true, "x", nil))
			must(t, m, Turn(false, "", nil))
		}, false},
	} {
		m := NewMemory()
		m.Hold("ops", "stop")
		if s := m.State().Switch; !s.On || s.Reason != "stop" || m.Kept().Switch.On {
			t.Errorf("%s: %+v", name, s)
		}
		row.then(m)
		if m.State().Switch.On != row.on || m.InForce().Switch().On != row.on {
			t.Errorf("%s: on %v, want %v", name, m.State().Switch.On, row.on)
		}
	}
}

// TestLocal: two processes on one data directory; what cannot be read keeps the last limits in force and is told,
// and a new process refuses to begin with it.
func TestLocal(t *testing.T) {
	dir := t.TempDir()
	open := func() (*store.Main, *Local, error) {
		db, err := store.OpenMain(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		l, err := NewLocal(db, slog.New(slog.DiscardHandler))
		return db, l, err
	}
	_, service, err := open()
	if err != nil {
		t.Fatal(err)
	}
	db, command, err := open()
	if err != nil {
		t.Fatal(err)
	}
	must(t, command, Put(All, rules(t, `{"max_leverage":5}`), nil))
	must(t, command, Turn(true, "why", nil))
	if err := service.Follow(); err != nil || service.State().Revision != 2 || service.Trouble() != "" {
		t.Errorf("%v %+v", err, service.State().Limits)
	}
	kept := command.Kept()
	unknown := kept.Next()
	unknown.Policies[All] = store.Policy{Rules: []byte(`{"max_levitation":5}`), Revision: 3, At: moment(time.Now())}
	if err := db.CopyLimits(unknown, nil); err != nil {
		t.Fatal(err)
	}
	if err := service.Follow(); err == nil || service.Trouble() == "" || service.State().Revision != 2 {
		t.Errorf("%v, trouble %q", err, service.Trouble())
	}
	if _, _, err := open(); err == nil || !strings.Contains(err.Error(), "max_levitation") {
		t.Errorf("a service begins with a policy that it does not understand: %v", err)
	}
}
