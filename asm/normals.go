package asm

import "math"

// Normals returns two independent standard normals from two words (Box and Muller 1958). They are the
// Cartesian coordinates of a point with squared radius -2 ln u, u = (radius+1/2)/2^32, and angle
// angle/2^32 turns. The 32 bits of radius limit |z| to 6.8, which a normal exceeds with probability
// 1e-11. The error is below 3e-12 of the radius; adjacent words differ by some 1e-9 of the radius.
func Normals(radius, angle uint32) (a, b float64) {
	var x, y [1]float64
	h := boxMullerBatch{a: x[:], b: y[:]}
	h.polar([]uint32{radius}, []uint32{angle})
	h.turn()
	return x[0], y[0]
}

// Minimax polynomials of polar and turn, in the square of s or t, lowest power first. They are
// variables, because then the compiler uses them as memory operands of additions.
var (
	// -4 atanh(s)/s, for |s| < (sqrt(2)-1)/(sqrt(2)+1); relative error 4.2e-12.
	logTerms = [5]float64{
		-4.00000000001684813, -1.33333330480905624, -0.800007717381439216,
		-0.570699718546612195, -0.472349316557725964,
	}
	// 2^(3/4) sin(pi/4*t)/t, for |t| <= 1; error 5e-15.
	sineTerms = [6]float64{
		1.32087700029548857, -0.135797223492762332, 0.00418832772444457134,
		-0.0000615135683440955321, 5.26960966108588619e-7, -2.91707411538625724e-9,
	}
	// 2^(3/4) cos(pi/4*t), for |t| <= 1; error 1e-13.
	cosineTerms = [6]float64{
		1.68179283050733575, -0.518707185046296664, 0.0266637224031541783,
		-0.000548250483078936186, 6.03843621561095989e-6, -4.08147022084416488e-8,
	}
)

// logPowers[k] is -2 ln 2^(k-33).
var logPowers = func() (logs [64]float64) {
	for k := range logs {
		logs[k] = float64(float64(k-33) * (-2 * math.Ln2))
	}
	return logs
}()

// boxMullerBatch computes up to wordPairs pairs of normals. The method polar sets a to the squared radius,
// b to 2^(3/4) times the sine of a quarter of the angle, and c to the angle in half turns, -1 to 1. The
// method turn then sets a and b to the normals.
type boxMullerBatch struct {
	a, b []float64
	c    [wordPairs]float64
}

// polar sets h.a, h.b and h.c from pairs of words, as described at boxMullerBatch.
// It has two short loops: a processor's look-ahead overlaps the iterations of a short loop, but
// not those of a long one.
func (h *boxMullerBatch) polar(radius, angle []uint32) {
	a, n := h.a, len(h.a)
	b, c, radius, angle := h.b[:n], h.c[:n], radius[:n], angle[:n]
	for i, w := range radius {
		// w+1/2 is a power of two times m in [sqrt(1/2), sqrt(2)), and ln m = 2 atanh s with
		// s = (m-1)/(m+1).
		const minHalf = 0x3FD6A09E667F3BCD // sqrt(1/2)/2
		x := toBits(float64(w) + 0.5)
		power := (x - minHalf) >> 52
		half := fromBits(x - power<<52) // m/2
		a[i] = (half - 0.5) / (half + 0.5)
		b[i] = logPowers[power%64]
		c[i] = float64(float64(angle[i])*0x1p-31) - 1
	}
	for i, s := range a {
		t := c[i]
		z, q := float64(s*s), float64(t*t)
		l := float64(z*logTerms[4]) + logTerms[3]
		u := float64(q*sineTerms[5]) + sineTerms[4]
		l = float64(z*l) + logTerms[2]
		u = float64(q*u) + sineTerms[3]
		l = float64(z*l) + logTerms[1]
		u = float64(q*u) + sineTerms[2]
		l = float64(z*l) + logTerms[0]
		u = float64(q*u) + sineTerms[1]
		u = float64(q*u) + sineTerms[0]
		a[i], b[i] = float64(s*l)+b[i], float64(t*u)
	}
}

// turn completes the normals that polar has started.
func (h *boxMullerBatch) turn() {
	a, b := h.a, h.b[:len(h.a)]
	for i, t := range h.c[:len(a)] {
		a[i], b[i] = cartesian(math.Sqrt(a[i]), cosine(t), b[i])
	}
}

// cosine returns 2^(3/4) times the cosine of a quarter of the angle t, in half turns.
func cosine(t float64) float64 {
	z := float64(t * t)
	c := float64(z*cosineTerms[5]) + cosineTerms[4]
	c = float64(z*c) + cosineTerms[3]
	c = float64(z*c) + cosineTerms[2]
	c = float64(z*c) + cosineTerms[1]
	return float64(z*c) + cosineTerms[0]
}

// cartesian turns the cosine c and sine s of a quarter of the angle into the normals. It doubles the
// angle twice; the factors 2^(3/4) in c and s replace multiplications by 2. Both results are negated,
// because polar's angle is half a turn less than the angle of the words.
func cartesian(r, c, s float64) (a, b float64) {
	d := float64(c * s)
	return float64(r * (float64(d*d) - 1)), float64(r * float64(d*(float64(s*s)-math.Sqrt2)))
}

// NormalRows draws the normals of the n pairs from first on, each pair from one block of words.
// rows[b] and rows[stride+b] get Normals of words 0 and 1 of pair first+b; rows[2*stride+b] and
// rows[3*stride+b] get those of words 2 and 3. stride is at least n.
func (p *Philox) NormalRows(rows []float64, stride int, block, first uint32, n int) {
	if n > stride {
		panic("BUG: asm.NormalRows of rows that overlap")
	}
	rows = rows[:4*stride]
	o := p.open(block)
	done := 0
	if avx2 && n >= 4 {
		normalRowsAVX2(&o, first, &rows[0], stride, n/4)
		done = n &^ 3
	}
	if done < n {
		normalRowsGeneric(rows[done:], stride, &o, first+uint32(done), n-done)
	}
}

func normalRowsGeneric(rows []float64, stride int, o *philoxPrefix, first uint32, n int) {
	var w [4][wordPairs]uint32
	var x, y boxMullerBatch
	o.words(&w, first, n, &x, &y)
	for {
		m := min(n, wordPairs)
		x.a, x.b = rows[:m], rows[stride:][:m]
		y.a, y.b = rows[2*stride:][:m], rows[3*stride:][:m]
		x.polar(w[0][:], w[1][:])
		y.polar(w[2][:], w[3][:])
		if n -= m; n == 0 {
			break
		}
		rows, first = rows[m:], first+wordPairs
		o.words(&w, first, wordPairs, &x, &y)
	}
	x.turn()
	y.turn()
}

// Attempts draws the candidates of a rejection method for the pairs from first on, each pair
// from one block of words: x[b] is the first normal of words 0 and 1 of pair first+b, u[b] the
// uniform number of words 2 and 3. x and u have the same length.
func (p *Philox) Attempts(x, u []float64, block, first uint32) {
	n := len(x)
	u = u[:n]
	o := p.open(block)
	done := 0
	if avx2 && n >= 4 {
		attemptsAVX2(&o, first, &x[0], &u[0], n/4)
		done = n &^ 3
	}
	if done < n {
		attemptsGeneric(x[done:], u[done:], &o, first+uint32(done))
	}
}

func attemptsGeneric(x, u []float64, o *philoxPrefix, first uint32) {
	var w [4][wordPairs]uint32
	var h, none boxMullerBatch
	for len(x) > 0 {
		m := min(len(x), wordPairs)
		o.words(&w, first, m, &none, &none)
		h.a, h.b = x[:m], u[:m] // overwritten below: the second normals are not used
		h.polar(w[0][:], w[1][:])
		h.turn()
		for b := range u[:m] {
			u[b] = Uniform(w[2][b], w[3][b])
		}
		x, u, first = x[m:], u[m:], first+uint32(m)
	}
}
