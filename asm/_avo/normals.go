//go:build ignore

// Normals writes the assembly of the kernels that draw normals.
//
//	go run normals.go -out ../normals_amd64.s
//
// The lanes of a register hold four pairs. Philox words and products lie in 64-bit lanes; the
// multiplication reads only the lower half, so the upper half may hold anything. The code for
// radius, angle and the next group's words is interleaved: each is a long chain of dependent
// instructions, longer than a processor's look-ahead.
//
// The results equal those of the Go loop bit for bit: same operations, same order.
package main

import (
	"go/token"
	"go/types"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "ballast/asm/_avo/lanes"
)

const (
	prefixRounds = 3 // first rounds of Philox, partly computed in Go: see philoxPrefix
	rounds       = 10
	lane         = 32 // bytes per register
)

// Stack frame, in registers: asm.philoxPrefix broadcast to every lane, then the loop's variables.
const (
	atFirst = iota
	atBlock
	atKey  = atBlock + 4
	atPair = atKey + 2*(rounds-prefixRounds) // numbers of the pairs whose words are computed next
	atWord = atPair + 1                      // [4] words of the pairs whose normals are computed now
	atEnd  = atWord + 4
)

var frame reg.GPVirtual

func at(i int) Mem { return Mem{Base: frame, Disp: i * lane} }

// words emits philoxPrefix.words for four pairs at atPair and advances atPair by a group. The
// last four instructions store the four words.
func words() (s Stream) {
	var c [4]reg.VecPhysical
	var t reg.VecPhysical
	m0, m1 := Bits(0xD2511F53), Bits(0xCD9E8D57)
	s.Add(
		func() { c[2] = Take(); VMOVDQA(at(atPair), c[2]) },
		func() { t = Take(); VPADDD(Bits(4), c[2], t) },
		func() { VMOVDQA(t, at(atPair)); Give(t) },
		func() { VPXOR(at(atFirst), c[2], c[2]) },
		func() { VPMULUDQ(m0, c[2], c[2]) },
		func() { t = Take(); VPSRLQ(U8(32), c[2], t) },
		func() { VPXOR(at(atBlock), t, t) },
		func() { c[1] = Take(); VPMULUDQ(m1, t, c[1]); Give(t) },
		func() { c[0] = Take(); VPSRLQ(U8(32), c[1], c[0]) },
		func() { VPXOR(at(atBlock+1), c[0], c[0]) },
		func() { VPXOR(at(atBlock+2), c[2], c[2]) },
		func() { c[3] = Take(); VMOVDQA(at(atBlock+3), c[3]) },
	)
	for r := range rounds - prefixRounds {
		k0, k1 := at(atKey+2*r), at(atKey+2*r+1)
		s.Add(
			func() { VPMULUDQ(m1, c[2], c[2]) },
			func() { VPMULUDQ(m0, c[0], c[0]) },
			func() { VPXOR(k0, c[1], c[1]) },
			func() { t = Take(); VPSRLQ(U8(32), c[2], t) },
			func() { VPXOR(t, c[1], c[1]); Give(t) },
			func() { VPXOR(k1, c[3], c[3]) },
			func() { t = Take(); VPSRLQ(U8(32), c[0], t) },
			func() { VPXOR(t, c[3], c[3]); Give(t) },
			func() { c[0], c[1], c[2], c[3] = c[1], c[2], c[3], c[0] },
		)
	}
	for i := range c {
		s.Add(func() { VMOVDQA(c[i], at(atWord+i)); Give(c[i]) })
	}
	return s
}

// horner emits c[0] + z*(c[1] + z*(...)).
func horner(s *Stream, z, y *reg.VecPhysical, c ...float64) {
	last := len(c) - 1
	s.Add(func() { *y = Take(); VMULPD(Number(c[last]), *z, *y) })
	for i := last - 1; i > 0; i-- {
		s.Add(
			func() { VADDPD(Number(c[i]), *y, *y) },
			func() { VMULPD(*z, *y, *y) },
		)
	}
	s.Add(func() { VADDPD(Number(c[0]), *y, *y) })
}

// radius emits asm.boxMullerBatch.polar for one word: r becomes the radius (the square root included).
func radius(word int, r *reg.VecPhysical) (s Stream) {
	var x, i, power, y reg.VecPhysical
	s.Add(
		func() { x = Take(); VMOVDQA(at(atWord+word), x) },
		func() { VPBLENDD(U8(0b10101010), Bits(0x433<<52), x, x) },
		func() { VSUBPD(Number(1<<52-0.5), x, x) },
		func() { i = Take(); VPSUBQ(Bits(0x3FD6A09E667F3BCD), x, i) },
		func() { power = Take(); VPSRLQ(U8(52), i, power) },
		func() { VPAND(Bits(0xFFF<<52), i, i) },
		func() { VPSUBQ(i, x, x) },
		func() { VADDPD(Number(0.5), x, i) },
		func() { VSUBPD(Number(0.5), x, x) },
		func() { VDIVPD(i, x, x) },
		func() { VPOR(Bits(0x433<<52), power, power) },
		func() { VSUBPD(Number(1<<52+33), power, power) },
		func() { VMULPD(Number(-2*math.Ln2), power, power) },
		func() { VMULPD(x, x, i) },
	)
	horner(&s, &i, &y, -4.00000000001684813, -1.33333330480905624, -0.800007717381439216,
		-0.570699718546612195, -0.472349316557725964)
	s.Add(
		func() { VMULPD(x, y, y); Give(x, i) },
		func() { VADDPD(power, y, y); Give(power) },
		func() { VSQRTPD(y, y); *r = y },
	)
	return s
}

// direction emits the cosine and sine that asm.cartesian multiplies by the radius. Without sin
// it emits the cosine alone.
func direction(word int, cos, sin *reg.VecPhysical) (s Stream) {
	var t, z, y, x reg.VecPhysical
	s.Add(
		func() { t = Take(); VMOVDQA(at(atWord+word), t) },
		func() { VPBLENDD(U8(0b10101010), Bits((1023+21)<<52), t, t) },
		func() { VSUBPD(Number(1<<21+1), t, t) },
		func() { z = Take(); VMULPD(t, t, z) },
	)
	var sine, cosine Stream
	horner(&sine, &z, &y, 1.32087700029548857, -0.135797223492762332, 0.00418832772444457134,
		-0.0000615135683440955321, 5.26960966108588619e-7, -2.91707411538625724e-9)
	sine.Add(func() { VMULPD(t, y, y); Give(t) })
	horner(&cosine, &z, &x, 1.68179283050733575, -0.518707185046296664, 0.0266637224031541783,
		-0.000548250483078936186, 6.03843621561095989e-6, -4.08147022084416488e-8)
	for i, f := range sine {
		if i < len(cosine) {
			s.Add(cosine[i])
		}
		s.Add(f)
	}
	s.Add(func() { VMULPD(y, x, x); Give(z) }) // double the angle
	if sin != nil {
		s.Add(
			func() { VMULPD(y, y, y) },
			func() { VSUBPD(Number(math.Sqrt2), y, y) },
			func() { VMULPD(x, y, y); *sin = y },
		)
	} else {
		s.Add(func() { Give(y) })
	}
	s.Add(
		func() { VMULPD(x, x, x) },
		func() { VSUBPD(Number(1), x, x); *cos = x },
	)
	return s
}

// each emits a loop that runs body for each group of four pairs and advances the pointers.
func each(body func(next Stream), moving func() []reg.Register) {
	// The frame is aligned, because a load across two cache lines takes twice as long.
	frame = GP64()
	local := AllocLocal((atEnd + 1) * lane)
	LEAQ(local.Offset(lane-1), frame)
	ANDQ(I8(-lane), frame)
	open := Load(Param("o"), GP64())
	for i := range atPair {
		VPBROADCASTD(Mem{Base: open, Disp: 4 * i}, reg.Y0)
		VMOVDQA(reg.Y0, at(i))
	}
	VMOVD(Load(Param("first"), GP32()), reg.X0)
	VPBROADCASTD(reg.X0, reg.Y0)
	VPADDD(numbers, reg.Y0, reg.Y0)
	VMOVDQA(reg.Y0, at(atPair))
	pointers := moving()
	groups := Load(Param("groups"), GP64())

	Emit(words()) // words of the first group
	Label("group")
	body(words())
	for _, p := range pointers {
		ADDQ(U8(lane), p)
	}
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
	if !AllFree() {
		panic("a vector register was not given back")
	}
}

var numbers Mem // numbers 0 to 3 of the pairs within a group

func main() {
	Prefix = "normals"
	// avo needs the name of the argument's type, which Go code declares.
	types.Universe.Insert(types.NewTypeName(token.NoPos, nil, "philoxPrefix", types.NewStruct(nil, nil)))
	ConstraintExpr("amd64,!purego,!noasm")

	numbers = GLOBL("normalsPairs", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(uint64(i)))
	}

	TEXT("normalRowsAVX2", 0, "func(o *philoxPrefix, first uint32, rows *float64, stride, groups int)")
	var row [4]reg.Register
	each(func(next Stream) {
		for half := range 2 {
			var r, cos, sin reg.VecPhysical
			root, point := radius(2*half, &r), direction(2*half+1, &cos, &sin)
			// The next words are stored after the last load of this group's words.
			from, to := half*len(next)/2, (half+1)*len(next)/2-4*half
			Emit(root, point, next[from:to])
			VMULPD(r, cos, cos)
			VMOVUPD(cos, Mem{Base: row[2*half]})
			VMULPD(r, sin, sin)
			VMOVUPD(sin, Mem{Base: row[2*half+1]})
			Give(r, cos, sin)
		}
		Emit(next[len(next)-4:])
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

	TEXT("attemptsAVX2", 0, "func(o *philoxPrefix, first uint32, x, u *float64, groups int)")
	var x, u reg.Register
	each(func(next Stream) {
		var high, low, r, cos reg.VecPhysical
		var uniform Stream
		// 52 bits of words 2 and 3 become the fraction of a number in [1, 2).
		uniform.Add(
			func() { high = Take(); VMOVDQA(at(atWord+2), high) },
			func() { VPSLLQ(U8(32), high, high) },
			func() { low = Take(); VMOVDQA(at(atWord+3), low) },
			func() { VPBLENDD(U8(0b10101010), high, low, low); Give(high) },
			func() { VPSRLQ(U8(12), low, low) },
			func() { VPOR(Bits(1023<<52), low, low) },
			func() { VSUBPD(Number(1), low, low) },
			func() { VMOVUPD(low, Mem{Base: u}); Give(low) },
		)
		root, point := radius(0, &r), direction(1, &cos, nil)
		Emit(uniform, root, point, next[:len(next)-4])
		VMULPD(r, cos, cos)
		VMOVUPD(cos, Mem{Base: x})
		Give(r, cos)
		Emit(next[len(next)-4:])
	}, func() []reg.Register {
		x = Load(Param("x"), GP64())
		u = Load(Param("u"), GP64())
		return []reg.Register{x, u}
	})

	Generate()
}
