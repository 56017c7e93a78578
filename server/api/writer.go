package api

import (
	"iter"
	"math"
	"strconv"
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

// comma writes the comma before the i-th element of a list, none before the first.
func (w *Writer) comma(i int) {
	if i > 0 {
		w.b = append(w.b, ',')
	}
}

// Each writes a list of n elements; the body of the loop writes the one whose index it gets.
func (w *Writer) Each(key string, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		w.Raw(key)
		w.Raw(`[`)
		for i := range n {
			w.comma(i)
			if !yield(i) {
				return
			}
		}
		w.Raw(`]`)
	}
}

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
// decimal n/1e9 reads back as x; with at most 15 digits it is also the shortest. Then fixed writes it.
func (w *Writer) Exact(key string, x float64) {
	if abs := math.Abs(x); abs < exactLimit && float64(int64(abs*1e9+0.5))/1e9 == abs {
		w.fixed(key, x)
		return
	}
	w.check(x)
	w.b = strconv.AppendFloat(append(w.b, key...), x, 'f', -1, 64)
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
	w.check(x)
	w.b = appendNumber(append(w.b, key...), x)
}

// finer appends a number with one decimal more than fixed, for recomputing hard rule H1.
func (w *Writer) finer(key string, x float64) {
	w.check(x)
	w.b = appendFixed(append(w.b, key...), x)
}

// check notes a number that is not finite.
func (w *Writer) check(x float64) {
	if x-x != 0 {
		w.bad = true
	}
}
