package asm

import "slices"

// kernels names the kernels that this build has in assembly.
var kernels []string

// Kernels returns the sorted names of the kernels that run in assembly on this machine; empty if
// all kernels run in Go.
func Kernels() []string {
	if !avx2 {
		return nil
	}
	names := slices.Clone(kernels)
	slices.Sort(names)
	return names
}
