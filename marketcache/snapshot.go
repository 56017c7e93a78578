package marketcache

import (
	"sync/atomic"
	"time"
)

// Forever is the maximum age for callers that check the age themselves.
const Forever = time.Duration(1<<63 - 1)

// Snapshot is one published value and the times from which its age is counted.
type Snapshot[T any] struct {
	Value T
	// Received is when the value's message arrived, less the delay shown by the venue's time (corrected
	// for clock skew), so that late data is old from the start.
	Received Instant
	// Seq numbers the values of this datum from 1.
	Seq uint64
	// proof is when this value was last confirmed to be what the venue says: Received, or a later
	// confirmation. It never decreases. It belongs to the value, not to the ring, so that a late value
	// does not inherit the confirmation of the value before it.
	proof atomic.Int64
}

// Snapshots is the ring of the newest immutable values of one datum. One goroutine publishes, any
// number read. Create it with newSnapshots.
type Snapshots[T any] struct {
	latest atomic.Pointer[Snapshot[T]]
	seq    uint64 // used by the writer only
	ring   []atomic.Pointer[Snapshot[T]]
}

// newSnapshots returns a ring of n values.
func newSnapshots[T any](n int) Snapshots[T] {
	return Snapshots[T]{ring: make([]atomic.Pointer[Snapshot[T]], n)}
}

// Publish makes v the newest value, received at the given Instant. The caller must not change
// anything reachable from v afterwards. One goroutine at a time.
func (s *Snapshots[T]) Publish(v T, received Instant) {
	s.seq++
	e := &Snapshot[T]{Value: v, Received: received, Seq: s.seq}
	e.proof.Store(int64(received))
	s.ring[(s.seq-1)%uint64(len(s.ring))].Store(e)
	s.latest.Store(e)
}

// Confirm records that at the given Instant the newest value was still what the venue says. It does
// nothing if a later confirmation is recorded or there is no value. Safe for concurrent use.
func (s *Snapshots[T]) Confirm(at Instant) {
	if e := s.latest.Load(); e != nil {
		raise(&e.proof, at, false)
	}
}

// Newest returns the newest value with its times, whatever its age; nil before the first.
func (s *Snapshots[T]) Newest() *Snapshot[T] { return s.latest.Load() }

// Proof returns when this value was last confirmed to be what the venue says.
func (e *Snapshot[T]) Proof() Instant { return Instant(e.proof.Load()) }

// Latest returns the newest value and its age at now. ok is false when there is no value (age is then
// negative) or when it is older than maxAge.
func (s *Snapshots[T]) Latest(now Instant, maxAge time.Duration) (v *T, age time.Duration, ok bool) {
	e := s.latest.Load()
	if e == nil {
		return nil, -1, false
	}
	age = max(0, now.Sub(e.Proof()))
	if age > maxAge {
		return nil, age, false
	}
	return &e.Value, age, true
}

// Walk calls f with the values of the ring, newest first. Values that the writer replaces meanwhile are left out; none
// comes twice.
func (s *Snapshots[T]) Walk(f func(*Snapshot[T])) {
	e := s.latest.Load()
	if e == nil {
		return
	}
	oldest := e.Seq - min(e.Seq, uint64(len(s.ring))) // exclusive
	for seq := e.Seq; e.Seq == seq; {                 // or else the writer has replaced this slot
		f(e)
		if seq--; seq == oldest {
			return
		}
		e = s.ring[(seq-1)%uint64(len(s.ring))].Load()
	}
}
