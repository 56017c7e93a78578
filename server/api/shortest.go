package api

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"ballast/asm"
)

// appendShortest appends the shortest decimal that reads back as exactly x, without
// exponent; of several the nearest. x must be finite.
func appendShortest(dst []byte, x float64) []byte {
	if x == 0 {
		return append(dst, '0') // never "-0"
	}
	abs := math.Abs(x)
	switch {
	case abs < leastExact:
		return appendTiny(appendSign(dst, x), abs)
	case abs < 1e15 && abs != math.Trunc(abs):
		return appendExact(appendSign(dst, x), abs)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// appendTiny appends a number far below one. Far from its liquidation a position's gamma may
// have a hundred zeros, which are copied here, and not written one by one.
func appendTiny(dst []byte, x float64) []byte {
	const zeros = "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000" +
		"0000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
		"0000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
		"00000000000000000000000000000000000000000000000000000000000000000000000000000000"
	var room [32]byte
	text := strconv.AppendFloat(room[:0], x, 'e', -1, 64) // 9.48e-108, or 5e-324
	e := bytes.IndexByte(text, 'e')
	exponent := 0
	for _, c := range text[e+2:] {
		exponent = 10*exponent + int(c-'0')
	}
	dst = append(dst, zeros[:len("0.")+exponent-1]...)
	dst = append(dst, text[0])
	if e > 1 {
		dst = append(dst, text[2:e]...)
	}
	return dst
}

func appendSign(dst []byte, x float64) []byte {
	if x < 0 {
		return append(dst, '-')
	}
	return dst
}

// leastExact is the least number whose decimals shortest finds.
const leastExact = 1e-38

// powers5 are the powers of five, high word first.
var powers5 = func() (p [56][2]uint64) {
	p[0] = [2]uint64{0, 1}
	for i := 1; i < len(p); i++ {
		hi, lo := bits.Mul64(p[i-1][1], 5)
		p[i] = [2]uint64{p[i-1][0]*5 + hi, lo}
	}
	return p
}()

// mostNarrow is the highest power of five whose double has 64 bits. With it products have
// 128, and less than 64 of them are behind the point.
const mostNarrow = 26

// powers10 are the powers of ten.
var powers10 = func() (p [19]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// shortest returns the decimal digits/10^decimals with the fewest digits that reads back
// as x, and of several the one nearest to x, or even when two are; digits < 1e18. x must be
// within leastExact and 1e15, and not an integer.
//
// With x = m*2^e and k such that x*10^k has 17 or 18 digits before the point,
// x*10^k = m*5^k / 2^-(e+k), and so are the bounds of what reads back as x, which lie half
// way to the neighbours of m. All are computed as integers of up to 192 bits, nothing is
// rounded. The bounds are never integers: odd numbers over a power of two. Hence the
// decimals with j digits less than the scale are the integers between the bounds' integer
// parts over 10^j.
func shortest(x float64) (digits uint64, decimals int) {
	b := math.Float64bits(x)
	m, e := b&(1<<52-1)|1<<52, int(b>>52)-1075
	k := 16 - (e+52)*78913>>18 // 78913/2^18 is the decimal logarithm of 2, near enough for these e
	drop := uint(-(e + k) + 2)
	p := &powers5[k]

	// Four times the numerators; below a power of two the neighbour is half as far.
	below := uint64(2)
	if m == 1<<52 {
		below = 1
	}
	var n, upper, lower uint64
	var half, rest bool
	if k <= mostNarrow { // not for what is tiny
		hi, lo := bits.Mul64(4*m, p[1])
		n = hi<<(64-drop) | lo>>drop
		half, rest = lo>>(drop-1)&1 != 0, lo&(1<<(drop-1)-1) != 0
		l, c := bits.Add64(lo, 2*p[1], 0)
		upper = (hi+c)<<(64-drop) | l>>drop
		l, c = bits.Sub64(lo, below*p[1], 0)
		lower = (hi-c)<<(64-drop) | l>>drop
	} else {
		v := times(4*m, p)
		n, upper, lower = v.shift(drop), times(4*m+2, p).shift(drop), times(4*m-below, p).shift(drop)
		half, rest = v.fraction(drop)
	}

	// Take digits off as long as a number with one digit less lies between the bounds.
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

// wide is an integer of 192 bits, lowest word first.
type wide [3]uint64

// times returns c*p.
func times(c uint64, p *[2]uint64) wide {
	h0, w0 := bits.Mul64(c, p[1])
	h1, l1 := bits.Mul64(c, p[0])
	w1, carry := bits.Add64(h0, l1, 0)
	return wide{w0, w1, h1 + carry}
}

// shift returns w/2^n without its fraction, which must fit; 0 < n < 128.
func (w wide) shift(n uint) uint64 {
	if n < 64 {
		return w[1]<<(64-n) | w[0]>>n
	}
	return w[2]<<(128-n) | w[1]>>(n-64)
}

// fraction returns about the fraction of w/2^n whether it is at least a half, and whether
// its other bits are more than nothing; 0 < n < 128.
func (w wide) fraction(n uint) (half, rest bool) {
	if n--; n < 64 {
		return w[0]>>n&1 != 0, w[0]&(1<<n-1) != 0
	}
	return w[1]>>(n-64)&1 != 0, w[0]|w[1]&(1<<(n-64)-1) != 0
}

// appendExact appends x > 0, within the limits of shortest, digit by digit.
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
	// The last sixteen decimals, the zeros and digits before them, and what the stores
	// reach beyond.
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
