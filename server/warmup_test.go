package server

import (
	"math"
	"testing"
	"time"

	"ballast/marketcache"
)

// The estimate is the remaining number of assets divided by the rate of the last minutes.
func TestWarmupPace(t *testing.T) {
	var p pace
	start := time.Now()
	for _, row := range []struct {
		after         time.Duration
		n, calibrated int
		want          time.Duration
	}{
		{0, 300, 0, -1},                                  // nothing is known yet
		{2 * time.Second, 298, 2, -1},                    // too short to judge
		{10 * time.Second, 290, 10, 290 * time.Second},   // one per second since the start
		{60 * time.Second, 240, 60, 240 * time.Second},   // becomes the newer reference point
		{120 * time.Second, 180, 120, 180 * time.Second}, // measured from the reference point before
		{180 * time.Second, 170, 130, 17 * time.Minute},  // ten in the last minute
		{300 * time.Second, 170, 130, -1},                // no progress
		{301 * time.Second, 0, 300, 0},
	} {
		got := p.until(row.n, row.calibrated, start.Add(row.after))
		if math.Abs(float64(got-row.want)) > float64(time.Second) {
			t.Errorf("after %v: %v, want %v", row.after, got, row.want)
		}
	}
}

// Lacking counts assets without a fit, from the largest open interest on, until readiness is
// reached.
func TestLacking(t *testing.T) {
	for usd, want := range map[float64]int{300: 2, 200: 1, 201: 2, 0: 0, -5: 0, 1000: 5} {
		if n := lacking([]float64{10, 200, 90, 150, 50}, usd); n != want {
			t.Errorf("%v USD: %d, want %d", usd, n, want)
		}
	}
}

// Readiness gives no estimate if the speed is unknown, or while the server drains.
func TestEstimates(t *testing.T) {
	f := newFixture(t, nil)
	if p := f.s.Readiness(); !p.Ready || p.ReadyIn != 0 || p.CompleteIn >= 0 || p.Listed != 4 || p.Calibrated != 3 ||
		p.OpenInterest < 0.99 {
		t.Errorf("%+v", p)
	}
	f.s.draining.Store(true)
	defer f.s.draining.Store(false)
	if p := f.s.Readiness(); p.Ready || p.ReadyIn >= 0 {
		t.Errorf("draining: %+v", p)
	}
}

// A builder-deployed dex without data leaves the service ready, and degraded. On the main dex nine of
// ten assets need live prices.
func TestReadinessOfDexes(t *testing.T) {
	f := newFixture(t, nil)
	assets := f.cache.Universe().Assets
	for _, name := range []string{"xyz:A", "xyz:B", "xyz:C"} {
		assets = append(assets[:len(assets):len(assets)], &marketcache.Asset{
			ID: marketcache.AssetID(len(assets)), Name: name, Dex: "xyz", MaxLeverage: 10, FeeMultiplier: 1,
			Tiers: assets[0].Tiers,
		})
	}
	f.cache.SetUniverse(marketcache.NewUniverse(assets))
	if r := f.s.Readiness(); !r.Ready || r.Listed != 7 || r.Fresh != 4 || f.s.status(&r) != "degraded" {
		t.Errorf("a dex without data: %+v, %s", r, f.s.status(&r))
	}
	for _, a := range assets[5:] {
		a.Dex = ""
	}
	if r := f.s.Readiness(); r.Ready {
		t.Errorf("four of seven assets of the main dex are live: %+v", r)
	}
}

// TestReadinessWithoutCandles: an asset whose candles cannot be read holds readiness up only for some minutes,
// however large its open interest.
func TestReadinessWithoutCandles(t *testing.T) {
	f := newFixture(t, nil)
	cache := f.s.cfg.Cache
	for _, a := range cache.Universe().Assets {
		if a.Delisted || cache.Model().Asset(a.ID) != nil {
			continue
		}
		cache.Contexts(a.ID).Publish(marketcache.Context{MarkPrice: 1, OpenInterestUnits: 1e15}, marketcache.Now())
		if r := f.s.Readiness(); r.Ready {
			t.Errorf("ready without %s", a.Name)
		}
		cache.SetLoading(a.ID, &marketcache.Loading{Candles: true, Unreadable: true})
		r := f.s.Readiness()
		if !r.Ready || f.s.status(&r) != "degraded" || len(r.Unreadable) != 1 || r.Unreadable[0] != a.Name {
			t.Errorf("%+v", r)
		}
		return
	}
	t.Fatal("every asset has a fit")
}
