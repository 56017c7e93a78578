//go:build amd64 && !purego && !noasm

package asm

var _ = register("shape")

// shapeAVX2 processes the groups start..end-1 of four draws, from the last to the first. beyond
// is the tail probability beyond the last cell, last the index of the table's last entry, and
// lastCell is last-1.
//
//go:noescape
func shapeAVX2(z *float64, start, end int, cells *[4]float64, count int, beyond float64, table *float64, last float64,
	lastCell int)
