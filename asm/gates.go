package asm

import "slices"

// kernels names the kernels that this build has in assembly.
var kernels []string

// Kernels names the kernels that run in assembly here, sorted; none means that all of
// them run in Go.
func Kernels() []string {
	if !avx2 {
		return nil
	}
	names := slices.Clone(kernels)
	slices.Sort(names)
	return names
}
