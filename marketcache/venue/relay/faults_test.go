package relay

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
)

// settle is how long a gang may take to be fresh again after what ended: a pilot's pause,
// a reconnect, a subscription, on a busy machine under the race detector.
const settle = 60 * time.Second

// TestTakeover kills the holder, twice: the others are fed by the next one within seconds,
// and what the venue counts stays that of one client.
func TestTakeover(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	for range 3 {
		g.join(base, 0)
	}
	g.leases.give(0)
	g.allFresh(settle, g.replicas...)
	for next := 1; next < 3; next++ {
		spent := g.replicas[next-1].upstream.Stats().WeightSpent
		g.replicas[next-1].kill()
		g.leases.give(next)
		left := g.replicas[next:]
		for _, m := range left {
			within(t, settle, "the next holder is followed", func() bool {
				s := m.local.Stats()
				return s.Ready && s.Epoch == uint64(next+1) && s.Holder == fmt.Sprint("r", next)
			})
		}
		if now := g.replicas[next].upstream.Stats().WeightSpent; now < spent/2 {
			t.Errorf("the next holder counts %d as spent, the last had %d", now, spent)
		}
		// Fresh by the new holder, and not by what the old one said.
		time.Sleep(5 * time.Second)
		g.allFresh(settle, left...)
		if n := venue.Stats().Sockets; n > minLines {
			t.Errorf("%d sockets at the venue", n)
		}
	}
}

// TestNobodyHolds takes the lease from all: nobody talks to the venue any more, and
// everything ages.
func TestNobodyHolds(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	for range 2 {
		g.join(base, 0)
	}
	g.leases.give(1)
	g.allFresh(settle, g.replicas...)
	g.leases.give(-1)
	within(t, settle, "no socket at the venue", func() bool { return venue.Stats().Sockets == 0 })
	g.ages()
	g.leases.give(1)
	g.allFresh(settle, g.replicas...)
}

// TestLateHolderIsNotHeard gives the lease to another while the old holder goes on as if
// nothing had happened: it is fed by another venue with other prices, of which nothing may
// arrive.
func TestLateHolderIsNotHeard(t *testing.T) {
	t.Parallel()
	_, old := startVenue(t, sim.Config{Assets: 8, Seed: 1})
	_, base := startVenue(t, sim.Config{Assets: 8, Seed: 2})
	g := newGang(t)
	a := g.join(old, 0)
	b := g.join(base, 0)
	c := g.join(base, 0)
	g.leases.give(0)
	g.allFresh(settle, a, b, c)
	before := price(t, c)
	a.lease.stick()
	g.leases.give(1)
	within(t, settle, "the new holder is followed", func() bool {
		return a.local.Stats().Epoch == 2 && b.local.Stats().Epoch == 2 && c.local.Stats().Epoch == 2
	})
	for _, m := range g.replicas {
		within(t, settle, "the prices of the new holder's venue", func() bool { return differ(price(t, m), before) })
	}
	stale, messages := c.local.Stats().Stale, a.upstream.Stats().Messages
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		for _, m := range g.replicas {
			if !differ(price(t, m), before) {
				t.Fatalf("replica %d has a price of the old holder's", m.index)
			}
		}
	}
	if got := c.local.Stats().Stale - stale; got == 0 || a.upstream.Stats().Messages == messages {
		t.Errorf("the old holder said nothing that could have been refused: %d stale", got)
	}
}

// price returns the mid of the first asset.
func price(t *testing.T, m *member) float64 {
	b, _, ok := m.cache.Books(0).Latest(marketcache.Now(), marketcache.Forever)
	if !ok {
		t.Fatal("no book")
	}
	return (*b).MidPrice
}

// differ tells the prices of two venues: their seeds put them far apart, no market moves
// so much within a test.
func differ(a, b float64) bool { return a > 1.02*b || b > 1.02*a }

// TestVenueDown takes the venue away: everything ages in all replicas, and comes back.
func TestVenueDown(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	for range 2 {
		g.join(base, 0)
	}
	g.leases.give(1)
	g.allFresh(settle, g.replicas...)
	if err := venue.SetFaults("down"); err != nil {
		t.Fatal(err)
	}
	g.ages()
	for _, m := range g.replicas {
		if m.cache.Venue.Connected.Load() || m.local.Stats().Ready {
			t.Errorf("replica %d looks connected", m.index)
		}
		_, err := m.feed.LoadAccount(t.Context(), marketcache.Wallet{1}, marketcache.NoAsset)
		if !errors.Is(err, hyperliquid.ErrUnavailable) && !errors.Is(err, hyperliquid.ErrVenue) {
			t.Errorf("a wallet of a venue that is down: %v", err)
		}
	}
	venue.SetFaults("")
	g.allFresh(settle, g.replicas...)
}

// ages checks that from some seconds on nothing in any replica is young any more.
func (g *gang) ages() {
	g.Helper()
	began := time.Now()
	time.Sleep(7 * time.Second)
	for time.Since(began) < 12*time.Second {
		// What came last came when it began; two seconds for what was under way.
		least := time.Since(began) - 2*time.Second
		for _, m := range g.replicas {
			if y := m.youngest(); y < least {
				g.Fatalf("replica %d has data that looks %v old, %v after the last", m.index, y, time.Since(began))
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestVenueFrozen keeps the connections to the venue open and lets nothing through, at
// first only on the holder's side: no pong may make anything fresh.
func TestVenueFrozen(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	for range 2 {
		g.join(base, 0)
	}
	g.leases.give(0)
	g.allFresh(settle, g.replicas...)
	if err := venue.SetFaults("half-open,slow:60s"); err != nil { // and REST takes a minute
		t.Fatal(err)
	}
	cuts := g.cuts()
	g.ages()
	if n := g.replicas[0].upstream.Stats().HalfOpen; n == 0 {
		t.Error("no half-open line was found")
	}
	for _, m := range g.replicas {
		if m.local.Stats().Ready {
			t.Errorf("replica %d takes a line without a word for one that is up", m.index)
		}
		// Nine virtual sockets were lost, some perhaps twice. Two rounds of all would use up the
		// adapter's connections; a busy machine that misses beats makes a round of its own.
		if n := m.feed.Stats().Reconnects; n > 17 && g.cuts() == cuts {
			t.Errorf("replica %d connected %d times to a line without a word", m.index, n)
		}
	}
	venue.SetFaults("")
	g.allFresh(settle, g.replicas...)
}

// TestQuietMarket stops the market: books stay fresh by pongs alone, in all replicas.
func TestQuietMarket(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8, Manual: true})
	g := newGang(t)
	for range 2 {
		g.join(base, 0)
	}
	g.leases.give(0)
	unexplained := 0
	for range 5 {
		before := g.cuts()
		for _, m := range g.replicas {
			within(t, settle, "books", func() bool { venue.Step(); return m.books(time.Second) })
		}
		confirmed, stalled := g.confirmed()
		if confirmed {
			break
		}
		// On a new line there is no message yet that pongs could confirm, and its cut may have
		// been counted before the books came: one failure without a reason proves nothing.
		if !stalled && g.cuts() == before {
			unexplained++
		}
		if unexplained == 2 {
			t.Fatal("a book that nobody confirms")
		}
	}
	for _, m := range g.replicas {
		if s := m.local.Stats(); s.Pongs == 0 {
			t.Errorf("replica %d: %+v", m.index, s)
		}
	}
}

// cuts counts how often the replicas' lines were cut, as happens on a machine that stands still.
func (g *gang) cuts() (n int64) {
	for _, m := range g.replicas {
		n += m.local.Stats().Cuts
	}
	return n
}

// confirmed reports whether all books stay below six seconds of age for eight: so long the
// adapter lets pongs speak for a stream after its last message, with a margin. stalled tells
// that the machine stood still meanwhile.
func (g *gang) confirmed() (ok, stalled bool) {
	last := time.Now()
	for deadline := last.Add(8 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		stalled = stalled || time.Since(last) > 500*time.Millisecond
		last = time.Now()
		for _, m := range g.replicas {
			if !m.books(6 * time.Second) {
				return false, stalled
			}
		}
	}
	return true, stalled
}

// books reports whether all listed assets have a book of at most an age.
func (m *member) books(limit time.Duration) bool {
	n := 0
	for _, a := range m.cache.Universe().Assets {
		if a.Delisted {
			continue
		}
		n++
		if _, _, ok := m.cache.Books(a.ID).Latest(marketcache.Now(), limit); !ok {
			return false
		}
	}
	return n > 0
}

// TestBusDown takes NATS away, for longer than a silence is borne, and gives it back: all
// ages, the holder's own data included, and heals.
func TestBusDown(t *testing.T) {
	t.Parallel()
	_, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	for range 2 {
		g.join(base, 0)
	}
	g.leases.give(0)
	g.allFresh(settle, g.replicas...)
	port := g.nats.Addr().String()
	var n int
	if _, err := fmt.Sscanf(port[strings.LastIndexByte(port, ':')+1:], "%d", &n); err != nil {
		t.Fatal(err)
	}
	g.nats.Shutdown()
	g.nats.WaitForShutdown()
	g.ages()
	g.nats = startNATS(t, n)
	g.allFresh(settle, g.replicas...)
}

// TestDeadReplica has a replica end without a word: what only it wanted is given up.
func TestDeadReplica(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	m := g.join(base, 0)
	other := NewLocal(LocalConfig{NATS: m.nc, Subject: "test.feed", Replica: "other", Logger: testLog(t, "other")})
	die := run(t, other)
	g.leases.give(0)
	g.allFresh(settle, m)
	streams := m.upstream.Stats().Streams
	st, _ := stream{channel: channelBook, coin: m.cache.Universe().Assets[0].Name, figures: 5}.named()
	subscribe(t, dial(t, other), st)
	within(t, settle, "another stream", func() bool {
		s := m.upstream.Stats()
		return s.Replicas == 2 && s.Streams == streams+1 && venue.Stats().Subscriptions == streams+1
	})
	die()
	within(t, settle, "a stream less", func() bool {
		s := m.upstream.Stats()
		return s.Replicas == 1 && s.Streams == streams && venue.Stats().Subscriptions == streams
	})
}

// TestLineBreaks cuts the holder's connections to the venue: the virtual sockets that
// depend on them close, and the adapters begin anew.
func TestLineBreaks(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	for range 2 {
		g.join(base, 0)
	}
	g.leases.give(0)
	g.allFresh(settle, g.replicas...)
	lines := g.replicas[0].upstream.Stats().Connects
	venue.Disconnect(0)
	for _, m := range g.replicas {
		within(t, settle, "reconnects", func() bool { return m.feed.Stats().Reconnects > 0 })
	}
	within(t, settle, "new lines", func() bool { return g.replicas[0].upstream.Stats().Connects >= 2*lines })
	time.Sleep(6 * time.Second) // what the old lines said is old by now
	g.allFresh(settle, g.replicas...)
}

// TestOneLineFrozen freezes one line while the others and the holder live: no beat of
// theirs makes its books fresh.
func TestOneLineFrozen(t *testing.T) {
	t.Parallel()
	_, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	g.lines = &proxy{}
	a := g.join(base, 0)
	g.lines = nil
	b := g.join(base, 0)
	g.leases.give(0)
	g.allFresh(settle, a, b)
	// The connection that carries the full book of the first asset.
	u := a.upstream
	u.mu.Lock()
	term := u.active
	u.mu.Unlock()
	coin := a.cache.Universe().Assets[0].Name
	st, _ := stream{channel: channelBook, coin: coin}.named()
	term.mu.Lock()
	slot := term.streams[st.id].slot
	var frozen *proxied
	for _, l := range term.up {
		if l.slot == slot {
			frozen = l.conn.NetConn().(*proxied)
		}
	}
	term.mu.Unlock()
	frozen.frozen.Store(true)
	began := time.Now()
	grace := 1500 * time.Millisecond // the last message before, and noise
	for time.Since(began) < 4*time.Second && u.Stats().HalfOpen == 0 {
		for _, m := range g.replicas {
			_, age, _ := m.cache.Books(0).Latest(marketcache.Now(), marketcache.Forever)
			if least := time.Since(began) - grace; age < least {
				t.Fatalf("replica %d: a book looks %v old, %v after its line froze", m.index, age, time.Since(began))
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	within(t, settle, "the line is found half open", func() bool { return u.Stats().HalfOpen > 0 })
	time.Sleep(6 * time.Second)
	g.allFresh(settle, a, b)
}

// TestBusLate holds one replica's bus up: what comes late is as old as it is, and the other
// replica misses nothing.
func TestBusLate(t *testing.T) {
	t.Parallel()
	venue, base := startVenue(t, sim.Config{Assets: 8, Manual: true})
	g := newGang(t)
	a := g.join(base, 0)
	g.bus = &proxy{}
	b := g.join(base, 0)
	g.leases.give(0)
	step := func(d time.Duration) {
		for began := time.Now(); time.Since(began) < d; time.Sleep(100 * time.Millisecond) {
			venue.Step()
		}
	}
	for !a.fresh(time.Second) || !b.fresh(time.Second) {
		step(100 * time.Millisecond)
	}
	contexts := b.cache.Contexts(0)
	age := func() time.Duration {
		_, d, _ := contexts.Latest(marketcache.Now(), marketcache.Forever)
		return d
	}
	g.bus.freeze(true)
	step(1600 * time.Millisecond) // all contexts are pushed once at least
	last := time.Now()
	time.Sleep(time.Second)
	before := marketcache.Now().Add(-age())
	g.bus.freeze(false)
	for late := false; !late || time.Since(last) < 2*time.Second; {
		least := time.Since(last)
		d := age()
		if d < least-400*time.Millisecond { // a busy machine dates late; the bus held it for a second
			t.Fatalf("a context looks %v old, %v after the last could have been said", d, least)
		}
		if least > settle {
			t.Fatal("no context came late")
		}
		late = late || marketcache.Now().Add(-d).Sub(before) >= 100*time.Millisecond
		time.Sleep(time.Millisecond)
	}
	within(t, settle, "all fresh", func() bool { venue.Step(); return a.fresh(5*time.Second) && b.fresh(5*time.Second) })
	for _, m := range g.replicas {
		if s := m.local.Stats(); s.Overflows != 0 || s.Lost != 0 {
			t.Errorf("replica %d: %+v", m.index, s)
		}
	}
}

// TestBudgetOfAll lets three replicas warm up and read wallets on one budget: the venue
// refuses nothing, and no wallet waits behind the histories, whether the adapters pace
// themselves or not.
func TestBudgetOfAll(t *testing.T) {
	t.Parallel()
	for name, belief := range map[string]int{"adapters believe in the whole budget": 0, "adapters believe in no limit": -1} {
		t.Run(name, func(t *testing.T) { budgetOfAll(t, belief) })
	}
}

func budgetOfAll(t *testing.T, belief int) {
	venue, base := startVenue(t, sim.Config{Assets: 24, Limits: sim.Limits{Weight: 1200}})
	g := newGang(t)
	g.belief = belief
	for range 3 {
		g.join(base, 1200)
	}
	g.leases.give(0)
	for _, m := range g.replicas {
		within(t, 2*settle, "a universe", func() bool { return len(m.cache.Universe().Assets) > 0 })
	}
	var wg sync.WaitGroup
	var failed atomic.Int64
	for i, m := range g.replicas {
		wg.Go(func() {
			for n := range 10 {
				began := time.Now()
				_, err := m.feed.LoadAccount(t.Context(), marketcache.Wallet{1, byte(i)}, marketcache.NoAsset)
				if errors.Is(err, hyperliquid.ErrBudget) {
					t.Errorf("replica %d, wallet read %d after %v: %v", i, n, time.Since(began), err)
				}
				if err != nil {
					t.Log(err)
					failed.Add(1)
				}
				time.Sleep(time.Second)
			}
		})
	}
	wg.Wait()
	if n := failed.Load(); n > 10 { // a machine that stands still for seconds fails some
		t.Errorf("%d of 30 wallet reads failed", n)
	}
	st := venue.Stats()
	if st.TooManyRequests != 0 || st.WeightMinute > 1200 {
		t.Errorf("%d refusals, %d in the present minute", st.TooManyRequests, st.WeightMinute)
	}
	if st.Info["candleSnapshot"] == 0 {
		t.Error("nothing was warmed up")
	}
	u := g.replicas[0].upstream.Stats()
	if u.Copies == 0 || u.WeightSpent > 1200 || belief < 0 && u.Refused == 0 {
		t.Errorf("upstream %+v", u)
	}
}

// TestSlowReader has an adapter that subscribes and does not read: its socket is closed,
// and the others miss nothing.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	_, base := startVenue(t, sim.Config{Assets: 8})
	g := newGang(t)
	m := g.join(base, 0)
	slow := NewLocal(LocalConfig{NATS: m.nc, Subject: "test.feed", Replica: "slow", Logger: testLog(t, "slow")})
	run(t, slow)
	g.leases.give(0)
	g.allFresh(settle, m)
	st, _ := stream{channel: channelBook, coin: m.cache.Universe().Assets[0].Name}.named()
	subscribe(t, dial(t, slow), st)
	within(t, settle, "the socket is open", func() bool { return slow.Stats().Sockets == 1 })
	within(t, settle, "the socket is closed", func() bool { return slow.Stats().Sockets == 0 })
	if s := m.local.Stats(); s.Overflows != 0 || s.Lost != 0 {
		t.Errorf("the other replica: %+v", s)
	}
	g.allFresh(settle, m)
}
