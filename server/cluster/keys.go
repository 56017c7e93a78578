package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	// maxKeyValue bounds a bucket's value with its headers, in bytes.
	maxKeyValue = 2 * auth.MaxRecord
	// keysAnswer bounds one change of the store, retries included.
	keysAnswer = 5 * time.Second
)

// KeysConfig says how a replica keeps the keys. The zero value of each duration takes the
// default named beside it.
type KeysConfig struct {
	// DataDir holds the audit file; empty: none is kept, which suits a command that talks
	// to a cluster from another machine.
	DataDir string
	// MaxStale is how long keys are judged without a proof that no revocation was missed;
	// unused with an embedded server (15 min).
	MaxStale time.Duration
	Check    time.Duration // between two comparisons with the bucket (0.5 s)
	Flush    time.Duration // between two writings of when keys were used (1 min)
	Log      *slog.Logger  // slog's default
}

// Keys keeps a replica's table of API keys in step with the bucket that all replicas
// share, and changes the bucket. All methods are safe for concurrent use.
//
// A key's entry is written when the key is issued and once more when it is revoked;
// nothing else ends a key, also not the deletion of its entry, and nothing takes a
// revocation back.
type Keys struct {
	node  *Node
	cfg   KeysConfig
	store *auth.Store
	audit *audit

	loaded      atomic.Bool
	auditBehind atomic.Bool

	ignored, vanished, conflicts, missed, auditErrors, useErrors atomic.Uint64

	mu        sync.Mutex
	unsettled map[string]auth.Record // revocations in force here that the bucket lacks, by id

	// overlook makes readFrom lose an entry, in tests.
	overlook func(jetstream.KeyValueEntry) bool
}

// NewKeys opens the audit file. It asks nothing of the cluster: before Load or Run has
// read the bucket, an external cluster's keys are not judged at all. With an embedded server
// those of an audit file without damage are judged at once, whatever the disk does next. A
// file that cannot be written is logged and tried again.
func NewKeys(node *Node, cfg KeysConfig) *Keys {
	cfg.MaxStale = cmp.Or(cfg.MaxStale, 15*time.Minute)
	cfg.Check = cmp.Or(cfg.Check, time.Second/2)
	cfg.Flush = cmp.Or(cfg.Flush, time.Minute)
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	k := &Keys{
		node: node, cfg: cfg, store: auth.NewStore(), unsettled: map[string]auth.Record{},
		audit: new(audit),
	}
	k.store.TrustUntil(time.Now().Add(-time.Nanosecond))
	if cfg.DataDir == "" {
		return k
	}
	var err error
	if k.audit, err = openAudit(cfg.DataDir); err != nil {
		k.auditFailed(err)
	}
	if n := k.audit.damaged(); n > 0 {
		cfg.Log.Warn("lines of the key audit file are damaged and passed over", "lines", n, "file", k.audit.path)
	} else if said := slices.Collect(maps.Values(k.audit.records())); node.Embedded() && len(said) > 0 {
		k.store.Merge(said...)
		k.current(time.Now())
	}
	return k
}

// Close closes the audit file. Run must have ended.
func (k *Keys) Close() { k.audit.close() }

// Store returns the table in which requests' keys are looked up.
func (k *Keys) Store() *auth.Store { return k.store }

// Loaded reports whether the bucket has been read whole since NewKeys.
func (k *Keys) Loaded() bool { return k.loaded.Load() }

// Load makes the bucket if need be and reads it whole. With an embedded server it first
// puts back what the audit file has and the bucket lost.
func (k *Keys) Load(ctx context.Context) error {
	return k.catchUp(ctx, new(reading))
}

// Run follows the bucket until ctx ends, and writes down when keys were used.
func (k *Keys) Run(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { k.keepFollowing(ctx) })
	wg.Go(func() { k.keepUses(ctx) })
	wg.Wait()
}

// current notes that the table held all that the bucket had at a time.
func (k *Keys) current(at time.Time) {
	if k.node.Embedded() {
		k.store.TrustForever()
	} else {
		k.store.TrustUntil(at.Add(k.cfg.MaxStale))
	}
	k.loaded.Store(true)
}

// take brings records of the bucket into force and into the audit file. It is how a
// replica learns of keys, its own ones included.
func (k *Keys) take(records []auth.Record) {
	for i, r := range records {
		// What this replica once saw revoked stays so, whatever the bucket went through.
		if said, ok := k.audit.record(r.ID); ok && said.Revoked && said.SHA256 == r.SHA256 && !r.Revoked {
			records[i].Revoked = true
			k.complain("a key is revoked in the audit file only; it stays revoked here", "id", r.ID)
		}
	}
	changed, refused := k.store.Merge(records...)
	if refused > 0 {
		k.conflicts.Add(uint64(refused))
		k.complain("keys of the bucket are refused: ids used twice, or more keys than can be held", "count", refused)
	}
	if len(changed) > 0 {
		k.auditNote(changed)
	}
}

// auditNote writes to the audit file what this replica has learnt; what fails is tried
// again by the next comparison.
func (k *Keys) auditNote(records []auth.Record) {
	if err := k.audit.note(records...); err != nil {
		k.auditFailed(err)
	}
}

func (k *Keys) auditFailed(err error) {
	k.auditBehind.Store(true)
	k.auditErrors.Add(1)
	k.complain("the key audit file cannot be written", "error", err)
}

// catchUpAudit makes the audit file whole again after a failure, or after somebody took it
// away.
func (k *Keys) catchUpAudit() {
	if k.auditBehind.Swap(false) || k.audit.replaced() {
		k.auditNote(k.store.Records())
	}
}

// bucket opens a bucket, or makes it.
func (k *Keys) bucket(ctx context.Context, name string) (jetstream.KeyValue, error) {
	kv, err := k.node.Bucket(ctx, jetstream.KeyValueConfig{Bucket: name, History: 1, MaxValueSize: maxKeyValue})
	return kv, failed(err)
}

// stateOf returns when a bucket was made, which tells it from a successor of the same name,
// and the revision of its newest entry.
func stateOf(ctx context.Context, kv jetstream.KeyValue) (made time.Time, last uint64, err error) {
	status, err := kv.Status(ctx)
	if err != nil {
		return time.Time{}, 0, failed(err)
	}
	info, ok := status.(*jetstream.KeyValueBucketStatus)
	if !ok {
		panic("BUG: the client library tells nothing of a bucket's stream")
	}
	s := info.StreamInfo()
	return s.Created, s.State.LastSeq, nil
}

// failed marks with ErrDown what failed for want of an answer.
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

// complain logs, at most once a minute of one kind.
func (k *Keys) complain(what string, args ...any) {
	if more, ok := k.node.supervisor.Allow(what, time.Minute); ok {
		k.cfg.Log.Error(what, append(args, "more", more)...)
	}
}

// KeysStats counts since NewKeys.
type KeysStats struct {
	Ignored     uint64 // entries of the bucket that are no keys
	Vanished    uint64 // entries that were deleted; their keys stay in force
	Conflicts   uint64 // keys refused: an id used twice, or the table is full
	Missed      uint64 // times the watch had lost an entry and was begun anew
	AuditErrors uint64
	UseErrors   uint64 // times that the use of keys could not be written down
}

// Stats returns the counters.
func (k *Keys) Stats() KeysStats {
	return KeysStats{
		Ignored: k.ignored.Load(), Vanished: k.vanished.Load(), Conflicts: k.conflicts.Load(),
		Missed: k.missed.Load(), AuditErrors: k.auditErrors.Load(), UseErrors: k.useErrors.Load(),
	}
}
