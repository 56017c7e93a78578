// Package lanes has the parts shared by the generators of the longer kernels: manual allocation of
// vector registers, constants, the exponential function, and interleaving of the instructions of several
// computations.
package lanes

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants in read-only memory, the same in every lane. Their names begin with Prefix, which no
// other file of the package may use.
var (
	Prefix string
	pool   = map[uint64]Mem{}
)

// Bits returns a constant given by its bits.
func Bits(v uint64) Mem {
	m, have := pool[v]
	if !have {
		m = GLOBL(fmt.Sprintf("%s%016x", Prefix, v), RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64(v))
		}
		pool[v] = m
	}
	return m
}

// Number returns a constant given by its value.
func Number(v float64) Mem { return Bits(math.Float64bits(v)) }

// free holds the vector registers that are unused at this point of the generated code. AVX2 has 16
// vector registers; avo itself would also use those of AVX-512.
var free = []reg.VecPhysical{
	reg.Y15, reg.Y14, reg.Y13, reg.Y12, reg.Y11, reg.Y10, reg.Y9, reg.Y8,
	reg.Y7, reg.Y6, reg.Y5, reg.Y4, reg.Y3, reg.Y2, reg.Y1, reg.Y0,
}

// Take returns a free register.
func Take() reg.VecPhysical {
	if len(free) == 0 {
		panic("more than 16 vector registers")
	}
	r := free[len(free)-1]
	free = free[:len(free)-1]
	return r
}

// Give returns registers to the free list.
func Give(registers ...reg.VecPhysical) { free = append(free, registers...) }

// Stream is a sequence of instructions that can be interleaved with other streams.
type Stream []func()

// Add appends instructions.
func (s *Stream) Add(f ...func()) { *s = append(*s, f...) }

// Emit writes the streams interleaved, each spread as evenly as possible.
func Emit(streams ...Stream) {
	longest := 0
	for _, s := range streams {
		longest = max(longest, len(s))
	}
	for i := range longest {
		for _, s := range streams {
			for j := i * len(s) / longest; j < (i+1)*len(s)/longest; j++ {
				s[j]()
			}
		}
	}
}

// AllFree reports whether every register has been returned.
func AllFree() bool { return len(free) == 16 }

// Exp replaces x by e^x, |x| <= 700: asm.Exp in every lane.
func Exp(x reg.VecPhysical) {
	shifted, k, z, even, odd := Take(), Take(), Take(), Take(), Take()
	const roundShift = 3 << 51
	VMULPD(Number(math.Log2E), x, shifted)
	VADDPD(Number(roundShift), shifted, shifted)
	VSUBPD(Number(roundShift), shifted, k)
	VMULPD(Number(6.93147180369123816490e-01), k, z)
	VSUBPD(z, x, x)
	VMULPD(Number(1.90821492927058770002e-10), k, k)
	VSUBPD(k, x, x)
	VMULPD(x, x, z)
	horner := func(acc reg.VecPhysical, c ...float64) {
		VMULPD(Number(c[0]), z, acc)
		for _, v := range c[1 : len(c)-1] {
			VADDPD(Number(v), acc, acc)
			VMULPD(acc, z, acc)
		}
		VADDPD(Number(c[len(c)-1]), acc, acc)
	}
	horner(even, 1.0/479001600, 1.0/3628800, 1.0/40320, 1.0/720, 1.0/24, 1.0/2)
	horner(odd, 1.0/6227020800, 1.0/39916800, 1.0/362880, 1.0/5040, 1.0/120, 1.0/6, 1)
	VMULPD(odd, x, odd)
	VMULPD(even, z, even)
	VADDPD(even, odd, x)
	VADDPD(Number(1), x, x)
	VPADDQ(Bits(1023), shifted, shifted)
	VPSLLQ(U8(52), shifted, shifted)
	VMULPD(shifted, x, x)
	Give(shifted, k, z, even, odd)
}
