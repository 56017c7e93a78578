package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/auth"
)

var (
	errWatchEnded = errors.New("the watch ended")
	errReplaced   = errors.New("the bucket was replaced")
	errMissed     = errors.New("the watch lost an entry")
)

// Pauses between attempts to follow the bucket.
const (
	followPause    = 100 * time.Millisecond
	followMaxPause = 2 * time.Second
)

// keepFollowing follows the bucket for ever. Whatever goes wrong, the remedy is the same:
// read the bucket anew, which changes nothing that was right.
func (k *Keys) keepFollowing(ctx context.Context) {
	pause := followPause
	for ctx.Err() == nil {
		woken := k.node.Woken()
		begun := time.Now()
		var err error = errors.New("panic")
		k.node.guard("keys", func() { err = k.follow(ctx, woken) })
		if ctx.Err() != nil {
			return
		}
		switch {
		case errors.Is(err, errMissed):
			k.missed.Add(1)
			k.complain("the watch of the keys lost an entry; reading them anew")
			continue
		case err == nil: // connected again
			continue
		case k.node.Connected():
			k.complain("the keys cannot be followed; trying on", "error", err)
		}
		if time.Since(begun) > time.Minute {
			pause = followPause
		}
		select {
		case <-ctx.Done():
		case <-woken:
		case <-time.After(pause):
		}
		pause = min(2*pause, followMaxPause)
	}
}

// follow reads the bucket whole and then every change, and compares now and then how far
// it has got with how far the bucket has. It returns nil when woken closes: after an
// interruption the bucket is read anew at once.
func (k *Keys) follow(ctx context.Context, woken <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opening, done := context.WithTimeout(ctx, keysAnswer)
	defer done()
	kv, err := k.bucket(opening, keysBucket)
	if err != nil {
		return err
	}
	at := time.Now()
	begin, err := stateOf(opening, kv)
	if err != nil {
		return err
	}
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return failed(err)
	}
	defer stopWatch(w)
	states := make(chan timedState)
	var asking = make(chan struct{})
	go func() {
		defer close(asking)
		k.node.guard("keys", func() { k.askStates(ctx, kv, states) })
	}()
	defer func() { cancel(); <-asking }()

	seen, whole := uint64(0), false
	due := uint64(0) // the revision that the watch must have reached by the next comparison
	reading := time.NewTimer(keysAnswer + 30*time.Second)
	defer reading.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-woken:
			return nil
		case <-reading.C:
			if !whole {
				return errMissed
			}
		case e, ok := <-w.Updates():
			entries, open := gather(w, e, ok)
			last, end := k.takeEntries(entries)
			seen = max(seen, last)
			if end && !whole {
				// What came before begin and did not arrive no longer exists.
				whole, seen, due = true, max(seen, begin.last), begin.last
				k.current(at)
			}
			if !open {
				return errWatchEnded
			}
		case s := <-states:
			switch {
			case !s.made.Equal(begin.made), s.last < begin.last:
				return errReplaced
			case !whole:
			case seen < due:
				return errMissed
			default:
				if seen >= s.last {
					k.current(s.asked)
				}
				due = s.last
				k.catchUpAudit()
			}
		}
	}
}

// timedState is a bucket's state and the time before which it was not older.
type timedState struct {
	bucketState
	asked time.Time
}

// askStates sends the bucket's state at every comparison until ctx ends. What cannot be
// asked is left out: it moves nothing on.
func (k *Keys) askStates(ctx context.Context, kv jetstream.KeyValue, to chan<- timedState) {
	tick := time.NewTicker(k.cfg.Check)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		limited, done := context.WithTimeout(ctx, keysAnswer)
		s, err := stateOf(limited, kv)
		done()
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = bucketState{}, nil // gone: no other than the one that is followed
		}
		if err != nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case to <- timedState{s, asked}:
		}
	}
}

// gather adds to a first entry what else has arrived already, so that a flood costs one
// change of the table and not thousands.
func gather(w jetstream.KeyWatcher, first jetstream.KeyValueEntry, ok bool) (entries []jetstream.KeyValueEntry, open bool) {
	for e := first; ok; {
		entries = append(entries, e)
		if len(entries) == 1024 {
			return entries, true
		}
		select {
		case e, ok = <-w.Updates():
		default:
			return entries, true
		}
	}
	return entries, false
}

// takeEntries brings entries into force. It returns the newest revision among them, and
// whether the mark was there that ends the reading of what existed (a nil entry).
func (k *Keys) takeEntries(entries []jetstream.KeyValueEntry) (last uint64, end bool) {
	var records []auth.Record
	for _, e := range entries {
		if e == nil {
			end = true
			continue
		}
		if k.overlook != nil && k.overlook(e) {
			continue
		}
		last = max(last, e.Revision())
		if r, ok := k.read(e); ok {
			records = append(records, r)
		}
	}
	k.take(records)
	return last, end
}

// read returns the key of an entry. Whatever is not one is counted and passed over: what
// is held under its name stays.
func (k *Keys) read(e jetstream.KeyValueEntry) (r auth.Record, ok bool) {
	if e.Operation() != jetstream.KeyValuePut {
		k.vanished.Add(1)
		k.complain("the entry of a key was deleted; only a revocation ends a key", "revision", e.Revision())
		return auth.Record{}, false
	}
	r, err := auth.ParseRecord(e.Value())
	if err == nil && r.ID != e.Key() {
		err = errors.New("under another key's name")
	}
	if err != nil {
		k.ignored.Add(1)
		k.complain("an entry of the bucket is no key", "error", err, "revision", e.Revision())
		return auth.Record{}, false
	}
	return r, true
}

// readAll returns all keys of the bucket.
func (k *Keys) readAll(ctx context.Context, kv jetstream.KeyValue) ([]auth.Record, error) {
	var records []auth.Record
	err := each(ctx, kv, func(e jetstream.KeyValueEntry) {
		if r, ok := k.read(e); ok {
			records = append(records, r)
		}
	})
	return records, err
}

// each calls f for the newest entry of every name that exists now.
func each(ctx context.Context, kv jetstream.KeyValue, f func(jetstream.KeyValueEntry)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return failed(err)
	}
	defer stopWatch(w)
	for {
		select {
		case <-ctx.Done():
			return failed(ctx.Err())
		case e, ok := <-w.Updates():
			if !ok {
				return failed(errWatchEnded)
			}
			if e == nil {
				return nil
			}
			f(e)
		}
	}
}

// stopWatch ends a watch and takes what it still wants to say, or its goroutine would
// wait for ever.
func stopWatch(w jetstream.KeyWatcher) {
	w.Stop()
	limit := time.After(time.Second)
	for {
		select {
		case _, ok := <-w.Updates():
			if !ok {
				return
			}
		case <-limit:
			return
		}
	}
}
