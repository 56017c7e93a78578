package calib

import (
	"slices"
	"time"

	"ballast/compute/joint"
	"ballast/marketcache"
)

const (
	// While assets are being loaded, the time between two tables of correlation sums is at least
	// sumsPause, and at least sumsShare times the time that the last table took to compute.
	sumsPause = time.Second
	sumsShare = 20
)

// correlated is the newest table of sums for the correlations, with the data it was made from.
type correlated struct {
	correlations *marketcache.Correlations
	returns      []marketcache.HourlySeries // returns in the table, by AssetID; empty: asset not in the table
	summed       marketcache.Instant        // when the table was made
	summing      time.Duration              // time that the table took to compute
	// when returns of a later hour than the table's were first seen; 0: not seen
	turned marketcache.Instant
}

// correlate computes and publishes a new table of sums from all current fits when it is due. Until then
// the last table stays in use. It returns the time after which to call again; 0 means when a fit changes.
//
// The bars of an hour arrive asset by asset. So a new table waits until every asset of the last
// table has its new bar, or until the time limit (constant laggards).
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

// someBehind reports whether an asset of the table lacks the return of the latest hour.
func (l *Loop) someBehind(latest int64) bool {
	for id := range l.returns {
		if len(l.returns[id].Values) > 0 && !joint.Counts(l.fits[id], latest) {
			return true
		}
	}
	return false
}

// countedReturns returns, by AssetID, the hourly returns that belong in a table ending at hour last.
func (l *Loop) countedReturns(last int64) []marketcache.HourlySeries {
	list := make([]marketcache.HourlySeries, len(l.fits))
	for id, f := range l.fits {
		if joint.Counts(f, last) {
			list[id] = f.U1
		}
	}
	return list
}

// sameSeries reports whether two series are the same memory, which implies equal contents:
// published series never change.
func sameSeries(a, b marketcache.HourlySeries) bool {
	return a.FirstHour == b.FirstHour && len(a.Values) == len(b.Values) &&
		(len(a.Values) == 0 || &a.Values[0] == &b.Values[0])
}
