package hyperliquid

import (
	"context"
	"math"
	"slices"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// followMinutes takes one sample of every book at the end of each UTC minute, by the
// venue's clock, and refreshes the statistics of the newest 1,440.
func (f *Feed) followMinutes(ctx context.Context) {
	const minuteMs = 60_000
	var scratch []float64
	var last int64 // the minute sampled last: a clock that is corrected may show it twice
	for {
		now := f.clock.VenueMs(marketcache.Now())
		if feed.Sleep(ctx, time.Duration(minuteMs-now%minuteMs)*time.Millisecond) != nil {
			return
		}
		at := marketcache.Now()
		if minute := (f.clock.VenueMs(at) - minuteMs/2) / minuteMs; minute <= last {
			continue
		} else {
			last = minute
		}
		for _, id := range f.ranks.Load().ids {
			if ctx.Err() != nil {
				return
			}
			scratch = f.sample(id, at, last*minuteMs, scratch)
		}
		f.interest.minute(f.clock.VenueMs(at))
	}
}

// sample takes the last book of the minute that has just ended. A minute in which
// nothing was heard of the book has no sample, nor has a book without a mid: its
// spread does not exist.
func (f *Feed) sample(id marketcache.AssetID, at marketcache.Instant, minuteMs int64, scratch []float64) []float64 {
	held, _, ok := f.cache.Books(id).Latest(at, time.Minute)
	if !ok || !(*held).TwoSided() {
		return scratch
	}
	b := *held
	ring := f.cache.MinuteSamples(id)
	ring.Append(marketcache.MinuteSample{
		MinuteMs:      minuteMs,
		SpreadBps:     b.SpreadBps,
		Depth50BpsUSD: b.Bids.Depth50USD + b.Asks.Depth50USD,
	})
	stats, scratch := sampleStats(ring.View(), scratch)
	f.cache.SetSampleStats(id, stats)
	return scratch
}

func sampleStats(samples []marketcache.MinuteSample, scratch []float64) (*marketcache.SampleStats, []float64) {
	s := &marketcache.SampleStats{N: len(samples)}
	scratch = scratch[:0]
	for _, x := range samples {
		scratch = append(scratch, x.SpreadBps)
	}
	slices.Sort(scratch)
	s.SpreadBpsMedian, s.SpreadBps95, s.SpreadBps99 = quantile(scratch, 0.5), quantile(scratch, 0.95), quantile(scratch, 0.99)
	scratch = scratch[:0]
	for _, x := range samples {
		scratch = append(scratch, x.Depth50BpsUSD)
	}
	slices.Sort(scratch)
	s.Depth50BpsUSDMedian = quantile(scratch, 0.5)
	return s, scratch
}

// quantile is the type-7 quantile of a sorted sample, 0 of an empty one. It is here
// and not that of compute/stats, because the cache's writers import nothing above them.
func quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	h := float64(n-1) * p
	lo := int(math.Floor(h))
	hi := min(lo+1, n-1)
	return sorted[lo] + (h-float64(lo))*(sorted[hi]-sorted[lo])
}

// Windows of the funding statistics in rows, one an hour (docs/model.md).
const (
	fundingMeanRows   = 168
	fundingMedianRows = 720
)

// fundingStats summarises paid funding.
func fundingStats(rows []marketcache.FundingRow, throughMs int64) *marketcache.FundingStats {
	s := &marketcache.FundingStats{Rows: min(len(rows), fundingMedianRows), ThroughVenueMs: throughMs}
	if len(rows) == 0 {
		return s
	}
	s.LastRowVenueMs = rows[len(rows)-1].VenueMs
	newest := rows[max(0, len(rows)-fundingMeanRows):]
	var sum [4]float64 // interleaved, as every sum of the models (docs/model.md)
	for i, r := range newest {
		sum[i&3] += r.RateHourly
	}
	s.MeanHourly168 = ((sum[0] + sum[1]) + (sum[2] + sum[3])) / float64(len(newest))
	newest = rows[max(0, len(rows)-fundingMedianRows):]
	sorted := make([]float64, len(newest))
	for i, r := range newest {
		sorted[i] = r.RateHourly
	}
	slices.Sort(sorted)
	s.MedianHourly720 = quantile(sorted, 0.5)
	for i, v := range sorted {
		sorted[i] = math.Abs(v - s.MedianHourly720)
	}
	slices.Sort(sorted)
	s.MADHourly720 = quantile(sorted, 0.5)
	return s
}
