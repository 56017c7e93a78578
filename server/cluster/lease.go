package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	leaseBucket = "leases"
	leaseBytes  = 1 << 20
	maxLease    = 1 << 10 // bytes of one value
)

// Lease is a right that at most one replica holds: whoever holds it renews it, and who
// stops doing so loses it.
//
// Nobody compares clocks of two machines. A holder counts its time from before it asked
// for the renewal; the others count from when they saw the renewal, which is later, and
// wait a quarter longer. So the holder knows first. A process that was frozen finds its
// time run out when it wakes, because Held looks at the clock at every call.
//
// Every new holder has a greater epoch than all before it. Whoever receives what the
// holder sends should drop what comes with an epoch lower than the greatest it knows:
// that alone stops what a holder sent just before it lost the lease.
type Lease struct {
	n    *Node
	name string
	ttl  time.Duration

	mu      sync.Mutex
	kv      jetstream.KeyValue
	mine    uint64    // revision of our own value; 0: not ours
	until   time.Time // end of our time, by both clocks
	told    LeaseState
	state   LeaseState // as the bucket last said
	rev     uint64     // revision of state
	since   time.Time  // when rev was first seen
	highest uint64     // epoch ever seen, should the bucket be lost

	changes chan LeaseState
	running bool
}

// LeaseState says who holds a lease.
type LeaseState struct {
	Held   bool   // by this replica
	Epoch  uint64 // of the holder; 0: nobody has held it yet
	Holder string // node id; empty: nobody
}

type leaseValue struct {
	Holder string `json:"holder"`
	Epoch  uint64 `json:"epoch"`
}

// NewLease makes a lease by that name, letters, digits, - and _, which lasts for ttl after
// each renewal. Nothing happens before Run.
func (n *Node) NewLease(name string, ttl time.Duration) *Lease {
	if !validName(name) || ttl <= 0 {
		panic(fmt.Sprintf("BUG: lease %q for %v", name, ttl))
	}
	return &Lease{n: n, name: name, ttl: ttl, changes: make(chan LeaseState, 1)}
}

// Held reports whether this replica holds the lease at this moment, and its epoch.
// Ask right before acting on it.
func (l *Lease) Held() (epoch uint64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Epoch, l.held(time.Now())
}

// held needs mu. The wall clock is asked too, for a machine that slept: its monotonic
// clock may have slept with it.
func (l *Lease) held(now time.Time) bool {
	return l.mine != 0 && now.Before(l.until) && now.Round(0).Before(l.until.Round(0))
}

// Current returns what is known: this replica's own state, and the holder that the bucket
// last named, who may have vanished since.
func (l *Lease) Current() LeaseState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current()
}

func (l *Lease) current() LeaseState {
	s := l.state
	s.Held = l.held(time.Now())
	return s
}

// Changes returns a channel that carries the newest state after each change. States that
// were not read in time are replaced by newer ones.
func (l *Lease) Changes() <-chan LeaseState { return l.changes }

// Run acquires the lease whenever it is free and renews it every third of its time, until
// ctx ends; then it gives it back. It returns the error of ctx and may be called once.
func (l *Lease) Run(ctx context.Context) error {
	l.mu.Lock()
	if l.running {
		l.mu.Unlock()
		return errors.New("cluster: the lease runs already")
	}
	l.running = true
	l.mu.Unlock()
	for ctx.Err() == nil {
		woken := l.n.Woken()
		wait := l.ttl / 3
		if l.n.Connected() {
			var err error
			l.n.guard("lease", func() { err = l.step(ctx) })
			if err != nil {
				wait = l.ttl / 6
				if ctx.Err() == nil {
					l.n.log.Debug("lease", "name", l.name, "error", err)
				}
			}
		}
		l.tell()
		l.mu.Lock()
		if left := time.Until(l.until); l.mine != 0 && left > 0 {
			wait = min(wait, left)
		}
		l.mu.Unlock()
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-woken:
		case <-t.C:
		}
		t.Stop()
	}
	l.release()
	l.tell()
	return ctx.Err()
}

// step renews the lease, takes it when it is free, or sees who has it.
func (l *Lease) step(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.ttl/3)
	defer cancel()
	if l.kv == nil {
		kv, err := l.n.Bucket(ctx, jetstream.KeyValueConfig{
			Bucket: leaseBucket, Description: "ballast: who does what only one may do",
			History: 1, MaxBytes: leaseBytes, MaxValueSize: maxLease,
		})
		if err != nil {
			return err
		}
		l.kv = kv
	}
	if l.mine != 0 {
		if err := l.write(ctx, l.state.Epoch, l.mine); err == nil || !conflict(err) {
			return l.failed(err)
		}
		// Somebody has taken it, or a renewal of ours was stored and its answer lost.
	}
	entry, err := l.kv.Get(ctx, l.name)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		l.lose()
		return l.failed(l.write(ctx, l.highestEpoch()+1, 0))
	}
	if err != nil {
		return l.failed(err)
	}
	l.n.touch()
	var v leaseValue
	if err := json.Unmarshal(entry.Value(), &v); err != nil || len(entry.Value()) > maxLease {
		v = leaseValue{} // garbage holds nothing
	}
	l.mu.Lock()
	ours := l.mine != 0 && v.Holder == l.n.id && v.Epoch == l.state.Epoch
	if !ours {
		l.mine = 0
		l.state = LeaseState{Epoch: v.Epoch, Holder: v.Holder}
	}
	l.highest = max(l.highest, v.Epoch)
	if entry.Revision() != l.rev {
		l.rev, l.since = entry.Revision(), time.Now()
	}
	free := v.Holder == "" || time.Since(l.since) > l.ttl+l.ttl/4
	epoch := l.highest + 1
	l.mu.Unlock()
	switch {
	case ours:
		err = l.write(ctx, v.Epoch, entry.Revision())
	case free:
		err = l.write(ctx, epoch, entry.Revision())
	}
	return l.failed(err)
}

// write stores that we hold the lease, over revision rev, 0 for none.
func (l *Lease) write(ctx context.Context, epoch, rev uint64) error {
	asked := time.Now()
	data, err := json.Marshal(leaseValue{Holder: l.n.id, Epoch: epoch})
	if err != nil {
		return err
	}
	if rev == 0 {
		rev, err = l.kv.Create(ctx, l.name, data)
	} else {
		rev, err = l.kv.Update(ctx, l.name, data, rev)
	}
	if err != nil {
		return err
	}
	l.n.touch()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mine, l.rev, l.since = rev, rev, asked
	l.until = asked.Add(l.ttl)
	l.state = LeaseState{Epoch: epoch, Holder: l.n.id}
	l.highest = max(l.highest, epoch)
	return nil
}

// failed looks the bucket up again after an error, for it may be gone: the client's text
// does not always say so. To come second is no failure.
func (l *Lease) failed(err error) error {
	if conflict(err) {
		return nil
	}
	if err != nil {
		l.kv = nil
	}
	return err
}

func (l *Lease) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mine = 0
	l.state.Holder = ""
}

func (l *Lease) highestEpoch() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.highest
}

// release gives the lease back, so that the others need not wait for its end.
func (l *Lease) release() {
	l.mu.Lock()
	mine, epoch, kv := l.mine, l.state.Epoch, l.kv
	l.mine = 0
	if mine != 0 {
		l.state.Holder = ""
	}
	l.mu.Unlock()
	if mine == 0 || kv == nil || !l.n.Connected() {
		return
	}
	data, err := json.Marshal(leaseValue{Epoch: epoch})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.n.time.Ack)
	defer cancel()
	if _, err := kv.Update(ctx, l.name, data, mine); err != nil {
		l.n.log.Debug("lease not given back; it will run out", "name", l.name, "error", err)
	}
}

// tell puts the state into the channel when it has changed.
func (l *Lease) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.current()
	if s == l.told {
		return
	}
	if s.Held != l.told.Held {
		l.n.log.Info("lease", "name", l.name, "held", s.Held, "epoch", s.Epoch, "holder", s.Holder)
	}
	l.told = s
	for {
		select {
		case l.changes <- s:
			return
		default:
		}
		select {
		case <-l.changes:
		default:
		}
	}
}
