package api

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"ballast/asm"
)

// appendFixed appends x in fixed point with at most ten decimals and without trailing zeros. The error
// is at most 5e-10 or a relative 1e-12, whichever is larger. x must be finite. Most numbers of an answer
// are written by asm.AppendFixedFields; this function writes those that it does not handle.
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
	const room = 20 + 1 + 10
	dst = slices.Grow(dst, room)
	if whole < 10 {
		dst = append(dst, '0'+byte(whole))
	} else if whole < 1e8 {
		// Leading zeros are the low bytes; 0 keeps its last digit.
		d := asm.EightDigits(whole)
		skip := bits.TrailingZeros64(d|1<<56) / 8
		at := len(dst)
		binary.LittleEndian.PutUint64(dst[at:at+8], (d|asm.ASCIIZeros)>>(8*skip))
		dst = dst[:at+8-skip]
	} else {
		dst = strconv.AppendUint(dst, whole, 10)
	}
	if frac == 0 {
		return dst
	}
	// Ten decimals: two, then eight, whose trailing zeros are the high bytes.
	head, d := frac/1e8, asm.EightDigits(frac%1e8)
	at := len(dst)
	b := dst[at : at+11]
	b[0], b[1], b[2] = '.', '0'+byte(head/10), '0'+byte(head%10)
	binary.LittleEndian.PutUint64(b[3:], d|asm.ASCIIZeros)
	switch {
	case d != 0:
		return dst[:at+11-bits.LeadingZeros64(d)/8]
	case head%10 != 0:
		return dst[:at+3]
	}
	return dst[:at+2]
}
