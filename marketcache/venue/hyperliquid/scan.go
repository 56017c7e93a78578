package hyperliquid

import (
	"encoding/json"
	"math"
	"strconv"
)

// scanner is a pull parser for JSON that does not allocate: values are numbers or slices of the
// input. A syntax error sets bad, after which every call fails, so callers check once, at the end.
// It is stricter than encoding/json where the venue's messages allow it: keys and the strings that
// are read must not contain escapes.
//
// Usage, for an object:
//
//	for more := s.open('{'); more; more = s.next('}') {
//		switch string(s.key()) {
//		case "px": level.Price = s.decimal()
//		default:   s.skip()
//		}
//	}
type scanner struct {
	b   []byte
	i   int
	bad bool
}

// maxNumberBytes is the maximum length of a number; the longest recorded one has 23 bytes.
const maxNumberBytes = 64

// maxDepth is the maximum nesting that skip accepts.
const maxDepth = 32

func (s *scanner) fail() { s.bad = true }

// peek returns the next byte that is not white space, 0 at the end or after an error.
func (s *scanner) peek() byte {
	if s.bad {
		return 0
	}
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// open enters an object ('{') or array ('[') and reports whether it has an element.
func (s *scanner) open(c byte) bool {
	if s.peek() != c {
		s.fail()
		return false
	}
	s.i++
	if s.peek() == c+2 { // in ASCII, ']' and '}' are two above '[' and '{'
		s.i++
		return false
	}
	return !s.bad
}

// next moves to the next element of an object ('}') or array (']'), or past its end.
func (s *scanner) next(end byte) bool {
	switch s.peek() {
	case ',':
		s.i++
		return true
	case end:
		s.i++
	default:
		s.fail()
	}
	return false
}

// key parses an object's key and the colon after it.
func (s *scanner) key() []byte {
	k := s.text()
	if s.peek() != ':' {
		s.fail()
		return nil
	}
	s.i++
	return k
}

// text parses a string without escapes.
func (s *scanner) text() []byte {
	if s.peek() != '"' {
		s.fail()
		return nil
	}
	start := s.i + 1
	for i := start; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.i = i + 1
			return s.b[start:i]
		case c == '\\' || c < 0x20:
			s.fail()
			return nil
		}
	}
	s.fail()
	return nil
}

// null consumes a null, if one is next.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	return s.literal("null")
}

// boolean parses true or false.
func (s *scanner) boolean() bool {
	if s.peek() == 't' {
		return s.literal("true")
	}
	s.literal("false")
	return false
}

func (s *scanner) literal(want string) bool {
	if s.bad || len(s.b)-s.i < len(want) || string(s.b[s.i:s.i+len(want)]) != want {
		s.fail()
		return false
	}
	s.i += len(want)
	return true
}

// decimal parses a finite number, as a string or as a JSON number.
func (s *scanner) decimal() float64 {
	var text []byte
	if s.peek() == '"' {
		text = s.text()
	} else {
		text = s.number()
	}
	if s.bad {
		return 0
	}
	v, ok := parseDecimal(text)
	if !ok {
		s.fail()
		return 0
	}
	return v
}

// integer parses a whole JSON number from -2^53 to 2^53.
func (s *scanner) integer() int64 {
	text := s.number()
	if s.bad {
		return 0
	}
	v, ok := parseDecimal(text)
	if !ok || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		s.fail()
		return 0
	}
	return int64(v)
}

// number returns the text of a JSON number; parseDecimal checks its syntax.
func (s *scanner) number() []byte {
	s.peek()
	start := s.i
	for s.i < len(s.b) && !s.bad {
		switch c := s.b[s.i]; {
		case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			s.i++
			continue
		}
		break
	}
	if s.bad || s.i == start {
		s.fail()
		return nil
	}
	return s.b[start:s.i]
}

// skip skips any value. A number out of float64's range is an error.
func (s *scanner) skip() { s.skipValue(0) }

// value skips any value and returns its text, nil after an error.
func (s *scanner) value() []byte {
	s.peek()
	start := s.i
	if s.skip(); s.bad {
		return nil
	}
	return s.b[start:s.i]
}

func (s *scanner) skipValue(depth int) {
	if depth > maxDepth {
		s.fail()
		return
	}
	switch c := s.peek(); c {
	case '{':
		for more := s.open('{'); more; more = s.next('}') {
			s.skipText()
			if s.peek() != ':' {
				s.fail()
				return
			}
			s.i++
			s.skipValue(depth + 1)
		}
	case '[':
		for more := s.open('['); more; more = s.next(']') {
			s.skipValue(depth + 1)
		}
	case '"':
		s.skipText()
	case 't', 'f':
		s.boolean()
	case 'n':
		s.null()
	default:
		if _, ok := parseDecimal(s.number()); !ok {
			s.fail()
		}
	}
}

// skipText skips a string, with or without escapes.
func (s *scanner) skipText() {
	if s.peek() != '"' {
		s.fail()
		return
	}
	start, escaped := s.i, false
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			s.bad = escaped && !json.Valid(s.b[start:s.i])
			return
		case c < 0x20:
			s.fail()
			return
		case c == '\\':
			escaped = true
			s.i++
		}
	}
	s.fail()
}

// end reports whether the whole input has been parsed without an error.
func (s *scanner) end() bool { return s.peek() == 0 && !s.bad && s.i == len(s.b) }

// parseDecimal returns the float64 nearest to a JSON number, the same bits as strconv.ParseFloat. It
// fails for numbers out of float64's range.
func parseDecimal(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > maxNumberBytes {
		return 0, false
	}
	digits, sign := text, 1.0
	if text[0] == '-' {
		digits, sign = text[1:], -1
	}
	if v, n := leadingDecimal(digits); n > 0 && n == len(digits) {
		return sign * v, true
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil && json.Valid(text) // JSON has no Infinity, hexadecimal digits or plus sign
}

// tens are the powers of ten for leadingDecimal.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// leadingDecimal parses the number at the start of b and returns its length; 0 if there is none, or
// if it has a sign, an exponent or more than 15 digits. The digits (below 2^53) and the power of ten
// are exact float64s, so their quotient is the nearest float64 (Clinger 1990, strconv's fast path).
func leadingDecimal(b []byte) (v float64, n int) {
	var mantissa uint64
	point := -1
	i := 0
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d <= 9 {
			mantissa = mantissa*10 + uint64(d)
			continue
		}
		if b[i] != '.' || point >= 0 {
			break
		}
		point = i
	}
	digits, whole := i, i
	if point >= 0 {
		digits, whole = i-1, point
	}
	if whole == 0 || digits > 15 || point == i-1 || (whole > 1 && b[0] == '0') {
		return 0, 0
	}
	if point < 0 {
		return float64(mantissa), i
	}
	return float64(mantissa) / tens[digits-whole], i
}
