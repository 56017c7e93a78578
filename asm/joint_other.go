//go:build !amd64 || purego || noasm

package asm

func weightedSumAVX2(dst *float64, n, from int, weights *float64, rows *[]float64, k int) {
	panic("BUG: no assembly")
}

func mixBlockAVX2(dst *float64, dstStride int, factor *float64, factorStride, n int, normals, root *float64) {
	panic("BUG: no assembly")
}
