//go:build !amd64 || purego || noasm

package asm

func weightedSum32AVX2(dst *float64, n, from int, weights *float64, rows *[]float32, k int) {
	panic("BUG: no assembly")
}

func pathLossAVX2(dst *float64, n int, others *float64, own *float32, weight float64, beyond *float32, scale,
	between float64, ends *[4]float64) {
	panic("BUG: no assembly")
}

func pathLossOfTwoAVX2(dst *float64, n int, others *float32, held float64, own *float32, weight float64,
	beyond *float32, scale, between float64, ends *[4]float64) {
	panic("BUG: no assembly")
}
