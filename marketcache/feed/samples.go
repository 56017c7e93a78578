package feed

import (
	"context"
	"math"
	"slices"
	"time"

	"ballast/marketcache"
)

// MinuteSampler samples every listed asset's book once a minute.
type MinuteSampler struct {
	Cache    *marketcache.Cache
	Clock    *Clock
	Interest *OpenInterestTracker // published every minute
	Ranking  func() *Ranking

	scratch []float64
}

// Run samples at the end of each UTC minute of the venue's clock until ctx ends.
func (m *MinuteSampler) Run(ctx context.Context) {
	const minuteMs = 60_000
	var last int64 // last sampled minute; a corrected clock may repeat it
	for {
		if Sleep(ctx, time.Duration(minuteMs-m.Clock.VenueMs(marketcache.Now())%minuteMs)*time.Millisecond) != nil {
			return
		}
		at := marketcache.Now()
		minute := (m.Clock.VenueMs(at) - minuteMs/2) / minuteMs
		if minute <= last {
			continue
		}
		last = minute
		for _, id := range m.Ranking().IDs {
			if ctx.Err() != nil {
				return
			}
			m.sample(id, at, minute*minuteMs)
		}
		m.Interest.Publish(m.Clock.VenueMs(at))
	}
}

// sample stores the last book of the minute that just ended. A minute without any book message
// has no sample, and neither has a book with an empty side, which has no spread.
func (m *MinuteSampler) sample(id marketcache.AssetID, at marketcache.Instant, minuteMs int64) {
	held, _, ok := m.Cache.Books(id).Latest(at, time.Minute)
	if !ok || !(*held).TwoSided() {
		return
	}
	b := *held
	ring := m.Cache.MinuteSamples(id)
	ring.Append(marketcache.MinuteSample{MinuteMs: minuteMs, SpreadBps: b.SpreadBps, Depth50BpsUSD: b.Bids.Depth50USD +
		b.Asks.Depth50USD})
	samples := ring.View()
	sorted := func(of func(*marketcache.MinuteSample) float64) []float64 {
		m.scratch = m.scratch[:0]
		for i := range samples {
			m.scratch = append(m.scratch, of(&samples[i]))
		}
		slices.Sort(m.scratch)
		return m.scratch
	}
	s := &marketcache.SampleStats{N: len(samples)}
	spreads := sorted(func(x *marketcache.MinuteSample) float64 { return x.SpreadBps })
	s.SpreadBpsMedian, s.SpreadBps95, s.SpreadBps99 = quantile(spreads, 0.5), quantile(spreads, 0.95),
		quantile(spreads, 0.99)
	s.Depth50BpsUSDMedian = quantile(sorted(func(x *marketcache.MinuteSample) float64 { return x.Depth50BpsUSD }), 0.5)
	m.Cache.SetSampleStats(id, s)
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
