package hyperliquid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// universe keeps the table of assets of all dexes that are followed. Ids are given out in
// the order of first sight and never change; an asset that the venue no longer lists stays,
// as delisted.
type universe struct {
	cache *marketcache.Cache

	mu     sync.Mutex // serialises writers
	absent map[marketcache.AssetID]absence
	caps   map[string]float64 // published open-interest caps by asset, USD
	// orders are the newest answers' lists by dex. Immutable; replaced whole.
	orders atomic.Pointer[map[string]*listOrder]
}

// order returns a dex's list, an empty one before its first meta.
func (u *universe) order(dex string) listOrder {
	if p := u.orders.Load(); p != nil && (*p)[dex] != nil {
		return *(*p)[dex]
	}
	return listOrder{}
}

// listOrder maps the positions of a dex's list to ids.
type listOrder struct {
	dex   string
	live  bool                  // it has a listed asset
	token int                   // of its collateral
	ids   []marketcache.AssetID // NoAsset: delisted, set aside, or not known
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

// positions returns the ids of a dex in the venue's order, nil before its first meta. What
// stands at the position of NoAsset is nobody's and must not be published.
func (u *universe) positions(dex string) []marketcache.AssetID { return u.order(dex).ids }

// listed returns the name of a dex whose list is known.
func (u *universe) listed(dex []byte) (string, bool) {
	if p := u.orders.Load(); p != nil && (*p)[string(dex)] != nil {
		return (*p)[string(dex)].dex, true
	}
	return "", false
}

// isLive reports whether a dex has a listed asset.
func (u *universe) isLive(dex string) bool { return u.order(dex).live }

// token returns the index of the token that a dex's amounts are in, 0 where it is not known.
func (u *universe) token(dex string) int { return u.order(dex).token }

// publishedCaps takes in open-interest caps, USD by asset; the next list of each dex brings
// them to its assets.
func (u *universe) publishedCaps(caps map[string]float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.caps = caps
}

// dexOf returns the dex that an asset's name says, "" for the main one.
func dexOf(name string) string {
	dex, _, found := strings.Cut(name, ":")
	if !found {
		return ""
	}
	return dex
}

// Bounds of matches.
const (
	sameMark  = 0.005 // marks this near are those of one asset
	otherMark = 0.20  // marks further apart are not
	fewOff    = 0.10  // share of the rows that may lie between the two
)

// matches reports whether a list of contexts that names nobody has the order of a dex's newest
// universe. held returns an asset's mark as it is known by name, and false when that is not
// fresh. As proof at least half of the listed assets must be known so; no mark may be further
// than 20 % from the one held, none that is off by more than 0.5 % may be near another such
// asset's, and at most a tenth may be off.
func (u *universe) matches(dex string, rows []contextRow, held func(marketcache.AssetID) (mark float64, ok bool)) bool {
	ids := u.positions(dex)
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

// take publishes a meta answer of one dex; what others list stays. It changes nothing and
// returns an error when the answer cannot be the universe: too many assets for the cache, or
// most of the dex's listed ones missing. What a builder-deployed dex has delisted gets no id.
// changed reports whether the set of listed assets is another than
// before; aside names the listings that cannot be used: not readable, or with a margin table
// that is missing where none of an earlier answer will do.
func (u *universe) take(m metaTable) (changed bool, aside []string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if m.dex == "" {
		m.collateralToken = 0
	}
	old := u.cache.Universe()
	seen := make([]bool, len(old.Assets))
	assets := slices.Clone(old.Assets)
	order := &listOrder{dex: m.dex, token: m.collateralToken, ids: make([]marketcache.AssetID, len(m.assets))}
	news := len(old.Assets) == 0
	for i := range m.assets {
		l := &m.assets[i]
		id := old.LookupString(l.name)
		order.ids[i] = id
		if l.delisted && m.dex != "" && id == marketcache.NoAsset {
			continue
		}
		if dexOf(l.name) != m.dex { // another dex's asset, or unreadable
			order.ids[i], l.readable = marketcache.NoAsset, false
		}
		tiers := m.tiers(l)
		if tiers == nil && id != marketcache.NoAsset && old.Assets[id].MaxLeverage == l.maxLeverage {
			tiers = old.Assets[id].Tiers
		}
		if !l.readable || tiers == nil {
			aside = append(aside, fmt.Sprintf("%d %s", i, l.name))
			continue
		}
		a := &marketcache.Asset{
			ID: id, Name: l.name, Dex: m.dex, SizeDigits: l.sizeDigits, MaxLeverage: l.maxLeverage,
			Tiers: tiers, OnlyIsolated: l.onlyIsolated, Delisted: l.delisted,
			CapUSD: u.caps[l.name], FeeMultiplier: l.feeMultiplier(m.dex), CollateralToken: m.collateralToken,
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
	listed, missing := 0, 0
	absent := map[marketcache.AssetID]absence{}
	for id, a := range old.Assets {
		if a.Delisted {
			continue
		}
		if a.Dex != m.dex {
			if gone, is := u.absent[a.ID]; is {
				absent[a.ID] = gone
			}
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
		missing++
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
	if 2*missing > listed {
		return false, nil, fmt.Errorf("meta lacks %d of %d listed assets", missing, listed)
	}
	if news && !u.cache.SetUniverse(marketcache.NewUniverse(assets)) {
		return false, nil, fmt.Errorf("meta has %d assets, more than the cache holds (%d)", len(assets), u.cache.Limits().Assets)
	}
	u.absent = absent
	for i, id := range order.ids {
		if id != marketcache.NoAsset && assets[id].Delisted {
			order.ids[i] = marketcache.NoAsset // it keeps a price of the day it ended
		}
		order.live = order.live || order.ids[i] != marketcache.NoAsset
	}
	orders := map[string]*listOrder{m.dex: order}
	if p := u.orders.Load(); p != nil {
		for dex, o := range *p {
			if dex != m.dex {
				orders[dex] = o
			}
		}
	}
	u.orders.Store(&orders)
	return changed, aside, nil
}

func sameAsset(a, b *marketcache.Asset) bool {
	return a.SizeDigits == b.SizeDigits && a.MaxLeverage == b.MaxLeverage && a.OnlyIsolated == b.OnlyIsolated &&
		a.Delisted == b.Delisted && a.CapUSD == b.CapUSD && a.FeeMultiplier == b.FeeMultiplier &&
		a.CollateralToken == b.CollateralToken && slices.Equal(a.Tiers, b.Tiers)
}
