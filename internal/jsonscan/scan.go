// Package jsonscan parses JSON strictly and without allocation: the requests of clients, and the messages of the
// venue.
package jsonscan

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ballast/internal/printable"
)

// MaxDepth is the maximum nesting of objects and arrays.
const MaxDepth = 16

// Kind is the type of a JSON value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Object
	Array
)

// Value is one JSON value. Text and Raw are valid until the parsed text or the Scanner is reused.
type Value struct {
	Kind   Kind
	Bool   bool
	Number float64 // finite
	Text   []byte  // of a string, with escapes decoded
	Raw    []byte  // as it stands in the text
}

// Scanner parses one JSON text strictly: RFC 8259 grammar, valid UTF-8 without lone surrogates, no
// repeated name in an object however it is escaped, numbers within float64, nesting up to MaxDepth,
// nothing after the value. What was parsed before the first fault remains valid; Problem describes the
// fault, after which every method that parses returns false.
//
//	s.Members(func(name []byte, v *Value) { ... })
//
// The zero value is ready after Reset. Once warm it allocates only for objects with many names.
type Scanner struct {
	// Lenient accepts repeated names, and invalid UTF-8 and lone surrogates in strings.
	Lenient bool
	// PlainNames refuses escapes in names.
	PlainNames bool

	data    []byte
	pos     int
	begun   bool   // nothing was parsed since the start of the current object or array
	problem string // "" if there is none
	at      int    // position of the problem
	member  string // path of the member with the problem, "" if it is not known

	text  []byte // decoded strings, one after the other; reused for the next text
	names nameStack
}

// Reset makes the scanner parse data from its start.
func (s *Scanner) Reset(data []byte) {
	s.data, s.pos, s.begun, s.problem, s.at, s.member = data, 0, false, "", 0, ""
	s.text = s.text[:0]
	s.names = nameStack{}
}

// OK reports whether there is no problem so far.
func (s *Scanner) OK() bool { return s.problem == "" }

// Problem describes the first problem, its position, and the member if it is known.
func (s *Scanner) Problem() string {
	text := s.problem + " at byte " + strconv.Itoa(s.at)
	if s.member != "" {
		text += ", in field " + s.member
	}
	return text
}

// Field returns the path of the member with the problem, "" if it is not known.
func (s *Scanner) Field() string { return s.member }

// Blame records that the problem, if there is one, is in the value of the named member or element.
func (s *Scanner) Blame(name string) {
	switch {
	case s.problem == "":
	case s.member == "":
		s.member = name
	default:
		s.member = name + "." + s.member
	}
}

// fail records the first problem, at the current position.
func (s *Scanner) fail(problem string) bool {
	if s.problem == "" {
		s.problem, s.at = problem, s.pos
	}
	return false
}

// failAt is fail at another position.
func (s *Scanner) failAt(pos int, problem string) bool {
	s.pos = pos
	return s.fail(problem)
}

// expected is fail where something else must stand. It says what stands there if that does not show.
func (s *Scanner) expected(what string) bool {
	switch rest := s.data[s.pos:]; {
	case len(rest) == 0:
		what += ", found nothing"
	case bytes.HasPrefix(rest, []byte("\ufeff")):
		what += ", found a byte order mark"
	case rest[0] == 0 || rest[0] >= 0xfe: // in UTF-16
		what += ", found text that is not UTF-8"
	}
	return s.fail("expected " + what)
}

// peek skips white space and returns the next byte, 0 at the end of the text (a NUL in the text is never
// valid).
func (s *Scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// End reports whether only white space is left; otherwise that is a problem.
func (s *Scanner) End() bool {
	if s.problem == "" && s.peek() == 0 && s.pos == len(s.data) {
		return true
	}
	return s.fail("text behind the JSON value")
}

// Object parses an object and calls member with each name, to parse the value.
func (s *Scanner) Object(member func(name []byte)) {
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		member(name)
		s.Blame(printable.Name(name))
	}
}

// Members parses an object and calls take with each of its members.
func (s *Scanner) Members(take func(name []byte, v *Value)) {
	s.Object(func(name []byte) {
		if v := (Value{}); s.Value(&v) {
			take(name, &v)
		}
	})
}

// BeginObject parses the opening brace of an object. Call Member for each member, then parse its value.
func (s *Scanner) BeginObject() bool { return s.begin('{', "an object") }

// BeginArray parses the opening bracket of an array. Call Element before each value.
func (s *Scanner) BeginArray() bool { return s.begin('[', "an array") }

func (s *Scanner) begin(bracket byte, what string) bool {
	if s.peek() != bracket {
		return s.expected(what)
	}
	return s.open()
}

func (s *Scanner) open() bool {
	if s.names.depth == MaxDepth {
		return s.fail("nested too deep")
	}
	s.names.open()
	s.pos++
	s.begun = true
	return true
}

// Member moves to the next member of the current object and returns its name; ok is false at the end of
// the object or after a problem.
func (s *Scanner) Member() (name []byte, ok bool) {
	if !s.next('}', "expected ',' or '}'") {
		return nil, false
	}
	if s.peek() != '"' {
		return nil, s.expected("a name")
	}
	start := s.pos
	if name, ok = s.string(); !ok {
		return nil, false
	}
	if s.PlainNames && s.pos-start != len(name)+len(`""`) {
		return nil, s.failAt(start, "escape in a name")
	}
	if !s.Lenient && !s.names.add(name) {
		s.failAt(start, "name used twice")
		s.Blame(printable.Name(name))
		return nil, false
	}
	if s.peek() != ':' {
		return nil, s.fail("expected ':'")
	}
	s.pos++
	return name, true
}

// Element moves to the next element of the current array; false at its end or after a problem.
func (s *Scanner) Element() bool { return s.next(']', "expected ',' or ']'") }

// next moves behind the comma before a member or element, or behind the end of the object or array, where it
// returns false. It also returns false after a problem.
func (s *Scanner) next(end byte, expected string) bool {
	c, first := s.peek(), s.begun
	s.begun = false
	switch {
	case s.problem != "":
		return false
	case c == end:
		s.pos++
		s.names.close()
		return false
	case first:
		return true
	case c != ',':
		return s.fail(expected)
	}
	s.pos++
	return true
}

// Offset returns the position of what is parsed next.
func (s *Scanner) Offset() int { return s.pos }

// NextKind returns the kind of the next value by its first byte. A byte that starts no value counts as a
// number, which parsing then refuses.
func (s *Scanner) NextKind() Kind {
	switch s.peek() {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Value parses the next value. For an object or array it returns only the kind, after checking its whole
// content.
func (s *Scanner) Value(v *Value) bool {
	*v = Value{Kind: s.NextKind()}
	if s.problem != "" {
		return false
	}
	ok, start := true, s.pos
	switch v.Kind {
	case String:
		v.Text, ok = s.string()
	case Number:
		v.Number, ok = s.number()
	case Bool:
		v.Bool = s.data[s.pos] == 't'
		ok = s.literal(strconv.FormatBool(v.Bool))
	case Null:
		ok = s.literal("null")
	case Object, Array:
		ok = s.skip(v.Kind)
	}
	v.Raw = s.data[start:s.pos]
	return ok
}

// skip checks a whole object or array. MaxDepth limits the recursion.
func (s *Scanner) skip(kind Kind) bool {
	var v Value
	if !s.open() {
		return false
	}
	if kind == Array {
		for s.Element() && s.Value(&v) {
		}
		return s.OK()
	}
	for name, more := s.Member(); more; name, more = s.Member() {
		if !s.Value(&v) {
			s.Blame(printable.Name(name))
			return false
		}
	}
	return s.OK()
}

func (s *Scanner) literal(word string) bool {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.fail("unknown word")
	}
	s.pos += len(word)
	return true
}

// Plain skips bytes from i on that are ASCII but neither quotes, backslashes nor control characters. It
// returns the index of the first other byte.
func Plain[T string | []byte](d T, i int) int {
	for i < len(d) && d[i] >= ' ' && d[i] < utf8.RuneSelf && d[i] != '"' && d[i] != '\\' {
		i++
	}
	return i
}

// string parses a string. Without escapes the result is a slice of the text itself.
func (s *Scanner) string() ([]byte, bool) {
	start := s.pos + 1
	i := Plain(s.data, start)
	if i < len(s.data) && s.data[i] == '"' {
		s.pos = i + 1
		return s.data[start:i:i], true
	}
	return s.special(start, i)
}

// special parses the rest of a string, from i on. With escapes the result is in s.text, to which the pieces
// between the escapes are copied.
func (s *Scanner) special(piece, i int) ([]byte, bool) {
	from, escaped := len(s.text), false
	for i < len(s.data) {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			if !escaped {
				return s.data[piece:i:i], true
			}
			s.text = append(s.text, s.data[piece:i]...)
			return s.text[from:len(s.text):len(s.text)], true
		case c == '\\':
			r, size, lone := unescape(s.data[i:])
			if size == 0 || lone && !s.Lenient {
				return nil, s.failAt(i, "malformed escape")
			}
			s.text = utf8.AppendRune(append(s.text, s.data[piece:i]...), r)
			i += size
			piece, escaped = i, true
		case c < ' ':
			return nil, s.failAt(i, "control character in a string")
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(s.data[i:])
			if r == utf8.RuneError && size == 1 && !s.Lenient {
				return nil, s.failAt(i, "invalid UTF-8")
			}
			i += size
		}
	}
	return nil, s.failAt(len(s.data), "unfinished string")
}

// unescape decodes the escape at the start of b and returns its length, 0 if it is malformed. lone reports half
// of a surrogate pair.
func unescape(b []byte) (r rune, size int, lone bool) {
	if len(b) < 2 {
		return 0, 0, false
	}
	if b[1] != 'u' {
		const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		if i := strings.IndexByte(from, b[1]); i >= 0 {
			return rune(to[i]), 2, false
		}
		return 0, 0, false
	}
	first, ok := hex4(b[2:])
	switch {
	case !ok:
		return 0, 0, false
	case !utf16.IsSurrogate(first):
		return first, 6, false
	case len(b) >= 12 && b[6] == '\\' && b[7] == 'u':
		second, _ := hex4(b[8:])
		if r = utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 12, false
		}
	}
	return utf8.RuneError, 6, true
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}
