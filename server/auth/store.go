package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pollEvery     = 250 * time.Millisecond
	lastUsedEvery = time.Minute
	complainEvery = time.Minute
	// maxToken bounds what is hashed; no key is nearly as long.
	maxToken = 512
)

// Errors of the store.
var (
	ErrNoSuchKey = errors.New("no such key")
	ErrBadEmail  = errors.New("not an e-mail address")
	errVanished  = errors.New("the key file has vanished")
)

// Store is the set of issued keys. Create it with Open. All methods are safe for
// concurrent use.
type Store struct {
	path string
	// Log receives what goes wrong in Run; nil: slog's default.
	Log *slog.Logger

	table atomic.Pointer[table]
	// broken is why the file as it stands is not in force, nil when it is.
	broken atomic.Pointer[error]

	mu   sync.Mutex // serialises reload
	seen stamp
	// existed: the file has been there; from then on its absence is a fault.
	existed bool
}

// Open reads the key file. One that does not exist yet is an empty store; one that cannot
// be read whole is an error.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	if err := s.reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// reload makes the file's present state the table. On an error the last good table stays.
func (s *Store) reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The stamp is taken first: a write in between is then seen as one more change.
	at, _ := stampOf(s.path)
	f, found, err := readFile(s.path)
	if err == nil && !found && s.existed {
		err = errVanished
	}
	s.seen = at
	if err != nil {
		s.broken.Store(&err)
		return err
	}
	s.existed = s.existed || found
	s.broken.Store(nil)
	s.table.Store(newTable(f, s.table.Load()))
	return nil
}

// changed reports whether the file differs from what was last read.
func (s *Store) changed() bool {
	at, _ := stampOf(s.path)
	s.mu.Lock()
	defer s.mu.Unlock()
	return at != s.seen
}

func (s *Store) hasExisted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.existed
}

// Err returns why the file as it stands is not in force, nil when it is.
func (s *Store) Err() error {
	if p := s.broken.Load(); p != nil {
		return *p
	}
	return nil
}

// Len returns how many keys are held, revoked ones included.
func (s *Store) Len() int { return s.table.Load().keys }

// Verdict is the outcome of a lookup.
type Verdict uint8

const (
	Accepted  Verdict = iota
	Malformed         // no header, or not "Bearer" and a token
	Unknown           // no such key, or a revoked one
)

// Caller is the holder of an accepted key.
type Caller struct {
	ID    string
	state *state
}

// Lookup judges the value of an Authorization header. It takes no lock and allocates
// nothing, and does the same work for an unknown, a wrong and a revoked key.
func (s *Store) Lookup(header []byte, now time.Time) (Caller, Verdict) {
	token, ok := bearer(header)
	if !ok {
		return Caller{}, Malformed
	}
	if len(token) > maxToken {
		return Caller{}, Unknown
	}
	e := s.table.Load().find(token)
	if e == nil {
		return Caller{}, Unknown
	}
	e.state.used(now)
	return Caller{ID: e.id, state: e.state}, Accepted
}

// Take counts one request of the caller at now (ns) against a limit per minute.
func (c Caller) Take(now int64, perMinute int) (Quota, bool) {
	return c.state.bucket.take(now, perMinute)
}

// Issue makes a key for an e-mail address. The key itself is returned here once and
// stored nowhere.
func (s *Store) Issue(email string) (key string, k Key, err error) {
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email || len(email) > 254 {
		return "", Key{}, fmt.Errorf("%w: %q", ErrBadEmail, email)
	}
	key = newKey()
	digest := sha256.Sum256([]byte(key))
	k = Key{ID: "key_" + string(appendRandom62(nil, 12)), Email: email, Created: time.Now().UTC().Truncate(time.Second)}
	err = s.update(func(f *keyFile) error {
		if len(f.Keys) == maxKeys {
			return fmt.Errorf("the store is full: %d keys", maxKeys)
		}
		f.Keys = append(f.Keys, fileKey{Key: k, SHA256: hex.EncodeToString(digest[:])})
		return nil
	})
	if err != nil {
		return "", Key{}, err
	}
	return key, k, nil
}

// List returns all keys in the order of issue. last_used may lag by a minute.
func (s *Store) List() ([]Key, error) {
	f, _, err := readFile(s.path)
	if err != nil {
		return nil, err
	}
	keys := make([]Key, len(f.Keys))
	for i := range f.Keys {
		keys[i] = f.Keys[i].Key
	}
	return keys, nil
}

// Revoke ends a key. Revoking one that is revoked already changes nothing.
func (s *Store) Revoke(id string) error {
	return s.update(func(f *keyFile) error {
		for i := range f.Keys {
			if f.Keys[i].ID == id {
				f.Keys[i].Revoked = true
				return nil
			}
		}
		return fmt.Errorf("%w: %q", ErrNoSuchKey, id)
	})
}

// update changes the file under the lock and takes the result into force here.
func (s *Store) update(change func(*keyFile) error) error {
	unlock, err := lock(s.path)
	if err != nil {
		return fmt.Errorf("key store: %w", err)
	}
	defer unlock()
	f, found, err := readFile(s.path)
	if err == nil && !found && s.hasExisted() {
		err = errVanished
	}
	if err != nil {
		return err // never write over what could not be read
	}
	if err := change(&f); err != nil {
		return err
	}
	if err := writeFile(s.path, f); err != nil {
		return fmt.Errorf("key file %s: %w", s.path, err)
	}
	return s.reload()
}

// Run follows changes of the file, by this or any other process, until ctx ends, and
// writes down now and then when keys were last used.
func (s *Store) Run(ctx context.Context) {
	log := s.Log
	if log == nil {
		log = slog.Default()
	}
	poll, write := time.NewTicker(pollEvery), time.NewTicker(lastUsedEvery)
	defer poll.Stop()
	defer write.Stop()
	var complained time.Time
	for {
		select {
		case <-ctx.Done():
			if err := s.writeLastUsed(); err != nil {
				log.Error("when keys were last used is not written down", "error", err)
			}
			return
		case <-write.C:
			if err := s.writeLastUsed(); err != nil {
				log.Error("when keys were last used is not written down", "error", err)
			}
		case now := <-poll.C:
			// A file that was refused is read again as long as it is: it may have been
			// repaired with nothing else changed, such as its permissions.
			if !s.changed() && s.Err() == nil {
				continue
			}
			if err := s.reload(); err != nil && now.Sub(complained) > complainEvery {
				complained = now
				log.Error("keys refused, the last good ones stay in force", "error", err)
			} else if err == nil {
				complained = time.Time{}
			}
		}
	}
}

// writeLastUsed brings the file's last_used up to date when some key was used since.
func (s *Store) writeLastUsed() error {
	if s.Err() != nil || !s.anyUsed() {
		return nil
	}
	return s.update(func(f *keyFile) error {
		t := s.table.Load()
		for i := range f.Keys {
			k := &f.Keys[i]
			if st := t.state(k.ID); st != nil && st.laterThan(k.LastUsed) {
				at := time.Unix(st.lastUsed.Load()*60, 0).UTC()
				k.LastUsed = &at
			}
		}
		return nil
	})
}

// anyUsed reports whether the file is behind what this process knows.
func (s *Store) anyUsed() bool {
	f, _, err := readFile(s.path)
	if err != nil {
		return false
	}
	t := s.table.Load()
	for i := range f.Keys {
		if st := t.state(f.Keys[i].ID); st != nil && st.laterThan(f.Keys[i].LastUsed) {
			return true
		}
	}
	return false
}

// laterThan reports whether the key was used in a later minute than the one noted.
func (s *state) laterThan(noted *time.Time) bool {
	minute := s.lastUsed.Load()
	return minute > 0 && (noted == nil || noted.Unix()/60 < minute)
}
