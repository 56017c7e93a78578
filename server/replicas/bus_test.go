package replicas

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// publisher publishes results with a pause between them until stop is called. stop returns the ids
// that were acknowledged and those that were not, in order.
func (r *replica) publisher(t testing.TB, pause time.Duration) (stop func() (acked, unacked []string)) {
	var yes, no []string
	end := running(t, func(ctx context.Context) {
		for ctx.Err() == nil {
			res := r.result()
			if err := r.bus.Publish(context.Background(), res); err == nil {
				yes = append(yes, res.ID)
			} else {
				no = append(no, res.ID)
			}
			time.Sleep(pause)
		}
	})
	return func() ([]string, []string) {
		end()
		return yes, no
	}
}

// check fails the test unless the replica has received every acknowledged result exactly once and
// in order, and no other results.
func (r *replica) check(t testing.TB, acked, unacked []string) {
	t.Helper()
	last := acked[len(acked)-1]
	eventually(t, "the last acknowledged result arrives", func() bool { return slices.Contains(r.received(), last) })
	got := r.received()
	at := map[string]int{}
	for i, id := range got {
		if j, twice := at[id]; twice {
			t.Fatalf("%s was delivered at %d and %d", id, j, i)
		}
		at[id] = i
	}
	before := -1
	for _, id := range acked {
		i, ok := at[id]
		if !ok {
			t.Fatalf("%s was acknowledged and lost (%d of %d arrived)", id, len(got), len(acked))
		}
		if i < before {
			t.Fatalf("%s is out of order", id)
		}
		before = i
		delete(at, id)
	}
	for _, id := range unacked {
		delete(at, id)
	}
	for id := range at {
		t.Fatalf("nobody sent %s", id)
	}
}

// uncut fails the test if the replica was cut since its bus became ready.
func (r *replica) uncut() {
	r.t.Helper()
	if h := r.history(); len(h) != 1 || h[0] != "restored" {
		r.t.Fatalf("cut although nothing was lost: %q", h)
	}
}

func ready(t testing.TB, replicas ...*replica) {
	t.Helper()
	for _, r := range replicas {
		eventually(t, "the bus is ready", r.bus.Ready)
	}
}

func TestResultsReachEveryOtherReplicaOnceAndInOrder(t *testing.T) {
	cfg := Config{URL: startNATS(t).url(), Timing: quick}
	// A machine that stalls for a second must not count as a stuck consumer or a lost connection.
	cfg.Timing.Stuck, cfg.Timing.Ping = 30*time.Second, 30*time.Second
	a, b, c := startReplica(t, cfg), startReplica(t, cfg), startReplica(t, cfg)
	ready(t, a, b, c)
	want := a.result()
	a.publish(want)
	eventually(t, "it arrives", func() bool { return len(b.received()) == 1 })
	if got := b.got[0]; !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, sent %+v", got, want)
	}
	stop := a.publisher(t, 0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := c.bus.Publish(context.Background(), c.result()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	acked, unacked := stop()
	b.check(t, append([]string{want.ID}, acked...), append(unacked, ids(c, 400)...))
	eventually(t, "all arrive", func() bool { return len(b.received()) >= 401+len(acked) })
	last := b.result() // everything before it in the stream has been read when it arrives
	b.publish(last)
	eventually(t, "the last result arrives", func() bool { return slices.Contains(a.received(), last.ID) })
	for _, id := range a.received() {
		if strings.HasPrefix(id, a.ID()+"-") {
			t.Fatalf("own result %s was delivered", id)
		}
	}
	b.uncut()
	if st := &c.bus.Stats; st.Published.Load() != 400 || st.Unacknowledged.Load()+st.ConsumerResets.Load() != 0 {
		t.Fatalf("%+v", st)
	}
}

// ids returns the ids of the first n results of r.
func ids(r *replica, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%s-%d", r.ID(), i+1))
	}
	return list
}

// Injects the fault nats of docs/faults.md: its server ends or is killed, the connection is reset or lost, and a
// consumer is paused without the follower's knowledge. All is well again in less than Timing.Cut.
func TestShortFaultsLoseNothing(t *testing.T) {
	restart := func(_ *testing.T, s *natsServer, _ *link, _ *replica) {
		for range 2 {
			s.stop()
			time.Sleep(300 * time.Millisecond)
			s.start()
			time.Sleep(200 * time.Millisecond)
		}
	}
	for name, fault := range map[string]func(*testing.T, *natsServer, *link, *replica){
		"ended":  restart,
		"killed": restart,
		"reset": func(_ *testing.T, _ *natsServer, wire *link, _ *replica) {
			wire.refuse.Store(true)
			wire.cut()
			time.Sleep(500 * time.Millisecond)
			wire.refuse.Store(false)
		},
		"dark": func(_ *testing.T, _ *natsServer, wire *link, _ *replica) {
			wire.dark.Store(true)
			time.Sleep(500 * time.Millisecond)
			wire.dark.Store(false)
			wire.cut()
		},
		"paused": func(t *testing.T, _ *natsServer, _ *link, a *replica) {
			stream, err := a.js.Stream(t.Context(), busStream)
			if err != nil {
				t.Fatal(err)
			}
			paused := 0
			for info := range stream.ListConsumers(t.Context()).Info() {
				// A paused consumer sends heartbeats but no messages.
				if _, err := stream.PauseConsumer(t.Context(), info.Name, time.Now().Add(time.Hour)); err == nil {
					paused++
				}
			}
			if paused < 2 {
				t.Fatalf("paused %d consumers", paused)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reserveNATS(t)
			s.apart = name == "killed"
			s.start()
			wire := newLink(t, s.addr())
			a, b := startReplica(t, Config{URL: s.url(), Timing: hasty}), startReplica(t, Config{URL: wire.url()})
			ready(t, a, b)
			stop := a.publisher(t, time.Millisecond)
			time.Sleep(100 * time.Millisecond)
			fault(t, s, wire, a)
			n := len(b.received())
			eventually(t, "results flow again", func() bool { return len(b.received()) > n+200 })
			acked, unacked := stop()
			if restarted := name == "ended" || name == "killed"; restarted && len(unacked) == 0 {
				t.Fatalf("the test is void: %d acknowledged", len(acked))
			}
			b.check(t, acked, unacked)
			b.uncut()
			if b.bus.Stats.ConsumerResets.Load() == 0 {
				t.Fatal("no new consumer was created")
			}
		})
	}
}

func TestLongPartitionCutsAndRestores(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	wire := newLink(t, s.addr())
	timing := hasty
	timing.Cut = 1500 * time.Millisecond
	a, b := startReplica(t, Config{URL: s.url()}), startReplica(t, Config{URL: wire.url(), Timing: timing})
	ready(t, a, b)
	stop := a.publisher(t, time.Millisecond)
	for range 2 {
		wire.dark.Store(true)
		eventually(t, "cut", func() bool { return !b.bus.Ready() })
		wire.cut() // forces a new connection, because bytes of the old one are lost
		time.Sleep(100 * time.Millisecond)
		wire.dark.Store(false)
		wire.cut()
		ready(t, b)
	}
	n := len(b.received())
	eventually(t, "results flow", func() bool { return len(b.received()) > n+100 })
	acked, unacked := stop()
	// The stream keeps messages for longer than the partition lasted.
	b.check(t, acked, unacked)
	h := b.history()
	for i, event := range h { // there are more events than required if the machine itself stalls
		if i%2 == 0 && event != "restored" || i%2 == 1 && !strings.HasPrefix(event, "cut: no proof for") {
			t.Fatalf("events %q", h)
		}
	}
	if a.bus.Stats.Cuts.Load() != 0 || len(h) < 5 || b.bus.Stats.Cuts.Load() != uint64(len(h)/2) {
		t.Fatalf("%d and %d cuts: %q", a.bus.Stats.Cuts.Load(), b.bus.Stats.Cuts.Load(), h)
	}
}

// One direction of the connection fails: the replica's bytes arrive at the server, the server's do
// not arrive at the replica.
func TestDeafReplicaIsCut(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	wire := newLink(t, s.addr())
	cfg := Config{URL: wire.url(), Timing: hasty}
	cfg.Timing.Cut = time.Second
	cfg.Timing.Ping = time.Minute // the connection does not notice by itself
	a, b := startReplica(t, Config{URL: s.url()}), startReplica(t, cfg)
	ready(t, a, b)
	wire.deaf.Store(true)
	begin := time.Now()
	if err := b.bus.Publish(t.Context(), b.result()); !errors.Is(err, ErrUnacknowledged) {
		t.Fatalf("publish said %v", err)
	} else if d := time.Since(begin); d > 10*time.Second {
		t.Fatalf("publish took %v", d)
	}
	eventually(t, "the result is stored all the same", func() bool { return len(a.received()) == 1 })
	eventually(t, "cut", func() bool { return !b.bus.Ready() })
	time.Sleep(200 * time.Millisecond)
	if n := len(a.received()); n != 1 {
		t.Fatalf("both attempts of one result were delivered: %d", n)
	}
}

// A stream that was purged or replaced has lost unread messages: every replica is told at once, and
// continues.
func TestLostMessagesCut(t *testing.T) {
	t.Parallel()
	faults := map[string]func(*testing.T, *natsServer, *replica){
		"purged": func(t *testing.T, _ *natsServer, n *replica) {
			stream, err := n.js.Stream(t.Context(), busStream)
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"deleted": func(t *testing.T, _ *natsServer, n *replica) {
			// If the server receives a request for a consumer while it deletes a stream, it may
			// list the stream and accept nothing; the stream is then deleted again.
			eventually(t, "the stream is another one", func() bool {
				stream, err := n.js.Stream(t.Context(), busStream)
				if err != nil || stream.CachedInfo().State.LastSeq < 12 {
					return true
				}
				_ = n.js.DeleteStream(t.Context(), busStream)
				time.Sleep(50 * time.Millisecond)
				return false
			})
		},
		"server lost its files": func(t *testing.T, s *natsServer, _ *replica) {
			s.stop()
			s.dir = t.TempDir()
			s.start()
		},
		"server lost its files and has others": func(t *testing.T, s *natsServer, n *replica) {
			s.stop()
			s.dir = t.TempDir()
			s.start()
			for range 300 {
				r := n.result()
				eventually(t, "publish works", func() bool { return n.bus.Publish(t.Context(), r) == nil })
			}
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startNATS(t)
			wire := newLink(t, s.addr())
			a, b := startReplica(t, Config{URL: s.url()}), startReplica(t, Config{URL: wire.url()})
			ready(t, a, b)
			wire.refuse.Store(true)
			wire.cut() // b misses the following messages
			eventually(t, "away", func() bool { return !b.Connected() })
			for range 10 {
				a.publish(a.result())
			}
			fault(t, s, a)
			wire.refuse.Store(false)
			eventually(t, "cut and restored", func() bool {
				n := len(b.history()) // more than 3 if the machine itself stalls
				return n >= 3 && n%2 == 1
			})
			ready(t, a, b)
			r := a.result()
			eventually(t, "publish works", func() bool { return a.bus.Publish(t.Context(), r) == nil })
			eventually(t, "and arrives", func() bool { return slices.Contains(b.received(), r.ID) })
		})
	}
}
