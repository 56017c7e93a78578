package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ballast/internal/store"
	"ballast/internal/supervise"
)

const (
	// flushEvery is how often Run writes down when keys were last used.
	flushEvery = time.Minute
	// retryEvery is how often Run writes again what a full or read-only disk did not take.
	retryEvery = time.Second
)

// Keys are the keys of a data directory: its database, which several processes may change, and the table of
// this process, which follows. All methods are safe for concurrent use.
type Keys struct {
	db    *store.Main
	who   string // who changes keys here, for the audit
	table *Store
	log   *supervise.Supervisor

	mu     sync.Mutex
	newest int64 // number of the newest event that the table has
}

// NewKeys reads the keys of a database. who names those who change keys with Issue and Revoke.
func NewKeys(db *store.Main, who string, log *slog.Logger) (*Keys, error) {
	k := &Keys{db: db, who: who, table: NewStore(), log: supervise.New(log)}
	_, err := k.read()
	return k, err
}

// Store returns the table.
func (k *Keys) Store() *Store { return k.table }

// Loaded reports whether the keys have been read: always.
func (k *Keys) Loaded() bool { return true }

// read brings the table up to date, and returns the keys that have changed.
func (k *Keys) read() (changed []Record, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed, newest, refused, err := k.table.Read(k.db, k.newest)
	if err != nil {
		return nil, err
	}
	k.newest = newest
	if refused > 0 {
		k.log.Warn("keys of the database are refused: more than can be held", "count", refused)
	}
	return changed, nil
}

// Read adds to the table the keys of a database with events after a given one (0: all keys). It returns the
// keys that this has changed, the number of the newest event, and how many keys were refused.
func (s *Store) Read(db *store.Main, after int64) (changed []Record, newest int64, refused int, err error) {
	rows, newest, err := db.Keys(after)
	if err != nil {
		return nil, 0, 0, err
	}
	records := make([]Record, len(rows))
	for i, r := range rows {
		records[i] = Record{
			ID: r.ID, Email: r.Email, Role: roleOf(r.Operator), SHA256: r.SHA256, Created: r.Created,
			Revoked: r.Revoked,
		}
	}
	changed, refused = s.Merge(records...)
	for _, r := range rows {
		if !r.LastUsed.IsZero() {
			s.NoteUse(Use{ID: r.ID, At: r.LastUsed})
		}
	}
	return changed, newest, refused, nil
}

// Write adds to a database the keys of records that it lacks, and the revocations.
func Write(db *store.Main, who string, records ...Record) error {
	now := time.Now()
	changes := make([]store.Change, len(records))
	for i, r := range records {
		changes[i] = store.Change{At: now, Who: who, Key: store.Key{
			ID: r.ID, Email: r.Email, Operator: r.Role == Operator, SHA256: r.SHA256, Created: r.Created,
			Revoked: r.Revoked,
		}}
	}
	return db.Apply(changes...)
}

// Issue creates a key. When it returns, the key is on disk.
func (k *Keys) Issue(_ context.Context, email string, role Role) (key string, made Key, err error) {
	key, r, err := New(email, role)
	if err != nil {
		return "", Key{}, err
	}
	if k.table.Len() >= MaxKeys {
		return "", Key{}, fmt.Errorf("%w: %d keys", ErrFull, MaxKeys)
	}
	if err := Write(k.db, k.who, r); err != nil {
		return "", Key{}, fmt.Errorf("no key issued: %w", err)
	}
	k.table.Merge(r)
	return key, r.Key(), nil
}

// Revoke revokes a key. When it returns, that is on disk, and the key is refused here; elsewhere soon.
func (k *Keys) Revoke(_ context.Context, id string) error {
	if _, err := k.read(); err != nil { // another process may have issued the key just now
		return err
	}
	r, ok := k.table.Record(id)
	if !ok {
		return ErrNoSuchKey
	}
	r.Revoked = true
	if err := Write(k.db, k.who, r); err != nil {
		return fmt.Errorf("not revoked: %w", err)
	}
	k.table.Merge(r)
	return nil
}

// List returns all keys in the order of issue.
func (k *Keys) List(context.Context) ([]Key, error) {
	if _, err := k.read(); err != nil {
		return nil, err
	}
	return k.table.List(), nil
}

// Run writes down when keys were used until ctx ends. While the disk is full or read-only it tries again.
func (k *Keys) Run(ctx context.Context) {
	tick := time.NewTicker(retryEvery)
	defer tick.Stop()
	for flushed := time.Now(); ; {
		select {
		case <-ctx.Done():
			k.flush()
			return
		case <-tick.C:
		}
		if k.db.Trouble() != nil || time.Since(flushed) >= flushEvery {
			flushed = time.Now()
			k.flush()
		}
	}
}

// Follow reads what others have changed: store.Main.Follow calls it.
func (k *Keys) Follow() error {
	records, err := k.read()
	for _, r := range records {
		if r.Revoked {
			k.log.Log.Info("key revoked", "id", r.ID)
		} else {
			k.log.Log.Info("key issued", "id", r.ID)
		}
	}
	return err
}

// flush writes down when keys were used.
func (k *Keys) flush() {
	err := k.db.Reopen()
	if uses := k.table.NewUses(); err == nil && len(uses) > 0 {
		at := make(map[string]time.Time, len(uses))
		for _, u := range uses {
			at[u.ID] = u.At
		}
		if err = k.db.NoteUses(at); err == nil {
			for _, u := range uses {
				k.table.NoteUse(u)
			}
		}
	}
	if err != nil {
		k.log.Warn("when keys were last used is not written down; trying on", "error", err)
	}
}
