package marketcache

import (
	"sync"
	"testing"
	"time"
)

// heldCache returns a cache with four assets, of which the last is delisted.
func heldCache() *Cache {
	c := New(Limits{Assets: 4, Bars: 1, Rows: 1, Samples: 1, Wallets: 8})
	var assets []*Asset
	for id := range AssetID(4) {
		assets = append(assets, &Asset{ID: id, Name: string(rune('A' + id)), Delisted: id == 3,
			Tiers: make([]Tier, 1)})
	}
	c.SetUniverse(NewUniverse(assets))
	return c
}

func holding(at Instant, assets ...AssetID) *Account {
	a := &Account{Wallet: Wallet{1}, Received: at}
	for _, id := range assets {
		a.Positions = append(a.Positions, Position{Asset: id, Units: -1})
	}
	return a
}

// signalled reports whether HeldAny has signalled, and clears the signal.
func signalled(c *Cache) bool {
	select {
	case <-c.HeldAny():
		return true
	default:
		return false
	}
}

func TestHeldAssets(t *testing.T) {
	const day = 24 * time.Hour
	at := Instant(0).Add(100 * day)
	c := heldCache()
	if c.HeldWithin(0, at, 1<<62) || signalled(c) {
		t.Error("no wallet holds the asset, but it counts as held")
	}
	c.StoreAccount(holding(at))
	c.StoreAccount(holding(at, NoAsset, 3, 7))
	if c.HeldWithin(3, at, day) || signalled(c) {
		t.Error("a delisted asset, or one that is not listed, is held")
	}
	c.StoreAccount(holding(at, 0, 2))
	if !signalled(c) || signalled(c) {
		t.Error("want one token for two assets")
	}
	for id, want := range []bool{true, false, true, false} {
		if c.HeldWithin(AssetID(id), at.Add(day), day) != want || c.HeldWithin(AssetID(id), at.Add(day+1), day) {
			t.Errorf("asset %d", id)
		}
	}
	lent := holding(at)
	lent.Collateral = []Collateral{{Asset: NoAsset}, {Asset: 1}}
	if c.StoreAccount(lent); !c.HeldWithin(1, at, 0) || !signalled(c) {
		t.Error("an asset that is collateral is not held")
	}
	// An older time changes nothing; a newer one is stored without a signal.
	c.StoreAccount(holding(at.Add(-day), 0))
	if signalled(c) || !c.HeldWithin(0, at.Add(day), day) {
		t.Error("an older account moved the time back")
	}
	c.StoreAccount(holding(at.Add(HeldFor), 0))
	if signalled(c) || !c.HeldWithin(0, at.Add(HeldFor), 0) || c.HeldWithin(2, at.Add(HeldFor+1), HeldFor) {
		t.Error("an asset held all the time was signalled")
	}
	c.StoreAccount(holding(at.Add(2*HeldFor+1), 0))
	if !signalled(c) {
		t.Error("an asset held again after 30 days was not signalled")
	}
}

// With concurrent writers the newest time is kept, and the calibrator is signalled exactly once.
func TestHeldByManyAtOnce(t *testing.T) {
	c := heldCache()
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 1000 {
				c.StoreAccount(holding(Instant(1+8*i+w), 1))
			}
		})
	}
	writers.Wait()
	if !c.HeldWithin(1, 8000, 0) || !signalled(c) || signalled(c) {
		t.Error("the newest time was not kept, or not exactly one signal")
	}
}
