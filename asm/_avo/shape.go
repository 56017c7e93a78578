//go:build ignore

// Shape writes the assembly of TailCurve.Shape, the kernel that turns draws of a copula into
// outcomes, four pairs at a time, one per lane.
//
//	go run shape.go -out ../shape_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "ballast/asm/_avo/lanes"
)

const (
	cellBits    = 5 // asm.tailBits: 32 cells per octave
	exponentOne = 1023 << 52
	atLeast     = 0x1d // GE_OQ
)

// spread broadcasts a parameter to four lanes.
func spread(parameter string) reg.VecVirtual {
	x, y := XMM(), YMM()
	Load(Param(parameter), x)
	VBROADCASTSD(x, y)
	return y
}

// split moves four 32-bit numbers into four general registers.
func split(four reg.VecVirtual) (out [4]reg.GPVirtual) {
	for i := range out {
		out[i] = GP64()
		if i == 0 {
			VMOVD(four.AsX(), out[i].As32())
		} else {
			VPEXTRD(U8(i), four.AsX(), out[i].As32())
		}
	}
	return out
}

// interpolate returns the table's values at positions from 0 to last.
func interpolate(table reg.Register, at, last, lastCell reg.VecVirtual) reg.VecVirtual {
	lower, whole := XMM(), YMM()
	VCVTTPD2DQY(at, lower)
	VCVTDQ2PD(lower, whole)
	// The last position uses the last cell, whose end is the last entry.
	end := YMM()
	VCMPPD(U8(atLeast), last, whole, end)
	VPMINSD(lastCell.AsX(), lower, lower)
	i := split(lower)
	left, right := YMM(), YMM()
	VMOVUPD(Mem{Base: table, Index: i[0], Scale: 8}, left.AsX())
	VMOVUPD(Mem{Base: table, Index: i[1], Scale: 8}, right.AsX())
	VINSERTF128(U8(1), Mem{Base: table, Index: i[2], Scale: 8}, left, left)
	VINSERTF128(U8(1), Mem{Base: table, Index: i[3], Scale: 8}, right, right)
	a, b := YMM(), YMM()
	VUNPCKLPD(right, left, a)
	VUNPCKHPD(right, left, b)
	y, rise := YMM(), YMM()
	VSUBPD(whole, at, y)
	VSUBPD(a, b, rise)
	VMULPD(rise, y, y)
	VADDPD(y, a, y)
	VBLENDVPD(end, b, y, y)
	return y
}

// kernel holds what both loops use.
type kernel struct {
	cells, table   reg.Register
	last, lastCell reg.VecVirtual
	// Two constants live in memory, because all registers are in use.
	beyond, outside Mem
	first, stop     reg.GPVirtual // pointers of the first loop: the draws it reads, where it stops
	from, to        reg.GPVirtual // pointers of the second loop: what it reads and writes
	start           reg.Register  // where it stops
}

// load sets the constants.
func (k *kernel) load() {
	k.cells = Load(Param("cells"), GP64())
	k.table = Load(Param("table"), GP64())
	k.last, k.lastCell = spread("last"), YMM()
	local := AllocLocal(64)
	k.beyond, k.outside = local, local.Offset(32)
	VMOVUPD(spread("beyond"), k.beyond)
	count := Load(Param("count"), GP64())
	DECQ(count)
	cells4 := YMM()
	VMOVQ(count, cells4.AsX())
	VPBROADCASTQ(cells4.AsX(), cells4)
	VMOVDQU(cells4, k.outside)
	cell := Load(Param("lastCell"), GP64())
	VMOVQ(cell, k.lastCell.AsX())
	VPBROADCASTD(k.lastCell.AsX(), k.lastCell)
}

// point sets the pointers. They run from the end to the front, so that four draws are read before the
// eight outcomes that overwrite them are written.
func (k *kernel) point(z reg.Register) {
	groups := Load(Param("end"), GP64())
	k.from, k.to = GP64(), GP64()
	MOVQ(groups, k.from)
	SHLQ(U8(5), k.from)
	ADDQ(z, k.from)
	MOVQ(groups, k.to)
	SHLQ(U8(6), k.to)
	ADDQ(z, k.to)
	k.start = Load(Param("start"), GP64())
	SHLQ(U8(5), k.start)
	ADDQ(z, k.start)
	k.first, k.stop = GP64(), GP64()
	MOVQ(k.from, k.first)
	MOVQ(k.start, k.stop)
}

// positions writes the first loop: each draw becomes the position of its lower outcome in the table, with
// the draw's sign.
func (k *kernel) positions() {
	Label("positions")
	SUBQ(U8(32), k.first)
	t, v := YMM(), YMM()
	VMOVUPD(Mem{Base: k.first}, t)
	VPAND(Bits(1<<63-1), t, v)
	VADDPD(Number(1), v, v)
	over, index := k.locate(v)
	p := cubic(k.coefficients(index), v)
	VBLENDVPD(over, k.beyond, p, p)

	VMULPD(k.last, p, p)
	VPAND(Bits(1<<63), t, t)
	VPOR(t, p, p)
	VMOVUPD(p, Mem{Base: k.first})
	CMPQ(k.first, k.stop)
	JNE(LabelRef("positions"))
}

// locate returns the offset of the cell of each v, at most that of the last, and a mask of the v beyond
// all cells. It replaces v by the distance from the start of its cell.
func (k *kernel) locate(v reg.VecVirtual) (over, index reg.VecVirtual) {
	cell52 := YMM()
	VPSUBQ(Bits(exponentOne), v, cell52)
	VPSRLQ(U8(52-cellBits), cell52, cell52)
	over, index = YMM(), YMM()
	VPCMPGTQ(k.outside, cell52, over)
	VPMINUD(k.outside, cell52, index)
	VPSLLQ(U8(5), index, index) // 32 bytes per cell
	knot := YMM()
	VPAND(Bits(^uint64(1<<(52-cellBits)-1)), v, knot)
	VSUBPD(knot, v, v)
	return over, index
}

// coefficients gathers the coefficients of four cells: the first of each, the second, and so on.
func (k *kernel) coefficients(index reg.VecVirtual) (c [4]reg.VecVirtual) {
	var row [4]reg.VecVirtual
	high := XMM()
	VEXTRACTI128(U8(1), index, high)
	for i := range row {
		at := GP64()
		half := index.AsX()
		if i >= 2 {
			half = high.AsX()
		}
		if i&1 == 0 {
			VMOVQ(half, at)
		} else {
			VPEXTRQ(U8(1), half, at)
		}
		row[i] = YMM()
		VMOVUPD(Mem{Base: k.cells, Index: at, Scale: 1}, row[i])
	}
	l01, h01, l23, h23 := YMM(), YMM(), YMM(), YMM()
	VUNPCKLPD(row[1], row[0], l01)
	VUNPCKHPD(row[1], row[0], h01)
	VUNPCKLPD(row[3], row[2], l23)
	VUNPCKHPD(row[3], row[2], h23)
	for i := range c {
		c[i] = YMM()
	}
	VPERM2F128(U8(0x20), l23, l01, c[0])
	VPERM2F128(U8(0x20), h23, h01, c[1])
	VPERM2F128(U8(0x31), l23, l01, c[2])
	VPERM2F128(U8(0x31), h23, h01, c[3])
	return c
}

// cubic returns the polynomial with coefficients c at v.
func cubic(c [4]reg.VecVirtual, v reg.VecVirtual) (p reg.VecVirtual) {
	p = YMM()
	VMULPD(c[3], v, p)
	for i := 2; i > 0; i-- {
		VADDPD(c[i], p, p)
		VMULPD(v, p, p)
	}
	VADDPD(c[0], p, p)
	return p
}

// outcomes writes the second loop: each position becomes two outcomes.
func (k *kernel) outcomes() {
	Label("outcomes")
	SUBQ(U8(32), k.from)
	SUBQ(U8(64), k.to)
	signed, at, mirror := YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: k.from}, signed)
	VPAND(Bits(1<<63-1), signed, at)
	VSUBPD(at, k.last, mirror)
	low := interpolate(k.table, at, k.last, k.lastCell)
	far := interpolate(k.table, mirror, k.last, k.lastCell)

	one, two := YMM(), YMM()
	VBLENDVPD(signed, low, far, one)
	VBLENDVPD(signed, far, low, two)
	even, odd := YMM(), YMM()
	VUNPCKLPD(two, one, even)
	VUNPCKHPD(two, one, odd)
	VPERM2F128(U8(0x20), odd, even, one)
	VPERM2F128(U8(0x31), odd, even, two)
	VMOVUPD(one, Mem{Base: k.to})
	VMOVUPD(two, Mem{Base: k.to, Disp: 32})
	CMPQ(k.from, k.start)
	JNE(LabelRef("outcomes"))
}

func main() {
	Prefix = "shape"
	ConstraintExpr("amd64,!purego,!noasm")
	TEXT("shapeAVX2", NOSPLIT,
		"func(z *float64, start, end int, cells *[4]float64, count int, beyond float64, table *float64, last float64, "+
			"lastCell int)")
	z := Load(Param("z"), GP64())
	var k kernel
	k.load()
	k.point(z)
	// Two loops, because in a single one the outcomes would wait for the positions.
	k.positions()
	k.outcomes()
	VZEROUPPER()
	RET()
	Generate()
}
