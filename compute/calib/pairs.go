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
	fits   int                       // number of pairs that the set before lacks, or has of other returns
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

// find returns the index of an asset in the set, -1 when the set does not have it.
func (s *pairSet) find(id marketcache.AssetID) int {
	return slices.IndexFunc(s.assets, func(a *marketcache.AssetModel) bool { return a.Asset == id })
}

// same returns the index of an asset in the set, -1 when the set does not have it with the same returns.
func (s *pairSet) same(a *marketcache.AssetModel) int {
	if s == nil {
		return -1
	}
	if i := s.find(a.Asset); i >= 0 && s.assets[i].Daily == a.Daily {
		return i
	}
	return -1
}

// pair returns a fitted pair by the indexes of its assets, which differ.
func (s *pairSet) pair(i, j int) marketcache.TailPair {
	i, j = max(i, j), min(i, j)
	return s.pairs[i*(i-1)/2+j]
}

// newDay looks for wanted assets whose returns end on a later day than in the set. It returns the
// newest such day; false when there is none.
func (s *pairSet) newDay(wanted []*marketcache.AssetModel) (newest int64, ok bool) {
	for _, a := range wanted {
		if at := s.find(a.Asset); at >= 0 && dayOf(a) > dayOf(s.assets[at]) {
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
				l.cache.SetPairsReadyIn(l.awaited())
				return again, false
			}
		}
		if !l.fitSet(ctx, l.making) {
			return 0, ctx.Err() == nil
		}
		l.cache.SetPairs(l.making.table())
		l.made, l.making = l.making, nil
	}
}

// fitSet fits the pairs of a set that the made one does not have of the same returns. It reports false when
// ctx ended or bars changed before all were fitted.
func (l *Loop) fitSet(ctx context.Context, s *pairSet) (complete bool) {
	was := make([]int, len(s.assets))
	for i, a := range s.assets {
		was[i] = l.made.same(a)
	}
	for {
		i, j, ok := s.next()
		if !ok {
			return true
		}
		if was[i] >= 0 && was[j] >= 0 {
			s.pairs = append(s.pairs, l.made.pair(was[i], was[j]))
			continue
		}
		select {
		case <-ctx.Done():
			return false
		case <-l.cache.BarsChanged():
			return false
		default:
		}
		l.cache.SetPairsReadyIn(l.pairsTime(s.fits))
		s.pairs = append(s.pairs, l.fitPair(s.assets[i], s.assets[j]))
		s.fits--
	}
}

// pairsTime returns the expected time for a number of fits, negative before the first.
func (l *Loop) pairsTime(fits int) time.Duration {
	n := l.pairCount.Load()
	if n == 0 {
		return -1
	}
	return time.Duration(uint64(l.pairBusy.Load()) / n * uint64(fits))
}

// awaited returns the time until the histories are read that the pairs still wait for, 0 for none, negative
// if unknown or before the first table.
func (l *Loop) awaited() (wait time.Duration) {
	if l.made == nil {
		return -1
	}
	for _, a := range l.rankedPairs() {
		if h := l.cache.Loading(a.ID); h != nil && h.Candles && l.made.find(a.ID) < 0 {
			if h.CandlesReadyIn < 0 {
				return -1
			}
			wait = max(wait, h.CandlesReadyIn)
		}
	}
	return wait
}

// nextPairs returns the table to make next, nil when none is due, and the time after which to
// call again. On a new day all pairs are fitted again, once every asset has its new returns or
// the time laggards has passed. During a day, missing assets are added to the table, and the pairs of
// assets whose history has become longer are fitted again.
func (l *Loop) nextPairs() (next *pairSet, again time.Duration) {
	wanted := l.wantedPairs()
	if len(wanted) == 0 {
		return nil, 0
	}
	if l.made == nil {
		return l.newSet(wanted), 0
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
			return l.newSet(wanted), 0
		}
	}
	joined, changed := slices.Clone(l.made.assets), false
	for _, a := range wanted {
		switch at := l.made.find(a.Asset); {
		case at < 0:
			joined, changed = append(joined, a), true
		case l.made.assets[at].Daily != a.Daily && dayOf(a) <= dayOf(l.made.assets[at]):
			joined[at], changed = a, true
		}
	}
	if !changed {
		return nil, again
	}
	return l.newSet(joined), 0
}

// newSet returns a set without pairs.
func (l *Loop) newSet(assets []*marketcache.AssetModel) *pairSet {
	s := &pairSet{assets: assets, fits: len(assets) * (len(assets) - 1) / 2}
	if n := len(slices.DeleteFunc(slices.Clone(assets), func(a *marketcache.AssetModel) bool {
		return l.made.same(a) < 0
	})); n > 0 {
		s.fits -= n * (n - 1) / 2
	}
	return s
}

// wantedPairs returns the assets whose pairs are to be fitted now: those of rankedPairs with returns. An asset
// whose older bars are still to be read counts once it has enough returns for a pair.
func (l *Loop) wantedPairs() (list []*marketcache.AssetModel) {
	const enough = 4 * copula.MinPoints // hourly returns
	for _, a := range l.rankedPairs() {
		if int(a.ID) >= len(l.fits) || l.fits[a.ID] == nil || l.fits[a.ID].Daily == nil {
			continue
		}
		f := l.fits[a.ID]
		if h := l.cache.Loading(a.ID); h != nil && h.Candles && len(f.Daily.Values) < enough {
			continue
		}
		list = append(list, &marketcache.AssetModel{Asset: f.Asset, Name: f.Name, Daily: f.Daily})
	}
	return list
}

// rankedPairs returns the assets whose pairs are wanted: those with the highest open interest, in that
// order, then those held by wallets.
func (l *Loop) rankedPairs() []*marketcache.Asset {
	ranked := slices.DeleteFunc(slices.Clone(l.cache.Universe().Assets), func(a *marketcache.Asset) bool {
		return a.Delisted
	})
	openInterest := make(map[*marketcache.Asset]float64, len(ranked))
	for _, a := range ranked {
		openInterest[a] = l.openInterestUSD(a.ID)
	}
	slices.SortStableFunc(ranked, func(a, b *marketcache.Asset) int {
		return cmp.Compare(openInterest[b], openInterest[a])
	})
	now := l.config.Now()
	first := min(pairedByInterest, len(ranked))
	held := slices.DeleteFunc(ranked[first:], func(a *marketcache.Asset) bool {
		return !l.cache.HeldWithin(a.ID, now, marketcache.HeldFor)
	})
	return ranked[:first+len(held)]
}

// fitPair fits one pair. If the fit panics, the pair counts as unknown.
func (l *Loop) fitPair(a, b *marketcache.AssetModel) (pair marketcache.TailPair) {
	l.config.Busy()
	defer l.config.Idle()
	start := l.config.Now()
	defer func() {
		if r := recover(); r != nil {
			l.panics.Add(1)
			l.config.Log.Error("panic in the fit of a pair", "a", a.Name, "b", b.Name, "panic", fmt.Sprint(r), "stack",
				string(debug.Stack()))
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
