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
	j := judgement{label: label, side: side, u: u, mask: GP32(), i: GP64()}
	j.halfReach()
	j.compareExtremes()
	j.endUnlessSuspect()

	j.before, j.next = Take(), Take()
	j.compareSteps()
	Give(j.reach, j.t)
	j.endUnlessSuspect()

	j.compareSurvival()
	Give(j.suspect, j.before, j.next)
	Label(label + "_judged")
	return j.dead
}

// judgement holds the registers of judge. Its steps take them in turn.
type judgement struct {
	label string
	side  int
	u     reg.VecPhysical
	mask  reg.GPVirtual // of suspect lanes, or of those near the barrier
	i     reg.GPVirtual // offset of the step's row

	reach        reg.VecPhysical // half of it
	t            reg.VecPhysical // for intermediate values, later the distance
	dead         reg.VecPhysical // paths at or beyond the barrier after some step
	suspect      reg.VecPhysical // other paths that came close to it
	before, next reg.VecPhysical // distances before and after a step
}

// halfReach sets half the reach: 2^k <= 1-U implies -k*ln(2) >= -ln(1-U). dead is still free.
func (j *judgement) halfReach() {
	j.reach, j.t = Take(), Take()
	VMOVAPD(Number(1), j.reach)
	VSUBPD(j.u, j.reach, j.reach)
	VPSRLQ(U8(52), j.reach, j.reach)
	VPOR(Number(1<<52), j.reach, j.reach)
	VSUBPD(Number(1<<52), j.reach, j.reach)
	VCMPPD(U8(less), Number(minShare), j.reach, j.t)
	VMULPD(Number(math.Ln2/2), j.reach, j.reach)
	j.dead = Take()
	VMOVAPD(Number((math.Log(steps)+margin+1023*math.Ln2)/2), j.dead)
	VSUBPD(j.reach, j.dead, j.reach)
	VMOVAPD(Number(bridgeReach/2), j.dead)
	VBLENDVPD(j.t, j.dead, j.reach, j.reach)
}

// compareExtremes sets dead, and suspect by the smallest distance and the largest S.
func (j *judgement) compareExtremes() {
	VMOVAPD(at(atMinSide+j.side), j.t)
	VXORPD(j.dead, j.dead, j.dead)
	VCMPPD(U8(lessOrEqual), j.dead, j.t, j.dead)
	VMULPD(j.t, j.t, j.t)
	j.suspect = Take()
	VMULPD(at(atLargest+j.side), j.reach, j.suspect)
	VMAXPD(Number(minProduct), j.suspect, j.suspect)
	VCMPPD(U8(notGreaterOrEqual), j.suspect, j.t, j.suspect)
}

// endUnlessSuspect takes the dead out of suspect and ends the judgement if no path is left.
func (j *judgement) endUnlessSuspect() {
	VANDNPD(j.suspect, j.dead, j.suspect)
	VMOVMSKPD(j.suspect, j.mask)
	TESTL(j.mask, j.mask)
	JE(LabelRef(j.label + "_judged"))
}

// eachStep writes a loop over the steps.
func (j *judgement) eachStep(name string, body func()) {
	XORQ(j.i, j.i)
	Label(j.label + name)
	body()
	ADDQ(U32(rowBytes), j.i)
	CMPQ(j.i, U32(steps*rowBytes))
	JNE(LabelRef(j.label + name))
}

// row returns where the loop's step has what the first step has at m.
func (j *judgement) row(m Mem) Mem {
	m.Index, m.Scale = j.i, 1
	return m
}

// compareSteps sets suspect by the distances and S of each step.
func (j *judgement) compareSteps() {
	distance := j.t
	VMOVAPD(at(atDistance), distance)
	VMOVAPD(distance, j.before)
	VXORPD(j.suspect, j.suspect, j.suspect)
	j.eachStep("_suspect", func() {
		VMOVAPD(j.row(x(j.side, 0)), j.next)
		VMULPD(at(atSide), j.next, j.next)
		VADDPD(distance, j.next, j.next)
		VMULPD(j.next, j.before, j.before)
		bound := Take()
		VMULPD(j.row(s(j.side, 0)), j.reach, bound)
		VMAXPD(Number(minProduct), bound, bound)
		VCMPPD(U8(notGreaterOrEqual), bound, j.before, bound)
		VORPD(bound, j.suspect, j.suspect)
		Give(bound)
		VMOVAPD(j.next, j.before)
	})
}

// compareSurvival computes the survival probability of the paths that are still suspect, as Go does, and
// adds to dead those whose uniform is not below it.
func (j *judgement) compareSurvival() {
	survival := Take()
	VMOVAPD(Number(1), survival)
	VMOVAPD(at(atDistance), j.before)
	j.eachStep("_exact", func() {
		m, near := Take(), Take()
		VMOVAPD(j.row(x(j.side, 0)), j.next)
		VMULPD(at(atSide), j.next, j.next)
		VADDPD(at(atDistance), j.next, j.next)
		VMULPD(j.next, j.before, m)
		VADDPD(m, m, m)
		VMOVAPD(j.next, j.before)
		VMOVAPD(Number(bridgeReach), near)
		VMULPD(j.row(s(j.side, 0)), near, near)
		VCMPPD(U8(less), near, m, near)
		VANDPD(j.suspect, near, near)
		VMOVMSKPD(near, j.mask)
		TESTL(j.mask, j.mask)
		JE(LabelRef(j.label + "_away"))
		VXORPD(Bits(1<<63), m, m)
		VDIVPD(j.row(s(j.side, 0)), m, m)
		Exp(m)
		one := Take()
		VMOVAPD(Number(1), one)
		VSUBPD(m, one, m)
		VBLENDVPD(near, m, one, m)
		VMULPD(m, survival, survival)
		Give(m, near, one)
		Label(j.label + "_away")
	})
	VCMPPD(U8(greaterOrEqual), survival, j.u, survival)
	VANDPD(j.suspect, survival, survival)
	VORPD(survival, j.dead, j.dead)
	Give(survival)
}
