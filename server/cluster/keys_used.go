package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/auth"
)

// lastFlush is the time limit for writing uses when the process ends.
const lastFlush = time.Second

// keepUses records when keys were used, at an interval until ctx ends and then once more.
func (k *Keys) keepUses(ctx context.Context) {
	tick := time.NewTicker(k.cfg.Flush)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.flushUses(ctx, max(k.cfg.Flush, lastFlush))
		case <-ctx.Done():
			k.flushUses(context.WithoutCancel(ctx), lastFlush)
			return
		}
	}
}

// flushUses writes new uses, oldest first, as many as possible within the limit; the rest follow next
// time. Uses are only informative.
func (k *Keys) flushUses(ctx context.Context, limit time.Duration) {
	uses := k.store.NewUses()
	if len(uses) == 0 || !k.node.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	k.node.guard("key uses", func() {
		kv, err := k.bucket(ctx, usesBucket)
		for i := 0; i < len(uses) && err == nil; i++ {
			err = k.writeUse(ctx, kv, uses[i])
		}
		if err != nil && ctx.Err() == nil {
			k.useErrors.Add(1)
			k.complain("when keys were last used is not written down", "error", err)
		}
	})
}

// writeUse writes one use unless another replica has written a later one.
func (k *Keys) writeUse(ctx context.Context, kv jetstream.KeyValue, u auth.Use) error {
	e, err := kv.Get(ctx, u.ID)
	revision := uint64(0)
	switch {
	case err == nil:
		revision = e.Revision()
		if at, err := time.Parse(time.RFC3339, string(e.Value())); err == nil && !at.Before(u.At) && !inFuture(at) {
			k.store.NoteUse(auth.Use{ID: u.ID, At: at})
			return nil
		}
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return err
	}
	value := []byte(u.At.UTC().Format(time.RFC3339))
	if revision == 0 {
		_, err = kv.Create(ctx, u.ID, value)
	} else {
		_, err = kv.Update(ctx, u.ID, value, revision)
	}
	switch {
	case err == nil:
		k.store.NoteUse(u)
	case conflict(err): // another replica wrote it: compare at the next flush
		err = nil
	}
	return err
}

// inFuture reports whether a time comes from a wrong clock or an outsider.
func inFuture(at time.Time) bool { return time.Until(at) > time.Hour }

// readUses reads the uses recorded by all replicas.
func (k *Keys) readUses(ctx context.Context) error {
	kv, err := k.bucket(ctx, usesBucket)
	if err != nil {
		return err
	}
	return each(ctx, kv, 1, func(e jetstream.KeyValueEntry) {
		if e.Operation() != jetstream.KeyValuePut || len(e.Value()) > 64 {
			return
		}
		if at, err := time.Parse(time.RFC3339, string(e.Value())); err == nil && !inFuture(at) {
			k.store.NoteUse(auth.Use{ID: e.Key(), At: at})
		}
	})
}
