package asm

// NormalRows draws the normals of n pairs from first on out of one block of words each:
// rows[b] and rows[stride+b] are those of words 0 and 1 of pair first+b by Normals,
// rows[2*stride+b] and rows[3*stride+b] those of words 2 and 3. stride is at least n.
func (p *Philox) NormalRows(rows []float64, stride int, block, first uint32, n int) {
	if n > stride {
		panic("BUG: asm.NormalRows of rows that overlap")
	}
	rows = rows[:4*stride]
	done := 0
	if avx2 && n >= 8 {
		normalRowsAVX2(&p.Key[0][0], block, first, &rows[0], stride, n/8)
		done = n &^ 7
	}
	for b := done; b < n; b++ {
		w0, w1, w2, w3 := p.Block(block, first+uint32(b))
		rows[b], rows[stride+b] = Normals(w0, w1)
		rows[2*stride+b], rows[3*stride+b] = Normals(w2, w3)
	}
}

// Attempts draws what a rejection method tries for the pairs from first on, one a pair out
// of one block of words each: x[b] is the first normal of words 0 and 1 of pair first+b,
// u[b] the uniform number of words 2 and 3. x and u are of one length.
func (p *Philox) Attempts(x, u []float64, block, first uint32) {
	n := len(x)
	u = u[:n]
	done := 0
	if avx2 && n >= 8 {
		attemptsAVX2(&p.Key[0][0], block, first, &x[0], &u[0], n/8)
		done = n &^ 7
	}
	for b := done; b < n; b++ {
		w0, w1, w2, w3 := p.Block(block, first+uint32(b))
		x[b], _ = Normals(w0, w1)
		u[b] = Uniform(w2, w3)
	}
}
