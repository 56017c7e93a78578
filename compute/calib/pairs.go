package calib

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ballast/compute/copula"
	"ballast/marketcache"
)

// pairedByInterest is the number of assets, by open interest, whose pairs are fitted. Assets
// held by wallets are added.
const pairedByInterest = 32

// paired holds the newest table of pairs and the one being made.
type paired struct {
	fitter *copula.Fitter
	made   *pairSet // published; nil before the first
	making *pairSet // nil when no table is being made
	// turnedDay is when returns of a newer day than the table's were first seen; 0: not seen.
	turnedDay marketcache.Instant
}

// pairSet holds the pairs of a set of assets.
type pairSet struct {
	assets []*marketcache.AssetModel // only Asset, Name and Daily are used
	pairs  []marketcache.TailPair    // the pairs fitted so far, in the order of marketcache.NewPairTable
}

// next returns the indexes of the next pair to fit, false when all are fitted.
func (s *pairSet) next() (i, j int, ok bool) {
	for at := len(s.pairs); i < len(s.assets); i++ {
		if at < i {
			return i, at, true
		}
		at -= i
	}
	return 0, 0, false
}

// table returns the pairs in published form.
func (s *pairSet) table() *marketcache.PairTable {
	ids := make([]marketcache.AssetID, len(s.assets))
	for i, a := range s.assets {
		ids[i] = a.Asset
	}
	return marketcache.NewPairTable(ids, s.pairs)
}

// find returns an asset of the set, nil when the set does not have it.
func (s *pairSet) find(id marketcache.AssetID) *marketcache.AssetModel {
	for _, a := range s.assets {
		if a.Asset == id {
			return a
		}
	}
	return nil
}

// newDay looks for wanted assets whose returns end on a later day than in the set. It returns the
// newest such day; false when there is none.
func (s *pairSet) newDay(wanted []*marketcache.AssetModel) (newest int64, ok bool) {
	for _, a := range wanted {
		if old := s.find(a.Asset); old != nil && dayOf(a) > dayOf(old) {
			newest, ok = max(newest, dayOf(a)), true
		}
	}
	return newest, ok
}

// dayOf returns the UTC day, in days since 1970, in which an asset's returns for pairs end.
func dayOf(a *marketcache.AssetModel) int64 { return end(a.Daily) / hoursPerDay }

// prepared holds an asset's 4-hour returns, ranked once a day.
type prepared struct {
	of     *marketcache.HourlySeries
	series *copula.Series
}

// fitPairs makes the tables of pairs that are due and publishes each when it is complete. When bars
// change, it stops, keeps the pairs fitted so far and reports interrupted. Otherwise it returns the
// time after which to call again; 0 means that nothing is due until a fit changes or a wallet holds
// another asset.
func (l *Loop) fitPairs(ctx context.Context) (again time.Duration, interrupted bool) {
	for {
		if l.making == nil {
			if l.making, again = l.nextPairs(); l.making == nil {
				return again, false
			}
		}
		for {
			i, j, ok := l.making.next()
			if !ok {
				break
			}
			select {
			case <-ctx.Done():
				return 0, false
			case <-l.cache.BarsChanged():
				return 0, true
			default:
			}
			l.making.pairs = append(l.making.pairs, l.fitPair(l.making.assets[i], l.making.assets[j]))
		}
		l.cache.SetPairs(l.making.table())
		l.made, l.making = l.making, nil
	}
}

// nextPairs returns the table to make next, nil when none is due, and the time after which to
// call again. On a new day all pairs are fitted again, once every asset has its new returns or
// the time laggards has passed. During a day, missing assets are added to the table.
func (l *Loop) nextPairs() (next *pairSet, again time.Duration) {
	wanted := l.wantedPairs()
	if len(wanted) == 0 {
		return nil, 0
	}
	if l.made == nil {
		return &pairSet{assets: wanted}, 0
	}
	if newest, ok := l.made.newDay(wanted); ok {
		now := l.config.Now()
		if l.turnedDay == 0 {
			l.turnedDay = now
		}
		again = laggards - now.Sub(l.turnedDay)
		behind := func(a *marketcache.AssetModel) bool { return dayOf(a) < newest }
		if again <= 0 || !slices.ContainsFunc(wanted, behind) {
			l.turnedDay = 0
			return &pairSet{assets: wanted}, 0
		}
	}
	joined := &pairSet{slices.Clone(l.made.assets), slices.Clone(l.made.pairs)}
	for _, a := range wanted {
		if l.made.find(a.Asset) == nil {
			joined.assets = append(joined.assets, a)
		}
	}
	if len(joined.assets) == len(l.made.assets) {
		return nil, again
	}
	return joined, 0
}

// wantedPairs returns the assets with returns whose pairs are wanted: those with the highest open
// interest, in that order, then those held by wallets.
func (l *Loop) wantedPairs() (list []*marketcache.AssetModel) {
	ranked := slices.DeleteFunc(slices.Clone(l.cache.Universe().Assets), func(a *marketcache.Asset) bool { return a.Delisted })
	openInterest := make(map[*marketcache.Asset]float64, len(ranked))
	for _, a := range ranked {
		openInterest[a] = l.openInterestUSD(a.ID)
	}
	slices.SortStableFunc(ranked, func(a, b *marketcache.Asset) int { return cmp.Compare(openInterest[b], openInterest[a]) })
	now := l.config.Now()
	for i, a := range ranked {
		if i >= pairedByInterest && !l.cache.HeldWithin(a.ID, now, marketcache.HeldFor) {
			continue
		}
		if int(a.ID) < len(l.fits) && l.fits[a.ID] != nil && l.fits[a.ID].Daily != nil {
			f := l.fits[a.ID]
			list = append(list, &marketcache.AssetModel{Asset: f.Asset, Name: f.Name, Daily: f.Daily})
		}
	}
	return list
}

// fitPair fits one pair. If the fit panics, the pair counts as unknown.
func (l *Loop) fitPair(a, b *marketcache.AssetModel) (pair marketcache.TailPair) {
	l.config.Busy()
	defer l.config.Idle()
	start := l.config.Now()
	defer func() {
		if r := recover(); r != nil {
			l.panics.Add(1)
			l.config.Log.Error("panic in the fit of a pair", "a", a.Name, "b", b.Name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			l.fitter = copula.NewFitter()
			pair = marketcache.TailPair{}
		}
		l.pairCount.Add(1)
		l.pairBusy.Add(int64(l.config.Now().Sub(start)))
	}()
	if a.Asset > b.Asset {
		a, b = b, a // fixed order, because the order of a sum changes its bits
	}
	if l.fault != nil {
		l.fault(a.Name + "/" + b.Name)
	}
	if end(a.Daily) == end(b.Daily) {
		return copula.TailPair(l.fitter.FitSeries(l.prepare(a), l.prepare(b)))
	}
	return copula.FitModels(l.fitter, a, b)
}

func (l *Loop) prepare(m *marketcache.AssetModel) *copula.Series {
	p := &l.assets[m.Asset].prepared
	if p.of != m.Daily {
		*p = prepared{m.Daily, copula.Prepare(copula.FourHourReturns(nil, m.Daily.Values))}
	}
	return p.series
}

// end returns the hour after a series' last hour.
func end(s *marketcache.HourlySeries) int64 { return s.FirstHour + int64(len(s.Values)) }
