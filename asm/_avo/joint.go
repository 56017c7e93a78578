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
	Generate()
}
