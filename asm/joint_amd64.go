//go:build amd64 && !purego && !noasm

package asm

var _ = register("joint")

// n is a positive multiple of 4, from any number. dst is added to.
//
//go:noescape
func weightedSumAVX2(dst *float64, n, from int, weights *float64, rows *[]float64, k int)

// n is a positive multiple of 32, from any number. weights and rows are four; the sums, each
// 16 of them in an order that coarseWidenAVX2 knows, are added to.
//
//go:noescape
func coarseSumAVX2(sums *int32, n, from int, weights *int16, rows *[]int16, shift uint64)

// n is a positive multiple of 16.
//
//go:noescape
func coarseWidenAVX2(dst *float64, sums *int32, n int, unit float64)

// n is a positive multiple of 4.
//
//go:noescape
func worstStateAVX2(dst *float64, n int, others, own *[3][]float64, weight, constant float64)

// n is the number of columns of the factor that count, at least 1; rows are MixPairs wide.
//
//go:noescape
func mixBlockAVX2(dst *float64, dstStride int, factor *float64, factorStride, n int, normals, root *float64)
