package exchange

import (
	"math"
	"strconv"
)

// Decimal is an exact decimal number, not negative: Units divided by 10 to the power of Scale, without trailing zeros
// in the decimals. The zero value is 0. Decimals are equal if their fields are.
type Decimal struct {
	Units uint64
	Scale uint8
}

// maxScale is the most decimals of a price or size: the venue allows 6 and 8.
const maxScale = 8

// pow10 has the powers of ten that float64 represents exactly and a Decimal can have.
var pow10 = [maxScale + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// Float64 returns the nearest float64.
func (d Decimal) Float64() float64 {
	if d.Units < 1<<53 {
		return float64(d.Units) / pow10[d.Scale] // both exact, so the quotient is the nearest
	}
	x, _ := strconv.ParseFloat(d.String(), 64)
	return x
}

// AppendText appends the only text of d that the venue accepts: without exponent, sign, or zeros that could be left
// out.
func (d Decimal) AppendText(b []byte) []byte {
	power := uint64(pow10[d.Scale])
	b = strconv.AppendUint(b, d.Units/power, 10)
	if d.Scale > 0 {
		point := len(b)
		b = strconv.AppendUint(b, power+d.Units%power, 10) // a 1 and all decimals
		b[point] = '.'
	}
	return b
}

func (d Decimal) String() string { return string(d.AppendText(make([]byte, 0, 24))) }

// parseDecimal returns the number that text means, also with zeros that could be left out. Otherwise it returns what is
// wrong and how to mend it.
func parseDecimal(text []byte) (d Decimal, problem, mend string) {
	const digitsOnly = `write digits with at most one point, such as "0.5"`
	point, digits := false, 0
	for _, c := range text {
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			return Decimal{}, "is not a decimal number", digitsOnly
		}
		if d.Units > (math.MaxUint64-9)/10 || d.Scale == math.MaxUint8 {
			return Decimal{}, "has too many digits", "write at most 19 digits"
		}
		d.Units = d.Units*10 + uint64(c-'0')
		digits++
		if point {
			d.Scale++
		}
	}
	if digits == 0 {
		return Decimal{}, "is not a decimal number", digitsOnly
	}
	for d.Scale > 0 && d.Units%10 == 0 {
		d.Units /= 10
		d.Scale--
	}
	if d.Scale > maxScale {
		return Decimal{}, "has too many decimals", "write at most 8"
	}
	return d, "", ""
}

// ParseDecimal returns the number that text means. It accepts zeros that could be left out.
func ParseDecimal(text string) (Decimal, error) {
	d, problem, mend := parseDecimal([]byte(text))
	if problem != "" {
		return Decimal{}, &DecodeError{Path: strconv.Quote(text), Problem: problem, Mend: mend}
	}
	return d, nil
}
