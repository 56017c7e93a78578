package replicas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/store"
	"ballast/server/auth"
)

const (
	keysBucket = "keys"
	usesBucket = "keys_used"
	// maxKeyValue is the maximum size of a bucket's value with its headers, bytes.
	maxKeyValue = 2 * auth.MaxRecord
	// keysAnswer is the time limit for one change of the store, retries included.
	keysAnswer = 5 * time.Second
)

// KeysConfig configures Keys. Zero durations mean the defaults in parentheses.
type KeysConfig struct {
	// Copy is the database in which this replica keeps a copy of the keys, which it uses when it starts without
	// the bucket; nil: none, for a command.
	Copy *store.Main
	// MaxStale is how long keys may be used without certainty that no revocation was missed (15 min).
	MaxStale time.Duration
	Check    time.Duration // interval of comparisons with the bucket (0.5 s)
	Flush    time.Duration // interval of writing when keys were used (1 min)
}

// Keys synchronises a replica's table of API keys with the bucket that all replicas share, and changes
// the bucket. All methods are safe for concurrent use.
//
// A key's entry is written when the key is issued and again when it is revoked. Nothing else ends a key,
// not even the deletion of its entry, and a revocation is permanent.
type Keys struct {
	node  *Node
	cfg   KeysConfig
	store *auth.Store

	loaded atomic.Bool
	Stats  KeysStats

	// loseEntry makes catchUp lose an entry, in tests.
	loseEntry func(jetstream.KeyValueEntry) bool
}

// NewKeys reads the copy and does not contact the cluster. The keys of a copy that has some are used at once,
// for MaxStale; otherwise no key can be checked before Load or Run has read the bucket.
func NewKeys(node *Node, cfg KeysConfig) (*Keys, error) {
	cfg.MaxStale = cmp.Or(cfg.MaxStale, 15*time.Minute)
	cfg.Check = cmp.Or(cfg.Check, time.Second/2)
	cfg.Flush = cmp.Or(cfg.Flush, time.Minute)
	k := &Keys{node: node, cfg: cfg, store: auth.NewStore()}
	k.store.TrustUntil(time.Now().Add(-time.Nanosecond))
	if cfg.Copy == nil {
		return k, nil
	}
	_, _, _, err := k.store.Read(cfg.Copy, 0)
	if err == nil && k.store.Len() > 0 {
		k.current(time.Now())
	}
	return k, err
}

// Store returns the table for looking up the keys of requests.
func (k *Keys) Store() *auth.Store { return k.store }

// Loaded reports whether the whole bucket, or a copy with keys, has been read since NewKeys.
func (k *Keys) Loaded() bool { return k.loaded.Load() }

// Load creates the bucket if needed and reads it all.
func (k *Keys) Load(ctx context.Context) error {
	return k.catchUp(ctx, new(reading))
}

// Run follows the bucket until ctx ends, and records when keys were used.
func (k *Keys) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() {
		k.node.keepReading(ctx, k.cfg.Check, "keys", k.catchUp, func(err error) {
			k.logError("the keys cannot be followed; trying on", "error", err)
		})
	})
	wg.Go(func() { k.node.every(ctx, k.cfg.Check, "copy of the keys", k.mendCopy) })
	wg.Go(func() { k.keepUses(ctx) })
	wg.Wait()
}

// current records that the table had everything in the bucket at the given time.
func (k *Keys) current(at time.Time) {
	k.store.TrustUntil(at.Add(k.cfg.MaxStale))
	k.loaded.Store(true)
}

// apply puts records of the bucket into force and into the copy. A replica learns of all keys this way,
// including its own. A key that this replica has seen revoked stays revoked, whatever happens to the bucket.
func (k *Keys) apply(records []auth.Record) {
	changed, refused := k.store.Merge(records...)
	if refused > 0 {
		k.Stats.Conflicts.Add(uint64(refused))
		k.logError("keys of the bucket are refused: ids used twice, or more keys than can be held", "count", refused)
	}
	if len(changed) > 0 {
		k.writeCopy(changed)
	}
}

// writeCopy writes records to the copy. A failure is the copy's Trouble, and the next comparison tries again.
func (k *Keys) writeCopy(records []auth.Record) {
	if k.cfg.Copy == nil {
		return
	}
	err := k.cfg.Copy.Reopen() // if the disk was full or read-only at the start
	if err == nil {
		err = auth.Write(k.cfg.Copy, copied, records...)
	}
	if err != nil {
		k.logError("the copy of the keys cannot be written; trying on", "error", err)
	}
}

// mendCopy writes the copy again after a failure.
func (k *Keys) mendCopy(context.Context) {
	if k.cfg.Copy != nil && k.cfg.Copy.Trouble() != nil {
		k.writeCopy(k.store.Records())
	}
}

// copied is who has changed the keys in a copy, by its audit: the bucket does not say who it was.
const copied = "replicas"

// bucket opens a bucket, creating it if needed.
func (k *Keys) bucket(ctx context.Context, name string) (jetstream.KeyValue, error) {
	kv, err := k.node.Bucket(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, MaxValueSize: maxKeyValue})
	return kv, failed(err)
}

// stateOf returns when a bucket was created, which distinguishes it from a later bucket of the same
// name, and the revision of its newest entry.
func stateOf(ctx context.Context, kv jetstream.KeyValue) (made time.Time, last uint64, err error) {
	status, err := kv.Status(ctx)
	if err != nil {
		return time.Time{}, 0, failed(err)
	}
	s := status.(*jetstream.KeyValueBucketStatus).StreamInfo()
	return s.Created, s.State.LastSeq, nil
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

// logError logs each kind of problem at most once a minute.
func (k *Keys) logError(what string, args ...any) {
	if more, ok := k.node.supervisor.Allow(what, time.Minute); ok {
		k.node.log.Error(what, append(args, "more", more)...)
	}
}

// KeysStats are counters since NewKeys.
type KeysStats struct {
	Ignored   atomic.Uint64 // entries of the bucket that are not keys
	Vanished  atomic.Uint64 // deleted entries; their keys remain in force
	Conflicts atomic.Uint64 // refused keys: id in use, or table full
	Missed    atomic.Uint64 // restarts of the watch after it lost an entry
	UseErrors atomic.Uint64 // failures to record the use of keys
}
