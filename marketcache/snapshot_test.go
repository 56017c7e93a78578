package marketcache

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const second = Instant(time.Second)

func TestSnapshotsBeforeTheFirstValue(t *testing.T) {
	s := newSnapshots[int](4)
	s.Confirm(5 * second) // there is no value to confirm yet
	if _, age, ok := s.Latest(10*second, Forever); ok || age >= 0 {
		t.Errorf("age %v, ok %v; want a negative age", age, ok)
	}
	if _, ok := s.AsOf(10 * second); ok {
		t.Error("a value of an empty ring")
	}
	s.Walk(func(*Snapshot[int]) bool { t.Error("walked over an empty ring"); return true })
	s.Publish(1, 6*second)
	if _, age, _ := s.Latest(10*second, Forever); age != 4*time.Second {
		t.Errorf("age %v: a confirmation before the value counted", age)
	}
}

func TestSnapshotsAge(t *testing.T) {
	rows := []struct {
		name     string
		received []Instant // one value each: 0, 1, ...
		confirm  []Instant // after all values
		now      Instant
		limit    time.Duration
		age      time.Duration
		ok       bool
	}{
		{"age counts from reception", []Instant{10 * second}, nil, 13 * second, Forever, 3 * time.Second, true},
		{"a confirmation renews", []Instant{10 * second}, []Instant{12 * second}, 13 * second, Forever, time.Second,
			true},
		{"an older confirmation changes nothing", []Instant{10 * second}, []Instant{12 * second, 11 * second},
			13 * second,
			Forever, time.Second, true},
		{"a confirmation from before the value changes nothing", []Instant{10 * second}, []Instant{4 * second},
			13 * second,
			Forever, 3 * time.Second, true},
		{"a value from the future has age 0", []Instant{10 * second}, nil, 9 * second, Forever, 0, true},
		{"exactly at the limit is within it", []Instant{10 * second}, nil, 13 * second, 3 * time.Second,
			3 * time.Second,
			true},
		{"past the limit only the age is returned", []Instant{10 * second}, nil, 14 * second, 3 * time.Second,
			4 * time.Second, false},
		{"a late value is old from the start", []Instant{10 * second, 3 * second}, nil, 13 * second, Forever,
			10 * time.Second, true},
		{"received before the process began", []Instant{-4 * second}, nil, 2 * second, Forever, 6 * time.Second, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSnapshots[int](4)
			for i, at := range r.received {
				s.Publish(i, at)
			}
			for _, at := range r.confirm {
				s.Confirm(at)
			}
			v, age, ok := s.Latest(r.now, r.limit)
			if age != r.age || ok != r.ok {
				t.Errorf("age %v, ok %v; want %v, %v", age, ok, r.age, r.ok)
			}
			if ok && *v != len(r.received)-1 {
				t.Errorf("value %d is not the newest", *v)
			}
		})
	}
}

// A value that arrives late must not inherit the confirmation of the value before it.
func TestSnapshotsLateValueDoesNotInheritProof(t *testing.T) {
	s := newSnapshots[string](4)
	s.Publish("early", 1*second)
	s.Confirm(10 * second)
	s.Publish("late", 3*second) // sent at 3 s, received at 11 s
	if _, age, _ := s.Latest(11*second, Forever); age != 8*time.Second {
		t.Errorf("age %v, want 8s: data eight seconds old counts as fresh", age)
	}
	s.Confirm(12 * second)
	if _, age, _ := s.Latest(13*second, Forever); age != time.Second {
		t.Errorf("age %v after a confirmation, want 1s", age)
	}
}

// Compares with a plain slice: Latest returns the newest value with its own latest confirmation,
// and Walk and AsOf see the newest N values.
func TestSnapshotsAgainstSlice(t *testing.T) {
	type entry struct{ received, proof Instant }
	rapid.Check(t, func(t *rapid.T) {
		size := 1 << rapid.IntRange(0, 4).Draw(t, "log size")
		s := newSnapshots[int](size)
		var all []entry
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			at := Instant(rapid.Int64Range(-50, 1000).Draw(t, "at"))
			if rapid.Bool().Draw(t, "publish") {
				s.Publish(len(all), at)
				all = append(all, entry{at, at})
			} else {
				s.Confirm(at)
				if n := len(all); n > 0 {
					all[n-1].proof = max(all[n-1].proof, at)
				}
			}
		}
		now := Instant(rapid.Int64Range(0, 2000).Draw(t, "now"))
		v, age, ok := s.Latest(now, Forever)
		if ok != (len(all) > 0) {
			t.Fatalf("ok %v of %d values", ok, len(all))
		}
		if !ok {
			return
		}
		newest := all[len(all)-1]
		if *v != len(all)-1 || age != max(0, now.Sub(newest.proof)) {
			t.Fatalf("value %d age %v, want %d age %v", *v, age, len(all)-1, max(0, now.Sub(newest.proof)))
		}
		if bound := now.Sub(newest.received); age > max(0, bound) {
			t.Fatalf("age %v older than its reception %v", age, bound)
		}
		kept := all[max(0, len(all)-size):]
		i := len(all)
		s.Walk(func(e *Snapshot[int]) bool {
			i--
			if e.Value != i || e.Seq != uint64(i+1) || e.Received != all[i].received {
				t.Fatalf("walked to %d, want %d", e.Value, i)
			}
			return true
		})
		if i != len(all)-len(kept) {
			t.Fatalf("walked over %d values, want %d", len(all)-i, len(kept))
		}
		as := Instant(rapid.Int64Range(-60, 1000).Draw(t, "as of"))
		want := -1
		for i := len(all) - 1; i >= len(all)-len(kept); i-- {
			if all[i].received <= as {
				want = i
				break
			}
		}
		e, found := s.AsOf(as)
		if found != (want >= 0) || found && e.Value != want {
			t.Fatalf("as of %v: %v, want value %d", as, e, want)
		}
	})
}

func TestSnapshotsWalkStops(t *testing.T) {
	s := newSnapshots[int](8)
	for i := range 5 {
		s.Publish(i, Instant(i))
	}
	n := 0
	s.Walk(func(e *Snapshot[int]) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("walked over %d values after being told to stop at 2", n)
	}
}

func TestSnapshotsRefusesOddSizes(t *testing.T) {
	for _, n := range []int{0, -1, 3, 6} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a ring of size %d was accepted", n)
				}
			}()
			newSnapshots[int](n)
		}()
	}
}

// sealed contains its own checksum, so that a torn or reused value is detected.
type sealed struct {
	seq   uint64
	words [6]uint64
	after uint64 // equals seq
}

func seal(seq uint64) *sealed {
	v := &sealed{seq: seq, after: seq}
	for i := range v.words {
		v.words[i] = seq*2654435761 + uint64(i)
	}
	return v
}

func (v *sealed) intact() bool {
	for i, w := range v.words {
		if w != v.seq*2654435761+uint64(i) {
			return false
		}
	}
	return v.after == v.seq
}

// Readers run against one writer: every value is intact, sequence numbers never fall, a walk goes
// from new to old without repeats, and ages are never negative.
func TestSnapshotsHammer(t *testing.T) {
	s := newSnapshots[*sealed](8)
	writes := uint64(200_000)
	if testing.Short() || raceEnabled {
		writes = 20_000
	}
	var done sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		done.Go(func() {
			last := uint64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				v, age, ok := s.Latest(Instant(writes)+10, Forever)
				if !ok {
					continue
				}
				if !(*v).intact() || (*v).seq < last || age < 0 {
					t.Errorf("read %+v after %d, age %v", **v, last, age)
					return
				}
				last = (*v).seq
				prev := uint64(1<<63 - 1)
				s.Walk(func(e *Snapshot[*sealed]) bool {
					if !e.Value.intact() || e.Value.seq != e.Seq || e.Seq >= prev {
						t.Errorf("walked from %d to %d (%d)", prev, e.Seq, e.Value.seq)
						return false
					}
					prev = e.Seq
					return true
				})
				if e, ok := s.AsOf(Instant(last)); ok && e.Received > Instant(last) {
					t.Errorf("as of %d gave %d", last, e.Received)
				}
			}
		})
	}
	done.Go(func() { // a heartbeat confirms from another goroutine
		for at := Instant(0); ; at++ {
			select {
			case <-stop:
				return
			default:
				s.Confirm(at % Instant(writes))
			}
		}
	})
	for i := uint64(1); i <= writes; i++ {
		s.Publish(seal(i), Instant(i))
	}
	close(stop)
	done.Wait()
}
