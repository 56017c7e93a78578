package hyperliquid

import (
	"bytes"
	"errors"

	"github.com/goccy/go-json/jsontext"
	json "github.com/goccy/go-json/v2"
)

// Answers over REST are decoded into structs that name what is used and nothing else: a change in
// the rest of an answer costs nothing. It is go-json's v2 API, because v1 does not tell the case of
// names ("t" and "T" are two numbers of a candle) and takes what is not JSON in a value it skips.
// It works with unsafe pointers, and earlier versions read beyond the end of text that is not JSON:
// it is given only what the scanner has passed over.

// decode reads a whole answer into v. It refuses what is not JSON or nested too deep, and by
// decodeValue text that is not UTF-8 and an object that has a name twice.
func decode(b []byte, v any) bool { return wellFormed(b) && decodeValue(b, v) }

// decodeLists is decode of an object with lists of elements, each of which may have the last two
// of these mistakes without costing the others.
func decodeLists(b []byte, v any) bool {
	return wellFormed(b) && json.Unmarshal(b, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil
}

func wellFormed(b []byte) bool {
	s := scanner{b: b}
	s.skip()
	return s.end()
}

// decodeValue reads a part of an answer into v.
func decodeValue(b []byte, v any) bool { return json.Unmarshal(b, v) == nil }

// element is a value that is read on its own, so that it costs only itself when it cannot be
// read: ok is then false, and value has what came before the mistake. A null is not readable.
type element[T any] struct {
	value T
	ok    bool
}

func (e *element[T]) UnmarshalJSON(b []byte) error {
	e.ok = b[0] != 'n' && decodeValue(b, &e.value)
	return nil
}

// elements is a JSON array of them.
type elements[T any] []element[T]

var errList = errors.New("not a list, or too long")

func (l *elements[T]) UnmarshalJSON(b []byte) error {
	values, ok := split(b)
	if !ok {
		return errList
	}
	*l = make([]element[T], len(values))
	for i, v := range values {
		(*l)[i].UnmarshalJSON(v)
	}
	return nil
}

// maxElements bounds a list; the longest one has the venue's 5,000 candles.
const maxElements = 20000

// split returns the elements of a JSON array as parts of b. ok is false when b is no array, or
// one of more than maxElements.
func split(b []byte) (values [][]byte, ok bool) {
	s := scanner{b: b}
	for more := s.open('['); more; more = s.next(']') {
		if len(values) == maxElements {
			s.fail()
			break
		}
		values = append(values, s.value())
	}
	return values, s.end()
}

// pair is an array of two different values. More, which the venue may add, are ignored.
type pair[A, B any] struct {
	a A
	b B
}

func (p *pair[A, B]) UnmarshalJSON(b []byte) error { return decodePair(b, &p.a, &p.b) }

func decodePair(data []byte, a, b any) error {
	values, ok := split(data)
	if !ok || len(values) < 2 || !decodeValue(values[0], a) || !decodeValue(values[1], b) {
		return errors.New("not a pair")
	}
	return nil
}

// decimal is a finite number, which the venue prints as a string or as a JSON number. A null is
// refused, except by a *decimal.
type decimal float64

func (d *decimal) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	v, ok := parseDecimal(b)
	if !ok {
		return errors.New("not a number")
	}
	*d = decimal(v)
	return nil
}

// orZero returns the number, 0 for null and for none.
func (d *decimal) orZero() float64 {
	if d == nil {
		return 0
	}
	return float64(*d)
}

// name is the name of an asset or a dex: a string without escapes.
type name string

func (n *name) UnmarshalJSON(b []byte) error {
	if b[0] != '"' || bytes.IndexByte(b, '\\') >= 0 {
		return errors.New("not a name")
	}
	*n = name(b[1 : len(b)-1])
	return nil
}
