package hyperliquid

import (
	"fmt"
	"sync"
	"sync/atomic"

	"ballast/marketcache"
)

// universe keeps the table of assets of the main dex. Ids are given out in the order
// of first sight and never change; an asset that the venue no longer names stays, as
// delisted.
type universe struct {
	cache *marketcache.Cache

	mu sync.Mutex // serialises writers
	// order maps a position in the venue's list, by which contexts are matched, to an
	// id. Immutable; replaced whole.
	order atomic.Pointer[[]marketcache.AssetID]
}

// positions returns the ids in the venue's order, nil before the first meta.
func (u *universe) positions() []marketcache.AssetID {
	if p := u.order.Load(); p != nil {
		return *p
	}
	return nil
}

// take publishes a meta answer. It changes nothing and returns an error when the
// answer cannot be the universe: too many assets for the cache, or most of the listed
// ones missing. changed reports whether the set of listed assets is another than
// before. noTable names assets whose margin table is missing.
func (u *universe) take(m metaTable) (changed bool, noTable []string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	old := u.cache.Universe()
	seen := make([]bool, len(old.Assets))
	assets := append([]*marketcache.Asset(nil), old.Assets...)
	order := make([]marketcache.AssetID, len(m.assets))
	news := len(old.Assets) == 0
	for i := range m.assets {
		l := &m.assets[i]
		tiers, ok := m.tiers(l)
		if !ok {
			noTable = append(noTable, l.name)
		}
		id := old.LookupString(l.name)
		a := &marketcache.Asset{
			ID: id, Name: l.name, SizeDigits: l.sizeDigits, MaxLeverage: l.maxLeverage,
			Tiers: tiers, OnlyIsolated: l.onlyIsolated, Delisted: l.delisted, FeeMultiplier: 1,
		}
		if id == marketcache.NoAsset {
			a.ID = marketcache.AssetID(len(assets))
			assets = append(assets, a)
			changed, news = true, true
		} else {
			seen[id] = true
			if was := old.Assets[id]; !sameAsset(was, a) {
				changed = changed || was.Delisted != a.Delisted
				assets[id] = a
				news = true
			}
		}
		order[i] = a.ID
	}
	listed, gone := 0, 0
	for id, a := range old.Assets {
		if a.Delisted {
			continue
		}
		listed++
		if !seen[id] {
			gone++
			d := *a
			d.Delisted = true
			assets[id] = &d
			changed, news = true, true
		}
	}
	if 2*gone > listed {
		return false, nil, fmt.Errorf("meta lacks %d of %d listed assets", gone, listed)
	}
	if news && !u.cache.SetUniverse(marketcache.NewUniverse(assets)) {
		return false, nil, fmt.Errorf("meta has %d assets, more than the cache holds (%d)", len(assets), u.cache.Limits().Assets)
	}
	u.order.Store(&order)
	return changed, noTable, nil
}

func sameAsset(a, b *marketcache.Asset) bool {
	if a.SizeDigits != b.SizeDigits || a.MaxLeverage != b.MaxLeverage || a.OnlyIsolated != b.OnlyIsolated ||
		a.Delisted != b.Delisted || len(a.Tiers) != len(b.Tiers) {
		return false
	}
	for i := range a.Tiers {
		if a.Tiers[i] != b.Tiers[i] {
			return false
		}
	}
	return true
}
