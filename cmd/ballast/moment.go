package main

import (
	"fmt"
	"math"
	"time"

	"ballast/compute/candles"
	"ballast/marketcache"
)

// moment is a time from the command line: an RFC 3339 date or time, in UTC unless it names a
// zone. The zero moment means that none was given.
type moment struct {
	ms    int64
	given bool
}

// UnmarshalText parses a flag's value.
func (m *moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			*m = moment{at.UnixMilli(), true}
			return nil
		}
	}
	return fmt.Errorf("%q is neither a date like 2023-06-15 nor a time like 2023-06-15T00:00:00Z", text)
}

// time returns the moment, the zero time for none.
func (m moment) time() time.Time {
	if !m.given {
		return time.Time{}
	}
	return time.UnixMilli(m.ms)
}

// between returns the bars with from <= open time < to.
func between(bars []marketcache.Bar, from, to moment) []marketcache.Bar {
	first, end := int64(math.MinInt64), int64(math.MaxInt64)
	if from.given {
		first = from.ms
	}
	if to.given {
		end = to.ms
	}
	return candles.Between(bars, first, end)
}
