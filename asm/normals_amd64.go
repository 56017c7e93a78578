//go:build amd64 && !purego && !noasm

package asm

var _ = register("normals")

// p points to the key of a Philox, behind which its part of the counter lies. groups, of
// eight pairs, is at least 1.

//go:noescape
func normalRowsAVX2(p *uint32, block, first uint32, rows *float64, stride, groups int)

//go:noescape
func attemptsAVX2(p *uint32, block, first uint32, x, u *float64, groups int)
