package exchange

import (
	"strconv"
	"strings"

	"ballast/internal/jsonscan"
	"ballast/internal/printable"
)

// reader is the visitor that fills forms from a tape.
type reader struct {
	tape
	forms map[string]Form // those used so far, for the next action of the type
	at    int             // index of the object whose members are read
	path  []byte          // of that object, with a dot behind it
	blank bool            // only empties the forms
	err   *DecodeError    // the first fault
}

// fail records the first fault, in the member of that name.
func (r *reader) fail(name, problem, mend string) {
	if r.err == nil {
		r.err = &DecodeError{Path: string(r.path) + name, Problem: problem, Mend: mend}
	}
}

// index returns the index of a member of the current object, -1 if there is none.
func (r *reader) index(name string) int {
	if r.blank {
		return -1
	}
	return r.member(r.at, name)
}

// find returns a member of the current object, nil if it has no value or is not of that kind. It sets p.has.
func (r *reader) find(name string, kind jsonscan.Kind, p presence) *node {
	if p.has != nil {
		*p.has = false
	}
	i := r.index(name)
	switch {
	case r.err != nil || r.blank:
	case i < 0:
		if !p.absent {
			r.fail(name, "is missing", "the venue requires it in this action")
		}
	case r.nodes[i].kind == jsonscan.Null && p.null:
		r.nodes[i].used = true
	case r.nodes[i].kind == jsonscan.Null && p.absent:
		r.fail(name, "is null", "leave it out; the signed action does not have it either")
	case r.nodes[i].kind != kind:
		r.fail(name, "is "+kindNames[r.nodes[i].kind], "it must be "+kindNames[kind])
	default:
		r.nodes[i].used = true
		if p.has != nil {
			*p.has = true
		}
		return &r.nodes[i]
	}
	return nil
}

var kindNames = [...]string{jsonscan.Null: "null", jsonscan.Bool: "true or false", jsonscan.Number: "a number",
	jsonscan.String: "a string", jsonscan.Object: "an object", jsonscan.Array: "an array"}

// kindOf returns the kind of a member, Null if there is none.
func (r *reader) kindOf(name string) jsonscan.Kind {
	if i := r.index(name); i >= 0 {
		return r.nodes[i].kind
	}
	return jsonscan.Null
}

func (r *reader) whole(name string, bits int, x *uint64, p presence) {
	*x = 0
	n := r.find(name, jsonscan.Number, p)
	if n == nil {
		return
	}
	var err error
	if *x, err = strconv.ParseUint(string(n.text), 10, bits); err != nil {
		r.fail(name, "is "+printable.Text(n.text), "write a whole number from 0 to "+
			strconv.FormatUint(1<<bits-1, 10)+", in digits only")
	}
}

func (r *reader) uint64(name string, x *uint64, p presence) { r.whole(name, 64, x, p) }

func (r *reader) uint32(name string, x *uint32) {
	var wide uint64
	r.whole(name, 32, &wide, must)
	*x = uint32(wide)
}

func (r *reader) int64(name string, x *int64) {
	*x = 0
	n := r.find(name, jsonscan.Number, must)
	if n == nil {
		return
	}
	var err error
	if *x, err = strconv.ParseInt(string(n.text), 10, 64); err != nil || string(n.text) == "-0" {
		r.fail(name, "is "+printable.Text(n.text), "write a whole number of 64 bits, in digits only")
	}
}

func (r *reader) bool(name string, x *bool) {
	n := r.find(name, jsonscan.Bool, must)
	*x = n != nil && n.bool
}

func (r *reader) flag(name string, x *bool) {
	n := r.find(name, jsonscan.Bool, maybe(x))
	if n != nil && !n.bool {
		r.fail(name, "is false", "leave it out; the venue refuses it")
	}
}

func (r *reader) word(name string, x *uint8, words []string) {
	*x = 0
	n := r.find(name, jsonscan.String, must)
	if n == nil {
		return
	}
	for i, word := range words {
		if string(n.text) == word {
			*x = uint8(i)
			return
		}
	}
	r.fail(name, "is "+quote(n.text), "write one of "+strings.Join(words, ", "))
}

func (r *reader) wordOr(name string, x *uint8, words []string, o object) {
	if r.kindOf(name) == jsonscan.Object {
		*x = uint8(len(words))
		r.object(name, o, must)
		return
	}
	r.empty(o)
	r.word(name, x, words)
}

func (r *reader) str(name string, x text, p presence) {
	x.clear()
	if n := r.find(name, jsonscan.String, p); n != nil {
		if problem, mend := x.read(n.text); problem != "" {
			r.fail(name, problem, mend)
		}
	}
}

func (r *reader) orderID(name string, x *OrderID) {
	*x = OrderID{ByCloid: r.kindOf(name) == jsonscan.String}
	if x.ByCloid {
		r.str(name, &x.Cloid, must)
	} else {
		r.uint64(name, &x.Number, must)
	}
}

func (r *reader) object(name string, o object, p presence) {
	if r.find(name, jsonscan.Object, p) == nil {
		r.empty(o)
		return
	}
	r.members(name, r.index(name), o)
}

// empty sets everything in o to zero, so that nothing of an earlier action stays.
func (r *reader) empty(o object) {
	outer := r.blank
	r.blank = true
	o.fields(r)
	r.blank = outer
}

func (r *reader) choice(second *bool, one string, a object, other string, b object) {
	first := r.index(one) >= 0
	*second = r.index(other) >= 0
	switch {
	case *second && first:
		r.fail(other, "stands beside "+one, "write one of them")
	case *second:
		r.empty(a)
		r.object(other, b, must)
	default:
		r.empty(b)
		r.object(one, a, must)
	}
}

// maxItems is the most elements of an array.
const maxItems = 1000

func (r *reader) list(name string, l lister) {
	l.resize(0)
	n := r.find(name, jsonscan.Array, must)
	if n == nil {
		return
	}
	if n.n > maxItems {
		r.fail(name, "has more than "+strconv.Itoa(maxItems)+" elements", "send several actions")
		return
	}
	l.resize(n.n)
	i := r.index(name) + 1
	for k := range l.size() {
		element := name + "[" + strconv.Itoa(k) + "]"
		if r.nodes[i].kind != jsonscan.Object {
			r.fail(element, "is "+kindNames[r.nodes[i].kind], "it must be an object")
		}
		if r.err != nil {
			l.resize(0)
			return
		}
		r.members(element, i, l.at(k))
		i += r.nodes[i].size
	}
}

// members fills o from the object at index at, which is called name in the current one.
func (r *reader) members(name string, at int, o object) {
	outer, length := r.at, len(r.path)
	if name != "" {
		r.path = append(append(r.path, name...), '.')
	}
	r.at = at
	o.fields(r)
	r.rest(at)
	if c, ok := o.(checker); ok && r.err == nil {
		if name, problem, mend := c.check(); problem != "" {
			r.fail(name, problem, mend)
		}
	}
	r.at, r.path = outer, r.path[:length]
}

// rest refuses members of the object at index at that its form does not have.
func (r *reader) rest(at int) {
	i := at + 1
	for range r.nodes[at].n {
		if !r.nodes[i].used {
			r.fail(printable.Name(r.nodes[i].name), "is not a member that the venue knows here", "leave it out")
		}
		i += r.nodes[i].size
	}
}

func (r *reader) action(name string, a *Action) {
	*a = Action{}
	n := r.find(name, jsonscan.Object, must)
	if n == nil {
		return
	}
	at := r.index(name)
	i := r.member(at, "type")
	if i < 0 || r.nodes[i].kind != jsonscan.String {
		r.fail(name+".type", "is missing or not a string", `write the kind of action, such as "order"`)
		return
	}
	r.nodes[i].used = true
	typ := r.nodes[i].text
	if r.at != 0 && string(typ) == (*MultiSig)(nil).Type() {
		r.fail(name, "is a multi-sig action in another", "send the action itself")
		return
	}
	form := r.forms[string(typ)]
	if form == nil {
		create := known[string(typ)]
		if create == nil {
			a.Form = r.unknown(at, string(typ))
			return
		}
		if form = create(); r.forms == nil {
			r.forms = make(map[string]Form)
		}
		r.forms[form.Type()] = form
	}
	a.Form = form
	r.members(name, at, form)
}
