package hyperliquid

import (
	"bytes"
	"errors"

	"github.com/goccy/go-json/jsontext"
	json "github.com/goccy/go-json/v2"
)

// REST answers are decoded into structs that name only the fields we use, so changes elsewhere in an
// answer do no harm. The decoder is go-json's v2 API: v1 ignores the case of names ("t" and "T" are two
// fields of a candle) and accepts malformed JSON inside values that it skips. go-json uses unsafe
// pointers, and earlier versions read beyond the end of malformed text. It is therefore given only text
// that our scanner has checked.

// decode decodes a whole answer into v. It returns false for malformed JSON, excessive nesting and,
// through decodeValue, invalid UTF-8 and objects with a repeated name.
func decode(b []byte, v any) bool { return wellFormed(b) && decodeValue(b, v) }

// decodeLists is decode for an object with lists of elements. Invalid UTF-8 or a repeated name in
// one element fails only that element.
func decodeLists(b []byte, v any) bool {
	lenient := []json.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	return wellFormed(b) && json.Unmarshal(b, v, lenient...) == nil
}

func wellFormed(b []byte) bool {
	s := scan(b)
	s.skip()
	return s.end()
}

// decodeValue decodes a part of an answer into v.
func decodeValue(b []byte, v any) bool { return json.Unmarshal(b, v) == nil }

// element is a JSON value that is decoded on its own. If it is unreadable, only its ok is false, and
// value has the fields before the error; the rest of the answer is decoded. null is unreadable.
type element[T any] struct {
	value T
	ok    bool
}

func (e *element[T]) UnmarshalJSON(b []byte) error {
	e.ok = b[0] != 'n' && decodeValue(b, &e.value)
	return nil
}

// elements is a JSON array of values decoded on their own.
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

// maxElements is the maximum length of a list; the longest is the venue's 5,000 candles.
const maxElements = 20000

// split returns the elements of a JSON array as subslices of b. ok is false when b is not an array
// or has more than maxElements elements.
func split(b []byte) (values [][]byte, ok bool) {
	s := scan(b)
	s.BeginArray()
	for s.Element() {
		if len(values) == maxElements {
			return nil, false
		}
		values = append(values, s.raw())
	}
	return values, s.end()
}

// pair is a JSON array of two values of different types. Further elements are ignored.
type pair[A, B any] struct {
	a A
	b B
}

func (p *pair[A, B]) UnmarshalJSON(b []byte) error {
	values, ok := split(b)
	if !ok || len(values) < 2 || !decodeValue(values[0], &p.a) || !decodeValue(values[1], &p.b) {
		return errors.New("not a pair")
	}
	return nil
}

// decimal is a finite number, which the venue sends as a string or as a JSON number. null is an
// error; in a *decimal it is nil.
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

// orZero returns the number, 0 if it is null or missing.
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
