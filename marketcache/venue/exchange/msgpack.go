package exchange

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"

	"ballast/internal/jsonscan"
)

// packer is the visitor that appends msgpack as the venue hashes it: objects as maps in the order of their members,
// numbers in their shortest form, everything else as text.
type packer struct {
	b []byte
	n int // members of the current object so far
}

func (w *packer) name(name string) {
	w.n++
	w.b = packString(w.b, name)
}

// has begins a member; false if it has no value.
func (w *packer) has(name string, p presence) bool {
	if p.missing() && p.absent {
		return false
	}
	w.name(name)
	if p.missing() {
		w.b = append(w.b, packedNil)
		return false
	}
	return true
}

func (w *packer) uint64(name string, x *uint64, p presence) {
	if w.has(name, p) {
		w.b = packUint(w.b, *x)
	}
}

func (w *packer) uint32(name string, x *uint32) {
	w.name(name)
	w.b = packUint(w.b, uint64(*x))
}

func (w *packer) int64(name string, x *int64) {
	w.name(name)
	w.b = packInt(w.b, *x)
}

func (w *packer) bool(name string, x *bool) {
	w.name(name)
	w.b = packBool(w.b, *x)
}

func (w *packer) flag(name string, x *bool) {
	if *x {
		w.bool(name, x)
	}
}

func (w *packer) word(name string, x *uint8, words []string) {
	w.name(name)
	w.b = packString(w.b, words[*x])
}

func (w *packer) wordOr(name string, x *uint8, words []string, o object) {
	if int(*x) == len(words) {
		w.object(name, o, must)
		return
	}
	w.word(name, x, words)
}

func (w *packer) decimal(name string, x *Decimal, p presence) {
	if w.has(name, p) {
		var space [24]byte
		w.b = packString(w.b, x.AppendText(space[:0]))
	}
}

func (w *packer) amount(name string, x *string, p presence) { w.text(name, x, p) }

func (w *packer) text(name string, x *string, p presence) {
	if w.has(name, p) {
		w.b = packString(w.b, *x)
	}
}

func (w *packer) address(name string, x *Address, p presence) {
	if w.has(name, p) {
		var space [42]byte
		w.b = packString(w.b, x.AppendText(space[:0]))
	}
}

func (w *packer) rawAddress(name string, x *Address, p presence) { w.address(name, x, p) }

func (w *packer) cloid(name string, x *Cloid, p presence) {
	if w.has(name, p) {
		var space [34]byte
		w.b = packString(w.b, x.AppendText(space[:0]))
	}
}

func (w *packer) orderID(name string, x *OrderID) {
	if x.ByCloid {
		w.cloid(name, &x.Cloid, must)
	} else {
		w.uint64(name, &x.Number, must)
	}
}

func (w *packer) bytes(name string, x *[]byte) {
	w.name(name)
	w.b = packString(w.b, "0x"+hex.EncodeToString(*x))
}

func (w *packer) scalar(name string, x *[32]byte, _ bool) {
	w.name(name)
	var space [66]byte
	w.b = packString(w.b, appendScalar(space[:0], x))
}

func (w *packer) chainID(name string, x *uint64) {
	w.name(name)
	w.b = packString(w.b, "0x"+strconv.FormatUint(*x, 16))
}

func (w *packer) object(name string, o object, p presence) {
	if w.has(name, p) {
		w.members("", o)
	}
}

func (w *packer) choice(second *bool, one string, a object, other string, b object) {
	if *second {
		w.object(other, b, must)
	} else {
		w.object(one, a, must)
	}
}

func (w *packer) list(name string, l lister) {
	w.name(name)
	w.b = packHead(w.b, l.size(), packedArray)
	for i := range l.size() {
		w.members("", l.at(i))
	}
}

// members appends an object, with a member type in front if it is the form of an action. The head has the number of
// members, which is known at the end.
func (w *packer) members(typ string, o object) {
	outer, head := w.n, len(w.b)
	w.n, w.b = 0, append(w.b, packedMap.small)
	if typ != "" {
		w.text("type", &typ, must)
	}
	o.fields(w)
	if w.n > maxSmall {
		panic("BUG: an object of the venue with more than 15 members")
	}
	w.b[head] |= byte(w.n)
	w.n = outer
}

func (w *packer) action(name string, a *Action) {
	w.name(name)
	w.whole(a)
}

// whole appends the action itself.
func (w *packer) whole(a *Action) {
	if u, ok := a.Form.(*Unknown); ok {
		w.b = append(w.b, u.packed...)
		return
	}
	w.members(a.Form.Type(), a.Form)
}

const packedNil = 0xc0

// head is the first byte of a map or array: small with up to maxSmall members, else wide and two or four bytes.
type head struct{ small, wide2, wide4 byte }

const maxSmall = 15

var (
	packedArray = head{0x90, 0xdc, 0xdd}
	packedMap   = head{0x80, 0xde, 0xdf}
)

func packHead(b []byte, n int, h head) []byte {
	switch {
	case n <= maxSmall:
		return append(b, h.small|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, h.wide2), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, h.wide4), uint32(n))
}

func packBool(b []byte, x bool) []byte {
	if x {
		return append(b, 0xc3)
	}
	return append(b, 0xc2)
}

func packUint(b []byte, x uint64) []byte {
	switch {
	case x < 128:
		return append(b, byte(x))
	case x <= math.MaxUint8:
		return append(b, 0xcc, byte(x))
	case x <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(x))
	case x <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(x))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xcf), x)
}

func packInt(b []byte, x int64) []byte {
	switch {
	case x >= 0:
		return packUint(b, uint64(x))
	case x >= -32:
		return append(b, byte(x))
	case x >= math.MinInt8:
		return append(b, 0xd0, byte(x))
	case x >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(x))
	case x >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(x))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(x))
}

func packString[T string | []byte](b []byte, text T) []byte {
	switch n := len(text); {
	case n < 32:
		b = append(b, 0xa0|byte(n))
	case n <= math.MaxUint8:
		b = append(b, 0xd9, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
	return append(b, text...)
}

// pack appends the value at index at as the client wrote it, and returns the index behind it.
func (t *tape) pack(b []byte, at int) ([]byte, int) {
	n := &t.nodes[at]
	next := at + 1
	switch n.kind {
	case jsonscan.Object:
		b = packHead(b, n.n, packedMap)
		for range n.n {
			b, next = t.pack(packString(b, t.nodes[next].name), next)
		}
	case jsonscan.Array:
		b = packHead(b, n.n, packedArray)
		for range n.n {
			b, next = t.pack(b, next)
		}
	case jsonscan.String:
		b = packString(b, n.text)
	case jsonscan.Number:
		b = packNumber(b, string(n.text))
	case jsonscan.Bool:
		b = packBool(b, n.bool)
	case jsonscan.Null:
		b = append(b, packedNil)
	}
	return b, next
}

func packNumber(b []byte, text string) []byte {
	if x, err := strconv.ParseUint(text, 10, 64); err == nil {
		return packUint(b, x)
	}
	if x, err := strconv.ParseInt(text, 10, 64); err == nil {
		return packInt(b, x)
	}
	x, _ := strconv.ParseFloat(text, 64)
	return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(x))
}
