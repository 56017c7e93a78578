package asm

// MixPairs is the number of pairs in a block of normals.
const MixPairs = 64

// Mix writes correlated draws of a block of pairs:
//
//	dst[i*stride+b] = (((0 + L_i0*g_0b) + L_i1*g_1b) + ... + L_ii*g_ib) * root[b]
//
// for every row i of the lower triangular factor L ([k*k] row-major, zeros above the diagonal)
// and every pair b of root (at most MixPairs pairs). normals holds g_mb at index m*MixPairs+b;
// its first k*MixPairs elements are finite.
//
// Four rows are summed together. Shorter rows also add the zeros above the diagonal, which
// changes no bit: a sum that starts at +0 is never -0.
func Mix(dst []float64, stride int, factor []float64, k int, normals, root []float64) {
	if k == 0 || len(root) == 0 {
		return
	}
	_, _, _ = dst[(k-1)*stride+len(root)-1], factor[k*k-1], normals[k*MixPairs-1]
	i := 0
	if avx2 && len(root) == MixPairs && stride >= MixPairs && k >= 4 {
		for i < k {
			i = min(i, k-4) // the last group may repeat some rows
			mixBlockAVX2(&dst[i*stride], stride, &factor[i*k], k, i+4, &normals[0], &root[0])
			i += 4
		}
	}
	for ; i < k; i++ {
		mixGeneric(dst[i*stride:][:len(root)], factor[i*k:i*k+i+1], normals, root)
	}
}

// mixGeneric takes four rows of normals at a time, so that partial sums stay in registers.
func mixGeneric(dst, factor, normals, root []float64) {
	n := len(dst)
	root = root[:n]
	clear(dst)
	m := 0
	for ; m+4 <= len(factor); m += 4 {
		l0, l1, l2, l3 := factor[m], factor[m+1], factor[m+2], factor[m+3]
		g := normals[m*MixPairs:][:4*MixPairs]
		g0, g1, g2, g3 := g[:n], g[MixPairs:][:n], g[2*MixPairs:][:n], g[3*MixPairs:][:n]
		for b, y := range dst {
			dst[b] = (((y + float64(l0*g0[b])) + float64(l1*g1[b])) + float64(l2*g2[b])) + float64(l3*g3[b])
		}
	}
	for ; m < len(factor); m++ {
		l0, g0 := factor[m], normals[m*MixPairs:][:n]
		for b, y := range dst {
			dst[b] = y + float64(l0*g0[b])
		}
	}
	for b, y := range dst {
		dst[b] = y * root[b]
	}
}
