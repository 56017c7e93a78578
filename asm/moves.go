package asm

// Moves turns outcomes into moves of a price, fractions of it: z becomes
//
//	min(Exp(scale*z) - 1, most)
//
// with scale*z limited to +-MaxLogMove. No product is NaN. 8,192 moves take about 10 us in assembly.
func Moves(z []float64, scale, most float64) {
	n := 0
	if avx2 && len(z) >= 4 {
		n = len(z) &^ 3
		movesAVX2(&z[0], n, scale, most)
	}
	movesGeneric(z[n:], scale, most)
}

func movesGeneric(z []float64, scale, most float64) {
	for i, v := range z {
		z[i] = min(Exp(max(-MaxLogMove, min(MaxLogMove, float64(scale*v))))-1, most)
	}
}
