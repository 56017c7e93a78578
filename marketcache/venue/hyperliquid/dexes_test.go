package hyperliquid_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
)

// follow runs a feed against a simulated venue until the test ends.
func follow(t *testing.T, v sim.Config, cfg hyperliquid.Config) (*hyperliquid.Feed, *marketcache.Cache) {
	t.Helper()
	v.Limits = sim.NoLimits
	e, err := sim.Open(v)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go e.Serve(ln)
	cfg.BaseURL, cfg.Budget, cfg.Logger = "http://"+ln.Addr().String(), -1, slog.New(slog.DiscardHandler)
	cache := marketcache.New(marketcache.Limits{Bars: 64, Rows: 64, Samples: 64, Wallets: 64})
	f := hyperliquid.New(cache, cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { f.Run(ctx); close(done) }()
	t.Cleanup(func() {
		cancel()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		e.Shutdown(ctx)
	})
	return f, cache
}

// within waits until a condition holds. Five seconds are normally enough; the race detector on a
// busy machine needs more.
func within(t *testing.T, what string, ok func() bool) {
	const limit = 90 * time.Second
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// TestDexes: assets of every dex are followed by name, each dex in its own order, with its own
// margin tables, fees and caps.
func TestDexes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	v := sim.Config{Seed: 1, Assets: 20, Every: map[string]time.Duration{"allDexsAssetCtxs": time.Second}}
	f, cache := follow(t, v, hyperliquid.Config{Dexes: []string{hyperliquid.AllDexes}, DataDir: dir, Name: "dexes"})
	listed := func() (assets []*marketcache.Asset) {
		for _, a := range cache.Universe().Assets {
			if a.Dex != "" && !a.Delisted {
				assets = append(assets, a)
			}
		}
		return assets
	}
	within(t, "contexts, books, histories and caps of every dex", func() bool {
		for _, a := range listed() {
			var m marketcache.Market
			limits := marketcache.AgeLimits{Market: 30 * time.Second, CEX: marketcache.Forever}
			if !cache.Market(a.ID, marketcache.Now(), limits, &m) || m.Book == nil || m.Context == nil ||
				m.Funding == nil {
				return false
			}
			if _, through := cache.Bars(a.ID); through == 0 {
				return false
			}
		}
		gold := cache.Universe().LookupString("xyz:GOLD")
		if gold == marketcache.NoAsset {
			return false
		}
		atCap := cache.Caps(gold).Newest()
		return atCap != nil && atCap.Value.Reached
	})
	checkDexes(t, cache.Universe(), listed())
	within(t, "lists of contexts taken", func() bool {
		for _, a := range listed() {
			c, _, ok := cache.Contexts(a.ID).Latest(marketcache.Now(), marketcache.Forever)
			if !ok || marketcache.Now().Sub(c.SlowProof) > 2*time.Second {
				return false
			}
		}
		return true
	})
	if st := f.Stats(); st.RejectedContexts != 0 || st.RejectedMetas != 0 || st.ClosedFor != 0 {
		t.Errorf("%+v", st)
	}
	checkRestored(t, dir)
}

// checkRestored checks that a cache restored from disk has the same assets.
func checkRestored(t *testing.T, dir string) {
	again := marketcache.New(marketcache.Limits{Bars: 64, Rows: 64, Samples: 64, Wallets: 64})
	hyperliquid.New(again, hyperliquid.Config{Dexes: []string{"xyz"}, DataDir: dir, Name: "dexes",
		Logger: slog.New(slog.DiscardHandler)})
	var names []string
	for _, a := range again.Universe().Assets {
		if !slices.Contains(names, a.Dex) {
			names = append(names, a.Dex)
		}
	}
	if !slices.Equal(names, []string{"", "xyz"}) {
		t.Errorf("dexes from disk %q", names)
	}
	if bars, _ := again.Bars(again.Universe().LookupString("xyz:TSLA")); len(bars) == 0 {
		t.Error("no bars of xyz:TSLA from disk")
	}
}

// checkDexes checks the assets of a universe and those of them that are listed on builder-deployed dexes.
func checkDexes(t *testing.T, u *marketcache.Universe, listed []*marketcache.Asset) {
	dexes := map[string]int{}
	for _, a := range listed {
		dexes[a.Dex]++
		if !strings.HasPrefix(a.Name, a.Dex+":") || a.CapUSD <= 0 || a.CollateralToken != 0 ||
			a.Tiers[0].MaxLeverage != a.MaxLeverage {
			t.Errorf("%+v", a)
		}
	}
	if dexes["xyz"] < 8 || dexes["io"] != 2 || dexes["para"] != 2 || dexes["mkts"] != 2 || len(dexes) != 4 {
		t.Errorf("live dexes %v", dexes)
	}
	asset := func(name string) *marketcache.Asset {
		a := u.Asset(u.LookupString(name))
		if a == nil {
			t.Fatal("no", name)
		}
		return a
	}
	for name, isolated := range map[string]bool{"xyz:TSLA": false, "xyz:HOOD": true, "xyz:COIN": true, "BTC": false} {
		if asset(name).OnlyIsolated != isolated {
			t.Errorf("%s: only isolated %v", name, !isolated)
		}
	}
	if a := asset("BTC"); a.FeeMultiplier != 1 || a.CapUSD != 0 || a.Dex != "" {
		t.Errorf("%+v", a)
	}
	fees := map[float64]bool{}
	for _, a := range listed {
		fees[math.Round(a.FeeMultiplier*1e6)/1e6] = true
	}
	if !fees[0.2] || len(asset("xyz:TSLA").Tiers) < 2 {
		t.Errorf("fees %v, tiers of TSLA %v", fees, asset("xyz:TSLA").Tiers)
	}
	for _, name := range []string{"flx:TSLA", "hyna:BTC", "xyz:SNAP"} {
		if u.LookupString(name) != marketcache.NoAsset {
			t.Errorf("%s, which is delisted, has an id", name)
		}
	}
}

// TestMainAlone: with Dexes set to MainDex, no asset of another dex is followed.
func TestMainAlone(t *testing.T) {
	_, cache := follow(t, sim.Config{Seed: 1, Assets: 12}, hyperliquid.Config{Dexes: []string{hyperliquid.MainDex}})
	within(t, "the universe", func() bool { return len(cache.Universe().Assets) > 0 })
	time.Sleep(500 * time.Millisecond)
	for _, a := range cache.Universe().Assets {
		if a.Dex != "" {
			t.Errorf("%s is followed", a.Name)
		}
	}
}

// TestDexWallets: the equity of a wallet's cross pools on all dexes agrees with the liquidation prices
// that the venue reports.
func TestDexWallets(t *testing.T) {
	v := sim.Config{Seed: 1, Assets: 20, Speed: 1e-9}
	f, cache := follow(t, v, hyperliquid.Config{Dexes: []string{hyperliquid.AllDexes}})
	xyz, _ := follow(t, v, hyperliquid.Config{Dexes: []string{"xyz"}})
	within(t, "the dexes", func() bool { return cache.Universe().LookupString("io:ALPHA") != marketcache.NoAsset })
	time.Sleep(time.Second)
	for _, c := range []struct {
		wallet                       string
		mode                         marketcache.AccountMode
		pools, positions, unfollowed int
	}{
		{"0e", marketcache.ModeUnified, 1, 8, 2}, {"0f", marketcache.ModeDisabled, 5, 5, 0},
		{"10", marketcache.ModeUnified, 1, 2, 0}, {"11", marketcache.ModeUnified, 1, 1, 0},
		{"04", marketcache.ModePortfolioMargin, 1, 3, 0},
	} {
		w, _ := marketcache.ParseWallet([]byte("0xba11a570000000000000000000000000000000" + c.wallet))
		// A load needs several requests, and the simulated marks change every 3 s: a load that
		// spans a change mixes two states, as it would on the real venue.
		load := func() (a *marketcache.Account) {
			var mixed error
			for range 10 {
				var err error
				if a, err = f.LoadAccount(context.Background(), w, marketcache.NoAsset); err != nil {
					t.Fatal(c.wallet, err)
				}
				if mixed = checkPools(cache.Universe(), a); mixed == nil {
					return a
				}
				t.Log(c.wallet, mixed)
			}
			t.Error(c.wallet, mixed)
			return a
		}
		a := load()
		if a.Mode != c.mode || a.ModeUncertain || len(a.Pools) != c.pools || len(a.Positions) != c.positions ||
			a.NotFollowed != 0 {
			t.Errorf("%s: %+v", c.wallet, a)
		}
		again := load() // only the dexes that the wallet uses; under portfolio margin all
		if len(again.Positions) != c.positions || len(again.Pools) > c.pools ||
			again.DexesRead != a.DexesRead && c.mode != marketcache.ModePortfolioMargin {
			t.Errorf("%s again: %+v", c.wallet, again)
		}
		part, err := xyz.LoadAccount(context.Background(), w, marketcache.NoAsset)
		if err != nil || part.NotFollowed != c.unfollowed || len(part.Positions) != c.positions ||
			math.Abs(part.Pools[0].EquityUSD-a.Pools[0].EquityUSD) > 100 {
			t.Errorf("with dex xyz alone %s has %+v, error %v", c.wallet, part, err)
		}
	}
}

// TestWalletsBeforeTheTrade reads of the simulated venue what it says beside positions.
func TestWalletsBeforeTheTrade(t *testing.T) {
	f, cache := follow(t, sim.Config{Seed: 1, Assets: 20, Speed: 1e-9}, hyperliquid.Config{Dexes: []string{"xyz"},
		OpenOrders: hyperliquid.OrdersFull})
	within(t, "the dexes", func() bool { return cache.Universe().LookupString("xyz:TSLA") != marketcache.NoAsset })
	time.Sleep(time.Second)
	load := func(wallet, asset string) (*marketcache.Account, marketcache.LeverageSetting) {
		t.Helper()
		w, _ := marketcache.ParseWallet([]byte("0xba11a570000000000000000000000000000000" + wallet))
		id := cache.Universe().LookupString(asset)
		a, err := f.LoadAccount(context.Background(), w, id)
		if err != nil {
			t.Fatal(wallet, err)
		}
		s, ok := a.Setting(id)
		if !ok {
			t.Errorf("%s: no setting in %s", wallet, asset)
		}
		return a, s
	}
	a, s := load("12", "SOL")
	held := a.Pools[0].HeldUSD
	initial := 0.0
	for _, p := range a.Positions {
		initial += p.MarginUsedUSD
	}
	if !s.Isolated || !s.ModeKnown || s.Leverage != 5 || held < 10_000 || a.Pools[0].HeldMostUSD != held ||
		math.Abs(a.Pools[0].EquityUSD-initial-held-s.AvailableUSD[0]) > 1 {
		t.Errorf("%+v, %+v", a.Pools, s)
	}
	if a.Orders == nil || a.Orders.Reason != "" || len(a.Orders.Orders) != 6 || a.Role != "" {
		t.Errorf("%+v", a.Orders)
	}
	if a, _ = load("13", "SOL"); a.Role != marketcache.RoleAgent || a.Owner.String() != sim.Wallets[0].Address ||
		a.Orders == nil {
		t.Errorf("%+v", a)
	}
	a, s = load("04", "SOL")
	if len(a.Collateral) != 1 {
		t.Fatalf("%+v", a)
	}
	c, pool := a.Collateral[0], a.Pools[0]
	if c.Name != "HYPE" || math.Abs(c.Units-6000*1.65/2) > 1e-6 || c.Mark <= 0 || s.Isolated ||
		math.Abs(pool.CashUSD+c.Units*c.Mark-pool.EquityUSD) > 0.01*pool.EquityUSD {
		t.Errorf("%+v, %+v", a, s)
	}
}

// checkPools computes the equity of each cross pool from the venue's liquidation price of each
// position, and compares it with the equity in the account.
func checkPools(u *marketcache.Universe, a *marketcache.Account) error {
	maintenance := func(p *marketcache.Position, notional float64) (m, rate, deduction float64) {
		for _, tier := range u.Asset(p.Asset).Tiers {
			if notional >= tier.LowerBoundUSD {
				rate, deduction = tier.MaintenanceRate, tier.DeductionUSD
			}
		}
		return notional*rate - deduction, rate, deduction
	}
	checked, shares := 0, make([]float64, len(a.Pools))
	for i := range a.Positions {
		p := &a.Positions[i]
		if p.Isolated {
			continue
		}
		shares[p.Pool] += p.RawUSD + math.Copysign(p.ValueUSD, p.Units)
		if p.LiquidationPrice == 0 {
			continue
		}
		other := 0.0
		for j := range a.Positions {
			if o := &a.Positions[j]; j != i && !o.Isolated && o.Pool == p.Pool {
				m, _, _ := maintenance(o, o.ValueUSD)
				other += m
			}
		}
		size, x := math.Abs(p.Units), p.LiquidationPrice
		_, rate, deduction := maintenance(p, size*x)
		want := other - deduction - x*(p.Units-size*rate) + math.Copysign(p.ValueUSD, p.Units)
		if got := a.Pools[p.Pool].EquityUSD; math.Abs(got-want) > 1e-6*math.Abs(want) {
			return fmt.Errorf("%s: the pool has %v, its liquidation price %v gives %v", p.Name, got, x, want)
		}
		checked++
	}
	for k, share := range shares {
		if share != 0 && math.Abs(share-a.Pools[k].EquityUSD) > 1e-6*math.Abs(share) {
			return fmt.Errorf("shares of pool %d add up to %v of %v", k, share, a.Pools[k].EquityUSD)
		}
	}
	if checked == 0 {
		return errors.New("no liquidation price")
	}
	return nil
}
