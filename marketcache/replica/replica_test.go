package replica

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

// read reads a wallet and returns the error.
func (m *member) read(wallet byte) error {
	_, err := m.LoadAccount(context.Background(), marketcache.Wallet{wallet}, marketcache.NoAsset)
	return err
}

// notYounger fails the test if an asset's book looks younger than the leader's.
func (m *member) notYounger(t *testing.T, leader *member, id marketcache.AssetID, now marketcache.Instant) {
	t.Helper()
	_, ours, _ := m.cache.Books(id).Latest(now, marketcache.Forever)
	_, leaders, _ := leader.cache.Books(id).Latest(now, marketcache.Forever)
	if ours < leaders {
		t.Fatalf("asset %d looks %v old, the leader says %v", id, ours, leaders)
	}
}

// pair returns a leader and a follower whose data are fresh.
func (g *gang) pair() (leader, follower *member) {
	g.Helper()
	m := g.lead(2)
	return m[0], m[1]
}

func sameSlow(a, b *marketcache.Cache) bool {
	if !reflect.DeepEqual(a.Universe().Assets, b.Universe().Assets) {
		return false
	}
	for _, asset := range a.Universe().Assets {
		id := asset.ID
		x, xt := a.Bars(id)
		y, yt := b.Bars(id)
		if !slices.Equal(x, y) || xt != yt || !slices.Equal(a.FundingRows(id).View(), b.FundingRows(id).View()) ||
			!slices.Equal(a.MinuteSamples(id).View(), b.MinuteSamples(id).View()) ||
			!reflect.DeepEqual(a.FundingStats(id), b.FundingStats(id)) || !reflect.DeepEqual(a.InterestStats(id),
			b.InterestStats(id)) ||
			!reflect.DeepEqual(a.SampleStats(id), b.SampleStats(id)) {
			return false
		}
	}
	return true
}

func sameBooks(a, b *marketcache.Cache) bool {
	for _, asset := range a.Universe().Assets {
		x, y := a.Books(asset.ID).Newest(), b.Books(asset.ID).Newest()
		if x == nil || y == nil {
			if x != y {
				return false
			}
			continue
		}
		of, at := *x.Value, *y.Value
		if at.DepthProof > of.DepthProof { // ages may only grow, by the uncertainty of the clocks
			return false
		}
		of.DepthProof, at.DepthProof = 0, 0
		if !reflect.DeepEqual(of, at) {
			return false
		}
	}
	return true
}

// drive returns a function that writes books, contexts and other data of n assets; books of assets
// with an odd id are only confirmed.
func drive(n int) func(c *marketcache.Cache, now marketcache.Instant) {
	var ticks atomic.Int64 // counts calls of all writers
	return func(c *marketcache.Cache, now marketcache.Instant) {
		if len(c.Universe().Assets) < n {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprint("A", i))
			}
			listAssets(c, names...)
		}
		tick := int(ticks.Add(1))
		for i := range n {
			id := marketcache.AssetID(i)
			if tick%8 != i%8 {
				continue
			}
			if i%2 == 0 || c.Books(id).Newest() == nil {
				c.Books(id).Publish(bookAt(100+float64(tick)/1000), now)
			} else {
				c.Books(id).Confirm(now)
			}
			c.Contexts(id).Publish(marketcache.Context{MarkPrice: float64(tick), OraclePrice: 2}, now)
		}
	}
}

// TestLateJoiner: a replica that joins later has all data within a second.
func TestLateJoiner(t *testing.T) {
	g := newGang(t)
	write := drive(60)
	g.write = func(c *marketcache.Cache, now marketcache.Instant) {
		write(c, now)
		if c.Caps(1).Newest() != nil {
			return
		}
		var bars []marketcache.Bar
		for h := range int64(5000) {
			bars = append(bars, marketcache.Bar{OpenMs: (h + 1) * 3_600_000, Open: 1, Close: float64(h)})
		}
		for id := range marketcache.AssetID(60) {
			c.AppendBars(id, bars, 5001*3_600_000)
			c.SetFunding(id, &marketcache.FundingStats{Rows: 1})
			c.CEX(id).Publish(marketcache.CEXFunding{RateHourly: 1, Venues: 2}, now)
		}
		c.Caps(1).Publish(marketcache.Cap{Reached: true}, now)
	}
	m := g.join()
	g.leases.give(0)
	g.allFresh(m)
	within(t, settle, "the leader publishes", func() bool { return m.Stats().Published > 1000 })
	// A new asset is listed: the stream then holds the universe after older messages.
	u := m.cache.Universe()
	another := *u.Assets[0]
	another.ID, another.Name = 60, "NEW"
	m.cache.SetUniverse(marketcache.NewUniverse(append(slices.Clone(u.Assets), &another)))
	published := m.Stats().Published
	within(t, settle, "it is published", func() bool { return m.Stats().Published > published+100 })
	began := time.Now()
	late := g.join()
	within(t, settle, "values", func() bool {
		id := marketcache.AssetID(59)
		_, context := late.agesOf(id)
		return max(late.age(id), context) < time.Second && late.cache.FundingStats(id) != nil &&
			late.cache.CEX(id).Newest() != nil && late.cache.Caps(1).Newest() != nil
	})
	took := time.Since(began)
	within(t, settle, "histories", func() bool {
		for id := range marketcache.AssetID(60) {
			if bars, through := late.cache.Bars(id); len(bars) != 5000 || through != 5001*3_600_000 {
				return false
			}
		}
		return true
	})
	t.Logf("values after %v, 60 histories after %v", took, time.Since(began))
	if took > 5*time.Second { // a second is normal; the limit allows for a busy machine
		t.Errorf("values after %v", took)
	}
	if !late.cache.Caps(1).Newest().Value.Reached || late.cache.Caps(0).Newest() != nil ||
		late.cache.Universe().LookupString("NEW") == marketcache.NoAsset {
		t.Errorf("%d assets", len(late.cache.Universe().Assets))
	}
	if late.mid(1) != m.mid(1) {
		t.Errorf("a quiet book: %v, the leader has %v", late.mid(1), m.mid(1))
	}
}

// TestLag measures the delay between the leader's cache and a follower's, and checks that no age at
// the follower is lower than at the leader.
func TestLag(t *testing.T) {
	g := newGang(t)
	g.write = drive(64)
	a, b := g.pair()
	time.Sleep(time.Second)
	// Other work on the machine disturbs the measurement: one undisturbed round is enough. Short tests run beside
	// others, under the race detector.
	limit := 50 * time.Millisecond
	if testing.Short() {
		limit *= 5
	}
	for round := 1; ; round++ {
		var seen [64]uint64
		var lags []time.Duration
		for began := time.Now(); time.Since(began) < 2*time.Second; time.Sleep(200 * time.Microsecond) {
			for i := range seen {
				id := marketcache.AssetID(i)
				b.notYounger(t, a, id, marketcache.Now())
				// The leader received a book at the time of its publication.
				if e := b.cache.Books(id).Newest(); e.Seq != seen[i] {
					if seen[i] != 0 {
						lags = append(lags, marketcache.Now().Sub(e.Received))
					}
					seen[i] = e.Seq
				}
			}
		}
		slices.Sort(lags)
		p99 := lags[len(lags)*99/100]
		t.Logf("a follower has a value %v (p50), %v (p99) after the leader, of %d", lags[len(lags)/2], p99, len(lags))
		if p99 <= limit {
			return
		}
		if round == 15 {
			t.Fatalf("p99 %v", p99)
		}
	}
}

// dated returns a function that writes books whose VenueMs is the true Instant of their receipt: of the first asset
// always, of others once.
func dated(assets ...string) func(c *marketcache.Cache, now marketcache.Instant) {
	return func(c *marketcache.Cache, now marketcache.Instant) {
		if len(c.Universe().Assets) == 0 {
			listAssets(c, assets...)
		}
		b := *bookAt(100)
		b.VenueMs = int64(now)
		c.Venue.Clock.Set(1e18, 0)
		c.Contexts(0).Publish(marketcache.Context{MarkPrice: 1}, now)
		for id := range c.Universe().Assets {
			if books := c.Books(marketcache.AssetID(id)); id == 0 || books.Newest() == nil {
				books.Publish(&b, now)
			}
		}
	}
}

// TestClocksDiffer gives the leader a clock that is hours off and runs too fast or too slow: ages
// at the follower are never lower than the truth, and only slightly higher.
func TestClocksDiffer(t *testing.T) {
	t.Parallel()
	for name, clock := range map[string]func(marketcache.Instant) marketcache.Instant{
		"behind and slow": func(i marketcache.Instant) marketcache.Instant { return i - 20*3600e9 - i/10_000 },
		"ahead and fast":  func(i marketcache.Instant) marketcache.Instant { return i + 700*3600e9 + i/10_000 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGang(t)
			g.write = dated("BTC", "ETH")
			g.clock = clock
			g.join()
			g.clock = nil
			m := g.join()
			g.leases.give(0)
			within(t, settle, "books", func() bool {
				return m.cache.Books(0).Newest() != nil && m.cache.Books(1).Newest() != nil
			})
			worst := time.Duration(0)
			for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
				for id := range marketcache.AssetID(2) {
					e := m.cache.Books(id).Newest()
					truth := marketcache.Instant(e.Value.VenueMs)
					if e.Received > truth || e.Proof() > truth {
						t.Fatalf("a book looks %v younger than it is", max(e.Received, e.Proof()).Sub(truth))
					}
					worst = max(worst, truth.Sub(e.Received))
				}
			}
			t.Logf("a book looks %v older than it is at most", worst)
			if worst > 5*time.Second { // a round trip on a busy machine
				t.Error("ages are too high")
			}
			if off := time.Duration(m.cache.Venue.Clock.VenueNs(0) - 1e18); off.Abs() > 5*time.Second {
				t.Errorf("the venue's clock is off by %v", off)
			}
		})
	}
}

// TestIdsOfTheirOwn: the follower numbers its assets in another order than the leader, and has an
// asset that the leader does not have.
func TestIdsOfTheirOwn(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = func(c *marketcache.Cache, now marketcache.Instant) {
		if len(c.Universe().Assets) == 0 {
			listAssets(c, "BTC", "ETH", "SOL")
		}
		for id := range marketcache.AssetID(3) {
			c.Books(id).Publish(bookAt(100*float64(id+1)), now)
		}
		c.Caps(1).Publish(marketcache.Cap{Reached: true}, now)
	}
	g.load = func(c *marketcache.Cache, w marketcache.Wallet, setting marketcache.AssetID) (*marketcache.Account,
		error) {
		return &marketcache.Account{Wallet: w, Received: marketcache.Now(), Positions: []marketcache.Position{
			{Asset: 0, Name: "BTC"}, {Asset: marketcache.NoAsset, Name: "NEW"},
		}, Settings: []marketcache.LeverageSetting{{Asset: setting, Leverage: 3}},
			Pools: []marketcache.Pool{{HeldMostUSD: math.Inf(1)}, {HeldMostUSD: 7}}}, nil
	}
	g.join()
	own := marketcache.New(testLimits)
	listAssets(own, "OLD", "SOL", "BTC")
	m := g.joinWith(own)
	g.leases.give(0)
	mids := map[string]float64{"BTC": 100, "ETH": 200, "SOL": 300}
	for name, want := range mids {
		within(t, settle, name, func() bool {
			id := own.Universe().LookupString(name)
			return id != marketcache.NoAsset && m.mid(id) == want
		})
	}
	u := own.Universe()
	if u.LookupString("BTC") != 2 || !u.Assets[0].Delisted || u.Assets[2].Delisted {
		t.Errorf("%+v", u)
	}
	var market marketcache.Market
	within(t, settle, "caps", func() bool {
		return own.Market(u.LookupString("ETH"), marketcache.Now(), marketcache.AgeLimits{}, &market) && market.AtCap
	})
	a, err := m.LoadAccount(t.Context(), marketcache.Wallet{9}, u.LookupString("SOL"))
	if err != nil || a.Positions[0].Asset != 2 || a.Positions[1].Asset != marketcache.NoAsset ||
		a.Settings[0].Asset != 1 ||
		!math.IsInf(a.Pools[0].HeldMostUSD, 1) || a.Pools[1].HeldMostUSD != 7 {
		t.Errorf("%+v %v", a, err)
	}
}

// Deposits and withdrawals are read by the leader, as wallets are.
func TestFlowsThroughTheLeader(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(1)
	leader, follower := g.pair()
	for _, m := range []*member{leader, follower} {
		flows, err := m.Flows(t.Context(), &marketcache.Account{
			Wallet: marketcache.Wallet{7}, Mode: marketcache.ModeUnified,
		}, 1000)
		if err != nil || len(flows) != 1 || flows[0] != (marketcache.Flow{AtMs: 1001, USD: 7}) {
			t.Errorf("%+v, %v", flows, err)
		}
		_, err = m.Flows(t.Context(), &marketcache.Account{Wallet: marketcache.Wallet{99}}, 1000)
		if !errors.Is(err, marketcache.ErrBudget) {
			t.Errorf("%v", err)
		}
	}
}

// TestWalletFailures: errors of the venue reach the replica that asked for a wallet.
func TestWalletFailures(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(1)
	rows := []struct{ fails, want error }{
		{&marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: 7 * time.Second}, marketcache.ErrBudget},
		{&marketcache.VenueError{Kind: marketcache.ErrVenue, Status: 422}, marketcache.ErrVenue},
		{&marketcache.VenueError{Kind: marketcache.ErrUnavailable, Err: errors.New("no")}, marketcache.ErrUnavailable},
		{context.DeadlineExceeded, marketcache.ErrUnavailable},
		{&marketcache.VenueError{Kind: marketcache.ErrShare, Detail: "ask for fewer"}, marketcache.ErrShare},
	}
	const slow = 99
	var readFor atomic.Value
	g.readFor = func(c marketcache.Caller) { readFor.Store(c) }
	g.load = func(_ *marketcache.Cache, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		if w[0] == slow {
			time.Sleep(time.Second)
			return &marketcache.Account{Wallet: w, Received: marketcache.Now()}, nil
		}
		return nil, rows[w[0]].fails
	}
	g.join()
	m := g.join()
	if err := m.read(1); !errors.Is(err, marketcache.ErrUnavailable) {
		t.Errorf("without a leader: %v", err)
	}
	g.leases.give(0)
	g.allFresh(m)
	for n, row := range rows {
		caller := marketcache.Caller{ID: fmt.Sprint("key ", n), Ahead: n == 2}
		_, err := m.LoadAccount(marketcache.WithCaller(t.Context(), caller), marketcache.Wallet{byte(n)},
			marketcache.NoAsset)
		var e, sent *marketcache.VenueError
		if !errors.Is(err, row.want) || !errors.As(err, &e) {
			t.Errorf("%v instead of %v", err, row.want)
		} else if errors.As(row.fails, &sent) && (e.Wait != sent.Wait || e.Status != sent.Status) {
			t.Errorf("%+v, sent %+v", e, sent)
		}
		if got := readFor.Load(); got != caller {
			t.Errorf("read for %+v, want %+v", got, caller)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := m.LoadAccount(ctx, marketcache.Wallet{slow}, marketcache.NoAsset)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller whose context has ended gets %v", err)
	}
}

// TestHistories appends to the leader's histories while a follower misses some messages, and
// replaces them.
func TestHistories(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(2)
	leader := g.join()
	g.bus = &proxy{}
	m := g.join()
	g.leases.give(0)
	g.allFresh(g.replicas...)
	bar := func(h int64, base float64) marketcache.Bar {
		return marketcache.Bar{OpenMs: h * 3_600_000, Open: base, High: base, Low: base, Close: base + float64(h),
			Volume: 1}
	}
	same := func() bool { return sameSlow(leader.cache, m.cache) }
	h := int64(3)
	add := func(n int) {
		for range n {
			leader.cache.AppendBars(0, []marketcache.Bar{bar(h, 1)}, (h+1)*3_600_000)
			leader.cache.FundingRows(0).Append(marketcache.FundingRow{VenueMs: h, RateHourly: 1})
			leader.cache.MinuteSamples(1).Append(marketcache.MinuteSample{MinuteMs: h, SpreadBps: 1})
			h++
		}
	}
	leader.cache.AppendBars(1, nil, 5) // asset 1 has no bars, which is known
	add(1)
	within(t, settle, "the first", same)
	add(2)
	within(t, settle, "two more", same)
	add(500)
	within(t, settle, "more than come at once", same)
	g.bus.frozen.Store(true)
	add(20)
	time.Sleep(time.Second)
	add(1)
	g.bus.frozen.Store(false)
	within(t, settle, "what was missed", same)
	held, through := leader.cache.Bars(0)
	leader.cache.ReplaceBars(0, append([]marketcache.Bar{bar(1, 1), bar(2, 1)}, held...), through)
	within(t, settle, "older bars", same)
	var others []marketcache.Bar
	for h := range int64(20_000) {
		others = append(others, bar(h+1, 500))
	}
	leader.cache.ReplaceBars(0, others, 20_001*3_600_000)
	within(t, settle, "another history", same)
	rows := leader.cache.FundingRows(0)
	rows.Replace(rows.View()[:len(rows.View())-30])
	leader.cache.ReplaceBars(0, others[:19_900], 19_901*3_600_000)
	within(t, settle, "the leader dropped the newest of it", same)
	if s := m.Stats(); s.Garbage != 0 {
		t.Errorf("%+v", s)
	}
}

// TestWanted: the leader learns which assets the callers of a follower wait for.
func TestWanted(t *testing.T) {
	t.Parallel()
	g := newGang(t)
	g.write = drive(4)
	g.join()
	own := marketcache.New(testLimits)
	listAssets(own, "A3")
	m := g.joinWith(own)
	g.leases.give(0)
	g.allFresh(m)
	m.cache.Want(0)
	within(t, settle, "the leader knows", func() bool { return g.replicas[0].cache.Wanted(3) })
	g.join()
	g.leases.give(2)
	within(t, settle, "the next leader knows", func() bool {
		c := g.replicas[2].cache
		id := c.Universe().LookupString("A3")
		return id != marketcache.NoAsset && c.Wanted(id)
	})
}
