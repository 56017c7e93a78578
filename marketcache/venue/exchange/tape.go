package exchange

import (
	"strconv"
	"strings"

	"ballast/internal/jsonscan"
	"ballast/internal/printable"
)

// node is one value of a JSON text.
type node struct {
	kind jsonscan.Kind
	name []byte // of a member
	text []byte // of a string, with escapes decoded; of a number as it stands
	bool bool
	n    int  // members or elements
	size int  // nodes from this one to the end of its content: the next sibling is that far away
	used bool // a form has this member
}

// tape is a JSON text as its values in order, each object or array followed by its content.
type tape struct {
	nodes   []node
	scanner jsonscan.Scanner
}

// maxNodes is the most values in a body, with which a thousand orders fit.
const maxNodes = 1 << 14

// parse replaces the tape by the values of text. The nodes refer to text and to the scanner's memory.
func (t *tape) parse(text []byte) *DecodeError {
	t.nodes = t.nodes[:0]
	s := &t.scanner
	s.PlainNames = true
	s.Reset(text)
	if t.value(nil) && s.End() {
		return nil
	}
	if len(t.nodes) > maxNodes {
		return &DecodeError{Problem: "has too many values", Mend: "send several actions"}
	}
	const mend = "send one JSON object as RFC 8259 has it, in UTF-8, each name once and without escapes"
	problem, _, _ := strings.Cut(s.Problem(), ", in field ")
	path := strings.ReplaceAll(s.Field(), ".[", "[")
	return &DecodeError{Path: path, Problem: "cannot be read: " + problem, Mend: mend, Syntax: true}
}

// value appends the next value. The scanner limits the depth of the recursion.
func (t *tape) value(name []byte) bool {
	s, at := &t.scanner, len(t.nodes)
	t.nodes = append(t.nodes, node{kind: s.NextKind(), name: name})
	if len(t.nodes) > maxNodes {
		return false
	}
	n := 0
	switch t.nodes[at].kind {
	case jsonscan.Object:
		if !s.BeginObject() {
			return false
		}
		for name, more := s.Member(); more; name, more = s.Member() {
			if !t.value(name) {
				s.Blame(printable.Name(name))
				return false
			}
			n++
		}
	case jsonscan.Array:
		if !s.BeginArray() {
			return false
		}
		for s.Element() {
			if !t.value(nil) {
				s.Blame("[" + strconv.Itoa(n) + "]")
				return false
			}
			n++
		}
	default:
		var v jsonscan.Value
		if !s.Value(&v) {
			return false
		}
		t.nodes[at].bool, t.nodes[at].text = v.Bool, v.Text
		if v.Kind == jsonscan.Number {
			t.nodes[at].text = v.Raw
		}
	}
	t.nodes[at].n, t.nodes[at].size = n, len(t.nodes)-at
	return s.OK()
}

// member returns the index of a member of the object at index at, -1 if it has none of that name.
func (t *tape) member(at int, name string) int {
	i := at + 1
	for range t.nodes[at].n {
		if string(t.nodes[i].name) == name {
			return i
		}
		i += t.nodes[i].size
	}
	return -1
}
