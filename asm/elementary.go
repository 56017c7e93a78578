package asm

import "math"

// The elementary functions of the kernels. Each is a polynomial in a reduced argument, as in
// fdlibm, with an error of at most one or two units in the last place. They use only operations
// that vector registers have, so the bits are the same on every processor; the bits of package
// math differ between processors. The functions for normals, the most frequent draws, are in
// normals.go; their error is below the resolution of the random words.

const (
	exponentOne  = 0x3FF << 52
	exponentBias = 1023
	ln2High      = 6.93147180369123816490e-01 // its low 32 bits are 0
	ln2Low       = 1.90821492927058770002e-10
	roundShift   = 3 << 51 // adding and then subtracting this rounds to an integer
)

func fromBits(b uint64) float64 { return math.Float64frombits(b) }
func toBits(x float64) uint64   { return math.Float64bits(x) }

// Exp returns e^x for |x| <= 700: the Taylor series to degree 13 on |r| <= ln(2)/2, with even and
// odd powers summed separately, times a power of two.
func Exp(x float64) float64 {
	shifted := float64(x*math.Log2E) + roundShift
	k := shifted - roundShift
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	z := float64(r * r)
	even := 1.0/40320 + float64(z*(1.0/3628800+float64(z*(1.0/479001600))))
	even = 1.0/2 + float64(z*(1.0/24+float64(z*(1.0/720+float64(z*even)))))
	odd := 1.0/362880 + float64(z*(1.0/39916800+float64(z*(1.0/6227020800))))
	odd = 1.0/6 + float64(z*(1.0/120+float64(z*(1.0/5040+float64(z*odd)))))
	odd = 1 + float64(z*odd)
	// The low bits of shifted are the integer k.
	return (1 + (float64(r*odd) + float64(z*even))) * fromBits((toBits(shifted)+exponentBias)<<52)
}

// Log returns ln x for a positive normal x. Source: fdlibm's e_log.c.
func Log(x float64) float64 {
	const halfRoot = 0x3FE6A09E667F3BCD // sqrt(1/2), so that m lies in [sqrt(1/2), sqrt(2))
	shift := (toBits(x) - halfRoot) &^ (1<<52 - 1)
	k := float64(int64(shift) >> 52)
	f := fromBits(toBits(x)-shift) - 1
	s := f / (2 + f)
	z := float64(s * s)
	r := 2.222219843214978396e-01 + float64(z*(1.818357216161805012e-01+
		float64(z*(1.531383769920937332e-01+float64(z*1.479819860511658591e-01)))))
	r = float64(z * (6.666666666666735130e-01 + float64(z*(3.999999999940941908e-01+
		float64(z*(2.857142874366239149e-01+float64(z*r)))))))
	half := float64(0.5 * float64(f*f))
	return float64(k*ln2High) - ((half - (float64(s*(half+r)) + float64(k*ln2Low))) - f)
}

// Uniform returns a number in [0, 1) with 52 random bits from two words. The bits become the
// mantissa of a number in [1, 2), from which 1 is subtracted.
func Uniform(high, low uint32) float64 {
	return fromBits(exponentOne|(uint64(high)<<32|uint64(low))>>12) - 1
}
