package hyperliquid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// universe keeps the table of assets of the main dex. Ids are given out in the order
// of first sight and never change; an asset that the venue no longer lists stays, as
// delisted.
type universe struct {
	cache *marketcache.Cache

	mu     sync.Mutex // serialises writers
	absent map[marketcache.AssetID]absence
	// order is the newest answer's list. Immutable; replaced whole.
	order atomic.Pointer[listOrder]
}

// listOrder maps the positions of the venue's list to ids.
type listOrder struct {
	ids  []marketcache.AssetID // NoAsset: delisted, set aside, or not known
	read marketcache.Instant   // when the answer was asked for
}

// absence counts the answers in a row that lacked a listed asset.
type absence struct {
	answers int
	since   marketcache.Instant
}

// An asset counts as delisted without the venue's word after so many answers without it, or
// with a listing of it that cannot be read, over so long a time: one bad answer must not block
// the closing of a position.
const (
	absentAnswers = 3
	absentFor     = 2 * time.Minute
)

// positions returns the ids in the venue's order, nil before the first meta. What stands at
// the position of NoAsset is nobody's and must not be published.
func (u *universe) positions() []marketcache.AssetID {
	if p := u.order.Load(); p != nil {
		return p.ids
	}
	return nil
}

// Bounds of matches.
const (
	sameMark  = 0.005 // marks this near are those of one asset
	otherMark = 0.20  // marks further apart are not
	fewOff    = 0.10  // share of the rows that may lie between the two
)

// matches reports whether a list of contexts that names nobody has the order of the newest
// universe. held returns an asset's mark as it is known by name, and false when that is not
// fresh. As proof at least half of the listed assets must be known so; no mark may be further
// than 20 % from the one held, none that is off by more than 0.5 % may be near another such
// asset's, and at most a tenth may be off.
func (u *universe) matches(rows []contextRow, held func(marketcache.AssetID) (mark float64, ok bool)) bool {
	ids := u.positions()
	if len(rows) != len(ids) {
		return false
	}
	near := func(a, b, share float64) bool { return math.Abs(a-b) <= share*b }
	var off [][2]float64 // mark of the row, mark held
	listed, known := 0, 0
	for i, id := range ids {
		if id == marketcache.NoAsset {
			continue
		}
		listed++
		mark, ok := held(id)
		if !ok || !rows[i].ok {
			continue
		}
		known++
		switch read := rows[i].ctx.MarkPrice; {
		case !near(read, mark, otherMark):
			return false
		case !near(read, mark, sameMark):
			off = append(off, [2]float64{read, mark})
		}
	}
	for i, a := range off {
		for j, b := range off {
			if i != j && near(a[0], b[1], sameMark) {
				return false
			}
		}
	}
	return known > 0 && 2*known >= listed && float64(len(off)) <= fewOff*float64(known)
}

// take publishes a meta answer. It changes nothing and returns an error when the
// answer cannot be the universe: too many assets for the cache, or most of the listed
// ones missing. changed reports whether the set of listed assets is another than
// before; aside names the listings that cannot be used: not readable, or with a margin table
// that is missing where none of an earlier answer will do.
func (u *universe) take(m metaTable) (changed bool, aside []string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	old := u.cache.Universe()
	seen := make([]bool, len(old.Assets))
	assets := slices.Clone(old.Assets)
	order := &listOrder{ids: make([]marketcache.AssetID, len(m.assets)), read: m.asked}
	news := len(old.Assets) == 0
	for i := range m.assets {
		l := &m.assets[i]
		id := old.LookupString(l.name)
		order.ids[i] = id
		tiers := m.tiers(l)
		if tiers == nil && id != marketcache.NoAsset && old.Assets[id].MaxLeverage == l.maxLeverage {
			tiers = old.Assets[id].Tiers
		}
		if !l.readable || tiers == nil {
			aside = append(aside, fmt.Sprintf("%d %s", i, l.name))
			continue
		}
		a := &marketcache.Asset{
			ID: id, Name: l.name, SizeDigits: l.sizeDigits, MaxLeverage: l.maxLeverage,
			Tiers: tiers, OnlyIsolated: l.onlyIsolated, Delisted: l.delisted, FeeMultiplier: 1,
		}
		if id == marketcache.NoAsset {
			a.ID = marketcache.AssetID(len(assets))
			order.ids[i] = a.ID
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
	}
	now := marketcache.Now()
	listed := 0
	absent := map[marketcache.AssetID]absence{}
	for id, a := range old.Assets {
		if a.Delisted {
			continue
		}
		listed++
		if seen[id] {
			continue
		}
		gone := u.absent[a.ID]
		if gone.answers == 0 {
			gone.since = now
		}
		gone.answers++
		absent[a.ID] = gone
		if gone.answers >= absentAnswers && now.Sub(gone.since) >= absentFor {
			d := *a
			d.Delisted = true
			assets[id] = &d
			changed, news = true, true
		}
	}
	if len(assets) == 0 {
		return false, nil, errors.New("meta has no asset that can be used")
	}
	if 2*len(absent) > listed {
		return false, nil, fmt.Errorf("meta lacks %d of %d listed assets", len(absent), listed)
	}
	if news && !u.cache.SetUniverse(marketcache.NewUniverse(assets)) {
		return false, nil, fmt.Errorf("meta has %d assets, more than the cache holds (%d)", len(assets), u.cache.Limits().Assets)
	}
	u.absent = absent
	for i, id := range order.ids {
		if id != marketcache.NoAsset && assets[id].Delisted {
			order.ids[i] = marketcache.NoAsset // it keeps a price of the day it ended
		}
	}
	u.order.Store(order)
	return changed, aside, nil
}

func sameAsset(a, b *marketcache.Asset) bool {
	return a.SizeDigits == b.SizeDigits && a.MaxLeverage == b.MaxLeverage && a.OnlyIsolated == b.OnlyIsolated &&
		a.Delisted == b.Delisted && slices.Equal(a.Tiers, b.Tiers)
}
