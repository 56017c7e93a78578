package hyperliquid

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// universe holds the assets of all followed dexes. Ids are assigned in the order of first appearance
// and never change. An asset that the venue no longer lists stays, as delisted.
type universe struct {
	cache *marketcache.Cache

	mu     sync.Mutex // serialises writers
	absent map[marketcache.AssetID]absence
	caps   map[string]float64 // published open-interest caps, USD by asset
	places map[string]int     // of the dexes other than the main one in the venue's list of all
	// tokens are the collateral tokens of the dexes, when the venue was asked for those of dexes that are not followed.
	tokens map[string]int
	// orders are the newest lists by dex. Immutable; replaced as a whole.
	orders atomic.Pointer[map[string]*listOrder]
}

// order returns a dex's list, empty before its first meta answer.
func (u *universe) order(dex string) listOrder {
	if p := u.orders.Load(); p != nil && (*p)[dex] != nil {
		return *(*p)[dex]
	}
	return listOrder{}
}

// listOrder maps the positions of a dex's list to ids.
type listOrder struct {
	dex   string
	live  bool                  // has a listed asset
	token int                   // index of the collateral token
	ids   []marketcache.AssetID // NoAsset: delisted, set aside or unknown
}

// absence counts the consecutive answers without a listed asset.
type absence struct {
	answers int
	since   marketcache.Instant
}

// An asset is considered delisted, without the venue saying so, after this many answers over this
// long without a readable listing of it. One bad answer must not block the closing of a position.
const (
	absentAnswers = 3
	absentFor     = 2 * time.Minute
)

// positions returns the ids of a dex in the venue's order, nil before its first meta answer. Data at
// the position of NoAsset must not be published.
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

// token returns the index of a dex's collateral token, 0 if unknown.
func (u *universe) token(dex string) (index int, known bool) {
	if list := u.order(dex); list.ids != nil || dex == "" {
		return list.token, true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	index, known = u.tokens[dex]
	return index, known
}

// published stores open-interest caps, USD by asset, the dexes other than the main one in the venue's order, and their
// collateral tokens, nil if not read. The next list of each dex applies the caps to its assets.
func (u *universe) published(caps map[string]float64, dexes []string, tokens map[string]int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if tokens != nil {
		u.tokens = tokens
	}
	u.caps, u.places = caps, map[string]int{}
	for i, dex := range dexes {
		u.places[dex] = i + 1
	}
}

// number returns the number in orders of the asset at a position of a dex's list.
func (u *universe) number(dex string, position int) int64 {
	if dex == "" {
		return int64(position)
	}
	if place, ok := u.places[dex]; ok {
		return int64(100_000 + 10_000*place + position)
	}
	return marketcache.NoNumber
}

// dexOf returns the dex in an asset's name, "" for the main one.
func dexOf(name string) string {
	return name[:max(0, strings.IndexByte(name, ':'))]
}

// Bounds for compare.
const (
	sameMark  = 0.005 // up to this relative distance two marks are of the same asset
	otherMark = 0.20  // beyond this relative distance two marks are of different assets
	fewOff    = 0.10  // a list in the order of the universe has at most this share of rows beyond sameMark
)

// likeness is the result of comparing a list of contexts with the marks known by name.
type likeness struct {
	listed, known  int  // listed assets, and those of them with a mark known by name and a readable row
	off, strangers int  // rows beyond sameMark, and those of them that belong to another asset
	exchanged      bool // some rows have each other's marks
}

// compare compares a list of contexts with the marks of the assets at the same positions of a dex's
// newest universe. It sets ok to false in rows that belong to another asset: their mark is beyond otherMark,
// or exchanged with other rows. held returns an asset's mark as known by name, false if it is not fresh.
func (u *universe) compare(dex string, rows []contextRow, held func(marketcache.AssetID) (mark float64, ok bool)) (
	l likeness) {
	near := func(a, b, share float64) bool { return math.Abs(a-b) <= share*b }
	type pair struct {
		row         int
		read, known float64
	}
	var off []pair
	for i, id := range u.positions(dex) {
		if id == marketcache.NoAsset || i >= len(rows) {
			continue
		}
		l.listed++
		if mark, ok := held(id); ok && rows[i].ok {
			l.known++
			if read := rows[i].ctx.MarkPrice; !near(read, mark, sameMark) {
				off = append(off, pair{i, read, mark})
			}
		}
	}
	for _, a := range off {
		gives := slices.ContainsFunc(off, func(b pair) bool {
			return b.row != a.row && near(a.read, b.known, sameMark)
		})
		takes := slices.ContainsFunc(off, func(b pair) bool {
			return b.row != a.row && near(b.read, a.known, sameMark)
		})
		if exchanged := gives && takes; exchanged || !near(a.read, a.known, otherMark) {
			rows[a.row].ok = false
			l.strangers++
			l.exchanged = l.exchanged || exchanged
		}
	}
	l.off = len(off)
	return l
}

// proved reports whether the list is in the order of the universe: at least half of the listed assets
// are known by name, and of these at most one, or fewOff if that is more, deviate beyond sameMark.
func (l *likeness) proved() bool {
	return l.known > 0 && 2*l.known >= l.listed && l.off <= max(1, int(fewOff*float64(l.known)))
}

// refuted reports whether the list is in another order than the universe.
func (l *likeness) refuted() bool { return l.strangers > max(1, int(fewOff*float64(l.known))) }

// apply publishes a meta answer of one dex and leaves other dexes as they are. It changes nothing and
// returns an error when the answer cannot be right: too many assets for the cache, or most of the
// dex's listed assets missing. Delisted assets of a builder-deployed dex get no id. changed reports
// whether the set of listed assets changed. aside names the unusable listings: unreadable, or without
// a margin table in this or an earlier answer.
func (u *universe) apply(m metaTable) (changed bool, aside []string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if m.dex == "" {
		m.collateralToken = 0
	}
	old := u.cache.Universe()
	r := metaReading{
		metaTable: m, old: old, assets: slices.Clone(old.Assets), seen: make([]bool, len(old.Assets)),
		order: &listOrder{dex: m.dex, token: m.collateralToken, ids: make([]marketcache.AssetID, len(m.assets))},
		news:  len(old.Assets) == 0,
	}
	for i := range m.assets {
		r.take(i, u.caps, u.number(m.dex, i))
	}
	absent, err := r.missing(u.absent, marketcache.Now())
	switch {
	case len(r.assets) == 0 || m.dex == "" && len(m.assets) == 0:
		return false, nil, errors.New("meta has no asset that can be used")
	case err != nil:
		return false, nil, err
	case r.news && !u.cache.SetUniverse(marketcache.NewUniverse(r.assets)):
		return false, nil, fmt.Errorf("meta has %d assets, more than the cache holds (%d)", len(r.assets),
			u.cache.Limits().Assets)
	}
	u.absent = absent
	for i, id := range r.order.ids {
		if id != marketcache.NoAsset && r.assets[id].Delisted {
			r.order.ids[i] = marketcache.NoAsset // its price is that of the day it was delisted
		}
		r.order.live = r.order.live || r.order.ids[i] != marketcache.NoAsset
	}
	orders := map[string]*listOrder{}
	if p := u.orders.Load(); p != nil {
		maps.Copy(orders, *p)
	}
	orders[m.dex] = r.order
	u.orders.Store(&orders)
	return r.changed, r.aside, nil
}

// metaReading is the universe that a meta answer makes of the one before.
type metaReading struct {
	metaTable
	old     *marketcache.Universe
	assets  []*marketcache.Asset // of all dexes
	seen    []bool               // by id in old: listed in the answer
	order   *listOrder
	changed bool // the set of listed assets
	news    bool // any asset
	aside   []string
}

// take takes one listing.
func (r *metaReading) take(i int, caps map[string]float64, number int64) {
	l := &r.metaTable.assets[i]
	id := r.old.LookupString(l.name)
	r.order.ids[i] = id
	if l.delisted && r.dex != "" && id == marketcache.NoAsset {
		return
	}
	if dexOf(l.name) != r.dex { // of another dex, or unreadable
		r.order.ids[i], l.readable = marketcache.NoAsset, false
	}
	tiers := r.tiers(l)
	if tiers == nil && id != marketcache.NoAsset && r.old.Assets[id].MaxLeverage == l.maxLeverage {
		tiers = r.old.Assets[id].Tiers
	}
	if !l.readable || tiers == nil {
		r.aside = append(r.aside, fmt.Sprintf("%d %s", i, l.name))
		return
	}
	a := &marketcache.Asset{
		ID: id, Name: l.name, Dex: r.dex, SizeDigits: l.sizeDigits, MaxLeverage: l.maxLeverage,
		Tiers: tiers, OnlyIsolated: l.onlyIsolated, Delisted: l.delisted,
		CapUSD: caps[l.name], FeeMultiplier: l.feeMultiplier(r.dex), CollateralToken: r.collateralToken,
		Number: number,
	}
	if id == marketcache.NoAsset {
		a.ID = marketcache.AssetID(len(r.assets))
		r.order.ids[i] = a.ID
		r.assets = append(r.assets, a)
		r.changed, r.news = true, true
		return
	}
	r.seen[id] = true
	if was := r.old.Assets[id]; !sameAsset(was, a) {
		r.assets[id], r.news = a, true
		r.changed = r.changed || was.Delisted != a.Delisted
	}
}

// missing returns the absences after the answer, given those before it, and delists assets that have been absent for
// long. It fails when most of the dex's listed assets are missing.
func (r *metaReading) missing(
	before map[marketcache.AssetID]absence, now marketcache.Instant,
) (absent map[marketcache.AssetID]absence, err error) {
	listed, missing := 0, 0
	absent = map[marketcache.AssetID]absence{}
	for id, a := range r.old.Assets {
		gone, is := before[a.ID]
		switch {
		case a.Delisted:
			continue
		case a.Dex != r.dex:
			if is {
				absent[a.ID] = gone
			}
			continue
		}
		listed++
		if r.seen[id] {
			continue
		}
		missing++
		if gone.answers == 0 {
			gone.since = now
		}
		gone.answers++
		absent[a.ID] = gone
		if gone.answers >= absentAnswers && now.Sub(gone.since) >= absentFor {
			d := *a
			d.Delisted = true
			r.assets[id] = &d
			r.changed, r.news = true, true
		}
	}
	if 2*missing > listed {
		return nil, fmt.Errorf("meta lacks %d of %d listed assets", missing, listed)
	}
	return absent, nil
}

func sameAsset(a, b *marketcache.Asset) bool {
	return a.SizeDigits == b.SizeDigits && a.MaxLeverage == b.MaxLeverage && a.OnlyIsolated == b.OnlyIsolated &&
		a.Delisted == b.Delisted && a.CapUSD == b.CapUSD && a.FeeMultiplier == b.FeeMultiplier &&
		a.CollateralToken == b.CollateralToken && a.Number == b.Number && slices.Equal(a.Tiers, b.Tiers)
}
