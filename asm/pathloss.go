package asm

import "math"

// PathMarks and PathBlock are the numbers of marks of a path and of paths in a block of WeightedSum32
// and PathLoss: a block holds the first marks of its paths, then the second ones and so on.
const PathMarks, PathBlock = 6, 4

// WeightedSum32 sets dst to the weighted sum of the rows, which are float32, in float64 and in the
// order of the rows:
//
//	dst[b] = ((0 + weights[0]*rows[0][b]) + weights[1]*rows[1][b]) + ...
//
// There are at least as many rows as weights, each at least as long as dst. The length of dst is a
// multiple of 8. dst must not overlap a row.
func WeightedSum32(dst, weights []float64, rows [][]float32) {
	rows = rows[:len(weights)]
	for _, row := range rows {
		_ = row[:len(dst)]
	}
	if !avx2 || len(rows) == 0 {
		clear(dst)
		weightedSum32Generic(dst, weights, rows)
		return
	}
	for from := 0; from < len(dst); from += sumBlock32 {
		n := min(sumBlock32, len(dst)-from)
		weightedSum32AVX2(&dst[from], n, from, &weights[0], &rows[0], len(rows))
	}
}

// sumBlock32 is the number of sums per call of the assembly: one mark of a year's paths, which fit into the
// first-level cache.
const sumBlock32 = 2304

func weightedSum32Generic(dst, weights []float64, rows [][]float32) {
	for i, row := range rows {
		w, row := weights[i], row[:len(dst)]
		for b, x := range row {
			dst[b] += float64(w * float64(x))
		}
	}
}

// PathLoss writes the loss of each path to dst: with the sum L_j of others and own times weight at mark
// j, L_0 = 0,
//
//	dst = (max(L_0 .. L_6) + between*sqrt(sum of (L_j - L_(j-1))^2)) + scale*beyond
//
// It returns the sum of the squares of L_6. The lengths of dst and beyond are the number of paths, a
// multiple of 4; others and own have 6 marks a path.
func PathLoss(dst, others []float64, own []float32, weight float64, beyond []float32, scale, between float64) (
	endSquares float64) {
	beyond = beyond[:len(dst)]
	_, _ = others[:PathMarks*len(dst)], own[:PathMarks*len(dst)]
	var ends [4]float64
	if avx2 && len(dst) > 0 {
		pathLossAVX2(&dst[0], len(dst), &others[0], &own[0], weight, &beyond[0], scale, between, &ends)
	} else {
		pathLossGeneric(dst, others, own, weight, beyond, scale, between, &ends)
	}
	return (ends[0] + ends[1]) + (ends[2] + ends[3])
}

// PathLossOfTwo is PathLoss for others that are one leg with the weight held: the same as with its weighted
// sum, without one.
func PathLossOfTwo(
	dst []float64, others []float32, held float64, own []float32, weight float64, beyond []float32, scale,
	between float64,
) (endSquares float64) {
	beyond = beyond[:len(dst)]
	_, _ = others[:PathMarks*len(dst)], own[:PathMarks*len(dst)]
	var ends [4]float64
	if avx2 && len(dst) > 0 {
		pathLossOfTwoAVX2(&dst[0], len(dst), &others[0], held, &own[0], weight, &beyond[0], scale, between, &ends)
	} else {
		pathLossOfTwoGeneric(dst, others, held, own, weight, beyond, scale, between, &ends)
	}
	return (ends[0] + ends[1]) + (ends[2] + ends[3])
}

func pathLossOfTwoGeneric(
	dst []float64, others []float32, held float64, own []float32, weight float64, beyond []float32, scale,
	between float64,
	ends *[4]float64,
) {
	const block = PathBlock * PathMarks
	var sums [block]float64
	for at := 0; at < len(dst); at += PathBlock {
		from := at * PathMarks
		weightedSum32Generic(sums[:], []float64{held}, [][]float32{others[from:]})
		pathLossGeneric(dst[at:][:PathBlock], sums[:], own[from:], weight, beyond[at:], scale, between, ends)
		clear(sums[:])
	}
}

func pathLossGeneric(dst, others []float64, own []float32, weight float64, beyond []float32, scale, between float64,
	ends *[4]float64) {
	for at := range dst {
		first := at/PathBlock*PathBlock*PathMarks + at%PathBlock
		highest, last, squares := 0.0, 0.0, 0.0
		for mark := range PathMarks {
			i := first + mark*PathBlock
			l := others[i] + float64(weight*float64(own[i]))
			step := l - last
			squares += float64(step * step)
			highest, last = higher(l, highest), l
		}
		ends[at&3] += float64(last * last)
		dst[at] = (highest + float64(between*math.Sqrt(squares))) + float64(scale*float64(beyond[at]))
	}
}
