//go:build amd64 && !purego && !noasm

package asm

var _ = register("joint")

// weightedSumAVX2 sets dst to the weighted sum of k rows, at least one. n is a positive multiple of 4.
//
//go:noescape
func weightedSumAVX2(dst *float64, n, from int, weights *float64, rows *[]float64, k int)

// mixBlockAVX2 is Mix for four rows of the factor. n is the number of columns of the factor that
// are used, at least 1; a row of normals has MixPairs elements.
//
//go:noescape
func mixBlockAVX2(dst *float64, dstStride int, factor *float64, factorStride, n int, normals, root *float64)
