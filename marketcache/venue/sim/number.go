package sim

import (
	"math"
	"strconv"
	"strings"
)

// unitsString formats units*10^-digits, at most 15 figures, as the venue does: no exponent, no trailing
// zeros but at least one decimal ("64641.0", "0.00033").
func unitsString(units int64, digits int) string {
	return decimal(float64(units)/float64(pow10[digits]), max(digits, 1))
}

// decimal formats a number rounded to the given decimals, at least one, without trailing zeros.
func decimal(x float64, digits int) string {
	s := strings.TrimRight(strconv.FormatFloat(x, 'f', digits, 64), "0")
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	if s == "-0.0" {
		return "0.0"
	}
	return s
}

// usd formats an amount with the venue's six decimals; roundUSD rounds to six decimals.
func usd(x float64) string       { return decimal(x, 6) }
func roundUSD(x float64) float64 { return math.Round(x*1e6) / 1e6 }

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}

// digitsOf returns the number of decimal digits of u > 0.
func digitsOf(u int64) int { return len(strconv.FormatInt(u, 10)) }

// significant rounds x > 0 to n significant figures.
func significant(x float64, n int) float64 {
	scale := math.Pow(10, float64(n-1)-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}
