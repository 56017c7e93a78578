// Package printable makes values of a request fit to be repeated in an error, a log or a
// terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLength bounds how much of a value is repeated, in characters.
const maxLength = 64

// Text returns the first 64 characters of text. Those that do not print are replaced by '?', so
// that no log or terminal can be steered by them.
func Text(text []byte) string {
	var b strings.Builder
	for n := 0; len(text) > 0 && n < maxLength; n++ {
		r, size := utf8.DecodeRune(text)
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			r = '?'
		}
		b.WriteRune(r)
		text = text[size:]
	}
	return b.String()
}

// Number returns x at its shortest, integers without decimals.
func Number(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	return s[:min(len(s), maxLength)]
}
