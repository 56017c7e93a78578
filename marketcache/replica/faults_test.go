package replica

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
	"ballast/marketcache/venue/sim"
)

// TestOneVenue: three replicas share one feed of a venue. All have the same values and histories, and the venue
// sees a single client. The leader is then killed twice. Each time the next leader supplies the others within
// seconds, knows how much weight was spent, and does not request the histories again.
func TestOneVenue(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	venue := g.venueFeeds(8)
	leader := g.lead(3)[0]
	within(t, settle, "whole histories, of which funding comes last", func() bool {
		for _, id := range feed.Rank(leader.cache).IDs {
			if len(leader.cache.FundingRows(id).View()) == 0 {
				return false
			}
		}
		return leader.Feed().(venueFeed).Stats().PendingHistory == 0
	})
	listed := 0
	for _, a := range leader.cache.Universe().Assets {
		if !a.Delisted {
			listed++
		}
	}
	if st := venue.Stats(); st.Subscriptions != 5*listed+2 || st.Sockets > 5 {
		t.Errorf("%d subscriptions on %d sockets for %d assets", st.Subscriptions, st.Sockets, listed)
	}
	for _, m := range g.replicas[1:] {
		if m.feeds.Load() != 0 || m.Feed() != nil {
			t.Errorf("replica %d has a feed of its own", m.index)
		}
		within(t, settle, "the same histories and statistics", func() bool { return sameSlow(leader.cache, m.cache) })
		within(t, settle, "the same books at one moment", func() bool { return sameBooks(leader.cache, m.cache) })
		if d := m.cache.Venue.Clock.SkewMs() - leader.cache.Venue.Clock.SkewMs(); d > 1000 || d < -1000 {
			t.Errorf("the venue's clock differs by %d ms", d)
		}
	}
	w, _ := marketcache.ParseWallet([]byte(sim.Wallets[0].Address))
	for _, m := range g.replicas { // the leader reads a wallet, and the replica that asked stores it
		a, err := m.LoadAccount(t.Context(), w, 0)
		if err != nil {
			t.Fatal(err)
		}
		held, age, ok := m.cache.Account(&w, marketcache.Now(), time.Minute)
		if !ok || held != a || len(a.Positions) == 0 || age > 30*time.Second {
			t.Errorf("replica %d: %+v, %v old", m.index, held, age)
		}
	}
	g.takeovers(venue)
}

// takeovers kills the leader until one replica is left.
func (g *gang) takeovers(venue *sim.Exchange) {
	weight := g.replicas[0].Feed().Weight().Sum()
	asked := venue.Stats().Info["candleSnapshot"]
	for next := 1; next < len(g.replicas); next++ {
		within(g, settle, "what is spent is known", func() bool {
			r := g.replicas[next].Replica
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.spentAt != 0 && r.weight.Sum() >= weight
		})
		g.replicas[next-1].kill()
		g.leases.give(next)
		for _, m := range g.replicas[next:] {
			within(g, settle, "the next leader is followed", func() bool {
				s := m.Stats()
				return s.Ready && s.Epoch == uint64(next+1) && s.Leader == fmt.Sprint("r", next)
			})
		}
		if now := g.replicas[next].Feed().Weight().Sum(); now < weight {
			g.Errorf("the next leader counts %d as spent, the last had %d", now, weight)
		}
		time.Sleep(3 * time.Second) // by now data is fresh only if the new leader sent it
		g.allFresh(g.replicas[next:]...)
		if n := venue.Stats().Sockets; n > 5 {
			g.Errorf("%d sockets at the venue", n)
		}
	}
	// the newest hour of one or two assets may have become due
	if n := venue.Stats().Info["candleSnapshot"]; n > asked+2 {
		g.Errorf("%d questions for histories, %d before", n, asked)
	}
}

// TestNobodyLeads takes the lease from all replicas: nobody sends requests to the venue, and all
// data ages.
func TestNobodyLeads(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	venue := g.venueFeeds(8)
	g.lead(2)
	g.leases.give(-1)
	within(t, settle, "no socket at the venue", func() bool { return venue.Stats().Sockets == 0 })
	g.ages(g.replicas...)
	for _, m := range g.replicas {
		if err := m.read(1); !errors.Is(err, marketcache.ErrUnavailable) {
			t.Errorf("a wallet without a leader: %v", err)
		}
	}
	g.leases.give(0) // the same replica again, with a new feed
	g.allFresh(g.replicas...)
	if n := g.replicas[0].feeds.Load(); n != 2 {
		t.Errorf("%d feeds in two terms", n)
	}
}

// priced returns a function that publishes books of one asset at the given price.
func priced(price float64) func(c *marketcache.Cache, now marketcache.Instant) {
	return func(c *marketcache.Cache, now marketcache.Instant) {
		if len(c.Universe().Assets) == 0 {
			listAssets(c, "BTC")
		}
		c.Books(0).Publish(bookAt(price), now)
		c.Contexts(0).Publish(marketcache.Context{MarkPrice: price}, now)
	}
}

// TestStaleLeaderIsNotHeard gives the lease to another replica while the old leader continues to
// publish: none of its prices may reach a follower, whether it joined before or after.
func TestStaleLeaderIsNotHeard(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = priced(100)
	a := g.join()
	g.write = priced(200)
	b := g.join()
	c := g.join()
	g.leases.give(0)
	within(t, settle, "the first leader", func() bool { return b.mid(0) == 100 && c.mid(0) == 100 })
	a.lease.stuck.Store(1)
	g.leases.give(1)
	within(t, settle, "the second leader", func() bool { return b.mid(0) == 200 && c.mid(0) == 200 })
	said, stale := a.Stats().Published, c.Stats().Stale
	late := g.join()
	within(t, settle, "the second leader, heard by a late joiner", func() bool { return late.mid(0) == 200 })
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(5 * time.Millisecond) {
		if c.mid(0) != 200 || late.mid(0) != 200 {
			t.Fatal("a price of the old leader's")
		}
	}
	if a.Stats().Published == said || c.Stats().Stale == stale {
		t.Error("the old leader sent nothing, or no message of it was refused")
	}
	if !late.fresh(time.Second) {
		t.Error("the new leader did not replace the stream's messages of the old leader")
	}
}

// TestFrozenLeader freezes the leader's connection in both directions, as when its process is
// stopped. Another replica takes over, and messages that the old leader sends after it resumes are
// ignored.
func TestFrozenLeader(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.bus = &proxy{}
	g.load = func(*marketcache.Cache, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		return &marketcache.Account{}, nil
	}
	g.write = priced(100)
	a := g.join()
	freeze := &g.bus.frozen
	g.bus = nil
	g.write = priced(200)
	b := g.join()
	c := g.join()
	g.leases.give(0)
	within(t, settle, "the first leader", func() bool { return b.mid(0) == 100 && c.mid(0) == 100 })
	freeze.Store(true)
	asked, frozen := make(chan error, 1), time.Now()
	go func() { asked <- c.read(1) }()
	within(t, settle, "data ages", func() bool { return c.age(0) > time.Second })
	within(t, settle, "the venue counts as gone", func() bool { return !c.cache.Venue.Connected.Load() })
	if age := c.age(0); age < 2*time.Second {
		t.Errorf("silence was found at an age of %v", age)
	}
	if err := <-asked; !errors.Is(err, marketcache.ErrUnavailable) || time.Since(frozen) > walletLimit-2*time.Second {
		t.Errorf("a wallet that was asked of the leader when it froze: %v after %v", err, time.Since(frozen))
	}
	if err := c.read(1); !errors.Is(err, marketcache.ErrUnavailable) {
		t.Errorf("a wallet while the leader is frozen: %v", err)
	}
	g.leases.give(1)
	within(t, settle, "the second leader", func() bool { return c.mid(0) == 200 && c.cache.Venue.Connected.Load() })
	freeze.Store(false)
	within(t, settle, "the first follows", func() bool {
		return a.mid(0) == 200 && a.Feed() == nil && a.fresh(time.Second)
	})
	for began := time.Now(); time.Since(began) < 2*time.Second; time.Sleep(5 * time.Millisecond) {
		if c.mid(0) != 200 {
			t.Fatal("a price of the old leader's")
		}
	}
}

// TestFollowerCutOff cuts off one follower, whose data alone ages, and reconnects it: messages that
// arrive late keep their true age.
func TestFollowerCutOff(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = dated("BTC")
	a := g.join()
	g.bus = &proxy{}
	b := g.join()
	g.leases.give(0)
	g.allFresh(a, b)
	// shorter and longer than the connection's timeout
	for _, frozen := range []time.Duration{time.Second, 5 * time.Second} {
		g.bus.frozen.Store(true)
		time.Sleep(frozen)
		if age := b.age(0); age < frozen-500*time.Millisecond ||
			b.cache.Venue.Connected.Load() != (frozen < 3*time.Second) {
			t.Errorf("cut off for %v: %v old, connected: %v", frozen, age, b.cache.Venue.Connected.Load())
		}
		g.bus.frozen.Store(false)
		for fresh := false; !fresh; time.Sleep(time.Millisecond) {
			e := b.cache.Books(0).Newest()
			if truth := marketcache.Instant(e.Value.VenueMs); e.Proof() > truth {
				t.Fatalf("a late book looks %v younger than it is", e.Proof().Sub(truth))
			}
			fresh = b.age(0) < 200*time.Millisecond
			if marketcache.Now().Sub(e.Proof()) > settle {
				t.Fatal("the follower's data does not become fresh again")
			}
		}
		g.allFresh(a, b)
	}
}

// TestBusDown stops NATS, which loses its in-memory stream: data ages at the followers. When NATS
// is back, the leader creates the stream again and publishes everything, and all replicas recover.
func TestBusDown(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(8)
	a, b := g.pair()
	const rare = marketcache.AssetID(7)
	a.cache.CEX(rare).Publish(marketcache.CEXFunding{Venues: 3}, marketcache.Now()) // published only once
	within(t, settle, "a rare value", func() bool { return b.cache.CEX(rare).Newest() != nil })
	port := g.nats.Addr().(*net.TCPAddr).Port
	g.nats.Shutdown()
	g.nats.WaitForShutdown()
	g.ages(b)
	g.nats = startNATS(t, port)
	g.allFresh(a, b)
	late := g.join()
	g.allFresh(late)
	within(t, settle, "the rare value, of a late joiner", func() bool { return late.cache.CEX(rare).Newest() != nil })
	if s := a.Stats(); s.Resends < 2 {
		t.Errorf("%+v", s)
	}
}

// TestLostMessages: the stream is deleted, or its sequence numbers disagree with the leader's count, as after a
// lost message. The leader publishes everything again.
func TestLostMessages(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(8)
	a, b := g.pair()
	for range 2 {
		resends := a.Stats().Resends
		if err := a.js.DeleteStream(t.Context(), a.stream()); err != nil {
			t.Fatal(err)
		}
		within(t, settle, "everything is published again", func() bool { return a.Stats().Resends > resends })
		g.allFresh(b)
	}
	resends := a.Stats().Resends
	within(t, settle, "everything is published again", func() bool {
		// A message that comes while everything is being published again makes no difference.
		if _, err := b.js.Publish(t.Context(), "test-feed.v.book.99", []byte("anything")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		return a.Stats().Resends > resends
	})
	within(t, settle, "the stranger's message is garbage", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		n := b.counts.Garbage
		b.counts.Garbage = 0
		return n > 0
	})
	g.allFresh(b)
}

// TestVenueDown disconnects the leader from the venue: data ages in all replicas, and becomes fresh
// again after the venue returns.
func TestVenueDown(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	var down atomic.Bool
	write := drive(8)
	g.write = func(c *marketcache.Cache, now marketcache.Instant) {
		c.Venue.Connected.Store(!down.Load())
		c.Venue.BreakerOpen.Store(down.Load())
		if !down.Load() {
			write(c, now)
		} else if c.Venue.LastError.Load() == nil {
			c.Venue.Failed("no such host venue")
		}
	}
	a, b := g.pair()
	down.Store(true)
	g.ages(a, b)
	if !b.cache.Venue.BreakerOpen.Load() || !b.Stats().Ready {
		t.Errorf("the follower counts the leader as silent, or does not show the open breaker: %+v", b.Stats())
	}
	within(t, settle, "the follower tells what the leader's requests failed with", func() bool {
		failed := b.cache.Venue.LastError.Load()
		return failed != nil && failed.Text == "no such host venue" && marketcache.Now().Sub(failed.At) < time.Minute
	})
	last := marketcache.Instant(b.cache.Venue.LastMessage.Load())
	if age := marketcache.Now().Sub(last); age > time.Second {
		t.Errorf("the last message of any kind came %v ago", age) // the fake feed always receives something
	}
	down.Store(false)
	g.allFresh(a, b)
}

// TestNewLeaderKnowsLess gives the lease to a replica that has received nothing for some seconds:
// its older values must not replace the newer values of the followers.
func TestNewLeaderKnowsLess(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = priced(100)
	a := g.join()
	g.write = nil // it publishes nothing new
	b := g.join()
	c := g.join()
	g.leases.give(0)
	g.allFresh(a, b, c)
	g.leases.give(-1)
	within(t, settle, "nobody leads and nothing is under way", func() bool {
		return a.Feed() == nil && b.age(0) > time.Second && c.age(0) > time.Second
	})
	b.cache.Books(0).Publish(bookAt(50), marketcache.Now().Add(-time.Hour))
	g.leases.give(1)
	within(t, settle, "the new leader is heard", func() bool { return c.Stats().Epoch == 3 && c.Stats().Ready })
	for began := time.Now(); time.Since(began) < time.Second; time.Sleep(5 * time.Millisecond) {
		if c.mid(0) != 100 {
			t.Fatalf("the newer book is replaced by one of an hour ago: %v", c.mid(0))
		}
	}
	b.cache.Books(0).Confirm(marketcache.Now())
	within(t, settle, "what the leader proves", func() bool { return c.mid(0) == 50 && c.age(0) < time.Second })
}
