package limits

import (
	"context"
	"log/slog"
	"sync"

	"ballast/internal/store"
)

// Local keeps the limits in the database of a data directory, which commands may change meanwhile.
type Local struct {
	Live
	db      *store.Main
	log     *slog.Logger
	mu      sync.Mutex
	trouble string
}

// NewLocal reads the limits of a database. Limits that cannot be read are an error: less would be in force than was
// set.
func NewLocal(db *store.Main, log *slog.Logger) (*Local, error) {
	l := &Local{db: db, log: log}
	return l, l.Follow()
}

// Follow reads what others have changed: store.Main.Follow calls it.
func (l *Local) Follow() error {
	now, err := l.db.Limits()
	if err == nil {
		before := l.State()
		if err = l.Publish(now); err == nil {
			Report(l.log, before, l.State())
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = ""
	if err != nil {
		l.trouble = "the policies in ballast.db cannot be read; the last ones stay in force"
	}
	return err
}

// Change implements Keeper.
func (l *Local) Change(_ context.Context, who string, edit Edit) (*State, error) {
	now, err := l.db.ChangeLimits(func(now *store.Limits) ([]store.Event, error) { return edit(now, By(who)) })
	if err != nil {
		return nil, err
	}
	if err := l.Publish(now); err != nil {
		return nil, err
	}
	return l.State(), nil
}

// Trouble implements Keeper.
func (l *Local) Trouble() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
}

// Report logs what has changed between two states; before may be nil.
func Report(log *slog.Logger, before, after *State) {
	if before == nil || before.Revision == after.Revision && before.ID == after.ID {
		return
	}
	if s := after.Switch; s != before.Switch {
		log.Warn("kill switch", "on", s.On, "reason", s.Reason, "who", s.Who)
	}
	log.Info("policies and kill switch read", "policies", len(after.Policies), "revision", after.Revision)
}

// Memory keeps the limits in memory alone, for a service without a data directory.
type Memory struct {
	Live
	changing sync.Mutex
}

// NewMemory returns limits without a policy, and with the switch off.
func NewMemory() *Memory {
	m := &Memory{}
	if err := m.Publish(&store.Limits{}); err != nil {
		panic("BUG: no limits cannot be published: " + err.Error())
	}
	return m
}

// Change implements Keeper.
func (m *Memory) Change(_ context.Context, who string, edit Edit) (*State, error) {
	m.changing.Lock()
	defer m.changing.Unlock()
	kept := m.Kept()
	next := kept.Next()
	events, err := edit(next, By(who))
	if err == nil && len(events) > 0 {
		err = m.Publish(next)
	}
	if err != nil {
		return nil, err
	}
	return m.State(), nil
}

// Trouble implements Keeper.
func (m *Memory) Trouble() string { return "" }
