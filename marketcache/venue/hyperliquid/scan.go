package hyperliquid

import (
	"math"

	"ballast/internal/jsonscan"
)

// scanner parses a message of the venue. It accepts what the venue may send once in a while and what does not
// matter to us: repeated names, of which the last counts, and invalid UTF-8. A value of another type than wanted
// sets wrong, and the scan goes on.
type scanner struct {
	jsonscan.Scanner
	value jsonscan.Value // the last one read
	wrong bool
}

// scan returns a scanner at the start of a text.
func scan(text []byte) (s scanner) {
	s.Lenient = true
	s.Reset(text)
	return s
}

// next reads a value and reports whether it is of a kind.
func (s *scanner) next(kind jsonscan.Kind) bool {
	if s.Value(&s.value) && s.value.Kind == kind {
		return true
	}
	s.wrong = true
	return false
}

// skip skips any value.
func (s *scanner) skip() { s.Value(&s.value) }

// raw skips any value and returns its text.
func (s *scanner) raw() []byte {
	s.Value(&s.value)
	return s.value.Raw
}

// text reads a string.
func (s *scanner) text() []byte {
	s.next(jsonscan.String)
	return s.value.Text
}

// null reads a null, if one is next.
func (s *scanner) null() bool { return s.NextKind() == jsonscan.Null && s.next(jsonscan.Null) }

// decimal reads a finite number, as a string or as a JSON number.
func (s *scanner) decimal() float64 {
	s.Value(&s.value)
	switch v := &s.value; v.Kind {
	case jsonscan.Number:
		return v.Number
	case jsonscan.String:
		if x, ok := parseDecimal(v.Text); ok {
			return x
		}
	}
	s.wrong = true
	return 0
}

// decimalOrNull reads a decimal, null as 0.
func (s *scanner) decimalOrNull() float64 {
	if s.null() {
		return 0
	}
	return s.decimal()
}

// integer reads a whole JSON number from -2^53 to 2^53.
func (s *scanner) integer() int64 {
	if s.next(jsonscan.Number) {
		if v := s.value.Number; v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
			return int64(v)
		}
	}
	s.wrong = true
	return 0
}

// end reports whether the whole text was parsed, with every value of the wanted type.
func (s *scanner) end() bool { return s.End() && !s.wrong }

// parseDecimal parses a text that is a number of JSON within float64.
func parseDecimal(text []byte) (float64, bool) {
	x, n, problem := jsonscan.ParseNumber(text)
	return x, problem == "" && n == len(text)
}
