package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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
	// DataDir is the directory of the audit file; empty: no audit file, for a command that connects to a
	// cluster from another machine.
	DataDir string
	// MaxStale is how long keys may be used without certainty that no revocation was missed; unused with
	// an embedded server (15 min).
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
	audit *audit

	loaded      atomic.Bool
	auditBehind atomic.Bool // the audit file may lack records of the table
	stats       KeysStats

	pending sync.Map // revocations in force here but not yet in the bucket: auth.Record by id

	// loseEntry makes readFrom lose an entry, in tests.
	loseEntry func(jetstream.KeyValueEntry) bool
}

// NewKeys opens the audit file and does not contact the cluster. With an external cluster no key can be
// checked before Load or Run has read the bucket. With an embedded server the keys of an undamaged audit
// file can be checked at once. If the file cannot be written, that is logged and tried again.
func NewKeys(node *Node, cfg KeysConfig) *Keys {
	cfg.MaxStale = cmp.Or(cfg.MaxStale, 15*time.Minute)
	cfg.Check = cmp.Or(cfg.Check, time.Second/2)
	cfg.Flush = cmp.Or(cfg.Flush, time.Minute)
	k := &Keys{node: node, cfg: cfg, store: auth.NewStore(), audit: new(audit)}
	k.store.TrustUntil(time.Now().Add(-time.Nanosecond))
	if cfg.DataDir == "" {
		return k
	}
	var err error
	if k.audit, err = openAudit(cfg.DataDir); err != nil {
		k.auditFailed(err)
	}
	if n := k.audit.bad; n > 0 {
		node.log.Warn("lines of the key audit file are damaged and passed over; revocations may be among them", "lines", n, "file", k.audit.path)
	} else if audited := slices.Collect(maps.Values(k.audit.records())); node.Embedded() && len(audited) > 0 {
		k.store.Merge(audited...)
		k.current(time.Now())
	}
	return k
}

// Close closes the audit file. Run must have ended.
func (k *Keys) Close() { k.audit.close() }

// Store returns the table for looking up the keys of requests.
func (k *Keys) Store() *auth.Store { return k.store }

// Loaded reports whether the whole bucket has been read since NewKeys.
func (k *Keys) Loaded() bool { return k.loaded.Load() }

// Load creates the bucket if needed and reads it all. With an embedded server it first restores from the
// audit file what the bucket has lost.
func (k *Keys) Load(ctx context.Context) error {
	return k.catchUp(ctx, new(reading))
}

// Run follows the bucket until ctx ends, and records when keys were used.
func (k *Keys) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { k.keepFollowing(ctx) })
	wg.Go(func() { k.keepUses(ctx) })
	wg.Wait()
}

// current records that the table had everything in the bucket at the given time.
func (k *Keys) current(at time.Time) {
	if k.node.Embedded() {
		k.store.TrustForever()
	} else {
		k.store.TrustUntil(at.Add(k.cfg.MaxStale))
	}
	k.loaded.Store(true)
}

// apply puts records of the bucket into force and into the audit file. A replica learns of all keys this
// way, including its own.
func (k *Keys) apply(records []auth.Record) {
	for i, r := range records {
		// A key that this replica has seen revoked stays revoked, whatever happened to the bucket.
		if audited, ok := k.audit.record(r.ID); ok && audited.Revoked && audited.SHA256 == r.SHA256 && !r.Revoked {
			records[i].Revoked = true
			k.logError("a key is revoked in the audit file only; it stays revoked here", "id", r.ID)
		}
	}
	changed, refused := k.store.Merge(records...)
	if refused > 0 {
		k.stats.Conflicts.Add(uint64(refused))
		k.logError("keys of the bucket are refused: ids used twice, or more keys than can be held", "count", refused)
	}
	if len(changed) > 0 {
		_ = k.auditNote(changed...)
	}
}

// auditNote writes records to the audit file. After a failure the next comparison tries again.
func (k *Keys) auditNote(records ...auth.Record) error {
	err := k.audit.note(records...)
	if err != nil {
		k.auditFailed(err)
	}
	return err
}

func (k *Keys) auditFailed(err error) {
	k.auditBehind.Store(true)
	k.stats.AuditErrors.Add(1)
	k.logError("the key audit file cannot be written", "error", err)
}

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
		nats.ErrDisconnected, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, errWatchEnded,
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, jetstream.ErrNoStreamResponse,
	} {
		if errors.Is(err, silence) {
			return fmt.Errorf("%w (%w)", ErrDown, silence)
		}
	}
	return err
}

// storeDown is ErrDown of an embedded server, for those who have never heard of NATS.
type storeDown struct {
	dir   string
	cause error
}

func (e storeDown) Error() string {
	return "the store of keys in " + e.dir + " cannot be written: make room on its disk, or let it be written; the service's log says why"
}

func (e storeDown) Unwrap() error { return e.cause }

// inWords replaces the words of ErrDown with those of storeDown if the server is embedded.
func (k *Keys) inWords(err error) error {
	if k.node.Embedded() && errors.Is(err, ErrDown) {
		return storeDown{k.node.srv.dir, err}
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
	Ignored     atomic.Uint64 // entries of the bucket that are not keys
	Vanished    atomic.Uint64 // deleted entries; their keys remain in force
	Conflicts   atomic.Uint64 // refused keys: id in use, or table full
	Missed      atomic.Uint64 // restarts of the watch after it lost an entry
	AuditErrors atomic.Uint64
	UseErrors   atomic.Uint64 // failures to record the use of keys
}

// Stats returns the counters.
func (k *Keys) Stats() *KeysStats { return &k.stats }
