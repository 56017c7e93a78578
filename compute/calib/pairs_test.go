package calib

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

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
			c.Contexts(marketcache.AssetID(i)).Publish(marketcache.Context{MarkPrice: 1, OpenInterestUnits: float64(1000 - i)}, marketcache.Now())
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
