//go:build ignore

// Fixedfields writes the assembly of AppendFixedFields, the kernel that prints numbers after
// their JSON keys: three or four numbers at a time in the common case, otherwise one or two.
//
//	go run fixedfields.go -out ../fixedfields_amd64.s
//
// Each number is multiplied by its scale, rounded, and split into sixteen digits, one per byte;
// the first digit is always zero. A byte permutation moves the significant digits to the front
// and puts the decimal point in its place; the point replaces the first digit. The first and
// the last nonzero digit determine the number of characters.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "ballast/asm/_avo/lanes"
)

const (
	equal   = 0x00 // EQ_OQ
	above   = 0x1e // GT_OQ
	notLess = 0x15 // NLT_UQ: true for NaN as well
	nearest = 0    // rounding mode of VROUNDPD: to even
	down    = 1
)

// words returns a constant of 16 equal 16-bit words.
func words(w uint64) Mem { return Bits(w | w<<16 | w<<32 | w<<48) }

// ascii returns the constant whose addition converts digits to text: it adds '.' to the first
// digit, which is zero, and '0' to all others.
func ascii() Mem {
	m := GLOBL("fixedFieldText", RODATA|NOPTR)
	for i := range 32 {
		c := byte('0')
		if i%16 == 0 {
			c = '.'
		}
		DATA(i, U8(c))
	}
	return m
}

// orders returns the permutations for VPSHUFB, one for each scale (6, 9 and 12 digits left of
// the point) and each position of the first significant digit, from 1 to the last digit left
// of the point.
func orders() Mem {
	m := GLOBL("fixedFieldOrders", RODATA|NOPTR)
	for scale := range 3 {
		whole := 6 + 3*scale
		for first := range 16 {
			for i := range 16 {
				from := first + i // digits left of the point
				if i == whole+1-first {
					from = 0 // the decimal point
				} else if i > whole+1-first {
					from--
				}
				if from > 15 || from < 0 || first > whole {
					from = 0x80
				}
				DATA(256*scale+16*first+i, U8(uint8(from)))
			}
		}
	}
	return m
}

var (
	dst, keys, x, n, left, order reg.GPVirtual
	text                         Mem
)

// split takes 64-bit lanes with a number below 1e8 in the lower half, and leaves one digit in
// each byte. It divides by 1e4, then 100, then 10.
func split(digits reg.VecVirtual) {
	quotient, rest := YMM(), YMM()
	VPMULUDQ(Bits(0xd1b71759), digits, quotient)
	VPSRLQ(U8(45), quotient, quotient)
	VPMULUDQ(Bits(10000), quotient, rest)
	VPSUBD(rest, digits, rest)
	VPSLLQ(U8(32), rest, rest) // shifts out the exponent of the float64
	VPOR(rest, quotient, digits)
	VPMULHUW(words(5243), digits, quotient)
	VPSRLW(U8(3), quotient, quotient)
	VPMULLW(words(100), quotient, rest)
	VPSUBW(rest, digits, rest)
	VPSLLD(U8(16), rest, rest)
	VPOR(rest, quotient, digits)
	VPMULHUW(words(6554), digits, quotient)
	VPSLLW(U8(8), digits, digits)
	VPMULLW(words(10<<8-1), quotient, quotient) // the subtraction leaves the quotient in the low byte, the rest in the high byte
	VPSUBW(quotient, digits, digits)
}

// nonZero returns a bit mask of the nonzero digits, and turns the digits into text.
func nonZero(digits reg.VecVirtual) reg.GPVirtual {
	zeros, mask := YMM(), GP32()
	VPXOR(zeros, zeros, zeros)
	VPCMPEQB(zeros, digits, zeros)
	VPMOVMSKB(zeros, mask)
	NOTL(mask)
	VPOR(text, digits, digits)
	return mask
}

// halves splits whole numbers below 1e15 into their upper and lower eight digits. Both are
// float64 values whose lowest bits are the integer.
func halves(whole, upper, lower reg.VecVirtual) {
	VADDPD(Number(0.5), whole, upper)
	VMULPD(Number(1e-8), upper, upper)
	VROUNDPD(U8(down), upper, upper)
	VMOVAPD(whole, lower)
	VFNMADD231PD(Number(1e8), upper, lower) // whole - 1e8*upper
	VADDPD(Number(1<<52), upper, upper)
	VADDPD(Number(1<<52), lower, lower)
}

// rounded returns the integers nearest to |v|*scale, and marks the lanes in which rounding is
// not certain.
func rounded(v, scale, whole, off reg.VecVirtual) {
	VMULPD(scale, v, whole)
	VROUNDPD(U8(nearest), whole, whole)
	VMOVAPD(whole, off)
	VFMSUB231PD(scale, v, off) // v*scale - off
	VANDPD(Bits(1<<63-1), off, off)
	VCMPPD(U8(above), Number(0.4998), off, off)
}

// signsOf returns the sign bits of all numbers except those that print as zero.
func signsOf(signed, whole reg.VecVirtual, zero func() reg.VecVirtual) reg.GPVirtual {
	none, out := zero(), GP32()
	VXORPD(none, none, none)
	VCMPPD(U8(equal), whole, none, none)
	VANDNPD(signed, none, none)
	VMOVMSKPD(none, out)
	return out
}

// write emits the code for field i of a group: the key, the sign (bit i of signs), and the digits.
// The digits are in the upper or lower half of the register digits; the same half of mask marks the
// nonzero digits. scale selects 6, 9 or 12 digits left of the point; nil means 6.
func write(i int, signs reg.GPVirtual, digits reg.VecVirtual, mask reg.GPVirtual, upper bool, scale func(reg.GPVirtual)) {
	key, length := YMM(), GP64()
	VMOVDQU(Mem{Base: keys, Disp: 32 * i}, key)
	VMOVDQU(key, Mem{Base: dst})
	MOVBQZX(Mem{Base: keys, Disp: 32*i + 31}, length)
	ADDQ(length, dst)
	MOVB(U8('-'), Mem{Base: dst})
	BTL(U8(i), signs)
	ADCQ(U8(0), dst)

	// last digit left of the point, first significant digit, and the permutation they select
	nonzero, point, first, at := GP64(), GP64(), GP64(), GP64()
	if upper {
		MOVL(mask, nonzero.As32())
		SHRL(U8(16), nonzero.As32())
	} else {
		MOVWLZX(mask.As16(), nonzero.As32())
	}
	MOVL(nonzero.As32(), first.As32())
	if scale == nil {
		ORL(U8(1<<6), first.As32())
		TZCNTL(first.As32(), first.As32())
		MOVL(first.As32(), at.As32())
	} else {
		scale(at)
		LEAQ(Mem{Base: at, Index: at, Scale: 2, Disp: 6}, point)
		BTSL(point.As32(), first.As32())
		TZCNTL(first.As32(), first.As32())
		SHLL(U8(4), at.As32())
		ADDL(first.As32(), at.As32())
	}
	SHLL(U8(4), at.As32())
	characters, reordered := digits.AsX(), XMM()
	if upper {
		characters = XMM()
		VEXTRACTI128(U8(1), digits, characters)
	}
	VPSHUFB(Mem{Base: order, Index: at, Scale: 1}, characters, reordered)
	VMOVDQU(reordered, Mem{Base: dst})

	// The number of characters is point+1-first for the digits left of the point. With
	// decimals, the point and the decimals are added, up to the last nonzero digit. One bit is
	// set in advance, so that a number without decimals adds none.
	if scale == nil {
		ANDL(I32(-1<<(6+1)), nonzero.As32())
		ORL(U8(1<<(6-1)), nonzero.As32())
		LZCNTL(nonzero.As32(), nonzero.As32()) // counts from bit 31
	} else {
		SHRXL(point.As32(), nonzero.As32(), nonzero.As32())
		SHRL(U8(1), nonzero.As32())
		SHLL(U8(2), nonzero.As32())
		ORL(U8(1), nonzero.As32())
		LZCNTL(nonzero.As32(), nonzero.As32())
		SUBL(point.As32(), nonzero.As32())
		INCL(nonzero.As32())
	}
	ADDL(first.As32(), nonzero.As32())
	SUBQ(nonzero, dst)
	ADDQ(U8(31+2), dst)
	DECQ(left)
	JZ(LabelRef("done"))
}

// next moves the pointers past a group.
func next(fields int) {
	ADDQ(U8(32*fields), keys)
	ADDQ(U8(8*fields), x)
	JMP(LabelRef("group"))
}

// four emits the code for three or four numbers of the finest scale that need no special
// case. Otherwise the code jumps to "pair".
func four() {
	// Loads use the width of the stores just before, so that the processor can forward them.
	low, high, signed, v, last := XMM(), XMM(), YMM(), YMM(), GP64()
	LEAQ(Mem{Base: x, Disp: 16}, last)
	CMPQ(left, U8(3))
	JE(LabelRef("three"))
	ADDQ(U8(8), last)
	Label("three")
	VMOVSD(Mem{Base: x}, low)
	VMOVHPD(Mem{Base: x, Disp: 8}, low, low)
	VMOVSD(Mem{Base: x, Disp: 16}, high)
	VMOVHPD(Mem{Base: last}, high, high)
	VINSERTF128(U8(1), high, low.AsY(), signed)
	VANDPD(Bits(1<<63-1), signed, v)

	scale, whole, off, coarse, special := YMM(), YMM(), YMM(), YMM(), GP32()
	VMOVAPD(Number(1e9), scale)
	VCMPPD(U8(notLess), Number(999_999), v, coarse)
	rounded(v, scale, whole, off)
	VORPD(coarse, off, off)
	VMOVMSKPD(off, special)
	TESTL(special, special)
	JNZ(LabelRef("pair"))

	upper, lower, even, odd := YMM(), YMM(), YMM(), YMM()
	halves(whole, upper, lower)
	VUNPCKLPD(lower, upper, even)
	VUNPCKHPD(lower, upper, odd)
	split(even)
	split(odd)
	signs := signsOf(signed, whole, YMM)
	evenMask, oddMask := nonZero(even), nonZero(odd)
	for i := range 4 {
		digits, mask := even, evenMask
		if i%2 == 1 {
			digits, mask = odd, oddMask
		}
		write(i, signs, digits, mask, i > 1, nil)
	}
	next(4)
}

// pair emits the code for one or two numbers. A second copy serves the common case in which
// both have the finest scale, and saves a quarter of the instructions there.
func pair() {
	signed, v, coarse, some := XMM(), XMM(), XMM(), GP32() // the second lane is 0 for a single number
	VMOVSD(Mem{Base: x}, signed)
	CMPQ(left, U8(2))
	JL(LabelRef("single"))
	VMOVHPD(Mem{Base: x, Disp: 8}, signed, signed)
	Label("single")
	VANDPD(Bits(1<<63-1), signed, v)
	VCMPPD(U8(notLess), Number(999_999), v, coarse)
	VMOVMSKPD(coarse, some)
	TESTL(some, some)
	JNZ(LabelRef("coarse"))
	pairOf(signed, v, nil)
	Label("coarse")
	pairOf(signed, v, coarse)
}

func pairOf(signed, v, coarse reg.VecVirtual) {
	scale, whole, off, stops := XMM(), XMM(), XMM(), GP32()
	VMOVAPD(Number(1e9), scale)
	var scales reg.VecVirtual // 0, -1 or -2 per lane: minus the number of steps above the finest scale
	name := "fine"
	if coarse == nil {
		rounded(v, scale, whole, off)
	} else {
		name = "any"
		coarsest, tooLarge := XMM(), XMM()
		VCMPPD(U8(notLess), Number(999_999e3), v, coarsest)
		VCMPPD(U8(notLess), Number(999_999e6), v, tooLarge)
		VBLENDVPD(coarse, Number(1e6), scale, scale)
		VBLENDVPD(coarsest, Number(1e3), scale, scale)
		scales = XMM()
		VPADDQ(coarsest, coarse, scales)
		rounded(v, scale, whole, off)
		VORPD(tooLarge, off, off)
	}

	// The first number that the kernel cannot print ends the loop.
	VMOVMSKPD(off, stops)
	TESTL(stops, stops)
	JZ(LabelRef(name))
	BTL(U8(0), stops)
	JCS(LabelRef("done"))
	SUBQ(left, n) // n becomes the final count: the fields before this pair and its first field
	INCQ(n)
	MOVQ(U32(1), left)
	Label(name)

	upper, lower, second, digits := XMM(), XMM(), XMM(), YMM()
	halves(whole, upper, lower)
	VUNPCKLPD(lower, upper, digits.AsX())
	VUNPCKHPD(lower, upper, second)
	VINSERTF128(U8(1), second, digits, digits)
	split(digits)
	signs := signsOf(signed, whole, XMM)
	mask := nonZero(digits)
	for i := range 2 {
		var ofScale func(reg.GPVirtual)
		if coarse != nil {
			ofScale = func(scale reg.GPVirtual) {
				if i == 0 {
					VMOVQ(scales, scale)
				} else {
					VPEXTRQ(U8(1), scales, scale)
				}
				NEGQ(scale)
			}
		}
		write(i, signs, digits, mask, i == 1, ofScale)
	}
	next(2)
}

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	Prefix = "field"
	text = ascii()
	table := orders()

	TEXT("appendFixedFieldsAVX2", NOSPLIT, "func(dst, keys *byte, x *float64, n int) (written, done int)")
	argument := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, keys, x, n = argument("dst"), argument("keys"), argument("x"), argument("n")
	start := GP64()
	left, order = GP64(), GP64()
	MOVQ(dst, start)
	MOVQ(n, left)
	LEAQ(table, order)

	Label("group")
	CMPQ(left, U8(3))
	JL(LabelRef("pair"))
	four()
	Label("pair")
	pair()

	Label("done")
	VZEROUPPER()
	SUBQ(start, dst)
	SUBQ(left, n)
	Store(dst, Return("written"))
	Store(n, Return("done"))
	RET()

	Generate()
}
