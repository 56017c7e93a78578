package marketcache

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ballast/internal/race"
)

const second = Instant(time.Second)

func TestSnapshotsAge(t *testing.T) {
	rows := []struct {
		name     string
		received []Instant // one value each: 0, 1, ...
		now      Instant
		age      time.Duration
		ok       bool
	}{
		{"exactly at the limit is within it", []Instant{10 * second}, 13 * second, 3 * time.Second, true},
		{"past the limit only the age is returned", []Instant{10 * second}, 14 * second, 4 * time.Second, false},
		{"a value from the future has age 0", []Instant{10 * second}, 9 * second, 0, true},
		{"a late value is old from the start", []Instant{10 * second, 8 * second}, 10 * second, 2 * time.Second, true},
		{"received before the process began", []Instant{-second}, second, 2 * time.Second, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSnapshots[int](4)
			for i, at := range r.received {
				s.Publish(i, at)
			}
			v, age, ok := s.Latest(r.now, 3*time.Second)
			if age != r.age || ok != r.ok {
				t.Errorf("age %v, ok %v; want %v, %v", age, ok, r.age, r.ok)
			}
			if ok && *v != len(r.received)-1 {
				t.Errorf("value %d is not the newest", *v)
			}
		})
	}
}

// Compares with a plain slice: Latest returns the newest value with its own latest confirmation, never that of
// the value before it, and Walk sees the newest N values.
func TestSnapshotsAgainstSlice(t *testing.T) {
	type entry struct{ received, proof Instant }
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 17).Draw(t, "size")
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
		s.Walk(func(e *Snapshot[int]) {
			i--
			if e.Value != i || e.Seq != uint64(i+1) || e.Received != all[i].received {
				t.Fatalf("walked to %d, want %d", e.Value, i)
			}
		})
		if i != len(all)-len(kept) {
			t.Fatalf("walked over %d values, want %d", len(all)-i, len(kept))
		}
	})
}

// words is a value that shows whether it is torn.
type words [7]uint64

func wordsOf(seq uint64) *words { return &words{seq, seq, seq, seq, seq, seq, seq} }

func (w *words) intact() bool { return *w == *wordsOf(w[0]) }

// Readers run against one writer: every value is intact, sequence numbers never fall, a walk goes
// from new to old without repeats, and ages are never negative.
func TestSnapshotsHammer(t *testing.T) {
	s := newSnapshots[*words](8)
	writes := uint64(200_000)
	if testing.Short() || race.Enabled {
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
				if !(*v).intact() || (*v)[0] < last || age < 0 {
					t.Errorf("read %+v after %d, age %v", **v, last, age)
					return
				}
				last = (*v)[0]
				prev := uint64(1<<63 - 1)
				s.Walk(func(e *Snapshot[*words]) {
					if !e.Value.intact() || e.Value[0] != e.Seq || e.Seq >= prev {
						t.Errorf("walked from %d to %d (%d)", prev, e.Seq, e.Value[0])
					}
					prev = e.Seq
				})
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
		s.Publish(wordsOf(i), Instant(i))
	}
	close(stop)
	done.Wait()
}
