package receipt

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ballast/internal/jsonscan"
)

// Canonicalizer writes JSON texts in the canonical form of RFC 8785. The zero value is ready. Once warm it does not
// allocate.
type Canonicalizer struct {
	scanner jsonscan.Scanner
	done    []byte
	members []member // of the objects that are being written, the innermost object's last
	value   jsonscan.Value
}

// member is a member of an object: its name, and where name and value stand in Canonicalizer.done.
type member struct {
	name       []byte
	start, end int
}

// Append appends the canonical form of a JSON text. It reports whether the text is strict JSON.
func (c *Canonicalizer) Append(dst, text []byte) (_ []byte, ok bool) {
	c.scanner.Reset(text)
	c.members, c.done = c.members[:0], c.done[:0]
	if !c.write() || !c.scanner.End() {
		return dst, false
	}
	return append(dst, c.done...), true
}

// write writes the next value behind done.
func (c *Canonicalizer) write() bool {
	s := &c.scanner
	switch s.NextKind() {
	case jsonscan.Object:
		return c.writeObject()
	case jsonscan.Array:
		s.BeginArray()
		c.done = append(c.done, '[')
		for first := true; s.Element(); first = false {
			if !first {
				c.done = append(c.done, ',')
			}
			if !c.write() {
				return false
			}
		}
		c.done = append(c.done, ']')
		return s.OK()
	}
	v := &c.value
	if !s.Value(v) {
		return false
	}
	switch v.Kind {
	case jsonscan.String:
		c.done = appendString(c.done, v.Text)
	case jsonscan.Number:
		c.done = appendNumber(c.done, v.Number)
	default: // true, false or null
		c.done = append(c.done, v.Raw...)
	}
	return true
}

// writeObject writes the members in the order of the text, then puts them in the order of their names.
func (c *Canonicalizer) writeObject() bool {
	s := &c.scanner
	if !s.BeginObject() {
		return false
	}
	start, outer := len(c.done), len(c.members)
	for name, more := s.Member(); more; name, more = s.Member() {
		m := member{name: name, start: len(c.done)}
		c.done = append(appendString(c.done, name), ':')
		if !c.write() {
			return false
		}
		m.end = len(c.done)
		c.members = append(c.members, m)
	}
	own := c.members[outer:]
	slices.SortFunc(own, func(a, b member) int { return compareUTF16(a.name, b.name) })
	unsorted := len(c.done)
	c.done = append(c.done, '{')
	for i, m := range own {
		if i > 0 {
			c.done = append(c.done, ',')
		}
		c.done = append(c.done, c.done[m.start:m.end]...)
	}
	c.done = append(c.done, '}')
	c.done = c.done[:start+copy(c.done[start:], c.done[unsorted:])]
	c.members = c.members[:outer]
	return s.OK()
}

// compareUTF16 compares two texts by their UTF-16 code units, as RFC 8785 orders names.
func compareUTF16(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		x, n := utf8.DecodeRune(a)
		y, m := utf8.DecodeRune(b)
		if x != y {
			return cmp.Compare(orderUTF16(x), orderUTF16(y))
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// orderUTF16 puts the characters behind the surrogates' range behind those that are written with surrogates.
func orderUTF16(r rune) rune {
	if r >= 0xe000 && r <= 0xffff {
		return r + utf8.MaxRune
	}
	return r
}

// appendString appends a string with the escapes that RFC 8785 asks for and no others.
func appendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b >= ' ':
			dst = append(dst, b)
		default:
			if i := strings.IndexByte("\b\f\n\r\t", b); i >= 0 {
				dst = append(dst, '\\', "bfnrt"[i])
			} else {
				dst = append(append(dst, `\u00`...), "0123456789abcdef"[b>>4], "0123456789abcdef"[b&15])
			}
		}
	}
	return append(dst, '"')
}

// appendNumber appends a finite number as JavaScript prints it.
func appendNumber(dst []byte, x float64) []byte {
	abs := math.Abs(x)
	switch {
	case x == 0: // and not -0
		return append(dst, '0')
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, x, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') { // an exponent of one digit
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}
