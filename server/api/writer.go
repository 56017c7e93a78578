package api

import (
	"math"
	"slices"
	"strconv"

	"ballast/asm"
)

// Writer appends the members of an answer. A key is given with its quotes, its colon and the text before
// it, so that it is written by one copy.
type Writer struct {
	b   []byte
	bad bool // a number was NaN or infinite
}

// NewWriter returns a Writer that appends to dst.
func NewWriter(dst []byte) Writer { return Writer{b: dst} }

// Bytes returns everything written.
func (w *Writer) Bytes() []byte { return w.b }

// finished returns everything written, and ErrNotFinite if a number was not finite.
func (w *Writer) finished() ([]byte, error) {
	if w.bad {
		return w.b, ErrNotFinite
	}
	return w.b, nil
}

// Raw appends text as it is.
func (w *Writer) Raw(s string) { w.b = append(w.b, s...) }

// Append appends text as it is.
func (w *Writer) Append(text []byte) { w.b = append(w.b, text...) }

// end writes a closing brace.
func (w *Writer) end() { w.b = append(w.b, '}') }

// word appends a text that needs no escaping; key ends with the opening quote.
func (w *Writer) word(key, text string) {
	w.b = append(append(append(w.b, key...), text...), '"')
}

// Text appends a text with any content.
func (w *Writer) Text(key, text string) {
	w.b = AppendString(append(w.b, key...), text)
}

// Boolean appends true or false.
func (w *Writer) Boolean(key string, v bool) {
	w.b = strconv.AppendBool(append(w.b, key...), v)
}

// Integer appends an integer.
func (w *Writer) Integer(key string, n int) {
	w.b = strconv.AppendInt(append(w.b, key...), int64(n), 10)
}

// IntegerOrNull appends an integer, null if it is unknown.
func (w *Writer) IntegerOrNull(key string, n int, known bool) {
	if known {
		w.Integer(key, n)
		return
	}
	w.null(key)
}

// null appends null.
func (w *Writer) null(key string) {
	w.Raw(key)
	w.Raw("null")
}

// exactLimit is the limit up to which Exact tries nine decimals: fifteen digits in total.
const exactLimit = 999_999

// Exact appends the shortest decimal that reads back as the same float64.
//
// Prices and rates have few decimals. If the division n/1e9, of two exact float64s, gives x, then the
// decimal n/1e9 reads back as x; with at most 15 digits it is also the shortest. Then numbers writes it.
func (w *Writer) Exact(key string, x float64) {
	w.Raw(key)
	if abs := math.Abs(x); abs < exactLimit && float64(int64(abs*1e9+0.5))/1e9 == abs {
		w.numbers(noKey, x)
		return
	}
	if x-x != 0 {
		w.bad = true
		return
	}
	w.b = strconv.AppendFloat(w.b, x, 'f', -1, 64)
}

// exactOrNull appends a number like Exact, null if it is unknown or not finite.
func (w *Writer) exactOrNull(key string, x float64, known bool) {
	if known && x-x == 0 {
		w.Exact(key, x)
		return
	}
	w.null(key)
}

// fixedOrNull appends a number in fixed point, null for 0.
func (w *Writer) fixedOrNull(key string, x float64) {
	if x == 0 {
		w.null(key)
		return
	}
	w.fixed(key, x)
}

// fixed appends a number in fixed point.
func (w *Writer) fixed(key string, x float64) {
	w.Raw(key)
	w.numbers(noKey, x)
}

// finer appends a number with one decimal more than fixed, for recomputing hard rule H1.
func (w *Writer) finer(key string, x float64) {
	w.Raw(key)
	w.otherNumber(x)
}

// keysOf returns the keys of adjacent numbers. head is the text before the first name; commas are before the
// others.
func keysOf(head string, names ...string) []asm.FieldName {
	keys := make([]asm.FieldName, len(names))
	for i, name := range names {
		keys[i] = asm.NewFieldName(head + `"` + name + `":`)
		head = `,`
	}
	return keys
}

// numbers appends numbers in fixed point with their keys: with up to nine decimals, without trailing
// zeros, and with the precision of appendFixed.
func (w *Writer) numbers(keys []asm.FieldName, values ...float64) {
	w.b = slices.Grow(w.b, asm.FixedFieldsRoom(len(keys)))
	written, done := asm.AppendFixedFields(w.b[len(w.b):cap(w.b)], keys, values)
	w.b = w.b[:len(w.b)+written]
	if done < len(values) {
		w.otherNumbers(keys[done:], values[done:])
	}
}

// otherNumbers writes values like numbers when asm.AppendFixedFields does not handle the first value.
func (w *Writer) otherNumbers(keys []asm.FieldName, values []float64) {
	k := &keys[0]
	w.b = append(w.b, k[:k.Len()]...)
	w.otherNumber(values[0])
	w.numbers(keys[1:], values[1:]...)
}

// noKey is the key of a number whose key is already written.
var noKey = make([]asm.FieldName, 1)

// otherNumber writes numbers that asm.AppendFixedFields does not handle, and numbers with ten decimals.
func (w *Writer) otherNumber(x float64) {
	if x-x != 0 {
		w.bad = true
		return
	}
	w.b = appendFixed(w.b, x)
}
