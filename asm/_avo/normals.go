//go:build ignore

// Normals writes the assembly of the kernels that draw normals: four pairs in the lanes.
//
//	go run normals.go -out ../normals_amd64.s
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rounds   = 10
	philoxM0 = 0xD2511F53
	philoxM1 = 0xCD9E8D57
	ln2High  = 6.93147180369123816490e-01
	ln2Low   = 1.90821492927058770002e-10
)

var constants = map[uint64]Mem{}

// lanes returns four copies of a constant in memory.
func lanes(bits uint64) Mem {
	m, have := constants[bits]
	if !have {
		m = GLOBL(fmt.Sprintf("normals%016x", bits), RODATA|NOPTR)
		for lane := range 4 {
			DATA(8*lane, U64(bits))
		}
		constants[bits] = m
	}
	return m
}

func number(x float64) Mem { return lanes(math.Float64bits(x)) }

// plus, minus, times and over are one rounding each.
func plus(a Op, b reg.VecVirtual) reg.VecVirtual  { y := YMM(); VADDPD(a, b, y); return y }
func minus(a reg.VecVirtual, b Op) reg.VecVirtual { y := YMM(); VSUBPD(b, a, y); return y }
func times(a Op, b reg.VecVirtual) reg.VecVirtual { y := YMM(); VMULPD(a, b, y); return y }
func over(a reg.VecVirtual, b Op) reg.VecVirtual  { y := YMM(); VDIVPD(b, a, y); return y }
func copied(m Op) reg.VecVirtual                  { y := YMM(); VMOVUPD(m, y); return y }

// horner returns c[0] + z*(c[1] + z*(...)).
func horner(z reg.VecVirtual, c ...float64) reg.VecVirtual {
	y := copied(number(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		VMULPD(z, y, y)
		VADDPD(number(c[i]), y, y)
	}
	return y
}

// log returns the logarithm of positive normal numbers, as Log does.
func log(u reg.VecVirtual) reg.VecVirtual {
	shift, k := YMM(), YMM()
	VPSUBQ(lanes(0x3FE6A09E667F3BCD), u, shift)
	VPSRLQ(U8(52), shift, k)
	// The exponent, 12 bits with a sign, becomes the last digits of 2^52 + 2^11.
	VPXOR(lanes(0x4330000000000800), k, k)
	VSUBPD(number(1<<52+1<<11), k, k)
	VPAND(lanes(0xFFF0000000000000), shift, shift)
	f := YMM()
	VPSUBQ(shift, u, f)
	VSUBPD(number(1), f, f)
	s := over(f, plus(number(2), f))
	z := times(s, s)
	r := horner(z, 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
		2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01)
	VMULPD(z, r, r)
	half := times(number(0.5), times(f, f))
	VADDPD(half, r, r)
	VMULPD(s, r, r)
	VADDPD(times(number(ln2Low), k), r, r)
	VSUBPD(r, half, half)
	VSUBPD(f, half, half)
	return minus(times(number(ln2High), k), half)
}

// fromWord returns the lower halves of the lanes as numbers.
func fromWord(w reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	VPBLENDD(U8(0b10101010), lanes(0x4330000000000000), w, y)
	VSUBPD(number(1<<52), y, y)
	return y
}

// radius returns sqrt(-2 ln u) of words.
func radius(w reg.VecVirtual) reg.VecVirtual {
	u := times(number(1.0/(1<<32)), plus(number(0.5), fromWord(w)))
	r := YMM()
	VSQRTPD(times(number(-2), log(u)), r)
	return r
}

// sincos returns sine and cosine of 2*pi*(w+1/2)/2^32, as Sincos does. Without want, the
// sine is nil.
func sincos(w reg.VecVirtual, want bool) (sin, cos reg.VecVirtual) {
	quarter, x := YMM(), YMM()
	VPADDD(lanes(1<<29|1<<61), w, quarter)
	VPSRLD(U8(30), quarter, quarter)
	VPSLLD(U8(30), quarter, x)
	VPSUBD(x, w, x)
	VPXOR(lanes(1<<31), x, x)
	VPBLENDD(U8(0b10101010), lanes(0x4330000000000000), x, x)
	VSUBPD(number(1<<52+1<<31), x, x)
	VADDPD(number(0.5), x, x)
	VMULPD(number(2*math.Pi/(1<<32)), x, x)
	z := times(x, x)
	s := horner(z, -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
		2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)
	VMULPD(times(x, z), s, s)
	VADDPD(x, s, s)
	c := horner(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
		-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)
	VMULPD(z, c, c)
	VSUBPD(c, copied(number(0.5)), c)
	VMULPD(z, c, c)
	VSUBPD(c, copied(number(1)), c)

	odd, sign := YMM(), YMM()
	VPSLLQ(U8(63), quarter, odd)
	if want {
		sin = YMM()
		VBLENDVPD(odd, c, s, sin)
		VPSLLQ(U8(62), quarter, sign)
		VPAND(lanes(1<<63), sign, sign)
		VPXOR(sign, sin, sin)
	}
	cos = YMM()
	VBLENDVPD(odd, s, c, cos)
	VPADDQ(lanes(1), quarter, sign)
	VPSLLQ(U8(62), sign, sign)
	VPAND(lanes(1<<63), sign, sign)
	VPXOR(sign, cos, cos)
	return sin, cos
}

// words runs Philox for two groups of pairs side by side, because one alone would wait for
// itself: the lower halves of the lanes are the words. The counter's last two words lie
// behind the key in memory.
func words(philox reg.Register, block reg.VecVirtual, pair [2]reg.VecVirtual) (c [2][4]reg.VecVirtual) {
	part := func(at int) reg.VecVirtual {
		y := YMM()
		VPBROADCASTD(Mem{Base: philox, Disp: 4 * at}, y)
		return y
	}
	m0, m1 := lanes(philoxM0), lanes(philoxM1)
	c2, c3 := part(2*rounds), part(2*rounds+1)
	for g := range c {
		c[g] = [4]reg.VecVirtual{block, pair[g], c2, c3}
	}
	for r := range rounds {
		k0, k1 := part(2*r), part(2*r+1)
		for g := range c {
			w := &c[g]
			p0, p1, h0, h1 := YMM(), YMM(), YMM(), YMM()
			VPMULUDQ(m0, w[0], p0)
			VPMULUDQ(m1, w[2], p1)
			VPSRLQ(U8(32), p0, h0)
			VPSRLQ(U8(32), p1, h1)
			VPXOR(w[1], h1, h1)
			VPXOR(k0, h1, h1)
			VPXOR(w[3], h0, h0)
			VPXOR(k1, h0, h0)
			*w = [4]reg.VecVirtual{h1, p1, h0, p0}
		}
	}
	return c
}

// each runs body for the eight pairs first, first+8, ... and moves the pointers on. body
// finds the words of four pairs in memory. first8 is 0..3 and 4..7, each twice.
func each(first8 Mem, body func(word [4]Mem, displacement int), moving func() []reg.Register) {
	philox := Load(Param("p"), GP64())
	spread := func(parameter string) reg.VecVirtual {
		x, y := XMM(), YMM()
		VMOVD(Load(Param(parameter), GP32()), x)
		VPBROADCASTD(x, y)
		return y
	}
	block, first := spread("block"), spread("first")
	var pair [2]reg.VecVirtual
	for g := range pair {
		pair[g] = YMM()
		VPADDD(first8.Offset(32*g), first, pair[g])
	}
	pointers := moving()
	groups := Load(Param("groups"), GP64())
	local := AllocLocal(2 * 4 * 32)
	Label("loop")
	for g, c := range words(philox, block, pair) {
		for i, w := range c {
			VMOVDQU(w, local.Offset(32*(4*g+i)))
		}
		VPADDD(lanes(8|8<<32), pair[g], pair[g])
	}
	for g := range pair {
		var word [4]Mem
		for i := range word {
			word[i] = local.Offset(32 * (4*g + i))
		}
		body(word, 32*g)
	}
	for _, p := range pointers {
		ADDQ(U8(64), p)
	}
	DECQ(groups)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!purego,!noasm")

	first8 := GLOBL("firstPairs", RODATA|NOPTR)
	for at := range 16 {
		DATA(4*at, U32(uint32(at/2)))
	}

	TEXT("normalRowsAVX2", NOSPLIT, "func(p *uint32, block, first uint32, rows *float64, stride, groups int)")
	var row [4]reg.Register
	each(first8, func(word [4]Mem, at int) {
		for half := range 2 {
			r := radius(copied(word[2*half]))
			sin, cos := sincos(copied(word[2*half+1]), true)
			VMOVUPD(times(r, cos), Mem{Base: row[2*half], Disp: at})
			VMOVUPD(times(r, sin), Mem{Base: row[2*half+1], Disp: at})
		}
	}, func() []reg.Register {
		stride := Load(Param("stride"), GP64())
		SHLQ(U8(3), stride)
		row[0] = Load(Param("rows"), GP64())
		for i := 1; i < 4; i++ {
			row[i] = GP64()
			MOVQ(row[i-1], row[i])
			ADDQ(stride, row[i])
		}
		return row[:]
	})

	TEXT("attemptsAVX2", NOSPLIT, "func(p *uint32, block, first uint32, x, u *float64, groups int)")
	var x, u reg.Register
	each(first8, func(word [4]Mem, at int) {
		// 52 bits of the words 2 and 3 behind the point of a number in [1, 2).
		high, low := YMM(), YMM()
		VPSLLQ(U8(32), copied(word[2]), high)
		VPBLENDD(U8(0b10101010), high, copied(word[3]), low)
		VPSRLQ(U8(12), low, low)
		VPOR(lanes(1023<<52), low, low)
		VMOVUPD(minus(low, number(1)), Mem{Base: u, Disp: at})
		r := radius(copied(word[0]))
		_, cos := sincos(copied(word[1]), false)
		VMOVUPD(times(r, cos), Mem{Base: x, Disp: at})
	}, func() []reg.Register {
		x = Load(Param("x"), GP64())
		u = Load(Param("u"), GP64())
		return []reg.Register{x, u}
	})

	Generate()
}
