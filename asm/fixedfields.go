package asm

import (
	"encoding/binary"
	"math"
)

// FieldName is the JSON text before a number: the separator from the field before, and the key
// with quotes and colon. The array begins with the text, and its last byte is the text's length,
// so that every FieldName is copied with the same instructions.
type FieldName [32]byte

// NewFieldName returns the FieldName of a text of at most 31 bytes; it panics if text is longer.
func NewFieldName(text string) FieldName {
	var k FieldName
	if copy(k[:len(k)-1], text) < len(text) {
		panic("asm: a key of more than 31 bytes: " + text)
	}
	k[len(k)-1] = byte(len(text))
	return k
}

// Len returns the length of the text in bytes.
func (k *FieldName) Len() int { return int(k[len(k)-1]) }

// FixedFieldsRoom returns the number of bytes that AppendFixedFields needs in dst for n fields.
func FixedFieldsRoom(n int) int { return n*(31+1+16) + len(FieldName{}) }

// AppendFixedFields writes the numbers x, each after its key, in fixed point without trailing
// zeros: up to nine decimals below 999,999, six below 999,999 thousand, three below 999,999
// million, rounded to nearest. It stops before a number that is larger, not finite, or nearly
// half way between two values of the last decimal. It returns the number of bytes and of fields
// written. keys and x have the same length, and dst has FixedFieldsRoom bytes; the bytes of dst
// after the text are overwritten with arbitrary values.
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

// fixedScale is the format of absolute values below limit: the value times scale has at most
// fifteen digits, and whole digits of the fifteen are before the decimal point.
type fixedScale struct {
	limit float64
	scale float64
	whole int
}

// fixedScales is in ascending order of limit. The limits leave room for rounding up.
var fixedScales = [3]fixedScale{{999_999, 1e9, 6}, {999_999e3, 1e6, 9}, {999_999e6, 1e3, 12}}

// nearHalf is the largest accepted distance of a product from the nearest integer. Below it, the
// error is less than half a unit of the last decimal even after a reader rounds to float64.
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

// putNine writes n/1e9 and returns the text's length. n is below 1e15; dst has at least 24 bytes.
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
	d := b[at&7:] // at is below 8; the mask only removes bounds checks
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

// integers holds the texts of the integers below 1000, first character in the lowest byte, and
// the text's length in the highest byte. decimals always holds three digits, and in the highest
// byte the number of digits without trailing zeros.
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

// putPoint writes the fifteen digits of n < 1e15 with a decimal point; whole is the number of digits
// before it. Leading and trailing zeros are omitted. It returns the text's length.
func putPoint(dst []byte, n uint64, whole int) (length int) {
	var digits [16]byte // the first digit is always zero
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

// ASCIIZeros, added to the result of EightDigits, turns the digits into ASCII text.
const ASCIIZeros = 0x3030303030303030

// EightDigits splits n < 1e8 into its eight decimal digits, one per byte, the first digit in the
// lowest byte. It divides by 1e4, then all parts by 100, then all parts by 10. The quotients by
// multiplication are exact for all values that occur.
func EightDigits(n uint64) uint64 {
	hi := n / 1e4
	v := hi | (n-hi*1e4)<<32
	t := v * 10486 >> 20 & 0x0000007f0000007f // /100, below 1e4
	v = t | (v-100*t)<<16
	t = v * 103 >> 10 & 0x000f000f000f000f // /10, below 100
	return t | (v-10*t)<<8
}
