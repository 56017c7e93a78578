//go:build ignore

// Prefetch writes the assembly of the prefetches, which load memory into the processor's caches without
// waiting for it.
//
//	go run prefetch.go -out ../prefetch_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")

	// 1. prefetchAt
	TEXT("prefetchAt", NOSPLIT, "func(x *byte, size int, at *int32, n int)")
	x := Load(Param("x"), GP64())
	size := Load(Param("size"), GP64())
	at := Load(Param("at"), GP64())
	n := Load(Param("n"), GP64())
	i, offset := GP64(), GP64()
	XORQ(i, i)
	Label("next")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	MOVLQSX(Mem{Base: at, Index: i, Scale: 4}, offset)
	IMULQ(size, offset)
	PREFETCHT0(Mem{Base: x, Index: offset, Scale: 1})
	INCQ(i)
	JMP(LabelRef("next"))
	Label("done")
	RET()

	// 2. prefetchLines
	TEXT("prefetchLines", NOSPLIT, "func(x *byte, n int)")
	x = Load(Param("x"), GP64())
	n = Load(Param("n"), GP64())
	Label("next")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	PREFETCHT0(Mem{Base: x})
	ADDQ(U8(64), x)
	DECQ(n)
	JMP(LabelRef("next"))
	Label("done")
	RET()

	Generate()
}
