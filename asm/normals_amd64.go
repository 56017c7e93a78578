//go:build amd64 && !purego && !noasm

package asm

var _ = register("normals")

// The kernels below draw groups of four pairs, at least one.

//go:noescape
func normalRowsAVX2(o *philoxPrefix, first uint32, rows *float64, stride, groups int)

//go:noescape
func attemptsAVX2(o *philoxPrefix, first uint32, x, u *float64, groups int)
