package vol

import (
	"strings"
	"time"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// classNames holds the tickers of builders' dexes that follow a metal or an energy price.
var classNames = [mc.ClassCount][]string{
	mc.ClassMetal: {"GOLD", "GOLDJM", "SILVER", "SILVERJM", "PLATINUM", "PALLADIUM", "COPPER", "ALUMINIUM", "XAU",
		"XAG"},
	mc.ClassEnergy: {"CL", "OIL", "WTI", "USOIL", "BRENT", "BRENTOIL", "NATGAS", "GAS", "TTF"},
}

// ClassOf returns the class of an asset by the venue's name; main reports whether the main dex lists a
// ticker, alone or with k before it. An asset of a builder's dex that is neither known here nor listed
// there counts as equity, because what is not known may rest [A]. It allocates nothing.
func ClassOf(name string, main func(ticker string) bool) mc.Class {
	_, ticker, builder := strings.Cut(name, ":")
	if !builder {
		return mc.ClassCrypto
	}
	for class, names := range classNames {
		for _, known := range names {
			if ticker == known {
				return mc.Class(class)
			}
		}
	}
	if main(ticker) {
		return mc.ClassCrypto
	}
	return mc.ClassEquity
}

const (
	weekHours = 168
	// epochWeekHour is the hour of the week of 1970-01-01 00:00, a Thursday; hour 0 is Monday 00:00.
	epochWeekHour = 3 * 24

	friday, sunday = 4 * 24, 6 * 24 // hours of the week
	// restHour is the hour of the day in which an oracle rests from Monday to Thursday, New York time;
	// on Fridays it begins the long rest, which ends at reopenHour on Sunday.
	restHour, reopenHour = 17, 18
	// restFrom and restTo are the hours of the week between which the long rest lies.
	restFrom, restTo = friday + restHour, sunday + reopenHour
)

// Factors of the hours of the day: the variance of an hour relative to the average hour of the week.
var (
	cryptoWeekday = [24]float64{
		1.76, 1.12, 0.90, 0.81, 0.79, 0.77, 0.85, 0.92, 1.09, 0.95, 0.98, 0.98,
		1.37, 1.54, 1.65, 1.40, 1.53, 1.03, 1.04, 0.98, 1.05, 0.92, 0.99, 1.01,
	}
	cryptoSaturday = [24]float64{
		1.41, 0.81, 0.65, 0.58, 0.62, 0.64, 0.58, 0.58, 0.73, 0.63, 0.70, 0.69,
		0.78, 0.73, 0.81, 0.80, 1.10, 0.75, 0.63, 0.57, 0.63, 0.70, 0.74, 0.77,
	}
	cryptoSunday = [24]float64{
		1.16, 0.75, 0.59, 0.57, 0.57, 0.53, 0.55, 0.48, 0.67, 0.66, 0.70, 0.70,
		0.88, 0.76, 0.90, 0.81, 1.09, 0.71, 0.64, 0.69, 0.78, 0.87, 1.15, 1.01,
	}
	// sessionDay holds the hours of a day, New York time, of the classes that rest. Hour 17 is
	// the factor of every resting hour.
	sessionDay = [mc.ClassCount][24]float64{
		mc.ClassEquity: {
			0.33, 0.34, 0.60, 1.18, 0.82, 0.76, 0.66, 0.71, 1.08, 3.06, 3.39, 2.62,
			1.76, 1.73, 2.42, 3.13, 0.85, 0.29, 0.91, 0.54, 0.86, 1.00, 0.61, 0.36,
		},
		mc.ClassMetal: {
			0.46, 0.74, 1.21, 1.46, 1.08, 0.89, 0.89, 1.18, 3.30, 3.17, 3.22, 1.83,
			1.17, 1.21, 1.54, 0.88, 0.41, 0.31, 0.83, 0.59, 1.08, 1.31, 0.57, 0.45,
		},
		mc.ClassEnergy: {
			0.24, 0.40, 0.66, 1.15, 1.61, 1.49, 1.15, 1.03, 1.35, 2.71, 3.51, 3.24,
			1.47, 1.57, 2.01, 0.46, 0.41, 0.31, 1.32, 0.35, 0.94, 0.80, 0.38, 0.28,
		},
	}
	// reopening is the factor of the hour after the long rest.
	reopening = [mc.ClassCount]float64{mc.ClassEquity: 4.94, mc.ClassMetal: 5.05, mc.ClassEnergy: 10.24}
)

var (
	// weekFactors holds the factor of each hour of the week by class; the 168 sum to about 168.
	weekFactors = makeWeekFactors()
	// weekSums holds, for each hour of the week, the sums of the factors of the hours of each
	// horizon that begins with it.
	weekSums = makeWeekSums()
)

func makeWeekFactors() (f [mc.ClassCount][weekHours]float64) {
	for h := range weekHours {
		day := &cryptoWeekday
		switch {
		case h >= sunday:
			day = &cryptoSunday
		case h >= sunday-24:
			day = &cryptoSaturday
		}
		f[mc.ClassCrypto][h] = day[h%24]
		for class := mc.ClassEquity; class < mc.ClassCount; class++ {
			at := h % 24
			if rests(class, h) {
				at = restHour
			}
			f[class][h] = sessionDay[class][at]
			if h == restTo {
				f[class][h] = reopening[class]
			}
		}
	}
	return f
}

func makeWeekSums() (s [mc.ClassCount][weekHours][mc.HorizonCount]float64) {
	for class := range s {
		for h := range weekHours {
			var f [weekHours]float64
			for i := range f {
				f[i] = weekFactors[class][(h+i)%weekHours]
			}
			s[class][h] = horizonSums(&f)
		}
	}
	return s
}

// horizonSums returns the sums of the first 1, 4, 24 and 168 factors.
func horizonSums(f *[weekHours]float64) (s [mc.HorizonCount]float64) {
	for h, hours := range mc.Horizons {
		s[h] = stats.Sum(f[:hours])
	}
	return s
}

// rests reports whether the oracle of a class rests in an hour of the week.
func rests(class mc.Class, weekHour int) bool {
	switch {
	case class == mc.ClassCrypto:
		return false
	case weekHour < friday:
		return weekHour%24 == restHour
	}
	return weekHour >= restFrom && weekHour < restTo
}

// hourOfWeek returns the hour of the week, in the time zone of the class, of an hour since 1970 UTC.
func hourOfWeek(class mc.Class, hour int64) int {
	if class != mc.ClassCrypto {
		hour -= newYorkBehind(hour)
	}
	h := (hour + epochWeekHour) % weekHours
	if h < 0 {
		h += weekHours
	}
	return int(h)
}

// Factor returns the variance of an hour (since 1970 UTC) relative to the average hour of the week.
func Factor(class mc.Class, hour int64) float64 { return weekFactors[class][hourOfWeek(class, hour)] }

// Factors writes the factors of consecutive hours from first (since 1970 UTC) on.
func Factors(dst []float64, class mc.Class, first int64) {
	for i := range dst {
		dst[i] = Factor(class, first+int64(i))
	}
}

// factorSums returns, by horizon, the sum of the factors of its hours, the first of which is given.
func factorSums(class mc.Class, first int64) [mc.HorizonCount]float64 {
	if class == mc.ClassCrypto || newYorkBehind(first) == newYorkBehind(first+weekHours-1) {
		return weekSums[class][hourOfWeek(class, first)]
	}
	var f [weekHours]float64 // the clocks change within the window
	Factors(f[:], class, first)
	return horizonSums(&f)
}

// newYorkBehind returns how many hours New York is behind UTC in an hour since 1970 UTC. Summer time
// lasts from the second Sunday of March, 07:00 UTC, to the first Sunday of November, 06:00 UTC.
func newYorkBehind(hour int64) int64 {
	const winter, summer = 5, 4
	year := time.Unix(hour*3600, 0).UTC().Year()
	if hour >= firstSunday(year, time.March, 8)+7 && hour < firstSunday(year, time.November, 1)+6 {
		return summer
	}
	return winter
}

// firstSunday returns the midnight of the first Sunday from a date on, in hours since 1970 UTC.
func firstSunday(year int, month time.Month, day int) int64 {
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return date.Unix()/3600 + int64(7-date.Weekday())%7*24
}

// Session says when the oracle of an asset rests over the weekend.
type Session struct {
	Resting                bool
	RestsAtMs, ReopensAtMs int64 // ms since 1970 UTC, of this rest or of the next
	// Outside: the oracle rests, or will in less than a day.
	Outside bool
}

// SessionAt returns the session of a class at a time, ms since 1970 UTC; ok is false for assets that
// trade at all hours. It allocates nothing.
func SessionAt(class mc.Class, nowMs int64) (s Session, ok bool) {
	if class == mc.ClassCrypto {
		return Session{}, false
	}
	hour := nowMs / hourMs
	h := hourOfWeek(class, hour)
	monday := hour - newYorkBehind(hour) - int64(h) // New York time
	if h >= restTo {
		monday += weekHours
	}
	s.Resting = h >= restFrom && h < restTo
	s.RestsAtMs = fromNewYork(monday+restFrom) * hourMs
	s.ReopensAtMs = fromNewYork(monday+restTo) * hourMs
	s.Outside = s.Resting || s.RestsAtMs-nowMs < 24*hourMs
	return s, true
}

// fromNewYork converts an hour since 1970 in New York time to UTC. It must not be one at which the
// clocks change.
func fromNewYork(local int64) int64 {
	utc := local + 5
	return local + newYorkBehind(utc)
}
