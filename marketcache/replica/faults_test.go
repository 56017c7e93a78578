package replica

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
	"ballast/marketcache/venue/sim"
)

// TestTakeover kills the leader twice. Each time the next leader supplies the others within
// seconds, knows how much weight was spent, and does not request the histories again.
func TestTakeover(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	g.venueFeeds(base)
	for range 3 {
		g.join()
	}
	g.leases.give(0)
	g.allFresh(g.replicas...)
	within(t, settle, "whole histories, of which funding comes last", func() bool {
		leader := g.replicas[0].cache
		for _, id := range feed.Rank(leader).IDs {
			if len(leader.FundingRows(id).View()) == 0 {
				return false
			}
		}
		return g.replicas[0].Feed().(venueFeed).Stats().PendingHistory == 0 && sameSlow(leader, g.replicas[2].cache)
	})
	weight := g.replicas[0].Feed().Spent()
	bars, _ := g.replicas[2].cache.Bars(0)
	asked := venue.Stats().Info["candleSnapshot"]
	for next := 1; next < 3; next++ {
		within(t, settle, "what is spent is known", func() bool {
			r := g.replicas[next].Replica
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.spentAt != 0 && r.spent >= weight
		})
		g.replicas[next-1].kill()
		g.leases.give(next)
		left := g.replicas[next:]
		for _, m := range left {
			within(t, settle, "the next leader is followed", func() bool {
				s := m.Stats()
				return s.Ready && s.Epoch == uint64(next+1) && s.Leader == fmt.Sprint("r", next)
			})
		}
		if now := g.replicas[next].Feed().Spent(); now < weight {
			t.Errorf("the next leader counts %d as spent, the last had %d", now, weight)
		}
		time.Sleep(3 * time.Second) // by now data is fresh only if the new leader sent it
		g.allFresh(left...)
		if n := venue.Stats().Sockets; n > 5 {
			t.Errorf("%d sockets at the venue", n)
		}
	}
	// the newest hour of one or two assets may have become due
	if n := venue.Stats().Info["candleSnapshot"]; n > asked+2 {
		t.Errorf("%d questions for histories, %d before", n, asked)
	}
	if now, _ := g.replicas[2].cache.Bars(0); len(now) < len(bars) || len(bars) == 0 {
		t.Errorf("%d bars, %d before", len(now), len(bars))
	}
}

// TestNobodyLeads takes the lease from all replicas: nobody sends requests to the venue, and all
// data ages.
func TestNobodyLeads(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	g.venueFeeds(base)
	for range 2 {
		g.join()
	}
	g.leases.give(1)
	g.allFresh(g.replicas...)
	g.leases.give(-1)
	within(t, settle, "no socket at the venue", func() bool { return venue.Stats().Sockets == 0 })
	g.ages(g.replicas...)
	for _, m := range g.replicas {
		if _, err := m.LoadAccount(t.Context(), marketcache.Wallet{1}, marketcache.NoAsset); !errors.Is(err, marketcache.ErrUnavailable) {
			t.Errorf("a wallet without a leader: %v", err)
		}
	}
	g.leases.give(1) // the same replica again, with a new feed
	g.allFresh(g.replicas...)
	if n := g.replicas[1].feeds.Load(); n != 2 {
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
	a.lease.stick()
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
	go func() {
		_, err := c.LoadAccount(t.Context(), marketcache.Wallet{}, marketcache.NoAsset)
		asked <- err
	}()
	within(t, settle, "data ages", func() bool { return c.age(0) > time.Second })
	within(t, settle, "the venue counts as gone", func() bool { return !c.cache.Venue.Connected.Load() })
	if age := c.age(0); age < 2*time.Second {
		t.Errorf("silence was found at an age of %v", age)
	}
	if err := <-asked; !errors.Is(err, marketcache.ErrUnavailable) || time.Since(frozen) > walletLimit-2*time.Second {
		t.Errorf("a wallet that was asked of the leader when it froze: %v after %v", err, time.Since(frozen))
	}
	if _, err := c.LoadAccount(t.Context(), marketcache.Wallet{}, marketcache.NoAsset); !errors.Is(err, marketcache.ErrUnavailable) {
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
	g.write = func(c *marketcache.Cache, now marketcache.Instant) {
		if len(c.Universe().Assets) == 0 {
			listAssets(c, "BTC")
		}
		b := *bookAt(100)
		b.VenueMs = int64(now) // the time of receipt on the leader's clock
		c.Books(0).Publish(&b, now)
		c.Contexts(0).Publish(marketcache.Context{MarkPrice: 1}, now)
	}
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
	a := g.join()
	b := g.join()
	g.leases.give(0)
	g.allFresh(a, b)
	quiet := marketcache.AssetID(7)
	a.cache.CEX(quiet).Publish(marketcache.CEXFunding{Venues: 3}, marketcache.Now()) // published only once
	within(t, settle, "a rare value", func() bool { return b.cache.CEX(quiet).Newest() != nil })
	addr := g.nats.Addr().String()
	var port int
	if _, err := fmt.Sscanf(addr[strings.LastIndexByte(addr, ':')+1:], "%d", &port); err != nil {
		t.Fatal(err)
	}
	g.nats.Shutdown()
	g.nats.WaitForShutdown()
	g.ages(b)
	g.nats = startNATS(t, port)
	g.allFresh(a, b)
	late := g.join()
	g.allFresh(late)
	within(t, settle, "the rare value, of a late joiner", func() bool { return late.cache.CEX(quiet).Newest() != nil })
	if s := a.Stats(); s.Resends < 2 {
		t.Errorf("%+v", s)
	}
}

// TestStreamLost deletes the stream while all replicas are connected.
func TestStreamLost(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(8)
	a := g.join()
	b := g.join()
	g.leases.give(0)
	g.allFresh(a, b)
	for range 2 {
		resends := a.Stats().Resends
		if err := a.js.DeleteStream(t.Context(), a.stream()); err != nil {
			t.Fatal(err)
		}
		within(t, settle, "everything is published again", func() bool { return a.Stats().Resends > resends })
		restarts := b.Stats().Restarts
		within(t, settle, "the follower reads the new stream", func() bool {
			return b.Stats().Restarts > restarts || b.fresh(500*time.Millisecond)
		})
		g.allFresh(b)
	}
}

// TestLostMessages makes the sequence numbers of the stream disagree with the leader's count, as
// after a lost message: the leader publishes everything again.
func TestLostMessages(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = priced(100)
	a := g.join()
	b := g.join()
	g.leases.give(0)
	g.allFresh(a, b)
	resends := a.Stats().Resends
	// A message from elsewhere takes a sequence number.
	if _, err := b.js.Publish(t.Context(), "test-feed.v.book.99", []byte("anything")); err != nil {
		t.Fatal(err)
	}
	within(t, settle, "everything is published again", func() bool { return a.Stats().Resends > resends })
	within(t, settle, "the stranger's message is garbage", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		n := b.counts.Garbage
		b.counts.Garbage = 0
		return n > 0
	})
	g.allFresh(b)
}

// TestSlowFollower: a follower that reads much slower than the leader publishes skips values but
// receives every datum, with its true age.
func TestSlowFollower(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(60)
	a := g.join()
	b := g.join()
	g.leases.give(0)
	g.allFresh(a, b)
	f := b.follower.Load()
	for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
		f.mu.Lock() // blocks the consumer
		time.Sleep(100 * time.Millisecond)
		f.mu.Unlock()
		now := marketcache.Now()
		for id := range marketcache.AssetID(60) {
			_, mine, _ := b.cache.Books(id).Latest(now, marketcache.Forever)
			_, leaders, _ := a.cache.Books(id).Latest(now, marketcache.Forever)
			if mine < leaders {
				t.Fatalf("asset %d looks %v old, the leader says %v", id, mine, leaders)
			}
		}
	}
	within(t, settle, "it has caught up", func() bool { return b.fresh(200 * time.Millisecond) })
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
		}
	}
	a := g.join()
	b := g.join()
	g.leases.give(0)
	g.allFresh(a, b)
	down.Store(true)
	g.ages(a, b)
	if !b.cache.Venue.BreakerOpen.Load() || !b.Stats().Ready {
		t.Errorf("the follower counts the leader as silent, or does not show the open breaker: %+v", b.Stats())
	}
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
