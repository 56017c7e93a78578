package exchange

import (
	"strconv"

	"ballast/internal/jsonscan"
)

// writer is the visitor that appends a form: as JSON, or as msgpack as the venue hashes it, with objects as maps in the
// order of their members, numbers in their shortest form and everything else as text.
type writer struct {
	b      []byte
	text   []byte // memory
	packed bool   // msgpack
	n      int    // members of the current object so far
}

func (w *writer) name(name string) {
	w.separate(w.n)
	w.n++
	put(w, name)
	w.colon()
}

// has begins a member; false if it has no value.
func (w *writer) has(name string, p presence) bool {
	if p.missing() && p.absent {
		return false
	}
	w.name(name)
	if p.missing() {
		w.null()
		return false
	}
	return true
}

func (w *writer) uint64(name string, x *uint64, p presence) {
	if w.has(name, p) {
		w.number(*x)
	}
}

func (w *writer) uint32(name string, x *uint32) {
	w.name(name)
	w.number(uint64(*x))
}

func (w *writer) int64(name string, x *int64) {
	w.name(name)
	if w.packed {
		w.b = packInt(w.b, *x)
	} else {
		w.b = strconv.AppendInt(w.b, *x, 10)
	}
}

func (w *writer) bool(name string, x *bool) {
	w.name(name)
	w.truth(*x)
}

func (w *writer) flag(name string, x *bool) {
	if *x {
		w.bool(name, x)
	}
}

func (w *writer) word(name string, x *uint8, words []string) {
	w.name(name)
	put(w, words[*x])
}

func (w *writer) wordOr(name string, x *uint8, words []string, o object) {
	if int(*x) == len(words) {
		w.object(name, o, must)
		return
	}
	w.word(name, x, words)
}

func (w *writer) str(name string, x text, p presence) {
	if w.has(name, p) {
		w.text = x.AppendText(w.text[:0])
		put(w, w.text)
	}
}

func (w *writer) orderID(name string, x *OrderID) {
	if x.ByCloid {
		w.str(name, &x.Cloid, must)
	} else {
		w.uint64(name, &x.Number, must)
	}
}

func (w *writer) object(name string, o object, p presence) {
	if w.has(name, p) {
		w.members("", o)
	}
}

func (w *writer) choice(second *bool, one string, a object, other string, b object) {
	if *second {
		w.object(other, b, must)
	} else {
		w.object(one, a, must)
	}
}

func (w *writer) list(name string, l lister) {
	w.name(name)
	w.open('[', l.size(), packedArray)
	for i := range l.size() {
		w.separate(i)
		w.members("", l.at(i))
	}
	w.close(']')
}

// members appends an object, with a member type in front if it is the form of an action. The head of a packed one has
// the number of members, which is known at the end.
func (w *writer) members(typ string, o object) {
	outer, head := w.n, len(w.b)
	w.n = 0
	w.open('{', 0, packedMap)
	if typ != "" {
		w.name("type")
		put(w, typ)
	}
	o.fields(w)
	if w.close('}'); w.packed {
		if w.n > maxSmall {
			panic("BUG: an object of the venue with more than 15 members")
		}
		w.b[head] |= byte(w.n)
	}
	w.n = outer
}

func (w *writer) action(name string, a *Action) {
	w.name(name)
	w.whole(a)
}

// whole appends the action itself.
func (w *writer) whole(a *Action) {
	switch u, unknown := a.Form.(*Unknown); {
	case !unknown:
		w.members(a.Form.Type(), a.Form)
	case w.packed:
		w.b = append(w.b, u.packed...)
	default:
		w.b = append(w.b, u.text...)
	}
}

// value appends the value at an index of a tape as the client wrote it, but for white space and escapes, and returns
// the index behind it.
func (w *writer) value(t *tape, at int) (next int) {
	n := &t.nodes[at]
	next = at + 1
	switch n.kind {
	case jsonscan.Object:
		w.open('{', n.n, packedMap)
		for i := range n.n {
			w.separate(i)
			put(w, t.nodes[next].name)
			w.colon()
			next = w.value(t, next)
		}
		w.close('}')
	case jsonscan.Array:
		w.open('[', n.n, packedArray)
		for i := range n.n {
			w.separate(i)
			next = w.value(t, next)
		}
		w.close(']')
	case jsonscan.String:
		put(w, n.text)
	case jsonscan.Number:
		if w.packed {
			w.b = packNumber(w.b, string(n.text))
		} else {
			w.b = append(w.b, n.text...)
		}
	case jsonscan.Bool:
		w.truth(n.bool)
	case jsonscan.Null:
		w.null()
	}
	return next
}

// put appends a text.
func put[T string | []byte](w *writer, text T) {
	if w.packed {
		w.b = packString(w.b, text)
	} else {
		w.b = appendString(w.b, text)
	}
}

func (w *writer) number(x uint64) {
	if w.packed {
		w.b = packUint(w.b, x)
	} else {
		w.b = strconv.AppendUint(w.b, x, 10)
	}
}

func (w *writer) truth(x bool) {
	switch {
	case !w.packed:
		w.b = strconv.AppendBool(w.b, x)
	case x:
		w.b = append(w.b, 0xc3)
	default:
		w.b = append(w.b, 0xc2)
	}
}

func (w *writer) null() {
	if w.packed {
		w.b = append(w.b, 0xc0)
	} else {
		w.b = append(w.b, "null"...)
	}
}

// open begins an object or array of n members; close ends it.
func (w *writer) open(bracket byte, n int, h head) {
	if w.packed {
		w.b = packHead(w.b, n, h)
	} else {
		w.b = append(w.b, bracket)
	}
}

func (w *writer) close(bracket byte) {
	if !w.packed {
		w.b = append(w.b, bracket)
	}
}

// separate comes before each member, of which there were n, and colon between its name and its value.
func (w *writer) separate(n int) {
	if !w.packed && n > 0 {
		w.b = append(w.b, ',')
	}
}

func (w *writer) colon() {
	if !w.packed {
		w.b = append(w.b, ':')
	}
}

// appendString appends a JSON string. It escapes only what JSON requires; text is valid UTF-8.
func appendString[T string | []byte](b []byte, text T) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
