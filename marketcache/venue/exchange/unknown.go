package exchange

import "slices"

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
	var text, packed writer
	packed.packed = true
	text.value(&r.tape, at)
	packed.value(&r.tape, at)
	for i := at; i < at+r.nodes[at].size; i++ {
		r.nodes[i].used = true
	}
	return &Unknown{typ: typ, text: slices.Clip(text.b), packed: slices.Clip(packed.b)}
}
