package relay

import (
	"slices"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/venue/sim"
)

// TestThreeReplicasOneAddress follows one venue with three replicas: all see the same
// books, the venue sees one client.
func TestThreeReplicasOneAddress(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 12, Manual: true})
	ticking := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticking:
				return
			case <-time.After(250 * time.Millisecond):
				venue.Step()
			}
		}
	}()
	g := newGang(t)
	hour := time.Now().Truncate(time.Hour)
	for range 3 {
		g.join(base, 0)
	}
	g.leases.give(0)
	g.allFresh(60*time.Second, g.replicas...)
	for _, m := range g.replicas {
		within(t, 60*time.Second, "histories", func() bool { return m.feed.Stats().PendingHistory == 0 })
	}
	st := venue.Stats()
	// Four precisions of each listed asset and one stream of all contexts.
	listed := 0
	for _, a := range g.replicas[0].cache.Universe().Assets {
		if !a.Delisted {
			listed++
		}
	}
	if st.Subscriptions != 4*listed+1 || st.Sockets > minLines {
		t.Errorf("%d subscriptions on %d sockets for %d assets", st.Subscriptions, st.Sockets, listed)
	}
	if time.Now().Truncate(time.Hour).Equal(hour) {
		if n := st.Info["candleSnapshot"]; n > int64(listed)+2 {
			t.Errorf("%d candle questions for %d assets", n, listed)
		}
	}
	for _, m := range g.replicas {
		within(t, settle, "all streams", func() bool { return m.local.Stats().Streams == 4*listed+1 })
		l := m.local.Stats()
		if l.Epoch != 1 || l.Holder != "r0" || l.Lost != 0 || l.Stale != 0 {
			t.Errorf("replica %d: %+v", m.index, l)
		}
		if s := m.feed.Stats(); s.ParseErrors+s.RejectedBooks+s.RejectedContexts+s.ErrorFrames != 0 {
			t.Errorf("replica %d: %+v", m.index, s)
		}
	}

	close(ticking)
	<-ended
	venue.Step()
	// All precisions of the last step have come when the merged books agree.
	within(t, 20*time.Second, "the same books", func() bool {
		for _, m := range g.replicas[1:] {
			if !sameBooks(g.replicas[0].cache, m.cache) {
				return false
			}
		}
		return true
	})
}

func sameBooks(a, b *marketcache.Cache) bool {
	now := marketcache.Now()
	for _, asset := range a.Universe().Assets {
		x, _, ok := a.Books(asset.ID).Latest(now, marketcache.Forever)
		y, _, also := b.Books(b.Universe().LookupString(asset.Name)).Latest(now, marketcache.Forever)
		if ok != also {
			return false
		}
		if ok && !(sameSide(&(*x).Bids, &(*y).Bids) && sameSide(&(*x).Asks, &(*y).Asks)) {
			return false
		}
	}
	return true
}

func sameSide(a, b *marketcache.Side) bool {
	return slices.Equal(a.Price, b.Price) && slices.Equal(a.Units, b.Units)
}
