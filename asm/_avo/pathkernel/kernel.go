// Package pathkernel writes the assembly of the path kernel.
//
// The lanes of a register hold four pairs: one register holds the draws of each pair, another their
// antithetic partners. Philox words and products are in 64-bit lanes; the multiplication reads only
// the lower half, so the upper half may hold anything. While the steps of a group of four pairs are
// computed, the random words of the next group are computed in between. Square roots, the slowest
// instruction, are needed for x only, never for the variance.
package pathkernel

import (
	"go/token"
	"go/types"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "ballast/asm/_avo/lanes"
)

const (
	steps  = 24
	rounds = 10
	blocks = steps/4 + 1 // the last block is for the Brownian bridge
	lane   = 32          // bytes per register

	memories = 3 // of the variance
)

// Offsets of the fields of asm.pathArguments, the kernel's argument.
const (
	argPairs      = 0
	argCount      = 8
	argHalf       = 16
	argFirstRound = 24
	argBlock      = 32                   // [blocks][4]
	argKey        = argBlock + blocks*32 // [rounds][2]; the first three are unused
	argStart      = argKey + rounds*16
	argDecay      = argStart + 8*memories
	argFeed       = argDecay + 8*memories
	argBase       = argFeed + 8*memories
	argSide       = argBase + 8
	argDistance   = argSide + 8
	argGain       = argDistance + 8
	argLiquidated = argGain + 8
	argFunding    = argLiquidated + 8
	argHasBarrier = argFunding + 8
	argHour       = argHasBarrier + 8
)

// Stack frame, in registers: constants broadcast to every lane, then the loop's variables.
const (
	atCount = iota
	atHalf
	atFirstRound
	atBase
	atSide
	atDistance
	atGain
	atLiquidated
	atFunding
	atPair // numbers of the pairs whose words are computed next
	atStart
	atDecay = atStart + memories
	atFeed  = atDecay + memories
	atKey   = atFeed + memories
	atBlock = atKey + 2*rounds
	atDraw  = atBlock + 4*blocks // [steps] offsets into the table of pairs
	atHour  = atDraw + steps     // [steps] factors
	atZero  = atHour + steps     // values before the first step
	// [steps] rows of variance S and log return x: S, x of the draws, S, x of the partners
	atTrack   = atZero + 4
	atMinSide = atTrack + 4*steps // [2] smallest distance to the barrier on each path
	atLargest = atMinSide + 2     // [2] largest S on each path
	atEnd     = atLargest + 2
)

const rowBytes = 4 * lane

var (
	frame   reg.GPVirtual
	numbers Mem // numbers 0 to 3 of the pairs within a group
)

func at(i int) Mem { return Mem{Base: frame, Disp: i * lane} }

// philox emits the four words of one block of the pairs at atPair, in the lower half of each lane. The
// parts of the first three rounds that are equal for all pairs are computed in Go.
func philox(s *Stream, block Mem) (c *[4]reg.VecPhysical) {
	c = new([4]reg.VecPhysical)
	part := func(i int) Mem { block := block; block.Disp += i * lane; return block }
	m0, m1 := Bits(0xD2511F53), Bits(0xCD9E8D57)
	var t reg.VecPhysical
	s.Add(
		func() { c[2] = Take(); VMOVDQA(at(atPair), c[2]) },
		func() { VPXOR(at(atFirstRound), c[2], c[2]) },
		func() { VPMULUDQ(m0, c[2], c[2]) },
		func() { t = Take(); VPSRLQ(U8(32), c[2], t) },
		func() { VPXOR(part(0), t, t) },
		func() { c[1] = Take(); VPMULUDQ(m1, t, c[1]); Give(t) },
		func() { c[0] = Take(); VPSRLQ(U8(32), c[1], c[0]) },
		func() { VPXOR(part(1), c[0], c[0]) },
		func() { VPXOR(part(2), c[2], c[2]) },
		func() { c[3] = Take(); VMOVDQA(part(3), c[3]) },
	)
	for r := 3; r < rounds; r++ {
		k0, k1 := at(atKey+2*r), at(atKey+2*r+1)
		s.Add(
			func() { VPMULUDQ(m1, c[2], c[2]) },
			func() { VPMULUDQ(m0, c[0], c[0]) },
			func() { VPXOR(k0, c[1], c[1]) },
			func() { t = Take(); VPSRLQ(U8(32), c[2], t) },
			func() { VPXOR(t, c[1], c[1]); Give(t) },
			func() { VPXOR(k1, c[3], c[3]) },
			func() { t = Take(); VPSRLQ(U8(32), c[0], t) },
			func() { VPXOR(t, c[3], c[3]); Give(t) },
			func() { c[0], c[1], c[2], c[3] = c[1], c[2], c[3], c[0] },
		)
	}
	return c
}

// draws turns words into offsets into the table of pairs.
func draws(s *Stream, words *[4]reg.VecPhysical, to Mem) {
	for i := range words {
		to := to
		to.Disp += i * lane
		s.Add(
			func() { VPMULUDQ(at(atCount), words[i], words[i]) },
			func() { VPADDQ(at(atHalf), words[i], words[i]) },
			func() { VPSRLQ(U8(32), words[i], words[i]) },
			func() { VPSLLQ(U8(4), words[i], words[i]) },
			func() { VMOVDQA(words[i], to); Give(words[i]) },
		)
	}
}

// step moves four pairs by one step: it reads x from the row before row and writes S and x to row.
func step(s *Stream, pairs reg.Register, draw, hour, row Mem, a, b *[memories]reg.VecPhysical) {
	off := func(m Mem, by int) Mem { m.Disp += by; return m }
	var i [4]reg.GPVirtual
	for l := range i {
		i[l] = GP64()
		s.Add(func() { MOVQ(off(draw, 8*l), i[l]) })
	}
	entry := func(l int) Mem { return Mem{Base: pairs, Index: i[l], Scale: 1} }
	var even, u, v reg.VecPhysical
	s.Add(
		func() { even = Take(); VMOVUPD(entry(0), even.AsX()) },
		func() { VINSERTF128(U8(1), entry(2), even, even) },
		func() { v = Take(); VMOVUPD(entry(1), v.AsX()) },
		func() { VINSERTF128(U8(1), entry(3), v, v) },
		func() { u = Take(); VUNPCKLPD(v, even, u) },
		func() { VUNPCKHPD(v, even, v); Give(even) },
	)
	side := func(m *[memories]reg.VecPhysical, u *reg.VecPhysical, row Mem) {
		var sum, q, t reg.VecPhysical
		s.Add(
			func() { sum = Take(); VADDPD(m[2], m[1], sum) },
			func() { VADDPD(sum, m[0], sum) },
			func() { VADDPD(at(atBase), sum, sum) },
			func() { q = Take(); VMULPD(*u, *u, q) },
			func() { VMULPD(q, sum, q) },
			func() { VMULPD(hour, sum, sum) },
			func() { VMOVAPD(sum, row) },
			func() { VSQRTPD(sum, sum) },
			func() { VMULPD(*u, sum, sum); Give(*u) },
			func() { VADDPD(off(row, lane-rowBytes), sum, sum) },
			func() { VMOVAPD(sum, off(row, lane)); Give(sum) },
		)
		for i := range m {
			s.Add(
				func() { VMULPD(at(atDecay+i), m[i], m[i]) },
				func() { t = Take(); VMULPD(at(atFeed+i), q, t) },
				func() { VADDPD(t, m[i], m[i]); Give(t) },
			)
		}
		s.Add(func() { Give(q) })
	}
	side(a, &u, row)
	side(b, &v, off(row, 2*lane))
}

// gone is stored as x of a liquidated path: a NaN whose bits differ from those of the NaN that
// arithmetic produces.
const gone = 0x7FF84C4951554944

// gains turns the final x of all paths of a call into P&L, a group at a time. As a separate
// pass it is limited by throughput instead of latency.
func gains(label string, pnl, groups reg.Register) {
	Label(label)
	for i := range 2 {
		to := Mem{Base: pnl, Disp: i * lane}
		x, bound, end := Take(), Take(), Take()
		VMOVUPD(to, end)
		VMOVAPD(Number(maxLogMove), x)
		VMINPD(end, x, x)
		VMOVAPD(Number(-maxLogMove), bound)
		VMAXPD(x, bound, x)
		Exp(x)
		VSUBPD(Number(1), x, x)
		VMULPD(at(atGain), x, x)
		VSUBPD(at(atFunding), x, x)
		VPCMPEQQ(Bits(gone), end, end)
		VMOVAPD(at(atLiquidated), bound)
		VBLENDVPD(end, bound, x, x)
		VMOVUPD(x, to)
		Give(x, bound, end)
	}
	ADDQ(U8(2*lane), pnl)
	DECQ(groups)
	JNE(LabelRef(label))
}

// pairTable writes the kernel that stores each entry of a table next to its partner.
func pairTable() {
	TEXT("pathPairsAVX2", NOSPLIT, "func(pairs, draws *float64, n uint64)")
	Doc("pathPairsAVX2 sets the pairs of the first n&^3 of n draws.")
	pairs, low, n := Load(Param("pairs"), GP64()), Load(Param("draws"), GP64()), Load(Param("n"), GP64())
	high := GP64()
	LEAQ(Mem{Base: low, Index: n, Scale: 8, Disp: -lane}, high)
	SHRQ(U8(2), n)
	Label("four")
	VMOVUPD(Mem{Base: low}, reg.Y0)
	VPERMPD(U8(0x1B), Mem{Base: high}, reg.Y1)
	VUNPCKLPD(reg.Y1, reg.Y0, reg.Y2)
	VUNPCKHPD(reg.Y1, reg.Y0, reg.Y3)
	VPERM2F128(U8(0x20), reg.Y3, reg.Y2, reg.Y0)
	VPERM2F128(U8(0x31), reg.Y3, reg.Y2, reg.Y1)
	VMOVUPD(reg.Y0, Mem{Base: pairs})
	VMOVUPD(reg.Y1, Mem{Base: pairs, Disp: lane})
	ADDQ(U8(lane), low)
	SUBQ(U8(lane), high)
	ADDQ(U8(2*lane), pairs)
	DECQ(n)
	JNE(LabelRef("four"))
	VZEROUPPER()
	RET()
}

// Comparisons, ordered and quiet.
const (
	less              = 0x11
	lessOrEqual       = 0x12
	greaterOrEqual    = 0x1D
	notGreaterOrEqual = 0x19 // also true for NaN
)

// kernel writes the path loop.
func kernel(name string) {
	TEXT(name, 0, "func(a *pathArguments, first uint64, pnl *float64, groups uint64) (liquidated uint64)")
	Doc(name + " simulates groups of four pairs.")
	args := Load(Param("a"), GP64())
	pnl := Load(Param("pnl"), GP64())
	groups := Load(Param("groups"), GP64())

	frame = GP64()
	LEAQ(AllocLocal((atEnd+1)*lane), frame)
	ADDQ(U8(lane-1), frame)
	ANDQ(I8(-lane), frame)

	pairs, liquidated, unit := GP64(), GP64(), GP64()
	MOVQ(arg(args, argPairs), pairs)
	fillConstants(args)
	fillVariables()
	XORQ(liquidated, liquidated)

	// Words of the first group.
	eachUnit(name+"_first", unit, func() {
		var s Stream
		draws(&s, philox(&s, blockOf(unit)), drawOf(unit, 0))
		Emit(s)
	})

	Label(name + "_group")
	advance(func(ops ...Op) { VPADDQ(ops[0], ops[1], ops[2]) })
	walkGroup(name, pairs, unit)

	// Final values of the paths; liquidated paths become gone.
	xa, xb := Take(), Take()
	VMOVAPD(x(0, steps-1), xa)
	VMOVAPD(x(1, steps-1), xb)
	CMPQ(arg(args, argHasBarrier), Imm(0))
	JE(LabelRef(name + "_store"))
	bridge(name, xa, xb, liquidated)

	Label(name + "_store")
	store(xa, xb, pnl)
	ADDQ(U8(2*lane), pnl)
	DECQ(groups)
	JNE(LabelRef(name + "_group"))

	Load(Param("pnl"), pnl)
	Load(Param("groups"), groups)
	gains(name+"_gains", pnl, groups)

	VZEROUPPER()
	Store(liquidated, ReturnIndex(0))
	RET()
}

// arg returns where an argument is.
func arg(args reg.Register, offset int) Mem { return Mem{Base: args, Disp: offset} }

// fillConstants broadcasts the constants to all lanes.
func fillConstants(args reg.Register) {
	fill := func(offset, to int) {
		VBROADCASTSD(arg(args, offset), reg.Y0)
		VMOVAPD(reg.Y0, at(to))
	}
	for _, c := range [][2]int{
		{argCount, atCount}, {argHalf, atHalf}, {argFirstRound, atFirstRound}, {argBase, atBase},
		{argSide, atSide}, {argDistance, atDistance}, {argGain, atGain},
		{argLiquidated, atLiquidated}, {argFunding, atFunding},
	} {
		fill(c[0], c[1])
	}
	for k := range memories {
		fill(argStart+8*k, atStart+k)
		fill(argDecay+8*k, atDecay+k)
		fill(argFeed+8*k, atFeed+k)
	}
	for i := 6; i < 2*rounds; i++ {
		fill(argKey+8*i, atKey+i)
	}
	for i := range 4 * blocks {
		fill(argBlock+8*i, atBlock+i)
	}
	for i := range steps {
		fill(argHour+8*i, atHour+i)
	}
}

// fillVariables sets x before the first step and the numbers of the first four pairs.
func fillVariables() {
	VXORPD(reg.Y0, reg.Y0, reg.Y0)
	VMOVAPD(reg.Y0, at(atZero+1))
	VMOVAPD(reg.Y0, at(atZero+3))
	first, _ := Param("first").Resolve()
	VPBROADCASTQ(first.Addr, reg.Y0)
	VPADDQ(numbers, reg.Y0, reg.Y0)
	VMOVDQA(reg.Y0, at(atPair))
}

// eachUnit writes a loop over the six blocks of four steps. unit is the byte offset of a block, from 0 to
// the size of six blocks of four registers. It indexes the constants of a block, its four draws and its
// four factors; rows are four times as far apart.
func eachUnit(label string, unit reg.Register, body func()) {
	XORQ(unit, unit)
	Label(label)
	body()
	ADDQ(U32(4*lane), unit)
	CMPQ(unit, U32(6*4*lane))
	JNE(LabelRef(label))
}

// blockOf, drawOf, hourOf and rowOf return where a unit has its constants, and its step i the rest.
func blockOf(unit reg.Register) Mem {
	return Mem{Base: frame, Disp: atBlock * lane, Index: unit, Scale: 1}
}

func drawOf(unit reg.Register, i int) Mem {
	return Mem{Base: frame, Disp: (atDraw + i) * lane, Index: unit, Scale: 1}
}

func hourOf(unit reg.Register, i int) Mem {
	return Mem{Base: frame, Disp: (atHour + i) * lane, Index: unit, Scale: 1}
}

func rowOf(unit reg.Register, i int) Mem {
	return Mem{Base: frame, Disp: (atTrack + 4*i) * lane, Index: unit, Scale: 4}
}

// walkGroup moves the four pairs of a group through all steps and computes the next group's draws.
func walkGroup(name string, pairs, unit reg.Register) {
	var a, b [memories]reg.VecPhysical
	for i := range memories {
		a[i], b[i] = Take(), Take()
		VMOVAPD(at(atStart+i), a[i])
		VMOVAPD(at(atStart+i), b[i])
	}
	eachUnit(name+"_unit", unit, func() {
		var walk, words Stream
		for i := range 4 {
			step(&walk, pairs, drawOf(unit, i), hourOf(unit, i), rowOf(unit, i), &a, &b)
		}
		// New draws overwrite draws of the current group. They come last in their stream, after the
		// steps have read the old ones.
		w := philox(&words, blockOf(unit))
		draws(&words, w, drawOf(unit, 0))
		Emit(walk, words)
	})
	Give(a[:]...)
	Give(b[:]...)
}

// store writes the final values of a group, each path next to its partner.
func store(xa, xb reg.VecPhysical, pnl reg.Register) {
	low, high, out := Take(), Take(), Take()
	VUNPCKLPD(xb, xa, low)
	VUNPCKHPD(xb, xa, high)
	VPERM2F128(U8(0x20), high, low, out)
	VMOVUPD(out, Mem{Base: pnl})
	VPERM2F128(U8(0x31), high, low, out)
	VMOVUPD(out, Mem{Base: pnl, Disp: lane})
	Give(low, high, out, xa, xb)
}

// advance increases the pair numbers by a group.
func advance(by func(ops ...Op)) {
	pair := Take()
	VMOVDQA(at(atPair), pair)
	by(Bits(4), pair, pair)
	VMOVDQA(pair, at(atPair))
	Give(pair)
}

// Write writes the kernels.
func Write() {
	Prefix = "lanes"
	// avo needs the name of the argument's type, which Go code declares.
	types.Universe.Insert(types.NewTypeName(token.NoPos, nil, "pathArguments", types.NewStruct(nil, nil)))
	ConstraintExpr("amd64,!purego,!noasm")
	numbers = GLOBL("lanesNumbers", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(i))
	}
	pairTable()
	kernel("pathsAVX2")
	Generate()
}
