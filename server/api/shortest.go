package api

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"ballast/asm"
)

// appendShortest appends the shortest decimal that reads back as exactly x, without exponent; if there
// are several, the nearest. x must be finite. A validation takes 51,900 instructions, 53,170 if strconv
// writes all of these (measured at 68d7a0c; method 1 of PERF.md).
func appendShortest(dst []byte, x float64) []byte {
	if x == 0 {
		return append(dst, '0') // never "-0"
	}
	abs := math.Abs(x)
	if abs >= minExact && abs < 1e15 && abs != math.Trunc(abs) {
		if x < 0 {
			dst = append(dst, '-')
		}
		return appendExact(dst, abs)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// minExact is the smallest number that shortest handles. Its power of five has 64 bits, so products have
// 128 bits, of which fewer than 64 are after the binary point.
const minExact = 1e-9

var powers5, powers10 = [27]uint64{1}, [19]uint64{1}

func init() {
	for i := range len(powers5) - 1 {
		powers5[i+1] = 5 * powers5[i]
	}
	for i := range len(powers10) - 1 {
		powers10[i+1] = 10 * powers10[i]
	}
}

// shortest returns the decimal digits/10^decimals with the fewest digits that reads back as x. Of
// several it returns the one nearest to x, of two equally near the even one; digits < 1e18. x must be
// between minExact and 1e15 and not an integer.
//
// Let x = m*2^e, and k such that x*10^k has 17 or 18 digits before the point. Then x*10^k = m*5^k /
// 2^-(e+k). The bounds of the numbers that read back as x lie halfway to the neighbours of m and are
// computed alike, as integers of up to 128 bits, without rounding. They are never integers themselves
// (odd numbers over a power of two), so the candidates with j digits fewer are the integers between the
// integer parts of the bounds divided by 10^j.
func shortest(x float64) (digits uint64, decimals int) {
	b := math.Float64bits(x)
	m, e := b&(1<<52-1)|1<<52, int(b>>52)-1075
	k := 16 - (e+52)*78913>>18 // 78913/2^18 approximates log10(2) well enough for these e
	drop := uint(-(e + k) + 2)
	p := powers5[k]

	// Four times the numerators; below a power of two the neighbour is half as far.
	below := uint64(2)
	if m == 1<<52 {
		below = 1
	}
	hi, lo := bits.Mul64(4*m, p)
	n := hi<<(64-drop) | lo>>drop
	half, rest := lo>>(drop-1)&1 != 0, lo&(1<<(drop-1)-1) != 0
	l, c := bits.Add64(lo, 2*p, 0)
	upper := (hi+c)<<(64-drop) | l>>drop
	l, c = bits.Sub64(lo, below*p, 0)
	lower := (hi-c)<<(64-drop) | l>>drop

	// Remove digits as long as a number with one digit fewer lies between the bounds.
	up := half && (rest || n%2 == 1)
	rest = rest || half
	for u, l := upper/10, lower/10; u > l; u, l = u/10, l/10 {
		digit := n % 10
		upper, lower, n = u, l, n/10
		decimals--
		up = digit > 5 || digit == 5 && (rest || n%2 == 1)
		rest = rest || digit != 0
	}
	if n == lower || up && n < upper {
		n++
	}
	return n, decimals + k
}

// appendExact appends x > 0 within the limits of shortest.
func appendExact(dst []byte, x float64) []byte {
	n, decimals := shortest(x)
	whole := uint64(x)
	if whole != 0 {
		n -= whole * powers10[decimals]
	}
	if whole < 10 {
		dst = append(dst, '0'+byte(whole))
	} else {
		dst = strconv.AppendUint(dst, whole, 10)
	}
	// Room for the last sixteen decimals, the zeros and digits before them, and bytes that the
	// stores write beyond.
	const room = 1 + 2*8 + 56
	dst = append(slices.Grow(dst, room), '.')
	at := len(dst)
	b := dst[at : at+room-1]
	last := decimals
	if before := decimals - 16; before > 0 {
		for i := 0; i < before; i += 8 {
			binary.LittleEndian.PutUint64(b[i:], asm.ASCIIZeros)
		}
		if n >= 1e16 { // up to two digits more than sixteen
			head := n / 1e16
			n -= head * 1e16
			b[before-1] += byte(head % 10)
			if before > 1 {
				b[before-2] += byte(head / 10)
			}
		}
		b, last = b[before:], 16
	}
	n *= powers10[16-last]
	head := n / 1e8
	binary.LittleEndian.PutUint64(b, asm.EightDigits(head)|asm.ASCIIZeros)
	binary.LittleEndian.PutUint64(b[8:], asm.EightDigits(n-head*1e8)|asm.ASCIIZeros)
	return dst[:at+decimals]
}
