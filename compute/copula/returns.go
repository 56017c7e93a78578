package copula

import "math"

// FourHourReturns overwrites dst with the 4-hour log returns of hourly ones (newest last) and returns
// it: groups of four counted back from the newest, rounded to 1e-12, the oldest group first. At most the
// newest 8,640 hours count; up to three oldest ones that fill no group are left out.
func FourHourReturns(dst, hourly []float64) []float64 {
	dst = dst[:0]
	n := min(len(hourly), HourlyReturns) / groupHours
	hourly = hourly[len(hourly)-n*groupHours:]
	for ; len(hourly) >= groupHours; hourly = hourly[groupHours:] {
		r := ((hourly[0] + hourly[1]) + hourly[2]) + hourly[3]
		dst = append(dst, math.Round(r*returnsPerUnit)/returnsPerUnit)
	}
	return dst
}
