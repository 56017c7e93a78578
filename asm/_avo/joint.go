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

// mixBlock writes the product of four rows of a factor with a block of normals, eight columns
// at a time: the sums stay in registers while the loop passes over all rows of normals.
func mixBlock() {
	const rows, columns, width = 4, 2, 64 // rows of sums, registers per row, numbers per row
	TEXT("mixBlockAVX2", NOSPLIT,
		"func(dst *float64, dstStride int, factor *float64, factorStride, n int, normals, root *float64)")
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
