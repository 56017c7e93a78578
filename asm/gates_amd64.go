//go:build amd64 && !purego && !noasm

package asm

import "github.com/klauspost/cpuid/v2"

// avx2 opens every kernel of this package: AVX2 and what came to processors with it. It is set once; tests alone change it, to
// run their cases both ways. cpuid asks the operating system too, whether it saves the
// wide registers.
var avx2 = cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT)

// register is called once by the amd64 file of each kernel, in a variable's
// initialisation.
func register(kernel string) bool {
	kernels = append(kernels, kernel)
	return true
}
