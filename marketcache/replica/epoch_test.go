package replica

import (
	"math"
	"testing"
	"time"
)

// TestEpochBeyondTheLease: whoever writes messages with an epoch that the lease does not have, on the subjects of
// the feed, takes no follower away from its leader, also while the leader changes.
func TestEpochBeyondTheLease(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = priced(100)
	g.join()
	g.write = priced(200)
	g.join()
	c := g.join()
	g.leases.give(0)
	within(t, settle, "the first leader", func() bool { return c.mid(0) == 100 })
	liar := func(epoch uint64, k topic, body any) {
		data, err := encode(header{Topic: k, Epoch: epoch, Seq: math.MaxInt64}, body)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.connect().Publish(c.subject(k, 0), data); err != nil {
			t.Fatal(err)
		}
	}
	lie := func(epoch uint64) {
		liar(epoch, topicBeat, beat{Leader: "liar"})
		liar(epoch, topicProofs, []proof{})
		liar(epoch, topics-1, nil)
	}
	for _, epoch := range []uint64{0, 2, 1 << 40, math.MaxInt64, math.MaxUint64} {
		lie(epoch)
	}
	before := c.Stats()
	within(t, settle, "the lies are heard", func() bool {
		lie(1 << 40) // a follower that begins to read anew does not hear those before
		return c.Stats().Ahead >= 12
	})
	for began := time.Now(); time.Since(began) < time.Second; time.Sleep(10 * time.Millisecond) {
		if s := c.Stats(); !s.Ready || s.Epoch != 1 || s.Leader == "liar" || c.mid(0) != 100 {
			t.Fatalf("%+v, was %+v", s, before)
		}
	}
	lie(1 << 50)
	g.leases.give(1)
	lie(math.MaxUint64 - 1)
	within(t, settle, "the second leader", func() bool { return c.mid(0) == 200 && c.Stats().Epoch == 2 })
	if !c.fresh(time.Second) || c.Stats().Leader == "liar" {
		t.Errorf("%+v", c.Stats())
	}
	late := g.join() // the stream still has the lies
	within(t, settle, "the second leader, heard by a late joiner", func() bool { return late.mid(0) == 200 })
}

// A leader's messages may come before the follower knows of its lease: they are read again.
func TestLeaseKnownLate(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = priced(100)
	g.join()
	c := g.join()
	c.lease.late.Store(true)
	g.leases.give(0)
	within(t, settle, "messages of a term not known yet", func() bool { return c.Stats().Ahead > 0 })
	c.lease.late.Store(false)
	within(t, settle, "they are read again", func() bool { return c.mid(0) == 100 && c.fresh(time.Second) })
}
