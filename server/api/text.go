package api

import (
	"unicode/utf8"

	"ballast/internal/jsonscan"
)

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	if i := jsonscan.Plain(s, 0); i < len(s) {
		return appendEscaped(append(dst, s[:i]...), string(s[i:]))
	}
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendEscaped appends the rest of a string, escaped, and the closing quote.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
			dst = append(dst, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
