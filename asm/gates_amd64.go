//go:build amd64 && !purego && !noasm

package asm

import "github.com/klauspost/cpuid/v2"

// avx2: the processor has AVX2 and the related extensions, so every kernel of this package runs
// in assembly. Only tests change it, to run each case in Go and in assembly. cpuid also checks
// that the operating system saves the AVX registers.
var avx2 = cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT)

// register adds a kernel's name to kernels. The amd64 file of each kernel calls it once, in a
// variable's initialisation.
func register(kernel string) bool {
	kernels = append(kernels, kernel)
	return true
}
