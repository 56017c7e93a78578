package pathkernel

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "ballast/asm/_avo/lanes"
)

// bridge replaces x of liquidated paths by gone. It must only decide whether a path is liquidated, not
// compute its survival probability. Let U be the path's uniform, a the barrier, x and y the values before
// and after a step. A path survives when t = 2(a-x)(a-y)/S >= reach = ln(24/(1-U)) + margin in every
// step: the product of 24 factors 1-exp(-t) then exceeds 1-(1-U)*exp(-margin), rounding included as
// long as 1-U >= 2^-40. The few other paths are computed as in Go.
func bridge(name string, xa, xb reg.VecPhysical, liquidated reg.Register) {
	near := GP32()
	XORL(near, near)
	for side := range 2 {
		extremes(fmt.Sprintf("%s_side%d", name, side), side, near)
	}
	TESTL(near, near)
	JE(LabelRef(name + "_store"))

	// The words of block 6. atPair already points to the next group.
	advance(func(ops ...Op) { VPSUBQ(ops[0], ops[1], ops[2]) })
	var s Stream
	words := philox(&s, at(atBlock+4*(blocks-1)))
	Emit(s)
	advance(func(ops ...Op) { VPADDQ(ops[0], ops[1], ops[2]) })
	for _, w := range [2][2]reg.VecPhysical{{words[0], words[1]}, {words[2], words[3]}} {
		u, low := w[0], w[1]
		VPSLLQ(U8(32), u, u)
		VPBLENDD(U8(0x55), low, u, u)
		VPSRLQ(U8(12), u, u)
		VPOR(Bits(0x3FF<<52), u, u)
		VSUBPD(Number(1), u, u)
		Give(low)
	}
	for side, p := range []reg.VecPhysical{xa, xb} {
		u, n := words[2*side], GP32()
		dead := judge(fmt.Sprintf("%s_side%d", name, side), side, u)
		VMOVMSKPD(dead, n)
		POPCNTL(n, n)
		ADDQ(n.As64(), liquidated)
		loss := Take()
		VMOVAPD(Bits(gone), loss)
		VBLENDVPD(dead, loss, p, p)
		Give(loss, dead, u)
	}
}

// extremes stores the smallest distance and the largest S of each path of one side (0: draws,
// 1: partners). A path that is far from the barrier by these two values is far at every step,
// because rounding is monotone. near becomes nonzero unless all paths are far.
func extremes(label string, side int, near reg.Register) {
	smallest, largest, mask := Take(), Take(), GP32()
	VMOVAPD(s(side, 0), largest)
	for i := 1; i < steps; i++ {
		VMAXPD(s(side, i), largest, largest)
	}
	VMOVAPD(x(side, 0), smallest)
	short, sign := label+"_short", GP64()
	MOVQ(Mem{Base: frame, Disp: atSide * lane}, sign)
	TESTQ(sign, sign)
	JLT(LabelRef(short))
	for i := 1; i < steps; i++ {
		VMINPD(x(side, i), smallest, smallest)
	}
	JMP(LabelRef(short + "_end"))
	Label(short)
	for i := 1; i < steps; i++ {
		VMAXPD(x(side, i), smallest, smallest)
	}
	Label(short + "_end")
	VMULPD(at(atSide), smallest, smallest)
	VADDPD(at(atDistance), smallest, smallest)
	VMINPD(at(atDistance), smallest, smallest)
	VMOVAPD(smallest, at(atMinSide+side))
	VMOVAPD(largest, at(atLargest+side))
	zero := Take()
	VXORPD(zero, zero, zero)
	VMAXPD(zero, smallest, smallest)
	VMULPD(smallest, smallest, smallest)
	VMULPD(Number(bridgeReach/2), largest, largest)
	VMAXPD(Number(minProduct), largest, largest)
	VCMPPD(U8(notGreaterOrEqual), largest, smallest, smallest)
	VMOVMSKPD(smallest, mask)
	ORL(mask, near)
	Give(smallest, largest, zero)
}

// s and x return where S and x of step i of one side are stored.
func s(side, i int) Mem { return at(atTrack + 4*i + 2*side) }
func x(side, i int) Mem { return at(atTrack + 4*i + 2*side + 1) }

const (
	maxLogMove  = 64
	bridgeReach = 37.5
	margin      = 0.01
	// minShare is the biased exponent of the smallest 1-U for which the short reach is valid.
	minShare = 1023 - 40
	// minProduct is a lower bound for products of two distances, well above subnormal numbers.
	minProduct = 1e-290
)

// judge returns a mask of the lanes of one side whose paths are liquidated. u holds their uniforms.
func judge(label string, side int, u reg.VecPhysical) (dead reg.VecPhysical) {
	mask, i := GP32(), GP64()
	row := func(m Mem) Mem { m.Index, m.Scale = i, 1; return m }
	loop := func(name string, body func()) {
		XORQ(i, i)
		Label(label + name)
		body()
		ADDQ(U32(rowBytes), i)
		CMPQ(i, U32(steps*rowBytes))
		JNE(LabelRef(label + name))
	}

	// Half the reach: 2^k <= 1-U implies -k*ln(2) >= -ln(1-U).
	reach, t := Take(), Take()
	VMOVAPD(Number(1), reach)
	VSUBPD(u, reach, reach)
	VPSRLQ(U8(52), reach, reach)
	VPOR(Number(1<<52), reach, reach)
	VSUBPD(Number(1<<52), reach, reach)
	VCMPPD(U8(less), Number(minShare), reach, t)
	VMULPD(Number(math.Ln2/2), reach, reach)
	dead = Take()
	VMOVAPD(Number((math.Log(steps)+margin+1023*math.Ln2)/2), dead)
	VSUBPD(reach, dead, reach)
	VMOVAPD(Number(bridgeReach/2), dead)
	VBLENDVPD(t, dead, reach, reach)

	// dead: paths at or beyond the barrier after some step. suspect: other paths that came close to it.
	VMOVAPD(at(atMinSide+side), t)
	VXORPD(dead, dead, dead)
	VCMPPD(U8(lessOrEqual), dead, t, dead)
	VMULPD(t, t, t)
	suspect := Take()
	VMULPD(at(atLargest+side), reach, suspect)
	VMAXPD(Number(minProduct), suspect, suspect)
	VCMPPD(U8(notGreaterOrEqual), suspect, t, suspect)
	VANDNPD(suspect, dead, suspect)
	VMOVMSKPD(suspect, mask)
	TESTL(mask, mask)
	JE(LabelRef(label + "_judged"))

	// Test the suspect paths step by step.
	distance, before, next := t, Take(), Take()
	VMOVAPD(at(atDistance), distance)
	VMOVAPD(distance, before)
	VXORPD(suspect, suspect, suspect)
	loop("_suspect", func() {
		VMOVAPD(row(x(side, 0)), next)
		VMULPD(at(atSide), next, next)
		VADDPD(distance, next, next)
		VMULPD(next, before, before)
		bound := Take()
		VMULPD(row(s(side, 0)), reach, bound)
		VMAXPD(Number(minProduct), bound, bound)
		VCMPPD(U8(notGreaterOrEqual), bound, before, bound)
		VORPD(bound, suspect, suspect)
		Give(bound)
		VMOVAPD(next, before)
	})
	Give(reach, t)
	VANDNPD(suspect, dead, suspect)
	VMOVMSKPD(suspect, mask)
	TESTL(mask, mask)
	JE(LabelRef(label + "_judged"))

	// Compute the survival probability of the paths that are still suspect, as Go does.
	survival := Take()
	VMOVAPD(Number(1), survival)
	VMOVAPD(at(atDistance), before)
	loop("_exact", func() {
		m, near := Take(), Take()
		VMOVAPD(row(x(side, 0)), next)
		VMULPD(at(atSide), next, next)
		VADDPD(at(atDistance), next, next)
		VMULPD(next, before, m)
		VADDPD(m, m, m)
		VMOVAPD(next, before)
		VMOVAPD(Number(bridgeReach), near)
		VMULPD(row(s(side, 0)), near, near)
		VCMPPD(U8(less), near, m, near)
		VANDPD(suspect, near, near)
		VMOVMSKPD(near, mask)
		TESTL(mask, mask)
		JE(LabelRef(label + "_away"))
		VXORPD(Bits(1<<63), m, m)
		VDIVPD(row(s(side, 0)), m, m)
		Exp(m)
		one := Take()
		VMOVAPD(Number(1), one)
		VSUBPD(m, one, m)
		VBLENDVPD(near, m, one, m)
		VMULPD(m, survival, survival)
		Give(m, near, one)
		Label(label + "_away")
	})
	VCMPPD(U8(greaterOrEqual), survival, u, survival)
	VANDPD(suspect, survival, survival)
	VORPD(survival, dead, dead)
	Give(survival, suspect, before, next)
	Label(label + "_judged")
	return dead
}
