package exchange

import (
	"encoding/hex"
	"strconv"
)

// jsonWriter is the visitor that appends JSON.
type jsonWriter struct {
	b     []byte
	inner bool // the current object already has a member
}

func (w *jsonWriter) name(name string) {
	if w.inner {
		w.b = append(w.b, ',')
	}
	w.inner = true
	w.b = append(append(append(w.b, '"'), name...), `":`...)
}

// has begins a member; false if it has no value.
func (w *jsonWriter) has(name string, p presence) bool {
	if p.missing() && p.absent {
		return false
	}
	w.name(name)
	if p.missing() {
		w.b = append(w.b, "null"...)
		return false
	}
	return true
}

func (w *jsonWriter) uint64(name string, x *uint64, p presence) {
	if w.has(name, p) {
		w.b = strconv.AppendUint(w.b, *x, 10)
	}
}

func (w *jsonWriter) uint32(name string, x *uint32) {
	w.name(name)
	w.b = strconv.AppendUint(w.b, uint64(*x), 10)
}

func (w *jsonWriter) int64(name string, x *int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, *x, 10)
}

func (w *jsonWriter) bool(name string, x *bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, *x)
}

func (w *jsonWriter) flag(name string, x *bool) {
	if *x {
		w.bool(name, x)
	}
}

func (w *jsonWriter) word(name string, x *uint8, words []string) {
	w.name(name)
	w.b = appendString(w.b, words[*x])
}

func (w *jsonWriter) wordOr(name string, x *uint8, words []string, o object) {
	if int(*x) == len(words) {
		w.object(name, o, must)
		return
	}
	w.word(name, x, words)
}

func (w *jsonWriter) decimal(name string, x *Decimal, p presence) {
	if w.has(name, p) {
		w.b = append(x.AppendText(append(w.b, '"')), '"')
	}
}

func (w *jsonWriter) amount(name string, x *string, p presence) { w.text(name, x, p) }

func (w *jsonWriter) text(name string, x *string, p presence) {
	if w.has(name, p) {
		w.b = appendString(w.b, *x)
	}
}

func (w *jsonWriter) address(name string, x *Address, p presence) {
	if w.has(name, p) {
		w.b = append(x.AppendText(append(w.b, '"')), '"')
	}
}

func (w *jsonWriter) rawAddress(name string, x *Address, p presence) { w.address(name, x, p) }

func (w *jsonWriter) cloid(name string, x *Cloid, p presence) {
	if w.has(name, p) {
		w.b = append(x.AppendText(append(w.b, '"')), '"')
	}
}

func (w *jsonWriter) orderID(name string, x *OrderID) {
	if x.ByCloid {
		w.cloid(name, &x.Cloid, must)
	} else {
		w.uint64(name, &x.Number, must)
	}
}

func (w *jsonWriter) bytes(name string, x *[]byte) {
	w.name(name)
	w.b = append(hex.AppendEncode(append(w.b, `"0x`...), *x), '"')
}

func (w *jsonWriter) scalar(name string, x *[32]byte, _ bool) {
	w.name(name)
	w.b = append(appendScalar(append(w.b, '"'), x), '"')
}

func (w *jsonWriter) chainID(name string, x *uint64) {
	w.name(name)
	w.b = append(strconv.AppendUint(append(w.b, `"0x`...), *x, 16), '"')
}

func (w *jsonWriter) object(name string, o object, p presence) {
	if w.has(name, p) {
		w.members("", o)
	}
}

func (w *jsonWriter) choice(second *bool, one string, a object, other string, b object) {
	if *second {
		w.object(other, b, must)
	} else {
		w.object(one, a, must)
	}
}

func (w *jsonWriter) list(name string, l lister) {
	w.name(name)
	w.b = append(w.b, '[')
	for i := range l.size() {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.members("", l.at(i))
	}
	w.b = append(w.b, ']')
}

// members appends an object, with a member type in front if it is the form of an action.
func (w *jsonWriter) members(typ string, o object) {
	w.b = append(w.b, '{')
	w.inner = false
	if typ != "" {
		w.text("type", &typ, must)
	}
	o.fields(w)
	w.b = append(w.b, '}')
	w.inner = true
}

func (w *jsonWriter) action(name string, a *Action) {
	w.name(name)
	if u, ok := a.Form.(*Unknown); ok {
		w.b = append(w.b, u.text...)
		return
	}
	w.members(a.Form.Type(), a.Form)
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
