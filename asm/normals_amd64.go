//go:build amd64 && !purego && !noasm

package asm

var _ = register("normals")

// The kernels below draw normals for groups of four pairs; groups is at least 1.

//go:noescape
func normalRowsAVX2(o *philoxPrefix, first uint32, rows *float64, stride, groups int)

//go:noescape
func attemptsAVX2(o *philoxPrefix, first uint32, x, u *float64, groups int)
