package calib

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"ballast/compute/copula"
	"ballast/marketcache"
)

// prepared is an asset's 4-hour returns, ranked once a day.
type prepared struct {
	of     *marketcache.HourlySeries
	series *copula.Series
}

// fitPairs fits every pair of assets and publishes the table.
func (l *Loop) fitPairs(ctx context.Context) (interrupted bool) {
	ranked := slices.Clone(l.byInterest())
	if t := l.cache.Pairs(); len(ranked) == 0 || (t != nil && slices.IndexFunc(ranked, func(m *marketcache.AssetModel) bool { return !t.Has(m.Asset) }) < 0) {
		return false
	}
	ids, pairs := make([]marketcache.AssetID, 0, len(ranked)), make([]marketcache.TailPair, 0, len(ranked)*(len(ranked)-1)/2)
	for n, a := range ranked {
		ids = append(ids, a.Asset)
		for _, b := range ranked[:n] {
			select {
			case <-ctx.Done():
				return false
			default:
			}
			pairs = append(pairs, l.fitPair(a, b))
		}
	}
	l.cache.SetPairs(marketcache.NewPairTable(ids, pairs))
	return false
}

// byInterest returns the fits that a pair can be made of, the highest open interest
// first.
func (l *Loop) byInterest() []*marketcache.AssetModel {
	list := l.ranked[:0]
	for _, f := range l.fits {
		if f != nil && f.Daily != nil {
			list = append(list, f)
		}
	}
	interest := make(map[*marketcache.AssetModel]float64, len(list))
	for _, f := range list {
		interest[f] = l.openInterestUSD(f.Asset)
	}
	slices.SortStableFunc(list, func(a, b *marketcache.AssetModel) int { return cmp.Compare(interest[b], interest[a]) })
	l.ranked = list
	return list
}

// fitPair fits one pair and stores it. A fit that panics counts as one that is not known:
// it is not tried again before the next day.
func (l *Loop) fitPair(a, b *marketcache.AssetModel) (pair marketcache.TailPair) {
	l.config.Busy()
	defer l.config.Idle()
	start := l.config.Now()
	defer func() {
		if r := recover(); r != nil {
			l.panics.Add(1)
			l.config.Log.Error("panic in the fit of a pair", "a", a.Name, "b", b.Name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			l.pairs = copula.NewFitter()
			pair = marketcache.TailPair{}
		}
		l.pairCount.Add(1)
		l.pairBusy.Add(int64(l.config.Now().Sub(start)))
	}()
	if a.Asset > b.Asset {
		a, b = b, a // the order of a sum is part of its bits
	}
	if end(a.Daily) == end(b.Daily) {
		return copula.TailPair(l.pairs.FitSeries(l.prepare(a), l.prepare(b)))
	}
	return copula.FitModels(l.pairs, a, b)
}

func (l *Loop) prepare(m *marketcache.AssetModel) *copula.Series {
	p := &l.assets[m.Asset].prepared
	if p.of != m.Daily {
		*p = prepared{m.Daily, copula.Prepare(copula.FourHourReturns(nil, m.Daily.Values))}
	}
	return p.series
}

// end returns the hour behind the last one of a series.
func end(s *marketcache.HourlySeries) int64 { return s.FirstHour + int64(len(s.Values)) }
