//go:build amd64 && !purego && !noasm

package asm

var _ = register("moves")

// movesAVX2 is Moves for n outcomes, a positive multiple of 4.
//
//go:noescape
func movesAVX2(z *float64, n int, scale, most float64)
