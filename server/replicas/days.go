package replicas

import (
	"context"
	"encoding/json"
	"maps"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/store"
)

// daysConfig is the bucket of records of account values, by wallet.
var daysConfig = jetstream.KeyValueConfig{
	Bucket:       "days",
	Description:  "ballast: first readings, peaks and halts of wallets whose losses are limited",
	MaxBytes:     32 << 20,
	MaxValueSize: maxDay,
}

const maxDay = 8 << 10 // bytes of a record

// Days shares the records of account values: a halt that one replica sets holds in all, and the highest peak counts.
// What a replica tells replaces the record of the bucket if that is the one that it has read last; otherwise it reads
// that one, and days.Book merges both and tells again. All methods are safe for concurrent use.
type Days struct {
	bucket bucket
	// Adopt takes over records of the bucket, TellAll has all told. Both must be set before Run.
	Adopt   func(map[string]store.WalletDay) error
	TellAll func()

	mu      sync.Mutex
	pending map[string]store.WalletDay // to be written

	revisions map[string]uint64 // of the bucket's records as read or written here; used by Run
}

// NewDays returns days that are not shared before Run.
func NewDays(node *Node) *Days {
	return &Days{bucket: bucket{n: node, cfg: daysConfig}, pending: map[string]store.WalletDay{},
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
	d.bucket.follow(ctx, func(ctx context.Context, n news) error {
		d.take(n)
		return d.write(ctx)
	}, func(err error) {
		d.bucket.n.supervisor.Warn("records of account values are not shared; trying on", "error", err)
	})
}

// take takes over what is new in the bucket.
func (d *Days) take(n news) {
	if n.whole {
		d.revisions = map[string]uint64{}
	}
	rows := map[string]store.WalletDay{}
	for _, e := range n.entries {
		var row store.WalletDay
		if d.revisions[e.Key()] == e.Revision() || json.Unmarshal(e.Value(), &row) != nil {
			continue // our own, or none
		}
		d.revisions[e.Key()] = e.Revision()
		rows[e.Key()] = row
	}
	if len(rows) > 0 {
		d.forget(rows)
		if err := d.Adopt(rows); err != nil {
			d.bucket.n.supervisor.Warn("a record of another replica is not taken over", "error", err)
		}
	}
	if n.whole { // what the bucket lacks
		d.TellAll()
	}
}

// write writes what is to be told. A record that another replica has replaced meanwhile is left out: it is read next.
func (d *Days) write(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bucketReading)
	defer cancel()
	kv, err := d.bucket.open(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	rows := d.pending
	d.pending = map[string]store.WalletDay{}
	d.mu.Unlock()
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
			d.bucket.forget()
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
