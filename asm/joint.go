package asm

// WeightedSum sets dst to the weighted sum of the rows, from element from on, added in the order
// of the rows:
//
//	dst[b] = ((0 + weights[0]*rows[0][from+b]) + weights[1]*rows[1][from+b]) + ...
//
// There are at least as many rows as weights, and each row has at least from+len(dst) elements.
// dst must not overlap a row.
func WeightedSum(dst, weights []float64, rows [][]float64, from int) {
	rows = rows[:len(weights)]
	for _, row := range rows {
		_ = row[from : from+len(dst)]
	}
	n := len(dst) &^ 3
	if avx2 && n > 0 && len(rows) > 0 {
		weightedSumAVX2(&dst[0], n, from, &weights[0], &rows[0], len(rows))
	} else {
		n = 0
	}
	clear(dst[n:])
	weightedSumGeneric(dst[n:], weights, rows, from+n)
}

// weightedSumGeneric adds up to four rows to dst in one pass, so that each sum is loaded and
// stored once for four rows.
func weightedSumGeneric(dst, weights []float64, rows [][]float64, from int) {
	if len(dst) == 0 {
		return
	}
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		w0, w1, w2, w3 := weights[i], weights[i+1], weights[i+2], weights[i+3]
		r0, r1 := rows[i][from:][:len(dst)], rows[i+1][from:][:len(dst)]
		r2, r3 := rows[i+2][from:][:len(dst)], rows[i+3][from:][:len(dst)]
		for b, s := range dst {
			dst[b] = (((s + float64(w0*r0[b])) + float64(w1*r1[b])) + float64(w2*r2[b])) + float64(w3*r3[b])
		}
	}
	if i+2 <= len(rows) {
		w0, w1 := weights[i], weights[i+1]
		r0, r1 := rows[i][from:][:len(dst)], rows[i+1][from:][:len(dst)]
		for b, s := range dst {
			dst[b] = (s + float64(w0*r0[b])) + float64(w1*r1[b])
		}
		i += 2
	}
	if i < len(rows) {
		w0, r0 := weights[i], rows[i][from:][:len(dst)]
		for b, s := range dst {
			dst[b] = s + float64(w0*r0[b])
		}
	}
}
