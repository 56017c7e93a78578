//go:build amd64 && !purego && !noasm

package asm

var _ = register("shape")

// shapeAVX2 does the groups start..end-1 of four draws, the last first. beyond is the
// tail's probability outside of the cells, last the number of the table's last entry,
// lastCell the one before it.
//
//go:noescape
func shapeAVX2(z *float64, start, end int, cells *[4]float64, count int, beyond float64, table *float64, last float64, lastCell int)
