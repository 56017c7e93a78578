package auth

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxToken is the maximum length of a token that is hashed; keys are much shorter.
	maxToken = 512
	// MaxKeys is the maximum number of keys in a store, revoked ones included.
	MaxKeys = 100_000
)

// ErrFull: the store already has MaxKeys keys.
var ErrFull = errors.New("the key store is full")

// Store holds the issued keys known to this process. Create it with NewStore. All methods
// are safe for concurrent use.
type Store struct {
	table atomic.Pointer[table]
	mu    sync.Mutex // serialises writers of table, and NoteUse; guards onRevoke

	onRevoke func() // may be nil

	trusted atomic.Pointer[time.Time] // until when the table may be used; nil: forever
}

// NewStore returns a store without keys and without a time limit.
func NewStore() *Store {
	s := &Store{}
	s.table.Store(&table{byHead: map[uint64][]*entry{}, byID: map[string]*entry{}})
	return s
}

// Verdict is the outcome of a lookup.
type Verdict uint8

const (
	Accepted    Verdict = iota
	Malformed           // no header, or not "Bearer" and a token
	Unknown             // no such key, or a revoked one
	Unavailable         // the table is too old: a revocation may be missing
)

// Caller is the holder of an accepted key.
type Caller struct {
	ID    string
	state *state
}

// Lookup looks up the value of an Authorization header. It takes no lock, allocates nothing, and does
// the same work for unknown, wrong and revoked keys.
func (s *Store) Lookup(header []byte, now time.Time) (Caller, Verdict) {
	token, ok := bearer(header)
	if !ok {
		return Caller{}, Malformed
	}
	if !s.Trusted(now) {
		return Caller{}, Unavailable
	}
	if len(token) > maxToken {
		return Caller{}, Unknown
	}
	e := s.table.Load().find(token)
	if e == nil {
		return Caller{}, Unknown
	}
	e.state.used(now)
	return Caller{ID: e.record.ID, state: e.state}, Accepted
}

// Take counts one request of the caller at now (ns) against a limit per minute.
func (c Caller) Take(now int64, perMinute int) (Quota, bool) {
	return c.state.bucket.take(now, perMinute)
}

// TrustUntil sets the time after which Lookup answers Unavailable, because a revocation could have been
// missed. The updater of the table extends the time; if the updates stop, all keys are refused.
func (s *Store) TrustUntil(t time.Time) { s.trusted.Store(&t) }

// Trusted reports whether the table may be used at now.
func (s *Store) Trusted(now time.Time) bool {
	until := s.trusted.Load()
	return until == nil || !now.After(*until)
}

// OnRevoke sets the function that Merge calls after it has applied a revocation; the function must not call Merge.
func (s *Store) OnRevoke(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRevoke = f
}

// Revoked reports whether the key of an id was revoked.
func (s *Store) Revoked(id string) bool {
	r, _ := s.Record(id)
	return r.Revoked
}

// Merge adds records with new ids and applies revocations; other differences change nothing. It returns
// the changed records as they now are, and the number of refused ones: the id belongs to another key, or
// the store is full.
func (s *Store) Merge(records ...Record) (changed []Record, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	changes := map[string]*entry{}
	revoked := false
	for _, r := range records {
		held := cmp.Or(changes[r.ID], t.byID[r.ID])
		switch {
		case held == nil && len(t.byID)+len(changes) >= MaxKeys, held != nil && held.record.SHA256 != r.SHA256:
			refused++
		case held == nil:
			changes[r.ID] = &entry{record: r, state: &state{}}
		case r.Revoked && !held.record.Revoked:
			e := *held
			e.record.Revoked = true
			changes[r.ID] = &e
			revoked = true
		}
	}
	if len(changes) == 0 {
		return nil, refused
	}
	for _, e := range changes {
		changed = append(changed, e.record)
	}
	s.table.Store(t.with(changes))
	if revoked && s.onRevoke != nil {
		s.onRevoke()
	}
	return changed, refused
}

// Issue creates a key in this store only. Keys issues durable keys.
func (s *Store) Issue(email string, role Role) (key string, k Key, err error) {
	key, r, err := New(email, role)
	if err != nil {
		return "", Key{}, err
	}
	if _, refused := s.Merge(r); refused > 0 {
		return "", Key{}, ErrFull
	}
	return key, r.Key(), nil
}

// Len returns the number of keys, revoked ones included.
func (s *Store) Len() int { return len(s.table.Load().byID) }

// Record returns the record of an id.
func (s *Store) Record(id string) (Record, bool) {
	e := s.table.Load().byID[id]
	if e == nil {
		return Record{}, false
	}
	return e.record, true
}

// Records returns all records in the order of issue.
func (s *Store) Records() []Record {
	entries := s.entries()
	records := make([]Record, len(entries))
	for i, e := range entries {
		records[i] = e.record
	}
	return records
}

// List returns all keys in the order of issue.
func (s *Store) List() []Key {
	entries := s.entries()
	keys := make([]Key, len(entries))
	for i, e := range entries {
		keys[i] = e.key()
	}
	return keys
}

func (s *Store) entries() []*entry {
	return slices.SortedFunc(maps.Values(s.table.Load().byID), func(a, b *entry) int {
		return cmp.Or(a.record.Created.Compare(b.record.Created), cmp.Compare(a.record.ID, b.record.ID))
	})
}

// Use is the time at which a key was last used, to the minute.
type Use struct {
	ID string
	At time.Time
}

// NewUses returns the uses seen by this process that are newer than those passed to NoteUse, oldest first.
func (s *Store) NewUses() []Use {
	var uses []Use
	for id, e := range s.table.Load().byID {
		if minute := e.state.lastUsed.Load(); minute > e.state.noted.Load() {
			uses = append(uses, Use{ID: id, At: time.Unix(minute*60, 0).UTC()})
		}
	}
	slices.SortFunc(uses, func(a, b Use) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return uses
}

// NoteUse records a key's last use from the durable store.
func (s *Store) NoteUse(u Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.table.Load().byID[u.ID]; e != nil {
		e.state.noted.Store(max(e.state.noted.Load(), u.At.Unix()/60))
	}
}
