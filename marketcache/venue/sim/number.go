package sim

import (
	"math"
	"strconv"
)

// appendUnits appends units*10^-digits as the venue prints it: no exponent, no
// trailing zeros but at least one decimal ("64641.0", "0.00033").
func appendUnits(dst []byte, units int64, digits int) []byte {
	if units < 0 {
		dst = append(dst, '-')
		units = -units
	}
	scale := pow10[digits]
	dst = strconv.AppendInt(dst, units/scale, 10)
	rest := units % scale
	dst = append(dst, '.')
	if rest == 0 {
		return append(dst, '0')
	}
	for scale /= 10; rest > 0; scale /= 10 {
		dst = append(dst, byte('0'+rest/scale))
		rest %= scale
	}
	return dst
}

// unitsString is appendUnits as a string.
func unitsString(units int64, digits int) string {
	return string(appendUnits(make([]byte, 0, 24), units, digits))
}

// decimal prints a number rounded to the given digits, trimmed like appendUnits.
func decimal(x float64, digits int) string {
	b := strconv.AppendFloat(make([]byte, 0, 32), x, 'f', digits, 64)
	for len(b) > 2 && b[len(b)-1] == '0' && b[len(b)-2] != '.' {
		b = b[:len(b)-1]
	}
	if string(b) == "-0.0" {
		return "0.0"
	}
	return string(b)
}

// usd prints an amount with the venue's six decimals.
func usd(x float64) string { return decimal(x, 6) }

// parse reads a number that this package has printed.
func parse(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("BUG: not a number of ours: " + s)
	}
	return x
}

// roundUSD rounds an amount to what usd prints.
func roundUSD(x float64) float64 { return math.Round(x*1e6) / 1e6 }

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}

// digitsOf returns the number of decimal digits of u > 0.
func digitsOf(u int64) int {
	n := 1
	for u >= 10 {
		u /= 10
		n++
	}
	return n
}

func itoa(i int) string { return strconv.Itoa(i) }

// decade returns 10^x.
func decade(x float64) float64 { return math.Pow(10, x) }

// significant rounds x > 0 to n significant figures.
func significant(x float64, n int) float64 {
	scale := math.Pow(10, float64(n-1)-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}
