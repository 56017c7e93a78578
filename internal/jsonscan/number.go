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

// ParseNumber returns the float64 nearest to the JSON number at the start of d, and the number's length. A number
// too small for float64 becomes 0.
func ParseNumber(d []byte) (x float64, n int, problem string) {
	i := 0
	if len(d) > 0 && d[0] == '-' {
		i++
	}
	whole := i
	if i = digits(d, i); i == whole || d[whole] == '0' && i > whole+1 {
		return 0, 0, "expected a value"
	}
	if i < len(d) && d[i] == '.' {
		decimals := i + 1
		if i = digits(d, decimals); i == decimals {
			return 0, 0, "malformed number"
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		exponent := i + 1
		if exponent < len(d) && (d[exponent] == '+' || d[exponent] == '-') {
			exponent++
		}
		if i = digits(d, exponent); i == exponent {
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

// digits skips digits from i on.
func digits(d []byte, i int) int {
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	return i
}
