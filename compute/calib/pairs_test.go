package calib

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ballast/compute/copula"
	"ballast/marketcache"
)

// pairLoop runs a loop over n assets of random markets with virtual time (synctest), and stops it
// after run.
func pairLoop(t *testing.T, n int, run func(c *marketcache.Cache, l *Loop, series [][]marketcache.Bar)) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		var series [][]marketcache.Bar
		for i := range n {
			names = append(names, fmt.Sprintf("A%02d", i))
			series = append(series, busyMarket(uint64(i+1), 0, 24*50))
		}
		c := marketcache.New(marketcache.Limits{Assets: 64, Bars: 3000, Wallets: 8})
		c.SetUniverse(universe(names...))
		for i := range names {
			c.Contexts(marketcache.AssetID(i)).Publish(marketcache.Context{MarkPrice: 1,
				OpenInterestUnits: float64(1000 - i)},
				marketcache.Now())
		}
		l := NewLoop(c, Config{Log: quiet()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		defer func() { cancel(); <-done }()
		for i := range series {
			load(c, marketcache.AssetID(i), series[i][:1000])
		}
		go func() { done <- l.Run(ctx) }()
		synctest.Wait()
		run(c, l, series)
	})
}

func holder(wallet byte, assets ...marketcache.AssetID) *marketcache.Account {
	a := &marketcache.Account{Wallet: marketcache.Wallet{wallet}, Received: marketcache.Now()}
	for _, id := range assets {
		a.Positions = append(a.Positions, marketcache.Position{Asset: id, Units: 1})
	}
	return a
}

// The 32 assets with the largest open interest are paired. An asset that a wallet holds joins at
// once, and leaves at midnight if no wallet has held it for 30 days.
func TestPairsOfHeldAssets(t *testing.T) {
	pairLoop(t, 36, func(c *marketcache.Cache, l *Loop, series [][]marketcache.Bar) {
		first := c.Pairs()
		for id := range marketcache.AssetID(36) {
			if first.Has(id) != (id < 32) {
				t.Errorf("asset %d: in the table %v", id, first.Has(id))
			}
		}
		fitted := l.Stats().Pairs
		if fitted != 32*31/2 {
			t.Errorf("%d pairs fitted", fitted)
		}
		c.StoreAccount(holder(1, 34, 3, marketcache.NoAsset))
		synctest.Wait()
		second := c.Pairs()
		if second == first || !second.Has(34) || second.Has(35) || !second.Get(34, 3).Known || first.Has(34) {
			t.Error("the held asset is not in the table")
		}
		if n := l.Stats().Pairs - fitted; n != 32 {
			t.Errorf("%d pairs fitted for one asset", n)
		}
		for a := range marketcache.AssetID(32) {
			for b := range a {
				if first.Get(a, b) != second.Get(a, b) {
					t.Fatal("an existing pair has changed")
				}
			}
		}
		time.Sleep(31 * 24 * time.Hour)
		c.StoreAccount(holder(2, 35))
		synctest.Wait()
		if !c.Pairs().Has(35) || !c.Pairs().Has(34) {
			t.Error("an asset left the table during the day")
		}
		for i := range series {
			for _, b := range series[i][1000:1008] { // up to midnight
				appendBar(c, marketcache.AssetID(i), b)
			}
		}
		synctest.Wait()
		if p := c.Pairs(); !p.Has(35) || p.Has(34) || !p.Has(0) {
			t.Error("the table of the new day has the wrong assets")
		}
		c.StoreAccount(holder(1, 34))
		synctest.Wait()
		if !c.Pairs().Has(34) {
			t.Error("an asset held again is not in the table")
		}
	})
}

// From midnight on yesterday's table stays published until the new one is complete, even when bars
// arrive in the meantime, and no pair is fitted twice. The assets' bars arrive one by one.
func TestPairsAtMidnight(t *testing.T) {
	const n = 8
	pairLoop(t, n, func(c *marketcache.Cache, l *Loop, series [][]marketcache.Bar) {
		yesterday, fitted := c.Pairs(), l.Stats().Pairs
		for at := 1000; at < 1007; at++ {
			for i := range series {
				appendBar(c, marketcache.AssetID(i), series[i][at])
			}
		}
		synctest.Wait()
		if c.Pairs() != yesterday {
			t.Fatal("fitted again before midnight")
		}
		seen := 0
		l.fault = func(name string) {
			if len(name) == len("A00/A01") {
				seen++
				if c.Pairs() != yesterday {
					t.Error("a table was published before it was complete")
				}
				if seen == 5 { // a bar arrives during the fits
					appendBar(c, 0, series[0][1008])
				}
			}
		}
		for i := range series {
			if seen > 0 || c.Pairs() != yesterday {
				t.Error("a pair was fitted before all assets had their bar")
			}
			appendBar(c, marketcache.AssetID(i), series[i][1007])
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		if c.Pairs() == yesterday || seen != n*(n-1)/2 || l.Stats().Pairs-fitted != n*(n-1)/2 {
			t.Errorf("%d pairs fitted", seen)
		}
		if c.Model().Asset(0).LastHour != 1008 {
			t.Error("the bar that arrived during the fits is missing")
		}
		l.fault = nil
		for i := range n - 1 { // the next midnight, without a bar of the last asset
			for _, b := range series[i][1009:1032] {
				appendBar(c, marketcache.AssetID(i), b)
			}
		}
		appendBar(c, 1, series[1][1032])
		today := c.Pairs()
		time.Sleep(laggards - time.Second)
		synctest.Wait()
		if c.Pairs() != today {
			t.Error("the loop did not wait for the missing bar")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if c.Pairs() == today || !c.Pairs().Has(n-1) {
			t.Error("no table although the wait for the missing bar is over")
		}
	})
}

// A first start: the first pass brings the newest bars of each asset, which are too few for a pair, then
// the older bars come asset by asset. An asset joins the table as soon as its history is there, no pair is
// fitted twice, and until then the table says that it lacks the asset.
func TestPairsOfAFirstStart(t *testing.T) {
	const n, firstPass = 5, 240
	synctest.Test(t, func(t *testing.T) {
		var names []string
		var series [n][]marketcache.Bar
		for i := range series {
			names, series[i] = append(names, fmt.Sprintf("A%02d", i)), busyMarket(uint64(i+1), 0, 24*50)[:1000]
		}
		c := newCache(names...)
		l := NewLoop(c, Config{Log: quiet()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		defer func() { cancel(); <-done }()
		go func() { done <- l.Run(ctx) }()
		for id := range marketcache.AssetID(n) {
			c.SetLoading(id, &marketcache.Loading{Candles: true, CandlesReadyIn: time.Duration(id+1) * 10 *
				time.Second})
			load(c, id, series[id][1000-firstPass:])
			synctest.Wait()
		}
		if c.Pairs() != nil || l.Stats().Pairs != 0 || c.PairsReadyIn() >= 0 {
			t.Fatalf("%d pairs of too few returns were fitted", l.Stats().Pairs)
		}
		for id := range marketcache.AssetID(n) {
			time.Sleep(10 * time.Second)
			load(c, id, series[id])
			c.SetLoading(id, nil)
			synctest.Wait()
			for a := range id + 1 {
				for b := range a {
					want := copula.FitModels(copula.NewFitter(), c.Model().Asset(b), c.Model().Asset(a))
					if c.Pairs().Get(a, b) != want || !want.Known {
						t.Fatalf("with %d assets: pair %d, %d is %+v, want %+v", id+1, a, b, c.Pairs().Get(a, b), want)
					}
				}
			}
			if c.Pairs().Has(id + 1) {
				t.Errorf("asset %d is in the table before its history is there", id+1)
			}
			if want := time.Duration(n) * 10 * time.Second; id < n-1 && c.PairsReadyIn() != want {
				t.Errorf("with %d assets: ready in %v, want %v", id+1, c.PairsReadyIn(), want)
			}
		}
		if fits := l.Stats().Pairs; fits != n*(n-1)/2 || c.PairsReadyIn() != 0 {
			t.Errorf("%d pairs fitted, ready in %v", fits, c.PairsReadyIn())
		}
	})
}

// An asset whose returns change during the day, because its history has, is fitted again with all others at
// once, and only its pairs are.
func TestPairsOfAnotherHistory(t *testing.T) {
	pairLoop(t, 4, func(c *marketcache.Cache, l *Loop, series [][]marketcache.Bar) {
		before, fitted := c.Pairs(), l.Stats().Pairs
		load(c, 2, busyMarket(99, 0, 24*50)[:1000])
		synctest.Wait()
		after, m := c.Pairs(), c.Model()
		for _, other := range []marketcache.AssetID{0, 1, 3} {
			want := copula.FitModels(copula.NewFitter(), m.Asset(min(2, other)), m.Asset(max(2, other)))
			if got := after.Get(2, other); got != want || got == before.Get(2, other) {
				t.Errorf("pair with %d: %+v, want %+v", other, got, want)
			}
		}
		if n := l.Stats().Pairs - fitted; n != 3 || after.Get(1, 0) != before.Get(1, 0) {
			t.Errorf("%d pairs fitted again", n)
		}
	})
}

// If the fit of a pair panics, that pair is marked unknown, and the other pairs are fitted.
func TestPairThatPanics(t *testing.T) {
	c := newCache("A", "B", "C")
	l := NewLoop(c, Config{Log: quiet()})
	for id := range marketcache.AssetID(3) {
		load(c, id, busyMarket(uint64(id), 0, 1000))
	}
	l.fault = func(name string) {
		if name == "A/C" {
			panic("no copula")
		}
	}
	l.pass(t.Context())
	if again, interrupted := l.fitPairs(t.Context()); again != 0 || interrupted {
		// The first call was interrupted by the signal of the bars loaded above.
		if again, interrupted = l.fitPairs(t.Context()); again != 0 || interrupted {
			t.Fatal(again, interrupted)
		}
	}
	p := c.Pairs()
	if p.Get(0, 2).Known || !p.Get(0, 1).Known || !p.Get(1, 2).Known || !p.Has(2) || l.Stats().Panics != 1 {
		t.Errorf("%+v, %d panics", p, l.Stats().Panics)
	}
}
