package replicas

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/store"
	"ballast/server/auth"
)

const (
	keysBucket = "keys"
	usesBucket = "keys_used"
	// maxKeyValue is the maximum size of a bucket's value with its headers, bytes.
	maxKeyValue = 2 * auth.MaxRecord
)

// KeysConfig configures Keys. Zero durations mean the defaults in parentheses.
type KeysConfig struct {
	// Copy is the database in which this replica keeps a copy of the keys, which it uses when it starts without
	// the bucket; nil: none, for a command.
	Copy *store.Main
	// MaxStale is how long keys may be used without certainty that no revocation was missed (15 min).
	MaxStale time.Duration
	Flush    time.Duration // interval of writing when keys were used (1 min)
}

// Keys synchronises a replica's table of API keys with the bucket that all replicas share, and changes
// the bucket. All methods are safe for concurrent use.
//
// A key's entry is written when the key is issued and again when it is revoked. Nothing else ends a key,
// not even the deletion of its entry, and a revocation is permanent.
type Keys struct {
	node   *Node
	cfg    KeysConfig
	store  *auth.Store
	bucket bucket
	uses   bucket // when keys were last used

	loaded atomic.Bool
	Stats  KeysStats
}

// NewKeys reads the copy and does not contact the cluster. The keys of a copy that has some are used at once,
// for MaxStale; otherwise no key can be checked before Load or Run has read the bucket.
func NewKeys(node *Node, cfg KeysConfig) (*Keys, error) {
	cfg.MaxStale = cmp.Or(cfg.MaxStale, 15*time.Minute)
	cfg.Flush = cmp.Or(cfg.Flush, time.Minute)
	k := &Keys{node: node, cfg: cfg, store: auth.NewStore(),
		bucket: bucket{n: node, cfg: jetstream.KeyValueConfig{Bucket: keysBucket, MaxValueSize: maxKeyValue}},
		uses:   bucket{n: node, cfg: jetstream.KeyValueConfig{Bucket: usesBucket, MaxValueSize: maxKeyValue}}}
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
	n, err := k.bucket.read(ctx, new(reading))
	if err != nil {
		return err
	}
	return k.take(ctx, n)
}

// Run follows the bucket until ctx ends, and records when keys were used.
func (k *Keys) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() {
		k.bucket.follow(ctx, k.take, func(err error) {
			if errors.Is(err, errMissed) {
				k.Stats.Missed.Add(1)
			}
			k.logError("the keys cannot be followed; trying on", "error", err)
		})
	})
	wg.Go(func() { k.keepUses(ctx) })
	wg.Wait()
}

// take takes over what is new in the bucket.
func (k *Keys) take(_ context.Context, n news) error {
	var records []auth.Record
	for _, e := range n.entries {
		if r, ok := k.read(e); ok {
			records = append(records, r)
		}
	}
	k.apply(records)
	k.current(n.asked)
	if k.cfg.Copy != nil && k.cfg.Copy.Trouble() != nil {
		k.writeCopy(k.store.Records()) // again, after a failure
	}
	return nil
}

// current records that the table had everything in the bucket at the given time.
func (k *Keys) current(at time.Time) {
	k.store.TrustUntil(at.Add(k.cfg.MaxStale))
	k.loaded.Store(true)
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

// copied is who has changed the keys in a copy, by its audit: the bucket does not say who it was.
const copied = "replicas"

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
