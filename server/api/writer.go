package api

import (
	"math"
	"slices"
	"strconv"

	"ballast/asm"
)

// Writer appends the members of an answer: each key comes with its quotes, colon and whatever stands
// before it, so that one copy writes it.
type Writer struct {
	b   []byte // as long as its capacity
	n   int    // how much of b is written
	bad bool   // a number was not finite
	// kept are prices that the answer repeats.
	kept [keptPrices]keptPrice
}

// keptPrice is a price and where its digits stand in the text; to is 0 when none is kept.
type keptPrice struct {
	price    float64
	from, to int
}

// The prices that are kept.
const (
	keptFill = iota
	keptLiquidation
	keptPrices
)

// NewWriter returns a Writer that appends to dst.
func NewWriter(dst []byte) Writer { return Writer{b: dst[:cap(dst)], n: len(dst)} }

// Bytes is all that was written.
func (w *Writer) Bytes() []byte { return w.b[:w.n] }

// continueBehind goes on behind b, which begins with what was written.
func (w *Writer) continueBehind(b []byte) { w.b, w.n = b[:cap(b)], len(b) }

// reserve makes room for n bytes.
func (w *Writer) reserve(n int) {
	if len(w.b)-w.n < n {
		w.continueBehind(slices.Grow(w.Bytes(), n))
	}
}

// Raw appends text as it is.
func (w *Writer) Raw(s string) {
	w.reserve(len(s))
	w.n += copy(w.b[w.n:], s)
}

// Append appends text as it is.
func (w *Writer) Append(text []byte) {
	w.reserve(len(text))
	w.n += copy(w.b[w.n:], text)
}

// end closes an object.
func (w *Writer) end() {
	w.reserve(1)
	w.b[w.n] = '}'
	w.n++
}

// word appends a text that needs no escape; key ends with the opening quote.
func (w *Writer) word(key, text string) {
	w.reserve(len(key) + len(text) + 1)
	w.n += copy(w.b[w.n:], key)
	w.n += copy(w.b[w.n:], text)
	w.b[w.n] = '"'
	w.n++
}

// Text appends a text of any content.
func (w *Writer) Text(key, text string) {
	w.Raw(key)
	w.continueBehind(AppendString(w.Bytes(), text))
}

// Boolean appends true or false.
func (w *Writer) Boolean(key string, v bool) {
	w.Raw(key)
	if v {
		w.Raw("true")
	} else {
		w.Raw("false")
	}
}

// Integer appends an integer.
func (w *Writer) Integer(key string, n int) {
	w.Raw(key)
	w.continueBehind(strconv.AppendInt(w.Bytes(), int64(n), 10))
}

// exactLimit bounds where exact tries nine decimals: fifteen digits with those of the integer.
const exactLimit = 999_999

// Exact appends the shortest decimal that reads back as the same float64.
//
// Prices and rates have few decimals. When n/1e9, both exact in float64, divides to x, the
// decimal n/1e9 reads back as x, and with at most 15 digits there is no shorter one; number
// writes it.
func (w *Writer) Exact(key string, x float64) {
	w.begin(key)
	if abs := math.Abs(x); abs < exactLimit && float64(int64(abs*1e9+0.5))/1e9 == abs {
		w.number(x)
		return
	}
	if x-x != 0 {
		w.bad = true
		return
	}
	w.continueBehind(appendShortest(w.Bytes(), x))
}

// exactKept is exact for a price that exactAgain may repeat.
func (w *Writer) exactKept(which int, key string, price float64) {
	from := w.n + len(key)
	w.Exact(key, price)
	w.kept[which] = keptPrice{price: price, from: from, to: w.n}
}

// exactAgain is exact for a price that is likely the one kept: its digits are copied.
func (w *Writer) exactAgain(which int, key string, price float64) {
	k := &w.kept[which]
	if price != k.price || k.to == 0 {
		w.Exact(key, price)
		return
	}
	w.Raw(key)
	w.reserve(k.to - k.from)
	w.n += copy(w.b[w.n:], w.b[k.from:k.to])
}

// fixedOrNull appends a number in fixed point, null for 0.
func (w *Writer) fixedOrNull(key string, x float64) {
	if x == 0 {
		w.Raw(key)
		w.Raw("null")
		return
	}
	w.fixed(key, x)
}

// fixed appends a number in fixed point.
func (w *Writer) fixed(key string, x float64) {
	w.begin(key)
	w.number(x)
}

// finer appends a number with a decimal more than fixed: readers compute hard rule H1 out of
// it.
func (w *Writer) finer(key string, x float64) {
	w.begin(key)
	w.otherNumber(x)
}

// begin writes the key of a number and makes room for the number.
func (w *Writer) begin(key string) {
	w.reserve(len(key) + numberRoom)
	w.n += copy(w.b[w.n:], key)
}

// keysOf are the keys of numbers that stand next to each other.
func keysOf(texts ...string) []asm.FieldName {
	keys := make([]asm.FieldName, len(texts))
	for i, text := range texts {
		keys[i] = asm.NewFieldName(text)
	}
	return keys
}

// numbers appends numbers in fixed point, each behind its key: with up to nine decimals and
// without trailing zeros, where that is within the precision that appendFixed promises.
func (w *Writer) numbers(keys []asm.FieldName, values ...float64) {
	w.reserve(asm.FixedFieldsRoom(len(keys)))
	written, done := asm.AppendFixedFields(w.b[w.n:], keys, values)
	w.n += written
	if done < len(values) {
		w.otherNumbers(keys[done:], values[done:])
	}
}

// otherNumbers is numbers for some whose first is not for Members.
func (w *Writer) otherNumbers(keys []asm.FieldName, values []float64) {
	k := &keys[0]
	w.n += copy(w.b[w.n:], k[:k.Len()])
	w.otherNumber(values[0])
	w.numbers(keys[1:], values[1:]...)
}

// noKey is that of a number whose key is written.
var noKey = keysOf("")

// number writes a number into room that was reserved.
func (w *Writer) number(x float64) {
	written, done := asm.AppendFixedFields(w.b[w.n:], noKey, []float64{x})
	w.n += written
	if done == 0 {
		w.otherNumber(x)
	}
}

// numberRoom is what number needs.
var numberRoom = asm.FixedFieldsRoom(1)

// otherNumber writes what Members leaves, and ten decimals.
func (w *Writer) otherNumber(x float64) {
	if x-x != 0 {
		w.bad = true
		return
	}
	w.continueBehind(appendFixed(w.Bytes(), x))
}
