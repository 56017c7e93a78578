//go:build ignore

// Joint writes the assembly of the weighed sum of many rows.
//
//	go run joint.go -out ../joint_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sliceBytes is the size of a slice's header, whose first word is the address.
const sliceBytes = 24

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	TEXT("weighedSumAVX2", NOSPLIT, "func(dst *float64, n, from int, weights *float64, rows *[]float64, k int)")
	dst := Load(Param("dst"), GP64())
	n := Load(Param("n"), GP64())
	weights := Load(Param("weights"), GP64())
	rows := Load(Param("rows"), GP64())
	k := Load(Param("k"), GP64())
	// Rows and sums are counted by the same number, so dst moves back by the stretch
	// before.
	i, end := GP64(), GP64()
	Load(Param("from"), i)
	ADDQ(i, n)
	MOVQ(i, end)
	SHLQ(U8(3), end)
	SUBQ(end, dst)
	// The rows are walked to their end, in steps of a header.
	last := GP64()
	IMUL3Q(U8(sliceBytes), k, last)
	ADDQ(rows, last)
	weight, row, from := GP64(), GP64(), GP64()
	w := YMM()

	// A tile of 4*width numbers stays in registers while all rows go by.
	tile := func(name string, width int) {
		MOVQ(n, end)
		SUBQ(U8(4*width), end)
		Label(name)
		CMPQ(i, end)
		JG(LabelRef(name + "_end"))
		sums := make([]reg.VecVirtual, width)
		for u := range sums {
			sums[u] = YMM()
			VXORPD(sums[u], sums[u], sums[u])
		}
		MOVQ(weights, weight)
		MOVQ(rows, row)
		Label(name + "_rows")
		CMPQ(row, last)
		JGE(LabelRef(name + "_store"))
		MOVQ(Mem{Base: row}, from)
		VBROADCASTSD(Mem{Base: weight}, w)
		for u := range sums {
			p := YMM()
			VMULPD(Mem{Base: from, Disp: 32 * u, Index: i, Scale: 8}, w, p)
			VADDPD(p, sums[u], sums[u])
		}
		ADDQ(U8(8), weight)
		ADDQ(U8(sliceBytes), row)
		JMP(LabelRef(name + "_rows"))
		Label(name + "_store")
		for u := range sums {
			VMOVUPD(sums[u], Mem{Base: dst, Disp: 32 * u, Index: i, Scale: 8})
		}
		ADDQ(U8(4*width), i)
		JMP(LabelRef(name))
		Label(name + "_end")
	}
	tile("wide", 8)
	tile("narrow", 1)
	VZEROUPPER()
	RET()

	mixBlock()
	Generate()
}

// mixBlock writes the product of four rows of a factor with a block of normals: eight
// columns at a time in registers, while all the rows of normals go by.
func mixBlock() {
	const rows, columns, width = 4, 2, 64 // rows of sums, registers a row, numbers a row
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
