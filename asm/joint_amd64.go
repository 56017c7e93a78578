//go:build amd64 && !purego && !noasm

package asm

var _ = register("joint")

// n is a positive multiple of 4, from any number. dst is added to.
//
//go:noescape
func weighedSumAVX2(dst *float64, n, from int, weights *float64, rows *[]float64, k int)

// n is a positive multiple of 8, from any number. sums are zero, and come back overwritten.
//
//go:noescape
func coarseSumAVX2(dst *float64, sums *float32, n, from int, weights *float32, rows *[]int16, k int)

// n is a positive multiple of 4.
//
//go:noescape
func worstStateAVX2(dst *float64, n int, others, own *[3][]float64, weight, constant float64)

// n is the number of columns of the factor that count, at least 1; rows are MixPairs wide.
//
//go:noescape
func mixBlockAVX2(dst *float64, dstStride int, factor *float64, factorStride, n int, normals, root *float64)
