//go:build amd64 && !purego && !noasm

package asm

var _ = register("pathloss")

// weightedSum32AVX2 sets n sums to those of k rows, at least one, from element from on. n is a multiple of 8, at least
// 8.
//
//go:noescape
func weightedSum32AVX2(dst *float64, n, from int, weights *float64, rows *[]float32, k int)

// pathLossAVX2 is PathLoss for n paths, a multiple of 4, at least 4. It sets ends.
//
//go:noescape
func pathLossAVX2(dst *float64, n int, others *float64, own *float32, weight float64, beyond *float32, scale,
	between float64, ends *[4]float64)

// pathLossOfTwoAVX2 is PathLossOfTwo for n paths, a multiple of 4, at least 4. It sets ends.
//
//go:noescape
func pathLossOfTwoAVX2(dst *float64, n int, others *float32, held float64, own *float32, weight float64,
	beyond *float32, scale, between float64, ends *[4]float64)
