package api

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// Numbers are printed in fixed point without trailing zeros, rounded to nearest: to nine decimals below
// 999,999, so that the scaled number has at most fifteen digits. Larger numbers, and those nearly half way
// between two values of the last decimal, are printed by appendFixed.

// AppendNumber appends a finite number as answers have it: in fixed point with nine decimals.
func AppendNumber(dst []byte, x float64) []byte { return appendNumber(dst, x) }

// nearHalf is the largest accepted distance of a scaled number from the nearest integer. Below it, the
// error is less than half a unit of the last decimal even after a reader rounds to float64.
const nearHalf = 0.4998

// numberRoom is what appendNumber writes at most: a sign, six digits, a point, nine decimals, and a byte behind them.
const numberRoom = 18

// appendNumber appends a number with nine decimals. It overwrites some bytes behind the text. x must be finite.
func appendNumber(dst []byte, x float64) []byte {
	const shift = 1 << 52 // a sum with it has no bits for a fraction
	start := len(dst)
	if cap(dst)-start < numberRoom {
		dst = slices.Grow(dst, numberRoom)
	}
	b := (*[numberRoom]byte)(dst[start : start+numberRoom])
	if n := int64(x); n >= 0 && n < 1000 && float64(n) == x {
		t := integers[n]
		binary.LittleEndian.PutUint32(b[:4], t)
		return dst[:start+int(t>>24)]
	}
	v := math.Abs(x)
	nearest := float64(v*1e9) + shift - shift
	if !(v < 999_999) || math.Abs(math.FMA(v, 1e9, -nearest)) > nearHalf {
		return appendFixed(dst, x)
	}
	n := uint64(int64(nearest))
	at := 0
	if x < 0 && n != 0 { // never "-0"
		b[at] = '-'
		at++
	}
	whole := n / 1e9
	frac := uint32(n - whole*1e9)
	if whole >= 1000 {
		thousands := whole / 1000
		whole -= 1000 * thousands
		t := integers[thousands%1024]
		binary.LittleEndian.PutUint32(b[at:at+4], t)
		at += int(t >> 24)
		binary.LittleEndian.PutUint32(b[at:at+4], decimals[whole%1024])
		at += 3
	} else {
		t := integers[whole]
		binary.LittleEndian.PutUint32(b[at:at+4], t)
		at += int(t >> 24)
	}
	if frac != 0 { // three decimals at a time, until no more are left
		b[at] = '.'
		at++
		first := frac / 1e6
		frac -= first * 1e6
		t := decimals[first%1024]
		binary.LittleEndian.PutUint32(b[at:at+4], t)
		if frac != 0 {
			middle := frac / 1000
			frac -= middle * 1000
			t = decimals[middle%1024]
			at += 3
			binary.LittleEndian.PutUint32(b[at:at+4], t)
		}
		if frac != 0 {
			t = decimals[frac%1024]
			at += 3
			binary.LittleEndian.PutUint32(b[at:at+4], t)
		}
		at += int(t >> 24)
	}
	return dst[:start+at]
}

// integers holds the texts of the integers below 1000, the first character in the lowest byte, and the
// text's length in the highest byte. decimals always holds three digits, and in the highest byte how many
// are left without trailing zeros. An index modulo 1024 needs no bounds check.
var integers, decimals = func() (short, long [1024]uint32) {
	for i := range uint32(1000) {
		digits := '0' + i/100 | ('0'+i/10%10)<<8 | ('0'+i%10)<<16
		length, left := uint32(3), uint32(3)
		for n := i; length > 1 && n < 100; n = n*10 + 1 {
			length--
		}
		for n := i; left > 0 && n%10 == 0; n /= 10 {
			left--
		}
		short[i] = digits>>(8*(3-length)) | length<<24
		long[i] = digits | left<<24
	}
	return short, long
}()

// appendFixed appends x in fixed point with at most ten decimals and without trailing zeros. The error
// is at most 5e-10 or a relative 1e-12, whichever is larger. x must be finite.
//
// Each scale covers two decades, so that the scaled value stays below 1e15 and is exact in float64, and
// its last digit is smaller than the error bound.
func appendFixed(dst []byte, x float64) []byte {
	if x < 0 {
		if x > -halfUnit {
			return append(dst, '0') // never "-0"
		}
		dst, x = append(dst, '-'), -x
	}
	if x < 1e3 {
		n := uint64(x*1e10 + 0.5)
		return appendDecimal(dst, n/1e10, n%1e10)
	}
	for limit, unit := 1e5, uint64(1e9); unit > 0; limit, unit = limit*100, unit/100 {
		if x < limit {
			n := uint64(x*float64(unit) + 0.5)
			return appendDecimal(dst, n/unit, n%unit*(1e10/unit))
		}
	}
	if x < 1e18 {
		return strconv.AppendUint(dst, uint64(x+0.5), 10)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// halfUnit is half a unit of the tenth decimal; smaller numbers print as 0.
const halfUnit = 0.5e-10

// appendDecimal appends whole + frac/1e10 without trailing zeros; frac < 1e10.
func appendDecimal(dst []byte, whole, frac uint64) []byte {
	dst = strconv.AppendUint(dst, whole, 10)
	if frac != 0 {
		dst = append(dst, '.')
	}
	for unit := uint64(1e9); frac != 0; unit /= 10 {
		dst, frac = append(dst, '0'+byte(frac/unit)), frac%unit
	}
	return dst
}
