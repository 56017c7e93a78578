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

// Issue creates a key. When it returns, the bucket has acknowledged the key and the audit file has it on
// disk. Load or Run must have read the bucket.
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
	kv, err := k.bucket(ctx, keysBucket)
	if err == nil {
		err = k.put(ctx, kv, r)
	}
	if err == nil {
		err = k.audit.note(r)
	}
	if err != nil {
		k.abandon(ctx, kv, r)
		return "", auth.Key{}, fmt.Errorf("no key issued: %w", k.inWords(err))
	}
	k.store.Merge(r)
	return key, r.Key(), nil
}

// abandon tries to revoke a key whose issue failed halfway: nobody has the key, but it would be listed
// as valid.
func (k *Keys) abandon(ctx context.Context, kv jetstream.KeyValue, r auth.Record) {
	if kv == nil || !k.node.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.node.time.Answer)
	defer cancel()
	if _, err := kv.Get(ctx, r.ID); err == nil {
		r.Revoked = true
		k.put(ctx, kv, r)
	}
}

// ErrNotDurable: a revocation is in force in this process, which keeps trying to store it, but would not
// survive a restart.
var ErrNotDurable = errors.New("revoked in memory, not yet durable")

// Revoke revokes a key. Unless it returns auth.ErrNoSuchKey, the key is refused here from then on, and
// on other replicas as soon as the change of the bucket arrives. Revoking a revoked key does nothing.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	if !auth.ValidID(id) {
		return auth.ErrNoSuchKey
	}
	ctx, cancel := context.WithTimeout(ctx, keysAnswer)
	defer cancel()
	kv, err := k.bucket(ctx, keysBucket)
	r, lost := k.lookUp(ctx, kv, id)
	if lost != nil {
		return k.inWords(cmp.Or(err, lost))
	}
	r.Revoked = true
	k.store.Merge(r)
	written := k.auditNote(r)
	if err == nil {
		err = k.put(ctx, kv, r)
	}
	if err != nil {
		k.pending.Store(id, r)
	}
	if err = errors.Join(k.inWords(err), written); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// lookUp returns the record of an id from the bucket, or, if the bucket has no valid entry or does not
// answer, from this replica's table. So a key can be revoked whatever happened to its entry.
func (k *Keys) lookUp(ctx context.Context, kv jetstream.KeyValue, id string) (auth.Record, error) {
	unknown := auth.ErrNoSuchKey
	if kv != nil {
		value, _, err := get(ctx, kv, id)
		if err != nil {
			unknown = failed(err)
		} else if r, err := auth.ParseRecord(value); err == nil && r.ID == id {
			return r, nil
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

// put writes r to its entry, tries again after a concurrent change by another replica, and waits for the
// acknowledgement. It keeps an existing revocation.
func (k *Keys) put(ctx context.Context, kv jetstream.KeyValue, r auth.Record) error {
	for {
		value, revision, err := get(ctx, kv, r.ID)
		if err != nil {
			return failed(err)
		}
		if held, err := auth.ParseRecord(value); err == nil && held.ID == r.ID {
			if held.SHA256 != r.SHA256 {
				return fmt.Errorf("the id %s is another key's in the bucket", r.ID)
			}
			if held.Revoked || !r.Revoked {
				return nil
			}
		}
		if value, err = json.Marshal(r); err != nil {
			return err
		}
		if _, err = set(ctx, kv, r.ID, value, revision); !conflict(err) || ctx.Err() != nil {
			return failed(err)
		}
		// Another replica was first: read again.
	}
}

// List returns all keys in the order of issue, with the last recorded use on any replica.
func (k *Keys) List(ctx context.Context) ([]auth.Key, error) {
	if !k.Loaded() {
		return nil, k.inWords(ErrDown)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*keysAnswer)
	defer cancel()
	if err := k.readUses(ctx); err != nil {
		if !k.node.Embedded() { // a change by another replica may be unknown here
			return nil, err
		}
		k.logError("the keys are listed with the last uses that are known", "error", err)
	}
	return k.store.List(), nil
}

// PutBack counts what was restored to a bucket.
type PutBack struct {
	Keys        int `json:"keys"`        // missing keys
	Revocations int `json:"revocations"` // revocations that were missing in the bucket
	Conflicts   int `json:"conflicts"`   // ids that belong to another key in the bucket: unchanged
}

// Rebuild adds to the bucket the keys and revocations that only the audit file has. It removes nothing.
func (k *Keys) Rebuild(ctx context.Context) (PutBack, error) {
	kv, err := k.bucket(ctx, keysBucket)
	if err != nil {
		return PutBack{}, err
	}
	put, err := k.putBack(ctx, kv)
	if err == nil {
		err = k.Load(ctx)
	}
	return put, err
}

func (k *Keys) putBack(ctx context.Context, kv jetstream.KeyValue) (PutBack, error) {
	var done PutBack
	audited := k.audit.records()
	if len(audited) == 0 {
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
	for id, r := range audited {
		h, ok := held[id]
		switch {
		case ok && h.SHA256 != r.SHA256:
			done.Conflicts++
			k.stats.Conflicts.Add(1)
			k.logError("an id is one key's in the bucket and another's in the audit file; the bucket counts", "id", id)
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
