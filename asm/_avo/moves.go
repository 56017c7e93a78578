//go:build ignore

// Moves writes the assembly of Moves, the kernel that turns outcomes into moves of a price.
//
//	go run moves.go -out ../moves_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "ballast/asm/_avo/lanes"
)

const (
	maxLogMove = 64 // asm.MaxLogMove
	lane       = 32 // bytes per register
)

// spread broadcasts a parameter to four lanes.
func spread(parameter string) reg.VecPhysical {
	address, err := Param(parameter).Resolve()
	if err != nil {
		panic(err)
	}
	y := Take()
	VBROADCASTSD(address.Addr, y)
	return y
}

func main() {
	Prefix = "moves"
	ConstraintExpr("amd64,!purego,!noasm")
	TEXT("movesAVX2", NOSPLIT, "func(z *float64, n int, scale, most float64)")
	z, n := Load(Param("z"), GP64()), Load(Param("n"), GP64())
	scale, most := spread("scale"), spread("most")
	Label("four")
	x := Take()
	VMULPD(Mem{Base: z}, scale, x)
	VMINPD(Number(maxLogMove), x, x)
	VMAXPD(Number(-maxLogMove), x, x)
	Exp(x)
	VSUBPD(Number(1), x, x)
	VMINPD(most, x, x)
	VMOVUPD(x, Mem{Base: z})
	ADDQ(U8(lane), z)
	SUBQ(U8(4), n)
	JNE(LabelRef("four"))
	VZEROUPPER()
	RET()
	Generate()
}
