package replicas

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/auth"
)

// keysReading is the time limit for reading the bucket (up to auth.MaxKeys keys) and writing back.
const keysReading = 30 * time.Second

// reading is the state of reading a bucket. The zero value: nothing was read.
type reading struct {
	kv   jetstream.KeyValue
	made time.Time // creation of the bucket; differs for a later bucket of the same name
	last uint64    // revision up to which everything was read
}

// keepReading has a bucket compared with what was read of it, at an interval until ctx ends. The remedy for every
// difference is to read the bucket again, which never makes anything worse.
func (n *Node) keepReading(ctx context.Context, interval time.Duration, what string,
	catchUp func(context.Context, *reading) error, tell func(error)) {
	var at reading
	n.every(ctx, interval, what, func(ctx context.Context) {
		if !n.Connected() {
			return
		}
		if err := n.supervisor.Guard(what, func() error { return catchUp(ctx, &at) }); err != nil {
			at = reading{}
			if ctx.Err() == nil {
				tell(err)
			}
		}
	})
}

// look opens the bucket if that was not done, and returns the revision of its newest entry.
func (at *reading) look(ctx context.Context, open func(context.Context) (jetstream.KeyValue, error)) (last uint64,
	err error) {
	if at.kv == nil {
		if at.kv, err = open(ctx); err != nil {
			return 0, err
		}
	}
	made, last, err := stateOf(ctx, at.kv)
	switch {
	case err != nil:
	case at.made.IsZero():
		at.made = made
	case !made.Equal(at.made), last < at.last:
		err = errors.New("the bucket was replaced")
	}
	return last, err
}

// catchUp reads what was added to the bucket since at.
func (k *Keys) catchUp(ctx context.Context, at *reading) error {
	ctx, cancel := context.WithTimeout(ctx, keysReading)
	defer cancel()
	asked := time.Now()
	last, err := at.look(ctx, func(ctx context.Context) (jetstream.KeyValue, error) { return k.bucket(ctx, keysBucket) })
	if err != nil {
		return err
	}
	k.node.answered()
	if at.last < last {
		var records []auth.Record
		read := uint64(0)
		err := each(ctx, at.kv, at.last+1, func(e jetstream.KeyValueEntry) {
			if k.loseEntry != nil && k.loseEntry(e) {
				return
			}
			read = max(read, e.Revision())
			if r, ok := k.read(e); ok {
				records = append(records, r)
			}
		})
		if err != nil {
			return err
		}
		k.apply(records)
		// The first reading is complete: a revision that does not arrive then no longer exists.
		if at.last > 0 && read < last {
			k.Stats.Missed.Add(1)
			return errors.New("an entry did not arrive")
		}
		at.last = max(read, last)
	}
	k.current(asked)
	return nil
}

// read returns the key in an entry. An invalid entry is counted and skipped; a key already known under
// its name stays.
func (k *Keys) read(e jetstream.KeyValueEntry) (r auth.Record, ok bool) {
	if e.Operation() != jetstream.KeyValuePut {
		k.Stats.Vanished.Add(1)
		k.logError("the entry of a key was deleted; only a revocation ends a key", "revision", e.Revision())
		return auth.Record{}, false
	}
	r, err := auth.ParseRecord(e.Value())
	if err == nil && r.ID != e.Key() {
		err = errors.New("under another key's name")
	}
	if err != nil {
		k.Stats.Ignored.Add(1)
		k.logError("an entry of the bucket is no key", "error", err, "revision", e.Revision())
		return auth.Record{}, false
	}
	return r, true
}

// each calls f for the newest entry of every existing name, from a revision on.
func each(ctx context.Context, kv jetstream.KeyValue, first uint64, f func(jetstream.KeyValueEntry)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := kv.WatchAll(ctx, jetstream.ResumeFromRevision(first))
	if err != nil {
		return failed(err)
	}
	defer func() {
		cancel()                // ends the watch
		for range w.Updates() { // or else its goroutine would wait forever
		}
	}()
	for e := range w.Updates() {
		if e == nil {
			return nil
		}
		f(e)
	}
	return failed(cmp.Or(ctx.Err(), errWatchEnded))
}

var errWatchEnded = errors.New("the watch ended")
