package replicas

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/store"
)

// daysConfig is the bucket of records of account values, by wallet.
var daysConfig = jetstream.KeyValueConfig{
	Bucket:       "days",
	Description:  "ballast: first readings, peaks and halts of wallets whose losses are limited",
	History:      1,
	MaxBytes:     32 << 20,
	MaxValueSize: maxDay,
}

const (
	maxDay    = 8 << 10 // bytes of a record
	daysCheck = time.Second / 4
)

// Days shares the records of account values: a halt that one replica sets holds in all, and the highest peak counts.
// What a replica tells replaces the record of the bucket if that is the one that it has read last; otherwise it reads
// that one, and days.Book merges both and tells again. All methods are safe for concurrent use.
type Days struct {
	node  *Node
	check time.Duration
	// Adopt takes over records of the bucket, TellAll has all told. Both must be set before Run.
	Adopt   func(map[string]store.WalletDay) error
	TellAll func()

	mu      sync.Mutex
	pending map[string]store.WalletDay // to be written

	revisions map[string]uint64 // of the bucket's records as read or written here; used by Run
}

// NewDays returns days that are not shared before Run.
func NewDays(node *Node, check time.Duration) *Days {
	return &Days{node: node, check: cmp.Or(check, daysCheck), pending: map[string]store.WalletDay{},
		revisions: map[string]uint64{}}
}

// Tell has records written. It does not wait.
func (d *Days) Tell(rows map[string]store.WalletDay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(d.pending, rows)
}

// Run follows the bucket until ctx ends.
func (d *Days) Run(ctx context.Context) {
	d.node.keepReading(ctx, d.check, "days", func(ctx context.Context, at *reading) error {
		return errors.Join(d.catchUp(ctx, at), d.write(ctx, at.kv))
	}, func(err error) {
		d.node.supervisor.Warn("records of account values are not shared; trying on", "error", err)
	})
}

// catchUp takes over what was added to the bucket since at.
func (d *Days) catchUp(ctx context.Context, at *reading) error {
	ctx, cancel := context.WithTimeout(ctx, keysReading)
	defer cancel()
	first := at.kv == nil
	if first {
		d.revisions = map[string]uint64{}
	}
	last, err := at.look(ctx, func(ctx context.Context) (jetstream.KeyValue, error) {
		kv, err := d.node.Bucket(ctx, daysConfig)
		return kv, failed(err)
	})
	if err != nil {
		return err
	}
	if at.last < last {
		rows := map[string]store.WalletDay{}
		err := each(ctx, at.kv, at.last+1, func(e jetstream.KeyValueEntry) {
			at.last = max(at.last, e.Revision())
			var row store.WalletDay
			if d.revisions[e.Key()] == e.Revision() || json.Unmarshal(e.Value(), &row) != nil {
				return // our own, or none
			}
			d.revisions[e.Key()] = e.Revision()
			rows[e.Key()] = row
		})
		if err != nil {
			return err
		}
		at.last = max(at.last, last)
		d.forget(rows)
		if err := d.Adopt(rows); err != nil {
			d.node.supervisor.Warn("a record of another replica is not taken over", "error", err)
		}
	}
	if first { // what the bucket lacks
		d.TellAll()
	}
	return nil
}

// write writes what is to be told. A record that another replica has replaced meanwhile is left out: it is read next.
func (d *Days) write(ctx context.Context, kv jetstream.KeyValue) error {
	d.mu.Lock()
	rows := d.pending
	d.pending = map[string]store.WalletDay{}
	d.mu.Unlock()
	if kv == nil || len(rows) == 0 {
		d.again(rows)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, keysReading)
	defer cancel()
	for wallet, row := range rows {
		text, err := json.Marshal(row)
		var revision uint64
		if err == nil {
			revision, err = set(ctx, kv, wallet, text, d.revisions[wallet])
		}
		switch {
		case err == nil:
			d.revisions[wallet] = revision
		case !conflict(err):
			d.again(rows)
			return failed(err)
		}
		delete(rows, wallet)
	}
	return nil
}

// forget does not write what was told before other replicas' records are merged with it.
func (d *Days) forget(rows map[string]store.WalletDay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for wallet := range rows {
		delete(d.pending, wallet)
	}
}

// again has records written later, unless newer ones are told.
func (d *Days) again(rows map[string]store.WalletDay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for wallet, row := range rows {
		if _, newer := d.pending[wallet]; !newer {
			d.pending[wallet] = row
		}
	}
}
