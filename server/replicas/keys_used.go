package replicas

import (
	"context"
	"time"

	"ballast/server/auth"
)

// lastFlush is the time limit for writing uses when the process ends.
const lastFlush = time.Second

// keepUses records when keys were used, at an interval until ctx ends and then once more.
func (k *Keys) keepUses(ctx context.Context) {
	k.node.every(ctx, k.cfg.Flush, "key uses", func(ctx context.Context) {
		k.flushUses(ctx, max(k.cfg.Flush, lastFlush))
	})
	k.flushUses(context.WithoutCancel(ctx), lastFlush)
}

// flushUses writes new uses, oldest first, as many as possible within the limit; the rest follow next
// time. Uses are only informative: one that another replica wrote within the interval may be replaced.
func (k *Keys) flushUses(ctx context.Context, limit time.Duration) {
	uses := k.store.NewUses()
	if len(uses) == 0 || !k.node.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	k.node.guard("key uses", func() {
		kv, err := k.uses.open(ctx)
		for i := 0; i < len(uses) && err == nil; i++ {
			_, err = kv.Put(ctx, uses[i].ID, []byte(uses[i].At.UTC().Format(time.RFC3339)))
			if err == nil {
				k.store.NoteUse(uses[i])
			}
		}
		if err != nil {
			k.uses.forget()
		}
		if err != nil && ctx.Err() == nil {
			k.Stats.UseErrors.Add(1)
			k.logError("when keys were last used is not written down", "error", err)
		}
	})
}

// parseUse parses an entry of the bucket. A time in the future comes from a wrong clock or an outsider.
func parseUse(value []byte) (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339, string(value))
	return at, err == nil && time.Until(at) <= time.Hour
}

// readUses reads the uses recorded by all replicas.
func (k *Keys) readUses(ctx context.Context) error {
	n, err := k.uses.read(ctx, new(reading))
	if err != nil {
		return err
	}
	for _, e := range n.entries {
		if at, ok := parseUse(e.Value()); ok {
			k.store.NoteUse(auth.Use{ID: e.Key(), At: at})
		}
	}
	return nil
}
