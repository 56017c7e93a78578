// Package printable makes values from a request safe to repeat in an error, a log or a terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLength is the maximum length of a repeated value, characters.
const maxLength = 64

// Text returns the first 64 characters of text, with '?' for unprintable ones, which could otherwise
// control a terminal or forge log lines.
func Text(text []byte) string { return Start(text, maxLength) }

// Start is Text with another maximum length, characters.
func Start(text []byte, length int) string {
	var b strings.Builder
	for n := 0; len(text) > 0 && n < length; n++ {
		r, size := utf8.DecodeRune(text)
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			r = '?'
		}
		b.WriteRune(r)
		text = text[size:]
	}
	return b.String()
}

// Name is Text for the name of a member of a JSON object; two quotes for an empty one.
func Name(name []byte) string {
	if len(name) == 0 {
		return `""`
	}
	return Text(name)
}

// Decimal returns x at its shortest without exponent, integers without decimals.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Number is Decimal, with an exponent where that is longer than 64 characters.
func Number(x float64) string {
	if s := Decimal(x); len(s) <= maxLength {
		return s
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
