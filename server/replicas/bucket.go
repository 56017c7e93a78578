package replicas

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// bucketAnswer is the time limit for one change of a bucket, retries included, and for reading what is new in it.
	bucketAnswer = 5 * time.Second
	// bucketReading is the time limit for reading all of a bucket: up to auth.MaxKeys keys.
	bucketReading = 30 * time.Second
)

// bucket is a key-value bucket that replicas share. It is opened, and made if needed, when it is first used.
type bucket struct {
	n   *Node
	cfg jetstream.KeyValueConfig
	kv  atomic.Pointer[jetstream.KeyValue]

	lose func(jetstream.KeyValueEntry) bool // an entry that read then lacks, in tests
}

// open returns the bucket. Several callers may do so at once.
func (b *bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	if !b.n.Connected() {
		return nil, ErrDown
	}
	if kv := b.kv.Load(); kv != nil {
		return *kv, nil
	}
	kv, err := b.n.Bucket(ctx, b.cfg)
	if err != nil {
		return nil, failed(err)
	}
	b.kv.Store(&kv)
	return kv, nil
}

// forget has the bucket opened again after an error: it may be gone, which the error does not always say.
func (b *bucket) forget() { b.kv.Store(nil) }

// reading is how far a bucket was read. The zero value: nothing was read.
type reading struct {
	made time.Time // creation of the bucket; differs for a later bucket of the same name
	last uint64    // revision up to which everything was read
}

// news is what a bucket has beyond an earlier reading.
type news struct {
	asked   time.Time                 // then nothing else was in the bucket
	whole   bool                      // nothing was read before
	entries []jetstream.KeyValueEntry // the newest of each name, those that say that it was deleted included
}

// errMissed says that NATS did not deliver an entry which the bucket has.
var errMissed = errors.New("an entry did not arrive")

// read returns what is new since at, which it advances.
func (b *bucket) read(ctx context.Context, at *reading) (n news, err error) {
	defer func() {
		if err != nil {
			b.forget()
		}
	}()
	n.asked, n.whole = time.Now(), at.made.IsZero()
	limit := bucketAnswer
	if n.whole {
		limit = bucketReading
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	kv, err := b.open(ctx)
	if err != nil {
		return n, err
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return n, failed(err)
	}
	b.n.answered()
	s := status.(*jetstream.KeyValueBucketStatus).StreamInfo()
	made, last := s.Created, s.State.LastSeq
	if !n.whole && (!made.Equal(at.made) || last < at.last) {
		return n, errors.New("the bucket was replaced")
	}
	newest := at.last
	if last > at.last {
		if n.entries, err = b.since(ctx, kv, at.last+1); err != nil {
			return n, err
		}
		for _, e := range n.entries {
			newest = max(newest, e.Revision())
		}
	}
	// The first reading is complete: a revision that does not arrive then no longer exists.
	if !n.whole && newest < last {
		return n, errMissed
	}
	at.made, at.last = made, max(newest, last)
	return n, nil
}

// since returns the newest entry of every name, from a revision on.
func (b *bucket) since(ctx context.Context, kv jetstream.KeyValue, first uint64) (all []jetstream.KeyValueEntry,
	err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := kv.WatchAll(ctx, jetstream.ResumeFromRevision(first))
	if err != nil {
		return nil, failed(err)
	}
	defer func() {
		cancel()                // ends the watch
		for range w.Updates() { // or else its goroutine would wait forever
		}
	}()
	for e := range w.Updates() {
		if e == nil {
			return all, nil
		}
		if b.lose == nil || !b.lose(e) {
			all = append(all, e)
		}
	}
	return nil, failed(cmp.Or(ctx.Err(), errWatchEnded))
}

var errWatchEnded = errors.New("the watch ended")

// follow tells use what is new in the bucket, which may be nothing, after each Timing.Check and each reconnection until
// ctx ends; tell hears of errors. The remedy for every error is to read all of the bucket again, which never makes
// anything worse.
func (b *bucket) follow(ctx context.Context, use func(context.Context, news) error, tell func(error)) {
	var at reading
	b.n.every(ctx, b.n.time.Check, b.cfg.Bucket, func(ctx context.Context) {
		if !b.n.Connected() {
			return
		}
		err := b.n.supervisor.Guard(b.cfg.Bucket, func() error {
			n, err := b.read(ctx, &at)
			if err == nil {
				err = use(ctx, n)
			}
			return err
		})
		if err != nil {
			at = reading{}
			if ctx.Err() == nil {
				tell(err)
			}
		}
	})
}

// edit replaces the value of a key by f(value), and returns the new revision; nil means that there is no value. If the
// value has changed meanwhile, edit calls f again with the newer one. An error of f is returned as it is.
func (b *bucket) edit(ctx context.Context, key string, f func(value []byte, revision uint64) ([]byte, error)) (uint64,
	error) {
	for {
		kv, err := b.open(ctx)
		if err != nil {
			return 0, err
		}
		value, revision, err := get(ctx, kv, key)
		if err == nil {
			b.n.answered()
			next, refused := f(value, revision)
			switch {
			case refused != nil:
				return 0, refused
			case bytes.Equal(next, value):
				return revision, nil
			case next == nil:
				revision, err = 0, kv.Delete(ctx, key, jetstream.LastRevision(revision))
			default:
				revision, err = set(ctx, kv, key, next, revision)
			}
		}
		if err == nil {
			return revision, nil
		}
		if !conflict(err) || ctx.Err() != nil {
			b.forget()
			return 0, failed(err)
		}
	}
}

// get returns the value of a key and its revision, which is 0 if the key is missing or was deleted.
func get(ctx context.Context, kv jetstream.KeyValue, key string) (value []byte, revision uint64, err error) {
	entry, err := kv.Get(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return entry.Value(), entry.Revision(), nil
}

// set writes a value over the revision that get returned, and returns its own revision. It fails with a
// conflict if another writer has changed the key since.
func set(ctx context.Context, kv jetstream.KeyValue, key string, value []byte, revision uint64) (uint64, error) {
	if revision == 0 {
		return kv.Create(ctx, key, value)
	}
	return kv.Update(ctx, key, value, revision)
}

// conflict reports whether an error of set means that another writer has changed the key.
func conflict(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// failed marks an error with ErrDown if the cause is a missing answer.
func failed(err error) error {
	for _, silence := range []error{
		nats.ErrDisconnected, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded,
		errWatchEnded,
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, jetstream.ErrNoStreamResponse,
	} {
		if errors.Is(err, silence) {
			return fmt.Errorf("%w (%v)", ErrDown, silence)
		}
	}
	return err
}
