package replicas

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/auth"
)

// Issue creates a key. When it returns, the bucket has acknowledged the key. Load or Run must have read the
// bucket.
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
	if err != nil {
		k.abandon(ctx, kv, r)
		return "", auth.Key{}, fmt.Errorf("no key issued: %w", err)
	}
	k.apply([]auth.Record{r})
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

// Revoke revokes a key. When it returns nil, the bucket has acknowledged that. The key is refused here from
// then on, and by the others as soon as the change of the bucket arrives.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	if !auth.ValidID(id) {
		return auth.ErrNoSuchKey
	}
	ctx, cancel := context.WithTimeout(ctx, keysAnswer)
	defer cancel()
	kv, err := k.bucket(ctx, keysBucket)
	if err != nil {
		return fmt.Errorf("not revoked: %w", err)
	}
	r, err := k.lookUp(ctx, kv, id)
	if err != nil {
		return err
	}
	r.Revoked = true
	if err := k.put(ctx, kv, r); err != nil {
		return fmt.Errorf("not revoked: %w", err)
	}
	k.apply([]auth.Record{r})
	return nil
}

// lookUp returns the record of an id from the bucket, or, if the bucket has no valid entry, from this replica's
// table. So a key can be revoked whatever happened to its entry.
func (k *Keys) lookUp(ctx context.Context, kv jetstream.KeyValue, id string) (auth.Record, error) {
	value, _, err := get(ctx, kv, id)
	if err != nil {
		return auth.Record{}, fmt.Errorf("not revoked: %w", failed(err))
	}
	if r, err := auth.ParseRecord(value); err == nil && r.ID == id {
		return r, nil
	}
	if r, ok := k.store.Record(id); ok {
		return r, nil
	}
	return auth.Record{}, auth.ErrNoSuchKey
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
		return nil, ErrDown
	}
	ctx, cancel := context.WithTimeout(ctx, 2*keysAnswer)
	defer cancel()
	if err := k.readUses(ctx); err != nil { // a change by another replica may be unknown here
		return nil, err
	}
	return k.store.List(), nil
}

// PutBack counts what was restored to a bucket.
type PutBack struct {
	Keys        int `json:"keys"`        // missing keys
	Revocations int `json:"revocations"` // revocations that were missing in the bucket
	Conflicts   int `json:"conflicts"`   // ids that belong to another key in the bucket: unchanged
}

// Rebuild adds to the bucket the keys and revocations that only the given store has. It removes nothing. Load must
// have read the bucket.
func (k *Keys) Rebuild(ctx context.Context, of *auth.Store) (done PutBack, err error) {
	kv, err := k.bucket(ctx, keysBucket)
	if err != nil {
		return done, err
	}
	for _, r := range of.Records() {
		held, ok := k.store.Record(r.ID)
		switch {
		case ok && held.SHA256 != r.SHA256:
			done.Conflicts++
			continue
		case ok && (held.Revoked || !r.Revoked):
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
