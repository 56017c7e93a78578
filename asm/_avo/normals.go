//go:build ignore

// Normals writes the assembly of the kernels that draw normals.
//
//	go run normals.go -out ../normals_amd64.s
//
// Four pairs fill the lanes of a register. Words and products of Philox lie in lanes of 64
// bits, of which the multiplication reads the lower half only, so that the other half may
// hold anything. Radius, direction and the words of the next group are made side by side:
// each is a long chain, and a processor does not look ahead as far as these are long.
//
// The bits are those of the Go loop: nothing is left out or done in another order.
package main

import (
	"fmt"
	"go/token"
	"go/types"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	opening = 3 // rounds of Philox that come from Go as far as all pairs share them
	rounds  = 10
	lane    = 32 // bytes of a register
)

// The frame, in registers: asm.opening in every lane, then what moves.
const (
	atFirst = iota
	atBlock
	atKey  = atBlock + 4
	atPair = atKey + 2*(rounds-opening) // numbers of the pairs whose words are made
	atWord = atPair + 1                 // [4] words of the pairs whose normals are made
	atEnd  = atWord + 4
)

var frame reg.GPVirtual

func at(i int) Mem { return Mem{Base: frame, Disp: i * lane} }

// Constants in read-only memory, the same in every lane.
var pool = map[uint64]Mem{}

func bits(v uint64) Mem {
	m, have := pool[v]
	if !have {
		m = GLOBL(fmt.Sprintf("normals%016x", v), RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64(v))
		}
		pool[v] = m
	}
	return m
}

func number(v float64) Mem { return bits(math.Float64bits(v)) }

// free are the vector registers that hold nothing at this point of the text. AVX2 has 16
// of them; avo would go on to those of AVX-512.
var free = []reg.VecPhysical{
	reg.Y15, reg.Y14, reg.Y13, reg.Y12, reg.Y11, reg.Y10, reg.Y9, reg.Y8,
	reg.Y7, reg.Y6, reg.Y5, reg.Y4, reg.Y3, reg.Y2, reg.Y1, reg.Y0,
}

func take() reg.VecPhysical {
	if len(free) == 0 {
		panic("more than 16 vector registers")
	}
	r := free[len(free)-1]
	free = free[:len(free)-1]
	return r
}

func give(registers ...reg.VecPhysical) { free = append(free, registers...) }

// stream is a run of instructions that others may be put between.
type stream []func()

func (s *stream) add(f ...func()) { *s = append(*s, f...) }

// emit writes streams side by side, each as evenly as it goes.
func emit(streams ...stream) {
	longest := 0
	for _, s := range streams {
		longest = max(longest, len(s))
	}
	for i := range longest {
		for _, s := range streams {
			for j := i * len(s) / longest; j < (i+1)*len(s)/longest; j++ {
				s[j]()
			}
		}
	}
}

// words makes the words of the pairs atPair, which it moves on by a group: opening.words
// in every lane. The last instructions, as many as words, write them where they are read.
func words() (s stream) {
	var c [4]reg.VecPhysical
	var t reg.VecPhysical
	m0, m1 := bits(0xD2511F53), bits(0xCD9E8D57)
	s.add(
		func() { c[2] = take(); VMOVDQA(at(atPair), c[2]) },
		func() { t = take(); VPADDD(bits(4), c[2], t) },
		func() { VMOVDQA(t, at(atPair)); give(t) },
		func() { VPXOR(at(atFirst), c[2], c[2]) },
		func() { VPMULUDQ(m0, c[2], c[2]) },
		func() { t = take(); VPSRLQ(U8(32), c[2], t) },
		func() { VPXOR(at(atBlock), t, t) },
		func() { c[1] = take(); VPMULUDQ(m1, t, c[1]); give(t) },
		func() { c[0] = take(); VPSRLQ(U8(32), c[1], c[0]) },
		func() { VPXOR(at(atBlock+1), c[0], c[0]) },
		func() { VPXOR(at(atBlock+2), c[2], c[2]) },
		func() { c[3] = take(); VMOVDQA(at(atBlock+3), c[3]) },
	)
	for r := range rounds - opening {
		k0, k1 := at(atKey+2*r), at(atKey+2*r+1)
		s.add(
			func() { VPMULUDQ(m1, c[2], c[2]) },
			func() { VPMULUDQ(m0, c[0], c[0]) },
			func() { VPXOR(k0, c[1], c[1]) },
			func() { t = take(); VPSRLQ(U8(32), c[2], t) },
			func() { VPXOR(t, c[1], c[1]); give(t) },
			func() { VPXOR(k1, c[3], c[3]) },
			func() { t = take(); VPSRLQ(U8(32), c[0], t) },
			func() { VPXOR(t, c[3], c[3]); give(t) },
			func() { c[0], c[1], c[2], c[3] = c[1], c[2], c[3], c[0] },
		)
	}
	for i := range c {
		s.add(func() { VMOVDQA(c[i], at(atWord+i)); give(c[i]) })
	}
	return s
}

// horner makes c[0] + z*(c[1] + z*(...)).
func horner(s *stream, z, y *reg.VecPhysical, c ...float64) {
	last := len(c) - 1
	s.add(func() { *y = take(); VMULPD(number(c[last]), *z, *y) })
	for i := last - 1; i > 0; i-- {
		s.add(
			func() { VADDPD(number(c[i]), *y, *y) },
			func() { VMULPD(*z, *y, *y) },
		)
	}
	s.add(func() { VADDPD(number(c[0]), *y, *y) })
}

// radius makes r what the first loop of asm.boxMuller makes of a word.
func radius(word int, r *reg.VecPhysical) (s stream) {
	var x, i, power, y reg.VecPhysical
	s.add(
		func() { x = take(); VMOVDQA(at(atWord+word), x) },
		func() { VPBLENDD(U8(0b10101010), bits(0x433<<52), x, x) },
		func() { VSUBPD(number(1<<52-0.5), x, x) },
		func() { i = take(); VPSUBQ(bits(0x3FD6A09E667F3BCD), x, i) },
		func() { power = take(); VPSRLQ(U8(52), i, power) },
		func() { VPAND(bits(0xFFF<<52), i, i) },
		func() { VPSUBQ(i, x, x) },
		func() { VADDPD(number(0.5), x, i) },
		func() { VSUBPD(number(0.5), x, x) },
		func() { VDIVPD(i, x, x) },
		func() { VPOR(bits(0x433<<52), power, power) },
		func() { VSUBPD(number(1<<52+33), power, power) },
		func() { VMULPD(number(-2*math.Ln2), power, power) },
		func() { VMULPD(x, x, i) },
	)
	horner(&s, &i, &y, -4.00000000001684813, -1.33333330480905624, -0.800007717381439216,
		-0.570699718546612195, -0.472349316557725964)
	s.add(
		func() { VMULPD(x, y, y); give(x, i) },
		func() { VADDPD(power, y, y); give(power) },
		func() { VSQRTPD(y, y); *r = y },
	)
	return s
}

// direction makes what the second loop of asm.boxMuller multiplies by the radius; without
// sin, the first number alone.
func direction(word int, cos, sin *reg.VecPhysical) (s stream) {
	var t, z, y, x reg.VecPhysical
	s.add(
		func() { t = take(); VMOVDQA(at(atWord+word), t) },
		func() { VPBLENDD(U8(0b10101010), bits((1023+21)<<52), t, t) },
		func() { VSUBPD(number(1<<21+1), t, t) },
		func() { z = take(); VMULPD(t, t, z) },
	)
	var sine, cosine stream
	horner(&sine, &z, &y, 1.32087700029548857, -0.135797223492762332, 0.00418832772444457134,
		-0.0000615135683440955321, 5.26960966108588619e-7, -2.91707411538625724e-9)
	sine.add(func() { VMULPD(t, y, y); give(t) })
	horner(&cosine, &z, &x, 1.68179283050733575, -0.518707185046296664, 0.0266637224031541783,
		-0.000548250483078936186, 6.03843621561095989e-6, -4.08147022084416488e-8)
	for i, f := range sine {
		if i < len(cosine) {
			s.add(cosine[i])
		}
		s.add(f)
	}
	s.add(func() { VMULPD(y, x, x); give(z) }) // twice the angle
	if sin != nil {
		s.add(
			func() { VMULPD(y, y, y) },
			func() { VSUBPD(number(math.Sqrt2), y, y) },
			func() { VMULPD(x, y, y); *sin = y },
		)
	} else {
		s.add(func() { give(y) })
	}
	s.add(
		func() { VMULPD(x, x, x) },
		func() { VSUBPD(number(1), x, x); *cos = x },
	)
	return s
}

// each runs body for one group of four pairs after the other and moves the pointers on.
func each(body func(next stream), moving func() []reg.Register) {
	// The frame is aligned, because a load that straddles two lines of the cache takes
	// twice as long.
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

	emit(words()) // of the first group
	Label("group")
	body(words())
	for _, p := range pointers {
		ADDQ(U8(lane), p)
	}
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
	if len(free) != 16 {
		panic("a vector register was not given back")
	}
}

var numbers Mem // of the pairs of a group: 0 to 3

func main() {
	// The argument's type is declared in Go.
	types.Universe.Insert(types.NewTypeName(token.NoPos, nil, "opening", types.NewStruct(nil, nil)))
	ConstraintExpr("amd64,!purego,!noasm")

	numbers = GLOBL("normalsPairs", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(uint64(i)))
	}

	TEXT("normalRowsAVX2", 0, "func(o *opening, first uint32, rows *float64, stride, groups int)")
	var row [4]reg.Register
	each(func(next stream) {
		for half := range 2 {
			var r, cos, sin reg.VecPhysical
			root, point := radius(2*half, &r), direction(2*half+1, &cos, &sin)
			// The words are written after the last ones of this group are read.
			from, to := half*len(next)/2, (half+1)*len(next)/2-4*half
			emit(root, point, next[from:to])
			VMULPD(r, cos, cos)
			VMOVUPD(cos, Mem{Base: row[2*half]})
			VMULPD(r, sin, sin)
			VMOVUPD(sin, Mem{Base: row[2*half+1]})
			give(r, cos, sin)
		}
		emit(next[len(next)-4:])
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

	TEXT("attemptsAVX2", 0, "func(o *opening, first uint32, x, u *float64, groups int)")
	var x, u reg.Register
	each(func(next stream) {
		var high, low, r, cos reg.VecPhysical
		var uniform stream
		// 52 bits of the words 2 and 3 behind the point of a number in [1, 2).
		uniform.add(
			func() { high = take(); VMOVDQA(at(atWord+2), high) },
			func() { VPSLLQ(U8(32), high, high) },
			func() { low = take(); VMOVDQA(at(atWord+3), low) },
			func() { VPBLENDD(U8(0b10101010), high, low, low); give(high) },
			func() { VPSRLQ(U8(12), low, low) },
			func() { VPOR(bits(1023<<52), low, low) },
			func() { VSUBPD(number(1), low, low) },
			func() { VMOVUPD(low, Mem{Base: u}); give(low) },
		)
		root, point := radius(0, &r), direction(1, &cos, nil)
		emit(uniform, root, point, next[:len(next)-4])
		VMULPD(r, cos, cos)
		VMOVUPD(cos, Mem{Base: x})
		give(r, cos)
		emit(next[len(next)-4:])
	}, func() []reg.Register {
		x = Load(Param("x"), GP64())
		u = Load(Param("u"), GP64())
		return []reg.Register{x, u}
	})

	Generate()
}
