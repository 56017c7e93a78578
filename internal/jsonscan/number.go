package jsonscan

import "strconv"

// number parses a number in the range of float64.
func (s *Scanner) number() (x float64, ok bool) {
	x, n, problem := ParseNumber(s.data[s.pos:])
	if problem != "" {
		return 0, s.fail(problem)
	}
	s.pos += n
	return x, true
}

// tens are the powers of ten by which ParseNumber divides.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// ParseNumber returns the float64 nearest to the JSON number at the start of d, the same bits as
// strconv.ParseFloat, and the number's length. A number too small for float64 becomes 0.
func ParseNumber(d []byte) (x float64, n int, problem string) {
	i := 0
	if len(d) > 0 && d[0] == '-' {
		i++
	}
	whole, decimals := i, 0
	var figures uint64 // the digits without the point, while they fit
	for ; i < len(d) && d[i]-'0' <= 9; i++ {
		figures = figures*10 + uint64(d[i]-'0')
	}
	if i == whole || d[whole] == '0' && i > whole+1 {
		return 0, 0, "expected a value"
	}
	count := i - whole
	if i < len(d) && d[i] == '.' {
		point := i
		for i++; i < len(d) && d[i]-'0' <= 9; i++ {
			figures = figures*10 + uint64(d[i]-'0')
		}
		if decimals = i - point - 1; decimals == 0 {
			return 0, 0, "malformed number"
		}
		count += decimals
	}
	if count <= 15 && (i == len(d) || d[i]|0x20 != 'e') {
		// Both are exact, so their quotient is the nearest float64 (Clinger 1990).
		if x = float64(figures) / tens[decimals]; whole > 0 {
			x = -x
		}
		return x, i, ""
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		exponent := i
		for i < len(d) && d[i]-'0' <= 9 {
			i++
		}
		if i == exponent {
			return 0, 0, "malformed number"
		}
	}
	// For numbers of usual length the string stays on the stack.
	x, err := strconv.ParseFloat(string(d[:i]), 64)
	if err != nil {
		return 0, 0, "number out of range"
	}
	return x, i, ""
}
