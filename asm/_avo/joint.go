//go:build ignore

// Joint writes the assembly that adds the rows of a joint replay or simulation.
//
//	go run joint.go -out ../joint_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sliceBytes is the size of a slice header; its first word is the data pointer.
const sliceBytes = 24

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	weightedSum()
	coarseSum()
	coarseWiden()
	mixBlock()
	Generate()
}

// weightedSum adds the rows in groups over their whole length, because the processor's
// prefetcher follows a few rows at a time, not two hundred. The first group does not add what dst held before.
func weightedSum() {
	TEXT("weightedSumAVX2", NOSPLIT, "func(dst *float64, n, from int, weights *float64, rows *[]float64, k int)")
	dst := Load(Param("dst"), GP64())
	n := Load(Param("n"), GP64())
	first := Load(Param("from"), GP64())
	weights := Load(Param("weights"), GP64())
	row := Load(Param("rows"), GP64())
	k := Load(Param("k"), GP64())
	// One index addresses the rows and the sums. It runs from -n up to 0.
	LEAQ(Mem{Base: dst, Index: n, Scale: 8}, dst)
	ADDQ(n, first)
	NEGQ(n)
	i := GP64()
	keep := YMM()
	VXORPD(keep, keep, keep)

	group := func(name string, rows int) {
		Label(name)
		CMPQ(k, U8(rows))
		JL(LabelRef(name + "_end"))
		from, w := make([]reg.GPVirtual, rows), make([]reg.VecVirtual, rows)
		for r := range rows {
			from[r], w[r] = GP64(), YMM()
			MOVQ(Mem{Base: row, Disp: sliceBytes * r}, from[r])
			LEAQ(Mem{Base: from[r], Index: first, Scale: 8}, from[r])
			VBROADCASTSD(Mem{Base: weights, Disp: 8 * r}, w[r])
		}
		MOVQ(n, i)
		add := func(loop string, width int) {
			Label(loop)
			ADDQ(U8(4*width), i)
			JG(LabelRef(loop + "_end"))
			for u := range width {
				disp := 32 * (u - width)
				sum := YMM()
				VANDPD(Mem{Base: dst, Disp: disp, Index: i, Scale: 8}, keep, sum)
				for r := range rows {
					p := YMM()
					VMULPD(Mem{Base: from[r], Disp: disp, Index: i, Scale: 8}, w[r], p)
					VADDPD(p, sum, sum)
				}
				VMOVUPD(sum, Mem{Base: dst, Disp: disp, Index: i, Scale: 8})
			}
			JMP(LabelRef(loop))
			Label(loop + "_end")
			SUBQ(U8(4*width), i)
		}
		add(name+"_wide", 2)
		add(name+"_narrow", 1)
		ADDQ(U8(8*rows), weights)
		ADDQ(U8(sliceBytes*rows), row)
		SUBQ(U8(rows), k)
		VPCMPEQQ(keep, keep, keep)
		JMP(LabelRef(name))
		Label(name + "_end")
	}
	group("four", 4)
	group("two", 2)
	group("one", 1)
	VZEROUPPER()
	RET()
}

// coarseSum adds four rows of int16, two at a time: the values of two rows are interleaved, and one
// instruction multiplies and adds both. The sums of sixteen columns are then in the order 0-3,
// 8-11, 4-7, 12-15; coarseWiden restores the order. It also prefetches n elements of each of the next
// four rows, from nextFrom on: a processor's own prefetching stops at the end of a page, and the
// next rows are on other pages.
func coarseSum() {
	TEXT("coarseSumAVX2", NOSPLIT, "func(sums *int32, n, from int, weights *int16, rows *[]int16, shift uint64, next *[]int16, nextFrom int)")
	const rows = 4
	sums := Load(Param("sums"), GP64())
	n := Load(Param("n"), GP64())
	first := Load(Param("from"), GP64())
	weights := Load(Param("weights"), GP64())
	row := Load(Param("rows"), GP64())
	shift := XMM()
	address, err := Param("shift").Resolve()
	if err != nil {
		panic(err)
	}
	VMOVQ(address.Addr, shift)
	var from [rows]reg.GPVirtual
	var w [rows / 2]reg.VecVirtual
	for r := range rows {
		from[r] = GP64()
		MOVQ(Mem{Base: row, Disp: sliceBytes * r}, from[r])
		LEAQ(Mem{Base: from[r], Index: first, Scale: 2}, from[r])
	}
	for pair := range w {
		w[pair] = YMM()
		VPBROADCASTD(Mem{Base: weights, Disp: 4 * pair}, w[pair])
	}
	next := Load(Param("next"), GP64())
	nextFirst := Load(Param("nextFrom"), GP64())
	var ahead [rows]reg.GPVirtual
	for r := range rows {
		ahead[r] = GP64()
		MOVQ(Mem{Base: next, Disp: sliceBytes * r}, ahead[r])
		LEAQ(Mem{Base: ahead[r], Index: nextFirst, Scale: 2}, ahead[r])
	}
	i := GP64()
	XORQ(i, i)
	Label("coarse_loop")
	for r := range rows {
		PREFETCHT0(Mem{Base: ahead[r], Index: i, Scale: 2})
	}
	for half := range 2 {
		var low, high [rows / 2]reg.VecVirtual
		for pair := range w {
			x, y := YMM(), YMM()
			low[pair], high[pair] = YMM(), YMM()
			VMOVDQU(Mem{Base: from[2*pair], Disp: 32 * half, Index: i, Scale: 2}, x)
			VMOVDQU(Mem{Base: from[2*pair+1], Disp: 32 * half, Index: i, Scale: 2}, y)
			VPUNPCKLWD(y, x, low[pair])
			VPUNPCKHWD(y, x, high[pair])
			VPMADDWD(w[pair], low[pair], low[pair])
			VPMADDWD(w[pair], high[pair], high[pair])
		}
		for at, x := range [][rows / 2]reg.VecVirtual{low, high} {
			sum := Mem{Base: sums, Disp: 64*half + 32*at, Index: i, Scale: 4}
			VPADDD(x[1], x[0], x[0])
			VPSRAD(shift, x[0], x[0])
			VPADDD(sum, x[0], x[0])
			VMOVDQU(x[0], sum)
		}
	}
	ADDQ(U8(32), i)
	CMPQ(i, n)
	JL(LabelRef("coarse_loop"))
	VZEROUPPER()
	RET()
}

// coarseWiden multiplies the sums of coarseSum by a unit and writes them in column order.
func coarseWiden() {
	TEXT("coarseWidenAVX2", NOSPLIT, "func(dst *float64, sums *int32, n int, unit float64)")
	dst := Load(Param("dst"), GP64())
	sums := Load(Param("sums"), GP64())
	n := Load(Param("n"), GP64())
	unit := YMM()
	address, err := Param("unit").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(address.Addr, unit)
	i := GP64()
	XORQ(i, i)
	Label("coarse_wide")
	for quarter, at := range [4]int{0, 2, 1, 3} {
		wide := YMM()
		VCVTDQ2PD(Mem{Base: sums, Disp: 16 * at, Index: i, Scale: 4}, wide)
		VMULPD(unit, wide, wide)
		VMOVUPD(wide, Mem{Base: dst, Disp: 32 * quarter, Index: i, Scale: 8})
	}
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JL(LabelRef("coarse_wide"))
	VZEROUPPER()
	RET()
}

// mixBlock writes the product of four rows of a factor with a block of normals, eight columns
// at a time: the sums stay in registers while the loop passes over all rows of normals.
func mixBlock() {
	const rows, columns, width = 4, 2, 64 // rows of sums, registers per row, numbers per row
	TEXT("mixBlockAVX2", NOSPLIT, "func(dst *float64, dstStride int, factor *float64, factorStride, n int, normals, root *float64)")
	stride := func(name string) reg.Register {
		r := Load(Param(name), GP64())
		SHLQ(U8(3), r)
		return r
	}
	var to, from [rows]reg.Register
	step := stride("dstStride")
	to[0] = Load(Param("dst"), GP64())
	for r := 1; r < rows; r++ {
		to[r] = GP64()
		LEAQ(Mem{Base: to[r-1], Index: step, Scale: 1}, to[r])
	}
	step = stride("factorStride")
	from[0] = Load(Param("factor"), GP64())
	for r := 1; r < rows; r++ {
		from[r] = GP64()
		LEAQ(Mem{Base: from[r-1], Index: step, Scale: 1}, from[r])
	}
	n := Load(Param("n"), GP64())
	normals := Load(Param("normals"), GP64())
	root := Load(Param("root"), GP64())
	at, m, g := GP64(), GP64(), GP64()
	XORQ(at, at)
	Label("mix_columns")
	var sums [rows][columns]reg.VecVirtual
	for r := range sums {
		for c := range sums[r] {
			sums[r][c] = YMM()
			VXORPD(sums[r][c], sums[r][c], sums[r][c])
		}
	}
	XORQ(m, m)
	LEAQ(Mem{Base: normals, Index: at, Scale: 1}, g)
	Label("mix_rows")
	var x [columns]reg.VecVirtual
	for c := range x {
		x[c] = YMM()
		VMOVUPD(Mem{Base: g, Disp: 32 * c}, x[c])
	}
	for r := range rows {
		w := YMM()
		VBROADCASTSD(Mem{Base: from[r], Index: m, Scale: 8}, w)
		for c := range columns {
			p := YMM()
			VMULPD(x[c], w, p)
			VADDPD(p, sums[r][c], sums[r][c])
		}
	}
	ADDQ(I32(8*width), g)
	INCQ(m)
	CMPQ(m, n)
	JL(LabelRef("mix_rows"))
	for c := range columns {
		w := YMM()
		VMOVUPD(Mem{Base: root, Disp: 32 * c, Index: at, Scale: 1}, w)
		for r := range rows {
			VMULPD(w, sums[r][c], sums[r][c])
			VMOVUPD(sums[r][c], Mem{Base: to[r], Disp: 32 * c, Index: at, Scale: 1})
		}
	}
	ADDQ(U8(32*columns), at)
	CMPQ(at, U32(8*width))
	JL(LabelRef("mix_columns"))
	VZEROUPPER()
	RET()
}
