package exchange

import "slices"

// object is a JSON object with a fixed set of members. fields names all of them, in the order in which the venue
// serialises them.
type object interface{ fields(v visitor) }

// checker is an object with a rule that one member alone does not show. check returns the member at fault, what is
// wrong, and how to mend it.
type checker interface {
	check() (name, problem, mend string)
}

// lister is an array of objects.
type lister interface {
	size() int
	resize(n int)
	at(i int) object
}

// items makes a lister of a slice. P is always *T.
type items[T any, P interface {
	*T
	object
}] []T

func (s *items[T, P]) size() int       { return len(*s) }
func (s *items[T, P]) resize(n int)    { *s = slices.Grow((*s)[:0], n)[:n] }
func (s *items[T, P]) at(i int) object { return P(&(*s)[i]) }

// presence says whether a member may be absent or null. In a form, has records whether it has a value.
type presence struct {
	has          *bool
	absent, null bool
}

// must is a member that is always there.
var must presence

// maybe is a member that is absent if it has no value.
func maybe(has *bool) presence { return presence{has: has, absent: true} }

// orNull is a member that is null if it has no value.
func orNull(has *bool) presence { return presence{has: has, null: true} }

// either is a member without a value that may be read as null, and is written as absent.
func either(has *bool) presence { return presence{has: has, absent: true, null: true} }

// missing reports that a form has no value for the member.
func (p presence) missing() bool { return p.has != nil && !*p.has }

// visitor does one thing with every member of an object: reads it from JSON into the form, or writes it from the form.
type visitor interface {
	uint32(name string, x *uint32)
	uint64(name string, x *uint64, p presence)
	int64(name string, x *int64)
	bool(name string, x *bool)
	// flag is a member that is there only when it is true.
	flag(name string, x *bool)
	// word is one of some words; x its index.
	word(name string, x *uint8, words []string)
	// wordOr is a word, or, if x is len(words), the object o.
	wordOr(name string, x *uint8, words []string, o object)
	str(name string, x text, p presence)
	orderID(name string, x *OrderID)
	object(name string, o object, p presence)
	// choice is one of two objects; second says which.
	choice(second *bool, one string, a object, other string, b object)
	list(name string, l lister)
	action(name string, a *Action)
}
