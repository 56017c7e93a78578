package api

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// writer appends members: each key comes with its quotes, colon and whatever stands
// before it, so that one copy writes it.
type writer struct {
	b   []byte // as long as its capacity
	n   int    // how much of b is written
	bad bool   // a number was not finite
}

func writerBehind(dst []byte) writer { return writer{b: dst[:cap(dst)], n: len(dst)} }

func (w *writer) written() []byte { return w.b[:w.n] }

// continueBehind goes on behind b, which begins with what was written.
func (w *writer) continueBehind(b []byte) { w.b, w.n = b[:cap(b)], len(b) }

// reserve makes room for n bytes.
func (w *writer) reserve(n int) {
	if len(w.b)-w.n < n {
		w.continueBehind(slices.Grow(w.written(), n))
	}
}

func (w *writer) raw(s string) {
	w.reserve(len(s))
	w.n += copy(w.b[w.n:], s)
}

// word appends a text that needs no escape; key ends with the opening quote.
func (w *writer) word(key, text string) {
	w.reserve(len(key) + len(text) + 1)
	w.n += copy(w.b[w.n:], key)
	w.n += copy(w.b[w.n:], text)
	w.b[w.n] = '"'
	w.n++
}

// text appends a text of any content.
func (w *writer) text(key, text string) {
	w.raw(key)
	w.continueBehind(AppendString(w.written(), text))
}

// hex appends bytes as two digits each; their number is a multiple of four.
func (w *writer) hex(bytes []byte) {
	w.reserve(2 * len(bytes))
	for ; len(bytes) >= 4; bytes = bytes[4:] {
		binary.LittleEndian.PutUint64(w.b[w.n:], hexDigits(binary.BigEndian.Uint32(bytes)))
		w.n += 8
	}
}

// hexDigits are the eight digits of n, the first one lowest. Each gets its byte; what is
// above nine carries into bit 4 when six is added, and moves on from ':' to 'a'.
func hexDigits(n uint32) uint64 {
	v := uint64(n)
	v = v<<32&0xffff00000000 | v>>16
	v = v<<16&0xff000000ff0000 | v>>8&0xff000000ff
	v = v<<8&0x0f000f000f000f00 | v>>4&0x000f000f000f000f
	letters := (v + 0x0606060606060606) >> 4 & 0x0101010101010101
	return v + asciiZeros + letters*('a'-'0'-10)
}

func (w *writer) boolean(key string, v bool) {
	w.raw(key)
	if v {
		w.raw("true")
	} else {
		w.raw("false")
	}
}

func (w *writer) integer(key string, n int) {
	w.raw(key)
	w.continueBehind(strconv.AppendInt(w.written(), int64(n), 10))
}

// exact appends the shortest decimal that reads back as the same float64.
//
// Prices and rates have few decimals. When n/1e9, both exact in float64, divides to x, the
// decimal n/1e9 reads back as x, and with at most 15 digits there is no shorter one; number
// writes it.
func (w *writer) exact(key string, x float64) {
	w.begin(key)
	if abs := math.Abs(x); abs < numberLimit && float64(int64(abs*1e9+0.5))/1e9 == abs {
		w.number(x)
		return
	}
	if x-x != 0 {
		w.bad = true
		return
	}
	w.continueBehind(appendShortest(w.written(), x))
}

// fixed appends a number in fixed point.
func (w *writer) fixed(key string, x float64) {
	w.begin(key)
	w.number(x)
}

// finer appends a number with a decimal more than fixed: readers compute hard rule H1 out of
// it.
func (w *writer) finer(key string, x float64) {
	w.begin(key)
	w.otherNumber(x)
}

// begin writes the key of a number and makes room for the number.
func (w *writer) begin(key string) {
	w.reserve(len(key) + numberRoom)
	w.n += copy(w.b[w.n:], key)
}

// key is the key of a number that stands with others in a list. All are copied with the
// same few instructions, whatever their length.
type key struct {
	text [31]byte
	n    uint8
}

func keysOf(texts ...string) []key {
	keys := make([]key, len(texts))
	for i, s := range texts {
		k := &keys[i]
		if k.n = uint8(copy(k.text[:], s)); int(k.n) != len(s) {
			panic("api: a key of more than 31 bytes: " + s)
		}
	}
	return keys
}

// numbers appends numbers in fixed point, each behind its key.
func (w *writer) numbers(keys []key, values ...float64) {
	for i, x := range values {
		k := &keys[i]
		w.reserve(len(k.text) + numberRoom)
		*(*[len(k.text)]byte)(w.b[w.n:]) = k.text
		w.n += int(k.n)
		w.number(x)
	}
}

// numberLimit bounds what number writes by itself: its integer part has six digits, after
// rounding too.
const numberLimit = 999_999

// numberRoom is what number needs, reach of its stores included.
const numberRoom = 32

// number writes x into room that was reserved, in fixed point with up to nine decimals
// and without trailing zeros, where that is within the precision that appendFixed
// promises: below numberLimit; and below 1e3, where half a unit of the ninth decimal is
// all that may be off, not when x is about half way between two of them.
func (w *writer) number(x float64) {
	var units uint64 // of 1e-9
	switch abs := math.Abs(x); {
	case abs < 1e3:
		u := uint64(int64(abs * 1024e9)) // exact to an eighth
		if (u-511)%1024 < 2 {
			w.otherNumber(x)
			return
		}
		units = (u + 512) / 1024
	case abs < numberLimit:
		units = uint64(int64(abs*1e9 + 0.5))
	default: // NaN too
		w.otherNumber(x)
		return
	}
	b := (*[numberRoom]byte)(w.b[w.n:])
	if units == 0 {
		b[0] = '0' // never "-0"
		w.n++
		return
	}
	// The masks change nothing; they spare checks of the bounds.
	b[0] = '-'
	at := uint(math.Float64bits(x) >> 63)
	whole := units / 1e9
	frac := uint32(units - whole*1e9)
	if whole >= 1000 {
		thousands := whole / 1000
		t := integers[thousands%1024]
		binary.LittleEndian.PutUint32(b[at&7:], t)
		at += uint(t >> 24)
		binary.LittleEndian.PutUint32(b[at&7:], decimals[(whole-1000*thousands)%1024])
		at += 3
	} else {
		t := integers[whole]
		binary.LittleEndian.PutUint32(b[at&7:], t)
		at += uint(t >> 24)
	}
	if frac == 0 {
		w.n += int(at)
		return
	}
	d := b[at&7:]
	first := frac / 1e6
	rest := frac - first*1e6
	t := decimals[first%1024]
	if rest == 0 {
		binary.LittleEndian.PutUint32(d, '.'|t<<8)
		w.n += int(at) + 1 + int(t>>24)
		return
	}
	middle := rest / 1000
	last := rest - middle*1000
	u := decimals[last%1024]
	v := decimals[middle%1024]
	binary.LittleEndian.PutUint64(d, '.'|uint64(t<<8)|uint64(v<<8)<<24|uint64(u)<<56)
	binary.LittleEndian.PutUint16(d[8:], uint16(u>>8))
	if last != 0 {
		w.n += int(at) + 7 + int(u>>24)
	} else {
		w.n += int(at) + 4 + int(v>>24)
	}
}

// otherNumber is number for what that is not made for, and for ten decimals.
func (w *writer) otherNumber(x float64) {
	if x-x != 0 {
		w.bad = true
		return
	}
	w.continueBehind(appendFixed(w.written(), x))
}

// integers are the texts of the integers below 1000, first character lowest, and their
// lengths in the highest byte. decimals have all three digits, and in the highest byte how
// many are left without trailing zeros.
var integers, decimals = func() (short, long [1024]uint32) {
	for i := range uint32(1000) {
		digits := '0' + i/100 | ('0'+i/10%10)<<8 | ('0'+i%10)<<16
		length, significant := uint32(3), uint32(3)
		for n := i; length > 1 && n < 100; n = n*10 + 1 {
			length--
		}
		for n := i; significant > 0 && n%10 == 0; n /= 10 {
			significant--
		}
		short[i] = digits>>(8*(3-length)) | length<<24
		long[i] = digits | significant<<24
	}
	return short, long
}()
