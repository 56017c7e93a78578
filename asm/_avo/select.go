//go:build ignore

// Select writes the assembly of the kernels that keep the values above a threshold.
//
//	go run select.go -out ../select_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const constraint = "amd64,!purego,!noasm"

// keptLanes is a table for VPERMD with one entry of eight bytes per mask of four lanes. An entry
// lists the indexes of the 32-bit halves of the set lanes, in order, then zeros.
func keptLanes() Mem {
	table := GLOBL("keptLanes", RODATA|NOPTR)
	for mask := range 16 {
		at := 0
		for lane := range 4 {
			if mask>>lane&1 == 1 {
				DATA(8*mask+at, U8(2*lane))
				DATA(8*mask+at+1, U8(2*lane+1))
				at += 2
			}
		}
		for ; at < 8; at++ {
			DATA(8*mask+at, U8(0))
		}
	}
	return table
}

// keptRows is keptLanes for four 32-bit numbers: sixteen bytes per mask, for PSHUFB.
func keptRows() Mem {
	table := GLOBL("keptRows", RODATA|NOPTR)
	for mask := range 16 {
		at := 0
		for lane := range 4 {
			if mask>>lane&1 == 1 {
				for b := range 4 {
					DATA(16*mask+4*at+b, U8(4*lane+b))
				}
				at++
			}
		}
		for ; at < 4; at++ {
			for b := range 4 {
				DATA(16*mask+4*at+b, U8(0x80))
			}
		}
	}
	return table
}

const (
	greaterOrEqual = 0x1d // GE_OQ
	lessOrEqual    = 0x12 // LE_OQ
	greater        = 0x1e // GT_OQ
	unroll         = 4
)

// above writes one filter. Each step loads four values with load, appends those that compare keeps
// to values, and appends their indexes to rows unless rows is nil.
type above struct {
	compare       int // comparison with t that is true for the values to keep
	i, count, n   reg.GPVirtual
	t             reg.VecVirtual
	values        reg.Register
	rows          reg.Register // nil: no indexes
	row, rowStep  reg.VecVirtual
	lanes, places reg.Register
}

func (a *above) step(offset int, load func(at int) reg.VecVirtual) {
	v := load(offset)
	cut, mask, wide := YMM(), GP64(), YMM()
	VCMPPD(U8(a.compare), a.t, v, cut)
	VMOVMSKPD(cut, mask.As32())
	VPMOVZXBD(Mem{Base: a.lanes, Index: mask, Scale: 8}, wide)
	packed := YMM()
	VPERMD(v, wide, packed)
	VMOVUPD(packed, Mem{Base: a.values, Index: a.count, Scale: 8})
	if a.rows != nil {
		sixteenth := GP64()
		MOVQ(mask, sixteenth)
		SHLQ(U8(4), sixteenth)
		kept := XMM()
		VPSHUFB(Mem{Base: a.places, Index: sixteenth, Scale: 1}, a.row.AsX(), kept)
		VMOVDQU(kept, Mem{Base: a.rows, Index: a.count, Scale: 4})
		VPADDD(a.rowStep.AsX(), a.row.AsX(), a.row.AsX())
	}
	POPCNTL(mask.As32(), mask.As32())
	ADDQ(mask, a.count)
}

// loops runs step over n elements; n is a multiple of four.
func (a *above) loops(load func(at int) reg.VecVirtual) {
	XORQ(a.i, a.i)
	XORQ(a.count, a.count)
	wide := GP64()
	MOVQ(a.n, wide)
	ANDQ(I32(-4*unroll), wide)
	Label("wide")
	CMPQ(a.i, wide)
	JGE(LabelRef("narrow"))
	for u := range unroll {
		a.step(32*u, load)
	}
	ADDQ(U8(4*unroll), a.i)
	JMP(LabelRef("wide"))
	Label("narrow")
	CMPQ(a.i, a.n)
	JGE(LabelRef("done"))
	a.step(0, load)
	ADDQ(U8(4), a.i)
	JMP(LabelRef("narrow"))
	Label("done")
	VZEROUPPER()
	Store(a.count, ReturnIndex(0))
	RET()
}

// each writes a loop over n elements, n a multiple of four. step(u) writes the work on the four elements
// from i+4*u on. wide is n rounded down to a multiple of 4*unroll.
func each(i, wide reg.GPVirtual, n reg.Register, step func(u int)) {
	Label("wide")
	CMPQ(i, wide)
	JGE(LabelRef("narrow"))
	for u := range unroll {
		step(u)
	}
	ADDQ(U8(4*unroll), i)
	JMP(LabelRef("wide"))
	Label("narrow")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	step(0)
	ADDQ(U8(4), i)
	JMP(LabelRef("narrow"))
	Label("done")
}

// start sets what each needs: i is 0, wide is n rounded down to a multiple of 4*unroll.
func start(n reg.Register) (i, wide reg.GPVirtual) {
	i, wide = GP64(), GP64()
	XORQ(i, i)
	MOVQ(n, wide)
	ANDQ(I32(-4*unroll), wide)
	return i, wide
}

// address returns the address of a table.
func address(m Mem) reg.Register {
	r := GP64()
	LEAQ(m, r)
	return r
}

// broadcast returns a parameter in all four lanes.
func broadcast(name string) reg.VecVirtual {
	x, y := XMM(), YMM()
	Load(Param(name), x)
	VBROADCASTSD(x, y)
	return y
}

// from returns a load for loops: four values of x.
func (a *above) from(x reg.Register) func(at int) reg.VecVirtual {
	return func(at int) reg.VecVirtual {
		v := YMM()
		VMOVUPD(Mem{Base: x, Disp: at, Index: a.i, Scale: 8}, v)
		return v
	}
}

// keepValues writes the filter that keeps values alone.
func keepValues(name string, compare int, lanes Mem) {
	TEXT(name, NOSPLIT, "func(values, x *float64, n int, t float64) int")
	a := above{compare: compare, i: GP64(), count: GP64()}
	a.values = Load(Param("values"), GP64())
	x := Load(Param("x"), GP64())
	a.n = Load(Param("n"), GP64()).(reg.GPVirtual)
	a.t = broadcast("t")
	a.lanes = address(lanes)
	a.loops(a.from(x))
}

// keepRows writes the filter that keeps values and their indexes.
func keepRows(lanes, places Mem) {
	TEXT("aboveRowsAVX2", NOSPLIT, "func(values *float64, rows *int32, x *float64, n int, t float64) int")
	a := above{compare: greaterOrEqual, i: GP64(), count: GP64()}
	a.values = Load(Param("values"), GP64())
	a.rows = Load(Param("rows"), GP64())
	x := Load(Param("x"), GP64())
	a.n = Load(Param("n"), GP64()).(reg.GPVirtual)
	a.t = broadcast("t")
	a.lanes, a.places = address(lanes), address(places)
	a.row, a.rowStep = YMM(), YMM()
	first := GLOBL("firstRows", RODATA|NOPTR)
	for at, v := range []uint32{0, 1, 2, 3, 4, 4, 4, 4} {
		DATA(4*at, U32(v))
	}
	VMOVDQU(first, a.row.AsX())
	VMOVDQU(first.Offset(16), a.rowStep.AsX())
	a.loops(a.from(x))
}

// keepSums writes the filter of the sums x + scale*y.
func keepSums(lanes Mem) {
	TEXT("aboveSumAVX2", NOSPLIT, "func(values, x, y *float64, n int, scale, t float64) int")
	a := above{compare: greaterOrEqual, i: GP64(), count: GP64()}
	a.values = Load(Param("values"), GP64())
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	a.n = Load(Param("n"), GP64()).(reg.GPVirtual)
	scale := broadcast("scale")
	a.t = broadcast("t")
	a.lanes = address(lanes)
	a.loops(func(at int) reg.VecVirtual {
		v := YMM()
		VMULPD(Mem{Base: y, Disp: at, Index: a.i, Scale: 8}, scale, v)
		VADDPD(Mem{Base: x, Disp: at, Index: a.i, Scale: 8}, v, v)
		return v
	})
}

// count writes the kernel that counts the values from t on.
func count() {
	TEXT("countAboveAVX2", NOSPLIT, "func(x *float64, n int, t float64) int")
	x := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	t := broadcast("t")
	var sums [unroll]reg.VecVirtual
	for u := range sums {
		sums[u] = YMM()
		VPXOR(sums[u], sums[u], sums[u])
	}
	i, wide := start(n)
	each(i, wide, n, func(u int) {
		cut := YMM()
		VMOVUPD(Mem{Base: x, Disp: 32 * u, Index: i, Scale: 8}, cut)
		VCMPPD(U8(greaterOrEqual), t, cut, cut)
		VPSUBQ(cut, sums[u], sums[u])
	})
	VPADDQ(sums[1], sums[0], sums[0])
	VPADDQ(sums[3], sums[2], sums[2])
	VPADDQ(sums[2], sums[0], sums[0])
	half := XMM()
	VEXTRACTI128(U8(1), sums[0], half)
	VPADDQ(half, sums[0].AsX(), half)
	low, high := GP64(), GP64()
	VMOVQ(half, low)
	VPEXTRQ(U8(1), half, high)
	ADDQ(high, low)
	VZEROUPPER()
	Store(low, ReturnIndex(0))
	RET()
}

// fold returns op of all lanes of the sums as a result of the kernel.
func fold(sums [unroll]reg.VecVirtual, op func(ops ...Op), result int) {
	op(sums[1], sums[0], sums[0])
	op(sums[3], sums[2], sums[2])
	op(sums[2], sums[0], sums[0])
	half := XMM()
	VEXTRACTF128(U8(1), sums[0], half)
	op(half, sums[0].AsX(), half)
	other := XMM()
	VPERMILPD(U8(1), half, other)
	op(other, half, half)
	Store(half, ReturnIndex(result))
}

// extremes writes the kernel that finds the smallest and the largest value.
func extremes() {
	TEXT("extremesAVX2", NOSPLIT, "func(x *float64, n int) (smallest, largest float64)")
	x := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	i, wide := start(n)
	var smallest, largest [unroll]reg.VecVirtual
	for u := range unroll {
		smallest[u], largest[u] = YMM(), YMM()
		VMOVUPD(Mem{Base: x}, smallest[u])
		VMOVUPD(Mem{Base: x}, largest[u])
	}
	each(i, wide, n, func(u int) {
		v := YMM()
		VMOVUPD(Mem{Base: x, Disp: 32 * u, Index: i, Scale: 8}, v)
		VMINPD(v, smallest[u], smallest[u])
		VMAXPD(v, largest[u], largest[u])
	})
	fold(smallest, VMINPD, 0)
	fold(largest, VMAXPD, 1)
	VZEROUPPER()
	RET()
}

// nextAbove writes the kernel that finds the smallest value above t. It works on blocks of 16 elements,
// of which the last ends at n and may overlap the one before. A loop over the rest of a block would end
// at another iteration for almost every n, and the processor would mispredict its end.
func nextAbove() {
	TEXT("nextAboveAVX2", NOSPLIT, "func(x *float64, n int, t float64) float64")
	x := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	t := broadcast("t")
	i, last := GP64(), GP64()
	XORQ(i, i)
	MOVQ(n, last)
	SUBQ(U8(4*unroll), last)
	infinity := GLOBL("infinity", RODATA|NOPTR)
	DATA(0, U64(0x7ff0000000000000))
	none := YMM()
	VBROADCASTSD(infinity, none)
	var next [unroll]reg.VecVirtual
	for u := range next {
		next[u] = YMM()
		VMOVAPD(none, next[u])
	}
	lower := func() {
		for u := range unroll {
			v, cut := YMM(), YMM()
			VMOVUPD(Mem{Base: x, Disp: 32 * u, Index: i, Scale: 8}, v)
			VCMPPD(U8(greater), t, v, cut)
			VBLENDVPD(cut, v, none, v)
			VMINPD(v, next[u], next[u])
		}
	}
	Label("block")
	CMPQ(i, last)
	JGE(LabelRef("last"))
	lower()
	ADDQ(U8(4*unroll), i)
	JMP(LabelRef("block"))
	Label("last")
	MOVQ(last, i)
	lower()
	fold(next, VMINPD, 0)
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr(constraint)
	lanes, places := keptLanes(), keptRows()
	keepValues("aboveAVX2", greaterOrEqual, lanes)
	keepValues("belowAVX2", lessOrEqual, lanes)
	keepRows(lanes, places)
	keepSums(lanes)
	count()
	extremes()
	nextAbove()
	Generate()
}
