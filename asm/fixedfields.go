package asm

import (
	"encoding/binary"
	"math"
)

// FieldName is what stands before a number in a JSON text: its key with quotes and colon, and
// whatever separates it from what comes before. It begins with the text and ends with the
// length, so that all are copied with the same instructions.
type FieldName [32]byte

// NewFieldName returns a text of at most 31 bytes as a key, and panics when there are more.
func NewFieldName(text string) FieldName {
	var k FieldName
	if copy(k[:len(k)-1], text) < len(text) {
		panic("asm: a key of more than 31 bytes: " + text)
	}
	k[len(k)-1] = byte(len(text))
	return k
}

// Len returns how many bytes the text of the key has.
func (k *FieldName) Len() int { return int(k[len(k)-1]) }

// FixedFieldsRoom is how much room AppendFixedFields needs for n fields.
func FixedFieldsRoom(n int) int { return n*(31+1+16) + len(FieldName{}) }

// AppendFixedFields writes the numbers x, each behind its key, in fixed point without trailing zeros:
// nine decimals below 999,999, six below 999,999 thousand, three below 999,999 million. The
// last decimal is the nearest. It stops before a number that is larger, or not finite, or
// about half way between two neighbours of the last decimal, and returns how many bytes and
// how many fields it wrote. keys and x are of one length, and dst has FixedFieldsRoom; what
// lies behind the text is overwritten with no meaning.
func AppendFixedFields(dst []byte, keys []FieldName, x []float64) (written, done int) {
	n := len(x)
	if n == 0 {
		return 0, 0
	}
	_, _ = dst[:FixedFieldsRoom(n)], keys[:n]
	if avx2 {
		return appendFixedFieldsAVX2(&dst[0], &keys[0], &x[0], n)
	}
	return appendFixedFieldsGeneric(dst, keys, x)
}

// fixedScale is what a number is multiplied with, and how many digits of the product are
// left of the point. The product has fifteen.
type fixedScale struct {
	limit float64
	scale float64
	whole int
}

// fixedScales are those of rising numbers. The limits leave room for rounding up.
var fixedScales = [3]fixedScale{{999_999, 1e9, 6}, {999_999e3, 1e6, 9}, {999_999e6, 1e3, 12}}

// nearHalf is how far from the nearest a product may be: what a reader parses, rounded to a
// float64, is within half a unit of the last decimal too.
const nearHalf = 0.4998

func appendFixedFieldsGeneric(dst []byte, keys []FieldName, x []float64) (written, done int) {
	for done < len(x) {
		v := math.Abs(x[done])
		s := &fixedScales[0]
		if v >= fixedScales[0].limit {
			s = &fixedScales[1]
		}
		if v >= fixedScales[1].limit {
			s = &fixedScales[2]
		}
		nearest := math.RoundToEven(float64(v * s.scale))
		if !(v < fixedScales[2].limit) || math.Abs(math.FMA(v, s.scale, -nearest)) > nearHalf {
			break
		}
		k := &keys[done]
		text := *k
		*(*FieldName)(dst[written:]) = text
		written += k.Len()

		units := uint64(nearest)
		if units != 0 && math.Signbit(x[done]) {
			dst[written] = '-'
			written++
		}
		if s.whole == 6 {
			written += putNine(dst[written:], units)
		} else {
			written += putPoint(dst[written:], units, s.whole)
		}
		done++
	}
	return written, done
}

// putNine writes n/1e9 and returns how long it is. n is below 1e15; there is room for 24
// bytes.
func putNine(dst []byte, n uint64) (length int) {
	b := (*[24]byte)(dst)
	whole := n / 1e9
	frac := uint32(n - whole*1e9)
	at := uint(0)
	if whole >= 1000 {
		thousands := whole / 1000
		t := integers[thousands%1024]
		binary.LittleEndian.PutUint32(b[:], t)
		at = uint(t >> 24)
		binary.LittleEndian.PutUint32(b[at&7:], decimals[(whole-1000*thousands)%1024])
		at += 3
	} else {
		t := integers[whole]
		binary.LittleEndian.PutUint32(b[:], t)
		at = uint(t >> 24)
	}
	if frac == 0 {
		return int(at)
	}
	d := b[at&7:] // which changes nothing, and spares checks of the bounds
	first := frac / 1e6
	rest := frac - first*1e6
	t := decimals[first%1024]
	if rest == 0 {
		binary.LittleEndian.PutUint32(d, '.'|t<<8)
		return int(at) + 1 + int(t>>24)
	}
	middle := rest / 1000
	last := rest - middle*1000
	u := decimals[last%1024]
	v := decimals[middle%1024]
	binary.LittleEndian.PutUint64(d, '.'|uint64(t<<8)|uint64(v<<8)<<24|uint64(u)<<56)
	binary.LittleEndian.PutUint16(d[8:], uint16(u>>8))
	if last != 0 {
		return int(at) + 7 + int(u>>24)
	}
	return int(at) + 4 + int(v>>24)
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

// putPoint writes n < 1e15 with a point behind so many of its fifteen digits, and returns how
// long it is.
func putPoint(dst []byte, n uint64, whole int) (length int) {
	var digits [16]byte // the first is a zero
	binary.LittleEndian.PutUint64(digits[:], EightDigits(n/1e8)+ASCIIZeros)
	binary.LittleEndian.PutUint64(digits[8:], EightDigits(n%1e8)+ASCIIZeros)
	first, last := 1, 15
	for first < whole && digits[first] == '0' {
		first++
	}
	for last > whole && digits[last] == '0' {
		last--
	}
	length = copy(dst, digits[first:whole+1])
	if last > whole {
		dst[length] = '.'
		length += 1 + copy(dst[length+1:], digits[whole+1:last+1])
	}
	return length
}

// ASCIIZeros makes the digits of EightDigits text, by addition.
const ASCIIZeros = 0x3030303030303030

// EightDigits splits n < 1e8 into its decimal digits, one a byte, the first digit in the
// lowest byte. It halves the number three times, working on all parts at once: 1e4, then
// 100, then 10. The reciprocals are exact for the parts that occur.
func EightDigits(n uint64) uint64 {
	hi := n / 1e4
	v := hi | (n-hi*1e4)<<32
	t := v * 10486 >> 20 & 0x0000007f0000007f // /100, below 1e4
	v = t | (v-100*t)<<16
	t = v * 103 >> 10 & 0x000f000f000f000f // /10, below 100
	return t | (v-10*t)<<8
}
