//go:build ignore

// Pathloss writes the assembly of the replay of recorded paths.
//
//	go run pathloss.go -out ../pathloss_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// sliceBytes is the size of a slice header; its first word is the data pointer.
	sliceBytes = 24
	// pathMarks and pathBlock are PathMarks and PathBlock of package asm.
	pathMarks, pathBlock = 6, 4
	lanes                = 4
)

func main() {
	ConstraintExpr("amd64,!purego,!noasm")
	weightedSum32()
	pathLoss(false)
	pathLoss(true)
	Generate()
}

// spread broadcasts a parameter to four lanes.
func spread(parameter string) reg.VecVirtual {
	address, err := Param(parameter).Resolve()
	if err != nil {
		panic(err)
	}
	y := YMM()
	VBROADCASTSD(address.Addr, y)
	return y
}

// weightedSum32 adds the rows in groups to n sums, eight sums at a time. The sums stay in the first-level
// cache from one group to the next.
func weightedSum32() {
	TEXT("weightedSum32AVX2", NOSPLIT, "func(dst *float64, n, from int, weights *float64, rows *[]float32, k int)")
	dst := Load(Param("dst"), GP64())
	n := Load(Param("n"), GP64())
	first := Load(Param("from"), GP64())
	weights := Load(Param("weights"), GP64())
	row := Load(Param("rows"), GP64())
	k := Load(Param("k"), GP64())
	i := GP64()
	keep := YMM() // the first group does not add what dst held before
	VXORPD(keep, keep, keep)
	group := func(name string, rows int) {
		Label(name)
		CMPQ(k, U8(rows))
		JL(LabelRef(name + "_end"))
		from, w := make([]reg.GPVirtual, rows), make([]reg.VecVirtual, rows)
		for r := range rows {
			from[r], w[r] = GP64(), YMM()
			MOVQ(Mem{Base: row, Disp: sliceBytes * r}, from[r])
			LEAQ(Mem{Base: from[r], Index: first, Scale: 4}, from[r])
			VBROADCASTSD(Mem{Base: weights, Disp: 8 * r}, w[r])
		}
		XORQ(i, i)
		Label(name + "_loop")
		for half := range 2 {
			sum := YMM()
			VANDPD(Mem{Base: dst, Disp: 32 * half, Index: i, Scale: 8}, keep, sum)
			for r := range rows {
				x := YMM()
				VCVTPS2PD(Mem{Base: from[r], Disp: 16 * half, Index: i, Scale: 4}, x)
				VMULPD(w[r], x, x)
				VADDPD(x, sum, sum)
			}
			VMOVUPD(sum, Mem{Base: dst, Disp: 32 * half, Index: i, Scale: 8})
		}
		ADDQ(U8(2*lanes), i)
		CMPQ(i, n)
		JL(LabelRef(name + "_loop"))
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

// pathLoss writes the loss of n paths, four at a time, and the sums of the squares at the last mark, one
// per lane. With two, the others are the float32 moves of one leg, with a weight.
func pathLoss(two bool) {
	name, parameters := "pathLossAVX2", "others *float64"
	if two {
		name, parameters = "pathLossOfTwoAVX2", "others *float32, held float64"
	}
	TEXT(name, NOSPLIT, "func(dst *float64, n int, "+parameters+", own *float32, weight float64, beyond *float32, "+
		"scale, between float64, ends *[4]float64)")
	p := replay{two: two, dst: Load(Param("dst"), GP64())}
	n := Load(Param("n"), GP64())
	p.others = Load(Param("others"), GP64())
	if two {
		p.held = spread("held")
	}
	p.own = Load(Param("own"), GP64())
	p.weight = spread("weight")
	p.beyond = Load(Param("beyond"), GP64())
	p.scale, p.between = spread("scale"), spread("between")
	ends := Load(Param("ends"), GP64())
	p.squaredEnds, p.zero = YMM(), YMM()
	VXORPD(p.squaredEnds, p.squaredEnds, p.squaredEnds)
	VXORPD(p.zero, p.zero, p.zero)
	p.i = GP64()
	XORQ(p.i, p.i)
	Label("paths")
	for half := range pathBlock / lanes {
		p.paths(half)
	}
	othersBytes := uint32(8)
	if two {
		othersBytes = 4
	}
	ADDQ(U32(othersBytes*pathBlock*pathMarks), p.others)
	ADDQ(U32(4*pathBlock*pathMarks), p.own)
	ADDQ(U8(pathBlock), p.i)
	CMPQ(p.i, n)
	JL(LabelRef("paths"))
	VMOVUPD(p.squaredEnds, Mem{Base: ends})
	VZEROUPPER()
	RET()
}

// replay holds the registers of pathLoss.
type replay struct {
	two                          bool
	dst, others, own, beyond     reg.Register
	held, weight, scale, between reg.VecVirtual
	squaredEnds, zero            reg.VecVirtual
	i                            reg.GPVirtual // number of the block's first path
}

// paths writes what asm.PathLoss defines for four paths of a block.
func (p *replay) paths(half int) {
	highest, last, squares := YMM(), YMM(), YMM()
	for mark := range pathMarks {
		l := p.loss(mark*pathBlock + half*lanes)
		if mark == 0 {
			VMULPD(l, l, squares)
			VMAXPD(p.zero, l, highest)
		} else {
			step := YMM()
			VSUBPD(last, l, step)
			VMULPD(step, step, step)
			VADDPD(step, squares, squares)
			VMAXPD(highest, l, highest)
		}
		last = l
	}
	VMULPD(last, last, last)
	VADDPD(last, p.squaredEnds, p.squaredEnds)
	VSQRTPD(squares, squares)
	VMULPD(p.between, squares, squares)
	VADDPD(squares, highest, highest)
	far := YMM()
	VCVTPS2PD(Mem{Base: p.beyond, Disp: 4 * half * lanes, Index: p.i, Scale: 4}, far)
	VMULPD(p.scale, far, far)
	VADDPD(far, highest, highest)
	VMOVUPD(highest, Mem{Base: p.dst, Disp: 8 * half * lanes, Index: p.i, Scale: 8})
}

// loss returns the losses of four paths at one mark, at numbers from the block's first.
func (p *replay) loss(at int) reg.VecVirtual {
	l := YMM()
	VCVTPS2PD(Mem{Base: p.own, Disp: 4 * at}, l)
	VMULPD(p.weight, l, l)
	if p.two {
		other := YMM()
		VCVTPS2PD(Mem{Base: p.others, Disp: 4 * at}, other)
		VMULPD(p.held, other, other)
		VADDPD(l, other, l)
	} else {
		VADDPD(Mem{Base: p.others, Disp: 8 * at}, l, l)
	}
	return l
}
