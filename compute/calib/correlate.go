package calib

import (
	"slices"
	"time"

	"ballast/compute/joint"
	"ballast/marketcache"
)

const (
	// sumsPause is the least time between two tables of sums while assets arrive, and
	// sumsShare what the time that a table takes is multiplied by for the same purpose.
	sumsPause = time.Second
	sumsShare = 20
)

// correlated is the newest table of sums behind the correlations, and what it is of.
type correlated struct {
	correlations *marketcache.Correlations
	returns      []marketcache.HourlySeries // in the table, by AssetID; empty: none
	summed       marketcache.Instant        // when the table was made
	summing      time.Duration              // how long that took
	turned       marketcache.Instant        // when a newer hour than the table's was first seen; 0: not yet
}

// correlate makes a new table of sums, of all fits in force, when it is time to, and
// publishes it. Until then the last table serves. It returns after which time to ask again;
// 0: not before a fit changes.
//
// Bars of an hour come one asset after the other: a table waits until every asset of the
// last one has come, laggards at most.
func (l *Loop) correlate() (again time.Duration) {
	latest := joint.LastReturn(l.fits)
	if latest == 0 {
		return 0
	}
	now := l.config.Now()
	if t := l.correlations; t != nil {
		if latest != t.LastHour {
			if l.turned == 0 {
				l.turned = now
			}
			if left := laggards - now.Sub(l.turned); left > 0 && l.someBehind(latest) {
				return left
			}
		} else if slices.EqualFunc(l.returns, l.countedReturns(latest), sameSeries) {
			return 0
		}
		if left := max(sumsPause, sumsShare*l.summing) - now.Sub(l.summed); left > 0 {
			return left
		}
	}
	l.config.Busy()
	defer l.config.Idle()
	l.correlations = joint.Sums(l.fits)
	l.returns, l.summed, l.turned = l.countedReturns(latest), l.config.Now(), 0
	l.summing = l.summed.Sub(now)
	l.publish()
	return 0
}

// someBehind reports whether an asset of the table has no return of the latest hour yet.
func (l *Loop) someBehind(latest int64) bool {
	for id := range l.returns {
		if len(l.returns[id].Values) > 0 && !joint.Counts(l.fits[id], latest) {
			return true
		}
	}
	return false
}

// countedReturns returns the returns that a table up to an hour is made of, by AssetID.
func (l *Loop) countedReturns(last int64) []marketcache.HourlySeries {
	list := make([]marketcache.HourlySeries, len(l.fits))
	for id, f := range l.fits {
		if joint.Counts(f, last) {
			list[id] = f.U1
		}
	}
	return list
}

// sameSeries reports whether two series are one and the same: what is published never
// changes.
func sameSeries(a, b marketcache.HourlySeries) bool {
	return a.FirstHour == b.FirstHour && len(a.Values) == len(b.Values) && (len(a.Values) == 0 || &a.Values[0] == &b.Values[0])
}
