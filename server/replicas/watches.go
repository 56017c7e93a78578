package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/watches"
)

const (
	watchesBucket = "watches"
	maxWatch      = 512 << 10 // bytes of one value
	// watchesLease is the lease whose holder makes the calls and the posts of all watches, watchesHold its duration.
	watchesLease = "watches"
	watchesHold  = 10 * time.Second
)

// Watches keeps the watches of all replicas in a bucket, one entry each, and decides which replica serves them. Every
// change is made over the newest revision, so what two replicas find at once is found once.
type Watches struct {
	n      *Node
	lease  *Lease
	bucket bucket
}

// NewWatches returns the store. Nothing happens before Run.
func (n *Node) NewWatches() *Watches {
	return &Watches{n: n, lease: n.NewLease(watchesLease, watchesHold), bucket: bucket{n: n,
		cfg: jetstream.KeyValueConfig{Bucket: watchesBucket, MaxValueSize: maxWatch,
			Description: "ballast: wallets watched, and what is to be posted"}}}
}

// Held reports whether this replica makes the calls and the posts now.
func (w *Watches) Held() bool {
	_, held := w.lease.Held()
	return held
}

// Run takes part in the lease, and tells book what others change, until ctx ends.
func (w *Watches) Run(ctx context.Context, book *watches.Book) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.n.supervisor.Guard("watches", func() error { return w.lease.Run(ctx) })
	}()
	w.bucket.follow(ctx, func(_ context.Context, n news) error {
		w.take(n, book)
		return nil
	}, func(err error) {
		w.n.supervisor.Warn("the watches cannot be followed; trying on", "error", err)
	})
	<-done
}

// take tells book what is new in the bucket.
func (w *Watches) take(n news, book *watches.Book) {
	all := []*watches.Record{}
	for _, e := range n.entries {
		id, r, err := readWatch(e)
		switch {
		case err != nil:
			w.n.supervisor.Warn("an entry of the bucket of watches is ignored", "error", err)
		case !n.whole:
			book.Set(id, r)
		case r != nil:
			all = append(all, r)
		}
	}
	if n.whole {
		book.Publish(all)
	}
}

// readWatch reads an entry, nil for one that was removed.
func readWatch(e jetstream.KeyValueEntry) (id watches.ID, r *watches.Record, err error) {
	key, wallet, _ := strings.Cut(e.Key(), ".")
	id = watches.ID{Key: key, Wallet: wallet}
	if e.Operation() != jetstream.KeyValuePut {
		return id, nil, nil
	}
	if r, err = watches.Parse(e.Value()); err != nil {
		return id, nil, err
	}
	if r.ID() != id {
		return id, nil, fmt.Errorf("the watch of %.80q is under another name", e.Key())
	}
	r.Revision = e.Revision()
	return id, r, nil
}

// Load implements watches.Store. Run reads the bucket.
func (w *Watches) Load(context.Context) ([]*watches.Record, error) { return nil, nil }

// Edit implements watches.Store.
func (w *Watches) Edit(ctx context.Context, id watches.ID, f func(*watches.Record) (*watches.Record, error)) (
	*watches.Record, error,
) {
	kv, err := w.bucket.open(ctx)
	if err != nil {
		return nil, err
	}
	name := id.Key + "." + id.Wallet
	for {
		next, err := editWatch(ctx, kv, name, f)
		if err == nil {
			return next, nil
		}
		if !conflict(err) || ctx.Err() != nil {
			w.bucket.forget()
			return nil, failed(err)
		}
	}
}

// editWatch makes one attempt of Edit.
func editWatch(ctx context.Context, kv jetstream.KeyValue, name string,
	f func(*watches.Record) (*watches.Record, error)) (*watches.Record, error) {
	e, err := kv.Get(ctx, name)
	var now *watches.Record
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
	case err != nil:
		return nil, err
	default:
		if _, now, err = readWatch(e); err != nil {
			return nil, err
		}
	}
	next, err := f(now)
	if err != nil || next == now {
		return next, err
	}
	if next == nil {
		return nil, kv.Delete(ctx, name, jetstream.LastRevision(e.Revision()))
	}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	if len(text) > maxWatch {
		return nil, fmt.Errorf("the watch takes %d bytes, the cluster keeps %d", len(text), maxWatch)
	}
	over := uint64(0)
	if now != nil {
		over = now.Revision
	}
	revision, err := set(ctx, kv, name, text, over)
	if err != nil {
		return nil, err
	}
	kept := *next
	kept.Revision = revision
	return &kept, nil
}
