package exchange

import (
	"slices"

	"ballast/internal/jsonscan"
)

// Unknown is an action of a type that has no form here. Nothing is known about what it does.
type Unknown struct {
	typ    string
	text   []byte // as JSON, members in the client's order
	packed []byte // as msgpack, members in the client's order
}

func (u *Unknown) fields(visitor) { panic("BUG: an unknown action has no fields") }

// Type returns the member type of the action.
func (u *Unknown) Type() string { return u.typ }

// Class is Unknown's class.
func (u *Unknown) Class() Class { return ClassUnknown }

// unknown returns the action at index at, which has that type.
func (r *reader) unknown(at int, typ string) *Unknown {
	u := &Unknown{typ: typ}
	u.text, _ = r.appendJSON(nil, at)
	u.packed, _ = r.pack(nil, at)
	for i := at; i < at+r.nodes[at].size; i++ {
		r.nodes[i].used = true
	}
	u.text, u.packed = slices.Clip(u.text), slices.Clip(u.packed)
	return u
}

// appendJSON appends the value at index at as the client wrote it but for white space and escapes, and returns the
// index behind it.
func (t *tape) appendJSON(b []byte, at int) ([]byte, int) {
	n := &t.nodes[at]
	next := at + 1
	switch n.kind {
	case jsonscan.Object:
		b = append(b, '{')
		for i := range n.n {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, t.nodes[next].name), ':')
			b, next = t.appendJSON(b, next)
		}
		b = append(b, '}')
	case jsonscan.Array:
		b = append(b, '[')
		for i := range n.n {
			if i > 0 {
				b = append(b, ',')
			}
			b, next = t.appendJSON(b, next)
		}
		b = append(b, ']')
	case jsonscan.String:
		b = appendString(b, n.text)
	case jsonscan.Number:
		b = append(b, n.text...)
	case jsonscan.Bool:
		if n.bool {
			b = append(b, "true"...)
		} else {
			b = append(b, "false"...)
		}
	case jsonscan.Null:
		b = append(b, "null"...)
	}
	return b, next
}
