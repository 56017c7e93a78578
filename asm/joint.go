package asm

// WeighedSum sets dst to a stretch of the sum of the rows by their weights, element by
// element, each sum from 0 in the order of the rows:
//
//	dst[b] = ((0 + weights[0]*rows[0][from+b]) + weights[1]*rows[1][from+b]) + ...
//
// There are at least as many rows as weights, each at least from+len(dst) long. dst must
// not overlap any.
func WeighedSum(dst, weights []float64, rows [][]float64, from int) {
	rows = rows[:len(weights)]
	for _, row := range rows {
		_ = row[from : from+len(dst)]
	}
	clear(dst)
	n := len(dst) &^ 3
	if avx2 && n > 0 && len(rows) > 0 {
		weighedSumAVX2(&dst[0], n, from, &weights[0], &rows[0], len(rows))
	} else {
		n = 0
	}
	weighedSumGeneric(dst[n:], weights, rows, from+n)
}

// weighedSumGeneric adds up to four rows to dst in one pass, so that each sum is loaded and
// stored once for four rows.
func weighedSumGeneric(dst, weights []float64, rows [][]float64, from int) {
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

// CoarseSum is WeighedSum of whole rows in single precision, with an error of at most the sum
// of (len(rows)+2)/512 times the weights, where no product overflows.
func CoarseSum(dst []float64, weights []float32, rows [][]int16) {
	rows = rows[:len(weights)]
	for _, row := range rows {
		_ = row[:len(dst)]
	}
	from := 0
	if avx2 && len(rows) > 0 {
		for from < len(dst)&^7 {
			var sums [coarseBlock]float32
			n := min(coarseBlock, len(dst)&^7-from)
			coarseSumAVX2(&dst[from], &sums[0], n, from, &weights[0], &rows[0], len(rows))
			from += n
		}
	}
	coarseSumGeneric(dst, weights, rows, from)
}

// coarseBlock sums stay in the processor's first cache while the rows go by.
const coarseBlock = 1024

func coarseSumGeneric(dst []float64, weights []float32, rows [][]int16, from int) {
	for b := from; b < len(dst); b++ {
		sum := float32(0)
		for i, w := range weights {
			sum += float32(w * float32(rows[i][b]))
		}
		dst[b] = float64(sum)
	}
}

// WorstState sets dst, element by element, to the largest of three sums of two rows, plus a
// constant:
//
//	dst[i] = max(others[s][i] + weight*own[s][i] for s = 0, 1, 2) + constant
//
// The rows are at least as long as dst, which must not overlap any. No sum is NaN.
func WorstState(dst []float64, others, own *[3][]float64, weight, constant float64) {
	for s := range others {
		_, _ = others[s][:len(dst)], own[s][:len(dst)]
	}
	n := len(dst) &^ 3
	if avx2 && n > 0 {
		worstStateAVX2(&dst[0], n, others, own, weight, constant)
	} else {
		n = 0
	}
	worstStateGeneric(dst, others, own, weight, constant, n)
}

func worstStateGeneric(dst []float64, others, own *[3][]float64, weight, constant float64, from int) {
	a, b, c := others[0][:len(dst)], others[1][:len(dst)], others[2][:len(dst)]
	x, y, z := own[0][:len(dst)], own[1][:len(dst)], own[2][:len(dst)]
	for i := from; i < len(dst); i++ {
		first, second := a[i]+float64(weight*x[i]), b[i]+float64(weight*y[i])
		dst[i] = higher(higher(first, second), c[i]+float64(weight*z[i])) + constant
	}
}
