package photo

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"unsafe"
)

// Digest is a SHA-256: the name of a part, and of what an answer was computed from.
type Digest [sha256.Size]byte

// What is before a value behind a pointer.
const (
	nothing byte = iota // nil
	inline
	apart // the digest of a part
)

// partFrom is the length from which a value behind a pointer is a part: kept once for all that refer to it.
const partFrom = 512

// writer writes values: numbers bit by bit, so that NaN and infinities stay what they are.
type writer struct {
	b     []byte
	parts *Encoder // nil: values behind pointers are no parts, as in a part
}

func (w *writer) value(s *shape, v reflect.Value) {
	switch s.kind {
	case reflect.Bool:
		w.b = append(w.b, bit(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.b = binary.AppendVarint(w.b, v.Int())
	case reflect.Uint8:
		w.b = append(w.b, byte(v.Uint()))
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.b = binary.AppendUvarint(w.b, v.Uint())
	case reflect.Float32:
		w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v.Float()))
	case reflect.String:
		w.b = append(binary.AppendUvarint(w.b, uint64(v.Len())), v.String()...)
	case reflect.Struct:
		for i := range s.Fields {
			w.value(s.Fields[i].Shape, v.Field(s.Fields[i].index))
		}
	case reflect.Array:
		w.elements(s.Elem, v)
	case reflect.Slice:
		if v.IsNil() {
			w.b = append(w.b, 0)
			return
		}
		w.b = binary.AppendUvarint(w.b, uint64(v.Len())+1)
		w.elements(s.Elem, v)
	case reflect.Pointer:
		w.pointer(s.Elem, v)
	}
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// elements writes the elements of an array or a slice, quickly those of long tables.
func (w *writer) elements(s *shape, v reflect.Value) {
	n := v.Len()
	if v.Kind() == reflect.Slice && s.kind == reflect.Float64 {
		for _, x := range unsafe.Slice((*float64)(v.UnsafePointer()), n) {
			w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
		}
		return
	}
	if v.Kind() == reflect.Slice && s.kind == reflect.Float32 {
		for _, x := range unsafe.Slice((*float32)(v.UnsafePointer()), n) {
			w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(x))
		}
		return
	}
	for i := range n {
		w.value(s, v.Index(i))
	}
}

func (w *writer) pointer(s *shape, v reflect.Value) {
	if v.IsNil() {
		w.b = append(w.b, nothing)
		return
	}
	if w.parts == nil {
		w.b = append(w.b, inline)
		w.value(s, v.Elem())
		return
	}
	digest, known := w.parts.known(v)
	if !known {
		begin := len(w.b)
		w.b = append(w.b, inline)
		within := writer{b: w.b}
		within.value(s, v.Elem())
		if w.b = within.b; len(w.b)-begin <= partFrom {
			return
		}
		digest = sha256.Sum256(w.b[begin+1:])
		w.b = w.b[:begin]
		w.parts.add(Part{Digest: digest, shape: s, value: v.Elem()}, v)
	}
	w.b = append(append(w.b, apart), digest[:]...)
}

// errGarbage: the bytes are not what was written.
var errGarbage = errors.New("not as it was written")

// reader reads what a writer has written. After the first error it reads zeros.
type reader struct {
	b   []byte
	err error
	// part returns a pointer to the value of a part.
	part func(s *shape, digest Digest, pointer reflect.Type) (reflect.Value, error)
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

// take returns the next n bytes.
func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.fail(errGarbage)
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail(errGarbage)
		return 0
	}
	r.b = r.b[n:]
	return x
}

// length returns a number of things that take at least a byte each.
func (r *reader) length(n uint64) int {
	if n > uint64(len(r.b)) {
		r.fail(errGarbage)
		return 0
	}
	return int(n)
}

// value reads a value into v, or passes it over when v is not valid.
func (r *reader) value(s *shape, v reflect.Value) {
	if r.err != nil {
		return
	}
	switch s.kind {
	case reflect.Bool:
		if b := r.take(1); len(b) == 1 && v.IsValid() {
			v.SetBool(b[0] != 0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, n := binary.Varint(r.b)
		if n <= 0 {
			r.fail(errGarbage)
		} else if r.b = r.b[n:]; v.IsValid() {
			v.SetInt(x)
		}
	case reflect.Uint8:
		if b := r.take(1); len(b) == 1 && v.IsValid() {
			v.SetUint(uint64(b[0]))
		}
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if x := r.uvarint(); v.IsValid() {
			v.SetUint(x)
		}
	case reflect.Float32:
		if b := r.take(4); len(b) == 4 && v.IsValid() {
			v.SetFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		}
	case reflect.Float64:
		if b := r.take(8); len(b) == 8 && v.IsValid() {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case reflect.String:
		if text := r.take(r.length(r.uvarint())); v.IsValid() {
			v.SetString(string(text))
		}
	case reflect.Struct:
		for i := range s.Fields {
			r.value(s.Fields[i].Shape, fieldOf(v, s.Fields[i].index))
		}
	case reflect.Array:
		for i := range s.Len {
			r.value(s.Elem, element(v, i))
		}
	case reflect.Slice:
		r.slice(s, v)
	case reflect.Pointer:
		r.pointer(s.Elem, v)
	default:
		r.fail(errGarbage)
	}
}

// fieldOf returns a field, exported or not, so that it can be set.
func fieldOf(v reflect.Value, index int) reflect.Value {
	if !v.IsValid() || index < 0 {
		return reflect.Value{}
	}
	f := v.Field(index)
	return reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
}

// element returns element i, an invalid value where there is none.
func element(v reflect.Value, i int) reflect.Value {
	if !v.IsValid() || i >= v.Len() {
		return reflect.Value{}
	}
	return v.Index(i)
}

func (r *reader) slice(s *shape, v reflect.Value) {
	more := r.uvarint()
	if more == 0 {
		return // nil
	}
	n := r.length(more - 1)
	if v.IsValid() {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
	for i := range n {
		r.value(s.Elem, element(v, i))
	}
}

func (r *reader) pointer(s *shape, v reflect.Value) {
	head := r.take(1)
	if len(head) == 0 || head[0] == nothing {
		return
	}
	switch {
	case head[0] == inline:
		var to reflect.Value
		if v.IsValid() {
			v.Set(reflect.New(v.Type().Elem()))
			to = v.Elem()
		}
		r.value(s, to)
	case head[0] == apart && r.part != nil:
		var digest Digest
		if copy(digest[:], r.take(len(digest))) < len(digest) || !v.IsValid() {
			return
		}
		held, err := r.part(s, digest, v.Type())
		if err != nil {
			r.fail(err)
			return
		}
		v.Set(held)
	default:
		r.fail(errGarbage)
	}
}
