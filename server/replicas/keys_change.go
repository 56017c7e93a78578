package replicas

import (
	"context"
	"encoding/json"
	"fmt"

	"ballast/server/auth"
)

// Issue creates a key. When it returns, the bucket has acknowledged the key. Load or Run must have read the
// bucket.
func (k *Keys) Issue(ctx context.Context, email string, role auth.Role) (key string, made auth.Key, err error) {
	key, r, err := auth.New(email, role)
	if err != nil {
		return "", auth.Key{}, err
	}
	if k.store.Len() >= auth.MaxKeys {
		return "", auth.Key{}, fmt.Errorf("%w: %d keys", auth.ErrFull, auth.MaxKeys)
	}
	ctx, cancel := context.WithTimeout(ctx, bucketAnswer)
	defer cancel()
	if err := k.put(ctx, r); err != nil {
		return "", auth.Key{}, fmt.Errorf("no key issued: %w", err)
	}
	k.apply([]auth.Record{r})
	return key, r.Key(), nil
}

// Revoke revokes a key. When it returns nil, the bucket has acknowledged that. The key is refused here from
// then on, and by the others as soon as the change of the bucket arrives. Load or Run must have read the bucket.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	r, ok := k.store.Record(id)
	if !ok {
		return auth.ErrNoSuchKey
	}
	r.Revoked = true
	ctx, cancel := context.WithTimeout(ctx, bucketAnswer)
	defer cancel()
	if err := k.put(ctx, r); err != nil {
		return fmt.Errorf("not revoked: %w", err)
	}
	k.apply([]auth.Record{r})
	return nil
}

// put writes r to its entry and waits for the acknowledgement. It keeps an existing revocation.
func (k *Keys) put(ctx context.Context, r auth.Record) error {
	_, err := k.bucket.edit(ctx, r.ID, func(value []byte, _ uint64) ([]byte, error) {
		if held, err := auth.ParseRecord(value); err == nil && held.ID == r.ID {
			if held.SHA256 != r.SHA256 {
				return nil, fmt.Errorf("the id %s is another key's in the bucket", r.ID)
			}
			if held.Revoked || !r.Revoked {
				return value, nil
			}
		}
		return json.Marshal(r)
	})
	return err
}

// List returns all keys in the order of issue, with the last recorded use on any replica.
func (k *Keys) List(ctx context.Context) ([]auth.Key, error) {
	if !k.Loaded() {
		return nil, ErrDown
	}
	ctx, cancel := context.WithTimeout(ctx, 2*bucketAnswer)
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
	for _, r := range of.Records() {
		held, ok := k.store.Record(r.ID)
		switch {
		case ok && held.SHA256 != r.SHA256:
			done.Conflicts++
			continue
		case ok && (held.Revoked || !r.Revoked):
			continue
		}
		if err := k.put(ctx, r); err != nil {
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
