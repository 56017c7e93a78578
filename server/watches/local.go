package watches

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"ballast/internal/store"
)

// Local keeps records in the database of the data directory.
type Local struct{ db *store.Main }

// NewLocal returns a store in a database.
func NewLocal(db *store.Main) *Local { return &Local{db} }

// Load implements Store.
func (l *Local) Load(context.Context) (all []*Record, err error) {
	texts, err := l.db.Watches()
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		r, err := Parse([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.db.Path(), err)
		}
		all = append(all, r)
	}
	return all, nil
}

// Edit implements Store.
func (l *Local) Edit(_ context.Context, id ID, f func(now *Record) (*Record, error)) (next *Record, err error) {
	err = l.db.EditWatch(id.Key, id.Wallet, func(text string) (string, error) {
		var now *Record
		if text != "" {
			if now, err = Parse([]byte(text)); err != nil {
				return "", err
			}
		}
		if next, err = f(now); err != nil || next == nil {
			return "", err
		}
		if next == now {
			return text, nil
		}
		changed, err := json.Marshal(next)
		return string(changed), err
	})
	if err != nil {
		return nil, err
	}
	return next, nil
}

// Parse reads a record as it is kept.
func Parse(text []byte) (*Record, error) {
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("a watch cannot be read, perhaps because a later version of ballast wrote it: %w", err)
	}
	return r, nil
}

// Memory keeps records in memory alone, for a service without a data directory.
type Memory struct {
	mu      sync.Mutex
	records map[ID]*Record
}

// Load implements Store.
func (m *Memory) Load(context.Context) (all []*Record, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		all = append(all, r)
	}
	return all, nil
}

// Edit implements Store.
func (m *Memory) Edit(_ context.Context, id ID, f func(now *Record) (*Record, error)) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := f(m.records[id])
	switch {
	case err != nil:
		return nil, err
	case next == nil:
		delete(m.records, id)
	case m.records == nil:
		m.records = map[ID]*Record{id: next}
	default:
		m.records[id] = next
	}
	return next, nil
}
