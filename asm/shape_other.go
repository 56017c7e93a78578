//go:build !amd64 || purego || noasm

package asm

func shapeAVX2(z *float64, start, end int, cells *[4]float64, count int, beyond float64, table *float64, last float64,
	lastCell int) {
	panic("BUG: no assembly")
}
