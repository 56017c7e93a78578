package replicas

import (
	"context"
	"encoding/json"
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
		value := e.Value()
		if e.Operation() != jetstream.KeyValuePut {
			value = nil
		}
		id, r, err := readWatch(e.Key(), value, e.Revision())
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

// readWatch reads a value of the bucket, nil for a watch that was removed.
func readWatch(name string, value []byte, revision uint64) (id watches.ID, r *watches.Record, err error) {
	id.Key, id.Wallet, _ = strings.Cut(name, ".")
	if value == nil {
		return id, nil, nil
	}
	if r, err = watches.Parse(value); err != nil {
		return id, nil, fmt.Errorf("%w; if no later version runs, delete the entry (nats kv del %s %.120s)", err,
			watchesBucket, name)
	}
	if r.ID() != id {
		return id, nil, fmt.Errorf("the watch of %.80q is under another name", name)
	}
	r.Revision = revision
	return id, r, nil
}

// Load implements watches.Store. Run reads the bucket.
func (w *Watches) Load(context.Context) ([]*watches.Record, error) { return nil, nil }

// Edit implements watches.Store.
func (w *Watches) Edit(ctx context.Context, id watches.ID, f func(*watches.Record) (*watches.Record, error)) (
	*watches.Record, error,
) {
	var next *watches.Record
	name := id.Key + "." + id.Wallet
	revision, err := w.bucket.edit(ctx, name, func(value []byte, revision uint64) ([]byte, error) {
		_, now, err := readWatch(name, value, revision)
		if err != nil {
			return nil, err
		}
		if next, err = f(now); err != nil || next == now {
			return value, err
		}
		if next == nil {
			return nil, nil
		}
		text, err := json.Marshal(next)
		if len(text) > maxWatch {
			return nil, fmt.Errorf("the watch takes %d bytes, the cluster keeps %d", len(text), maxWatch)
		}
		return text, err
	})
	if err != nil || next == nil {
		return nil, err
	}
	kept := *next
	kept.Revision = revision
	return &kept, nil
}
