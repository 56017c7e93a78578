package feed

import (
	"context"
	"math"
	"slices"
	"time"

	"ballast/marketcache"
)

// SampleMinutes samples every listed asset's book at the end of each UTC minute of the venue's clock until ctx ends,
// and publishes the open interest.
func (h *History) SampleMinutes(ctx context.Context) {
	const minuteMs = 60_000
	var last int64 // last sampled minute; a corrected clock may repeat it
	for {
		if Sleep(ctx, time.Duration(minuteMs-h.nowMs()%minuteMs)*time.Millisecond) != nil {
			return
		}
		at := marketcache.Now()
		minute := (h.Clock.VenueMs(at) - minuteMs/2) / minuteMs
		if minute <= last {
			continue
		}
		last = minute
		for _, id := range h.Ranking().IDs {
			if ctx.Err() != nil {
				return
			}
			sample(h.Cache, id, at, minute*minuteMs)
		}
		h.Interest.Publish(h.Clock.VenueMs(at))
	}
}

// sample stores the last book of the minute that just ended. A minute without any book message
// has no sample, and neither has a book with an empty side, which has no spread.
func sample(c *marketcache.Cache, id marketcache.AssetID, at marketcache.Instant, minuteMs int64) {
	held, _, ok := c.Books(id).Latest(at, time.Minute)
	if !ok || !(*held).TwoSided() {
		return
	}
	b := *held
	ring := c.MinuteSamples(id)
	ring.Append(marketcache.MinuteSample{MinuteMs: minuteMs, SpreadBps: b.SpreadBps, Depth50BpsUSD: b.Bids.Depth50USD +
		b.Asks.Depth50USD})
	samples := ring.View()
	spreads, depths := make([]float64, len(samples)), make([]float64, len(samples))
	for i := range samples {
		spreads[i], depths[i] = samples[i].SpreadBps, samples[i].Depth50BpsUSD
	}
	slices.Sort(spreads)
	slices.Sort(depths)
	c.SetSampleStats(id, &marketcache.SampleStats{
		N: len(samples), SpreadBpsMedian: quantile(spreads, 0.5), SpreadBps95: quantile(spreads, 0.95),
		SpreadBps99: quantile(spreads, 0.99), Depth50BpsUSDMedian: quantile(depths, 0.5),
	})
}

// quantile is the type-7 quantile of a sorted sample, 0 of an empty sample. It repeats
// compute/stats, which this package may not import.
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

// Windows of the funding statistics in rows, one per hour (docs/model.md).
const (
	fundingMeanRows   = 168
	fundingMedianRows = 720
)

// fundingStats summarises paid funding; rows are complete up to throughMs.
func fundingStats(rows []marketcache.FundingRow, throughMs int64) *marketcache.FundingStats {
	s := &marketcache.FundingStats{Rows: min(len(rows), fundingMedianRows), ThroughVenueMs: throughMs}
	if len(rows) == 0 {
		return s
	}
	s.LastRowVenueMs = rows[len(rows)-1].VenueMs
	newest := rows[max(0, len(rows)-fundingMeanRows):]
	var sum [4]float64 // four interleaved sums, as everywhere in the model (docs/model.md)
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
