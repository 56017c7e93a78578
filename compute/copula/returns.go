package copula

import "math"

// FourHourReturns overwrites dst with the 4-hour log returns computed from hourly ones (newest
// last), and returns it: sums of groups of four counted back from the newest, rounded to 1e-12, the
// oldest group first. At most the newest 8,640 hours are used; up to three oldest ones that do not
// fill a group are left out.
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
