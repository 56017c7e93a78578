package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/auth"
)

// Issue makes a key. When it returns, the bucket has acknowledged the key and the audit
// file has it on disk. Load or Run must have read the bucket.
func (k *Keys) Issue(ctx context.Context, email string) (key string, made auth.Key, err error) {
	key, r, err := auth.New(email)
	if err != nil {
		return "", auth.Key{}, err
	}
	if k.store.Len() >= auth.MaxKeys {
		return "", auth.Key{}, fmt.Errorf("%w: %d keys", auth.ErrFull, auth.MaxKeys)
	}
	ctx, cancel := context.WithTimeout(ctx, keysAnswer)
	defer cancel()
	if err := k.create(ctx, r); err != nil {
		k.abandon(ctx, r)
		return "", auth.Key{}, fmt.Errorf("no key issued: %w", err)
	}
	k.store.Merge(r)
	return key, r.Key(), nil
}

func (k *Keys) create(ctx context.Context, r auth.Record) error {
	kv, err := k.bucket(ctx, keysBucket)
	if err != nil {
		return err
	}
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := kv.Create(ctx, r.ID, value); err != nil {
		return failed(err)
	}
	return k.audit.note(r)
}

// abandon revokes a key whose issue failed halfway, as far as that can be done: nobody has
// the key, but a list would show it as good.
func (k *Keys) abandon(ctx context.Context, r auth.Record) {
	if !k.node.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.node.time.Answer)
	defer cancel()
	if kv, err := k.bucket(ctx, keysBucket); err == nil {
		if _, err := kv.Get(ctx, r.ID); err == nil {
			r.Revoked = true
			k.put(ctx, kv, r)
		}
	}
}

// ErrNotDurable says that a revocation is in force in this process, which goes on trying to
// write it down, but would not outlive it.
var ErrNotDurable = errors.New("revoked in memory, not yet durable")

// Revoke ends a key: it is refused here when Revoke returns, whatever it returns but
// auth.ErrNoSuchKey, and on every other replica as soon as the bucket's change arrives there.
// Revoking one that is revoked already changes nothing.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	if !auth.ValidID(id) {
		return auth.ErrNoSuchKey
	}
	ctx, cancel := context.WithTimeout(ctx, keysAnswer)
	defer cancel()
	kv, err := k.bucket(ctx, keysBucket)
	r, lost := k.lookUp(ctx, kv, id)
	if lost != nil {
		return cmp.Or(err, lost)
	}
	r.Revoked = true
	k.store.Merge(r)
	written := k.audit.note(r)
	if written != nil {
		k.auditFailed(written)
	}
	if err == nil {
		err = k.put(ctx, kv, r)
	}
	if err != nil {
		k.mu.Lock()
		k.unsettled[id] = r
		k.mu.Unlock()
	}
	if err = errors.Join(err, written); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// lookUp returns the record of an id: what the bucket says, or, where that is gone, damaged or
// does not answer, what this replica knows. Whatever else is wrong with an entry, its key can
// be revoked.
func (k *Keys) lookUp(ctx context.Context, kv jetstream.KeyValue, id string) (auth.Record, error) {
	unknown := auth.ErrNoSuchKey
	if kv != nil {
		e, err := kv.Get(ctx, id)
		if err == nil {
			if r, err := auth.ParseRecord(e.Value()); err == nil && r.ID == id {
				return r, nil
			}
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
			unknown = failed(err)
		}
	}
	if r, ok := k.store.Record(id); ok {
		return r, nil
	}
	if r, ok := k.audit.record(id); ok {
		return r, nil
	}
	return auth.Record{}, unknown
}

// put makes an entry say what r says, against whatever others write at the same time,
// and waits until it is acknowledged. A revocation that the entry carries stays.
func (k *Keys) put(ctx context.Context, kv jetstream.KeyValue, r auth.Record) error {
	for {
		e, err := kv.Get(ctx, r.ID)
		var revision uint64
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
		case err != nil:
			return failed(err)
		default:
			revision = e.Revision()
			held, err := auth.ParseRecord(e.Value())
			if err == nil && held.ID == r.ID {
				if held.SHA256 != r.SHA256 {
					return fmt.Errorf("the id %s is another key's in the bucket", r.ID)
				}
				if held.Revoked || !r.Revoked {
					return nil
				}
			}
		}
		value, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if revision == 0 {
			_, err = kv.Create(ctx, r.ID, value)
		} else {
			_, err = kv.Update(ctx, r.ID, value, revision)
		}
		switch {
		case err == nil:
			return nil
		case conflict(err) && ctx.Err() == nil: // somebody was faster: look again
		default:
			return failed(err)
		}
	}
}

// List returns all keys in the order of issue, with their last use on any replica as far
// as it is written down.
func (k *Keys) List(ctx context.Context) ([]auth.Key, error) {
	if !k.Loaded() {
		return nil, ErrDown
	}
	ctx, cancel := context.WithTimeout(ctx, 2*keysAnswer)
	defer cancel()
	if err := k.readUses(ctx); err != nil {
		return nil, err
	}
	return k.store.List(), nil
}

// PutBack says what was put back into a bucket.
type PutBack struct {
	Keys        int `json:"keys"`        // keys that the bucket lacked
	Revocations int `json:"revocations"` // keys that it had for good though they were revoked
	Conflicts   int `json:"conflicts"`   // ids that are another key's in the bucket: left alone
}

// Rebuild puts back into the bucket what the audit file has and the bucket lacks; revoked
// wins.
func (k *Keys) Rebuild(ctx context.Context) (PutBack, error) {
	kv, err := k.bucket(ctx, keysBucket)
	if err != nil {
		return PutBack{}, err
	}
	put, err := k.putBack(ctx, kv)
	if err != nil {
		return put, err
	}
	return put, k.Load(ctx)
}

func (k *Keys) putBack(ctx context.Context, kv jetstream.KeyValue) (PutBack, error) {
	var done PutBack
	said := k.audit.records()
	if len(said) == 0 {
		return done, nil
	}
	records, _, err := k.readFrom(ctx, kv, 1)
	if err != nil {
		return done, err
	}
	held := make(map[string]auth.Record, len(records))
	for _, r := range records {
		held[r.ID] = r
	}
	for id, r := range said {
		h, ok := held[id]
		switch {
		case ok && h.SHA256 != r.SHA256:
			done.Conflicts++
			k.conflicts.Add(1)
			k.complain("an id is one key's in the bucket and another's in the audit file; the bucket counts", "id", id)
			continue
		case ok && (h.Revoked || !r.Revoked):
			continue
		}
		if err := k.put(ctx, kv, r); err != nil {
			return done, fmt.Errorf("put back keys: %w", err)
		}
		if ok {
			done.Revocations++
		} else {
			done.Keys++
		}
	}
	return done, nil
}
