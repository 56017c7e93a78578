package asm

import "math/bits"

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

// CoarseSum sets dst to the weighted sum of the rows times unit. It sums in integers, and shifts
// the sum of every four rows right (rounding down) to prevent overflow:
//
//	dst[b] = unit * (floor((weights[0]*rows[0][b] + ... + weights[3]*rows[3][b]) / 2^shift) + ...)
//
// with shift = CoarseShift(len(weights)). The absolute weights of each group of four rows add up
// to at most 65,535. There are at least as many rows as weights, and each row is at least as long
// as dst. No element is below -32,767.
func CoarseSum(dst []float64, unit float64, weights []int16, rows [][]int16) {
	rows = rows[:len(weights)]
	for _, row := range rows {
		_ = row[:len(dst)]
	}
	shift, from := CoarseShift(len(rows)), 0
	for n := len(dst) &^ 31; avx2 && len(rows) > 0 && from < n; {
		var sums [coarseBlock]int32
		columns := min(coarseBlock, n-from)
		for i := 0; i+coarseGroup <= len(rows); i += coarseGroup {
			next, nextFrom := i+coarseGroup, from // rows and column to prefetch meanwhile
			if next+coarseGroup > len(rows) {
				next, nextFrom = 0, min(from+columns, n-columns)
			}
			coarseSumAVX2(&sums[0], columns, from, &weights[i], &rows[i], uint64(shift), &rows[next], nextFrom)
		}
		if rest := len(rows) % coarseGroup; rest > 0 {
			var last [coarseGroup][]int16
			var few [coarseGroup]int16
			for i := range last {
				last[i] = rows[len(rows)-1]
			}
			copy(last[:], rows[len(rows)-rest:])
			copy(few[:], weights[len(rows)-rest:])
			coarseSumAVX2(&sums[0], columns, from, &few[0], &last[0], uint64(shift), &last[0], from)
		}
		coarseWidenAVX2(&dst[from], &sums[0], columns, unit)
		from += columns
	}
	coarseSumGeneric(dst, unit, weights, rows, shift, from)
}

const (
	coarseGroup = 4
	// coarseBlock is the number of sums per block, which fit into the first-level cache.
	coarseBlock = 2048
)

// CoarseShift returns the number of bits by which CoarseSum shifts the partial sums for n rows. Rounding
// down makes each of the (n+3)/4 partial sums too low by less than 2^shift units (before the shift).
func CoarseShift(n int) int { return bits.Len(uint(max(0, n-1) / coarseGroup)) }

func coarseSumGeneric(dst []float64, unit float64, weights []int16, rows [][]int16, shift, from int) {
	for b := from; b < len(dst); b++ {
		sum := int32(0)
		for i := 0; i < len(weights); i += coarseGroup {
			four := int32(0)
			for k, w := range weights[i:min(i+coarseGroup, len(weights))] {
				four += int32(w) * int32(rows[i+k][b])
			}
			sum += four >> shift
		}
		dst[b] = float64(sum) * unit
	}
}
