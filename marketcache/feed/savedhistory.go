package feed

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ballast/marketcache"
)

const (
	hourMs = 3600 * 1000
	dayMs  = 24 * hourMs
)

// savedHistory is what an Archive keeps of one asset.
type savedHistory struct {
	bars    []marketcache.Bar
	funding []marketcache.FundingRow
	days    []marketcache.DayMaximum // daily maxima of open interest, oldest first
	savedState
	future int // rows that were left out because they lie in the future of the venue's clock
}

// statePart is the part that has the savedState, as JSON.
const statePart = "state"

// savedState is what is known of the series of a history.
type savedState struct {
	BarsThroughMs    int64   `json:"bars_through_ms"`    // the bars are complete up to this time; 0: never loaded
	Short            bool    `json:"short"`              // the venue may have older bars
	FundingThroughMs int64   `json:"funding_through_ms"` // the funding is complete up to this time; 0: never loaded
	OddMs            int64   `json:"odd_ms,omitempty"`   // the newest hour whose bar could not be used; 0: none
	CapMs            int64   `json:"cap_ms"`             // when the asset was last at its open-interest cap; 0: never
	CapUSD           float64 `json:"cap_usd"`            // its open interest then
}

// series is how rows of a kind are kept: the rows of a calendar month (UTC) in a part called "<name> 2026-11", a row
// as width float64, little endian, its time in ms first.
type series[T any] struct {
	name  string
	width int
	write func(to []float64, row T) []float64
	// read returns a row, the time from which on it can be known, and whether the row is possible.
	read func(v []float64) (row T, endMs int64, possible bool)
}

// Bounds on plausible values, far outside any real market.
const (
	maxPrice       = 1e9  // USD
	maxVolume      = 1e13 // base units an hour
	maxFundingRate = 1.0  // fraction an hour
	maxInterestUSD = 1e15
)

var (
	savedBars = series[marketcache.Bar]{"bars", 6, func(to []float64, b marketcache.Bar) []float64 {
		return append(to, float64(b.OpenMs), b.Open, b.High, b.Low, b.Close, b.Volume)
	}, func(v []float64) (marketcache.Bar, int64, bool) {
		b := marketcache.Bar{OpenMs: int64(v[0]), Open: v[1], High: v[2], Low: v[3], Close: v[4], Volume: v[5]}
		return b, b.OpenMs + hourMs, PlausibleBar(b)
	}}
	savedFunding = series[marketcache.FundingRow]{"funding", 2,
		func(to []float64, r marketcache.FundingRow) []float64 {
			return append(to, float64(r.VenueMs), r.RateHourly)
		}, func(v []float64) (marketcache.FundingRow, int64, bool) {
			r := marketcache.FundingRow{VenueMs: int64(v[0]), RateHourly: v[1]}
			return r, r.VenueMs, math.Abs(r.RateHourly) <= maxFundingRate
		}}
	savedDays = series[marketcache.DayMaximum]{"interest", 2, func(to []float64, d marketcache.DayMaximum) []float64 {
		return append(to, float64(d.DayMs), d.USD)
	}, func(v []float64) (marketcache.DayMaximum, int64, bool) {
		d := marketcache.DayMaximum{DayMs: int64(v[0]), USD: v[1]}
		return d, d.DayMs, d.DayMs%dayMs == 0 && d.USD >= 0 && d.USD <= maxInterestUSD
	}}
)

// PlausibleBar reports whether b could be an hourly bar: a whole hour, positive prices within
// the range of low to high, a finite volume.
func PlausibleBar(b marketcache.Bar) bool {
	return b.OpenMs > 0 && b.OpenMs%hourMs == 0 && b.Low > 0 && b.High <= maxPrice &&
		b.Low <= min(b.Open, b.Close) && b.High >= max(b.Open, b.Close) &&
		b.Volume >= 0 && b.Volume <= maxVolume
}

// encode calls keep for the part of each month. keep must not hold on to the value.
func (s *series[T]) encode(rows []T, keep func(part string, value []byte)) {
	var values []float64
	var value []byte
	part, endMs := "", 0.0
	flush := func(n int) {
		if n > 0 {
			value, _ = binary.Append(value[:0], binary.LittleEndian, values[:n])
			keep(part, value)
		}
	}
	for _, row := range rows {
		n := len(values)
		values = s.write(values, row)
		if values[n] >= endMs {
			flush(n)
			values = values[:copy(values, values[n:])]
			t := time.UnixMilli(int64(values[0])).UTC()
			part = s.name + t.Format(" 2006-01")
			endMs = float64(time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
		}
	}
	flush(len(values))
}

// decode returns the rows of all months up to nowMs and counts later ones. rows is nil if the series is damaged, or a
// row is impossible.
func (s *series[T]) decode(
	parts map[string][]byte, damaged map[string]bool, nowMs int64, later *int,
) (rows []T, err error) {
	if damaged[s.name] {
		return nil, fmt.Errorf("%q is not as it was saved", s.name)
	}
	months, size := []string{}, 0
	for part, value := range parts {
		if strings.HasPrefix(part, s.name+" ") {
			months, size = append(months, part), size+len(value)
		}
	}
	slices.Sort(months)
	rows = make([]T, 0, size/(8*s.width))
	last := 0.0
	var space []float64
	for _, part := range months {
		space = slices.Grow(space[:0], len(parts[part])/8)
		values := space[:len(parts[part])/8]
		binary.Decode(parts[part], binary.LittleEndian, values)
		possible := len(parts[part])%(8*s.width) == 0
		for ; possible && len(values) > 0; values = values[s.width:] {
			row, endMs, is := s.read(values)
			possible = is && last < values[0] && values[0] < 1<<53
			if last = values[0]; endMs <= nowMs {
				rows = append(rows, row)
			} else {
				*later++
			}
		}
		if !possible {
			return nil, fmt.Errorf("%q has an impossible row", part)
		}
	}
	return rows, nil
}

// encode calls keep for each part of the history. keep must not hold on to the value.
func (l *savedHistory) encode(keep func(part string, value []byte)) {
	savedBars.encode(l.bars, keep)
	savedFunding.encode(l.funding, keep)
	savedDays.encode(l.days, keep)
	state, _ := json.Marshal(l.savedState)
	keep(statePart, state)
}

// decodeHistory returns the history in parts up to nowMs: later rows are requested again when their time comes. A
// series that is damaged, or has an impossible row, is left out as a whole, and err says so.
func decodeHistory(parts map[string][]byte, damaged map[string]bool, nowMs int64) (l *savedHistory, err error) {
	l = &savedHistory{}
	var errs [4]error
	if state := parts[statePart]; state != nil && !damaged[statePart] {
		errs[0] = json.Unmarshal(state, &l.savedState)
	}
	l.bars, errs[1] = savedBars.decode(parts, damaged, nowMs, &l.future)
	l.funding, errs[2] = savedFunding.decode(parts, damaged, nowMs, &l.future)
	l.days, errs[3] = savedDays.decode(parts, damaged, nowMs, &l.future)
	l.BarsThroughMs, l.FundingThroughMs = min(l.BarsThroughMs, nowMs-nowMs%hourMs), min(l.FundingThroughMs, nowMs)
	if l.bars == nil {
		l.BarsThroughMs, l.Short = 0, false
	}
	if l.funding == nil {
		l.FundingThroughMs = 0
	}
	if l.CapMs > nowMs {
		l.CapMs, l.CapUSD = 0, 0
		l.future++
	}
	return l, errors.Join(errs[:]...)
}

// trim drops rows beyond the limits of the cache and days beyond the statistics' windows.
func (l *savedHistory) trim(limits marketcache.Limits, nowMs int64) {
	l.bars = l.bars[max(0, len(l.bars)-limits.Bars):]
	l.funding = l.funding[max(0, len(l.funding)-limits.Rows):]
	l.days = slices.DeleteFunc(l.days, func(d marketcache.DayMaximum) bool {
		return d.DayMs < nowMs-interestDays*dayMs
	})
	if l.CapMs < nowMs-capDays*dayMs {
		l.CapMs, l.CapUSD = 0, 0
	}
}

// join adds bars and funding that another feed has put into the cache. Where both have an hour, the history that is
// complete up to a later time wins.
func (l *savedHistory) join(c *marketcache.Cache, id marketcache.AssetID) {
	if held, through := c.Bars(id); len(held) > 0 && through >= l.BarsThroughMs {
		first := held[0].OpenMs
		if len(l.bars) == 0 || first < l.bars[0].OpenMs || l.BarsThroughMs < first {
			// The cache does not record whether the venue has older bars. A first pass, even with part
			// of a second pass, leaves fewer than 2*warmRows.
			l.Short = len(held) < 2*warmRows
		}
		if l.BarsThroughMs >= first {
			held = slices.Concat(l.bars[:search(l.bars, first)], held)
		}
		l.bars, l.BarsThroughMs = held, through
	}
	if held := c.FundingStats(id); held != nil && held.ThroughVenueMs > l.FundingThroughMs {
		l.funding, l.FundingThroughMs = c.FundingRows(id).View(), held.ThroughVenueMs
	}
}

// search returns the index of the first bar that opened at or after ms.
func search(bars []marketcache.Bar, ms int64) int {
	n, _ := slices.BinarySearchFunc(bars, ms, func(b marketcache.Bar, ms int64) int {
		return cmp.Compare(b.OpenMs, ms)
	})
	return n
}
