package replicas

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	leaseBucket = "leases"
	maxLease    = 1 << 10 // bytes of one value
	// maxEpoch is larger than any epoch of real holders: after it there must be room for more.
	maxEpoch = 1 << 62
)

var leaseConfig = jetstream.KeyValueConfig{
	Bucket: leaseBucket, Description: "ballast: who does what only one may do",
	MaxBytes: 1 << 20, MaxValueSize: maxLease,
}

// Lease is a right that at most one replica holds. The holder renews it; a holder that stops loses it.
//
// No clocks of different machines are compared. The holder counts the time to live from before its
// renewal. The others count from when they saw the renewal, which is later, and wait a quarter longer,
// so the lease ends for the holder first. A process that was frozen sees on waking that its lease has
// expired, because Held checks the clock at every call.
//
// Every new holder has a higher epoch than all before it. Receivers should drop messages with a lower
// epoch than the highest they know: only that stops messages sent just before the lease was lost.
type Lease struct {
	n      *Node
	name   string
	ttl    time.Duration
	bucket bucket

	mu    sync.Mutex
	epoch uint64    // highest of all known holders, even if the bucket is lost; 0: never held
	until time.Time // end of our lease; zero: we do not hold it

	// Used by Run's goroutine only.
	rev   uint64    // newest revision of the value
	since time.Time // when rev was first seen
}

type leaseValue struct {
	Holder string `json:"holder"`
	Epoch  uint64 `json:"epoch"`
}

// NewLease returns a lease with a name of letters, digits, - and _, which lasts for ttl after each
// renewal. Nothing happens before Run.
func (n *Node) NewLease(name string, ttl time.Duration) *Lease {
	return &Lease{n: n, name: name, ttl: ttl, bucket: bucket{n: n, cfg: leaseConfig}}
}

// Held reports whether this replica holds the lease now, and the highest epoch of all known holders, this
// replica among them. Call it right before acting as holder.
func (l *Lease) Held() (epoch uint64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Also check the wall clock: on a suspended machine the monotonic clock may have stopped.
	now := time.Now()
	return l.epoch, now.Before(l.until) && now.Round(0).Before(l.until.Round(0))
}

// record records the epoch of a holder, and until when we hold the lease; zero: we do not.
func (l *Lease) record(epoch uint64, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch, l.until = max(l.epoch, epoch), until
}

// Run acquires the lease whenever it is free and renews it after each sixth of its time, until ctx ends;
// then it releases it. It returns ctx's error and may be called once.
func (l *Lease) Run(ctx context.Context) error {
	l.n.every(ctx, l.ttl/6, "lease", func(ctx context.Context) {
		if err := l.step(ctx); err != nil && !conflict(err) { // or else another replica was first
			l.bucket.forget()
			l.n.log.Debug("lease", "name", l.name, "error", err)
		}
	})
	l.release()
	return ctx.Err()
}

// step renews the lease, acquires it when it is free, or reads who holds it.
func (l *Lease) step(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.ttl/3)
	defer cancel()
	kv, err := l.bucket.open(ctx)
	if err != nil {
		return err
	}
	value, revision, err := get(ctx, kv, l.name)
	if err != nil {
		return err
	}
	var v leaseValue
	if json.Unmarshal(value, &v) != nil || len(value) > maxLease || v.Epoch > maxEpoch {
		v = leaseValue{} // with a missing or invalid value the lease is free
	}
	if v.Holder == l.n.id && v.Epoch >= l.epoch { // perhaps from a write whose acknowledgement was lost
		return l.write(ctx, kv, v.Epoch, revision)
	}
	l.record(v.Epoch, time.Time{})
	if revision != l.rev {
		l.rev, l.since = revision, time.Now()
	}
	if v.Holder == "" || time.Since(l.since) > l.ttl+l.ttl/4 {
		return l.write(ctx, kv, l.epoch+1, revision)
	}
	return nil
}

// write stores us as holder over revision rev, 0 for none.
func (l *Lease) write(ctx context.Context, kv jetstream.KeyValue, epoch, rev uint64) error {
	asked := time.Now()
	data, _ := json.Marshal(leaseValue{Holder: l.n.id, Epoch: epoch}) // never fails
	rev, err := set(ctx, kv, l.name, data, rev)
	if err != nil {
		return err
	}
	l.rev, l.since = rev, asked
	l.record(epoch, asked.Add(l.ttl))
	return nil
}

// release gives the lease up, so that others need not wait for its end.
func (l *Lease) release() {
	ours := !l.until.IsZero()
	l.record(0, time.Time{})
	if !ours {
		return
	}
	data, _ := json.Marshal(leaseValue{Epoch: l.epoch}) // never fails
	ctx, cancel := context.WithTimeout(context.Background(), l.n.time.Ack)
	defer cancel()
	kv, err := l.bucket.open(ctx)
	if err == nil {
		_, err = kv.Update(ctx, l.name, data, l.rev)
	}
	if err != nil {
		l.n.log.Debug("lease not given back; it will run out", "name", l.name, "error", err)
	}
}
