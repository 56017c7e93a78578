package stats

import "math"

// symmetricEigen turns the symmetric matrix v, [n*n] row-major, into its eigenvectors, one a column, and sets d to the
// eigenvalues, in no order. e is scratch; d and e have n elements. The bits are the same on every processor.
//
// Source: Householder reduction and QL iteration, procedures tred2 and tql2 of Bowdler, Martin, Reinsch and Wilkinson,
// Handbook for Automatic Computation II, 1971, in the form of EISPACK.
func symmetricEigen(v []float64, n int, d, e []float64) {
	copy(d, v[(n-1)*n:n*n])
	for i := n - 1; i > 0; i-- {
		d[i] = reduceRow(v, n, i, d, e)
	}
	accumulate(v, n, d)
	for i := 1; i < n; i++ {
		e[i-1] = e[i]
	}
	e[n-1] = 0
	iterate(v, n, d, e)
}

// reduceRow makes row i of the matrix tridiagonal by a reflection, and returns what its vector is scaled by.
func reduceRow(v []float64, n, i int, d, e []float64) (h float64) {
	scale := 0.0
	for _, x := range d[:i] {
		scale += math.Abs(x)
	}
	if scale == 0 {
		e[i] = d[i-1]
		for j := range i {
			d[j], v[i*n+j], v[j*n+i] = v[(i-1)*n+j], 0, 0
		}
		return 0
	}
	for k := range i {
		d[k] /= scale
		h += float64(d[k] * d[k])
	}
	f := d[i-1]
	g := -math.Copysign(math.Sqrt(h), f)
	e[i] = scale * g
	h -= float64(f * g)
	d[i-1] = f - g
	clear(e[:i])
	for j := range i {
		f := d[j]
		v[j*n+i] = f
		g := e[j] + float64(v[j*n+j]*f)
		for k := j + 1; k < i; k++ {
			g += float64(v[k*n+j] * d[k])
			e[k] += float64(v[k*n+j] * f)
		}
		e[j] = g
	}
	f = 0
	for j := range i {
		e[j] /= h
		f += float64(e[j] * d[j])
	}
	hh := f / (h + h)
	for j := range i {
		e[j] -= float64(hh * d[j])
	}
	for j := range i {
		f, g := d[j], e[j]
		for k := j; k < i; k++ {
			v[k*n+j] -= float64(f*e[k]) + float64(g*d[k])
		}
		d[j], v[i*n+j] = v[(i-1)*n+j], 0
	}
	return h
}

// accumulate multiplies the reflections, and sets d to the diagonal.
func accumulate(v []float64, n int, d []float64) {
	for i := range n - 1 {
		v[(n-1)*n+i], v[i*n+i] = v[i*n+i], 1
		if h := d[i+1]; h != 0 {
			for k := range i + 1 {
				d[k] = v[k*n+i+1] / h
			}
			for j := range i + 1 {
				g := 0.0
				for k := range i + 1 {
					g += float64(v[k*n+i+1] * v[k*n+j])
				}
				for k := range i + 1 {
					v[k*n+j] -= float64(g * d[k])
				}
			}
		}
		for k := range i + 1 {
			v[k*n+i+1] = 0
		}
	}
	for j := range n {
		d[j], v[(n-1)*n+j] = v[(n-1)*n+j], 0
	}
	v[n*n-1] = 1
}

const (
	epsilon = 0x1p-52
	// maxIterations is far more than any eigenvalue takes.
	maxIterations = 100
)

// iterate diagonalises the matrix with the diagonal d and the elements e beside it.
func iterate(v []float64, n int, d, e []float64) {
	shift, largest := 0.0, 0.0
	for l := range n {
		largest = max(largest, math.Abs(d[l])+math.Abs(e[l]))
		small := epsilon * largest
		m := l
		for m < n-1 && math.Abs(e[m]) > small {
			m++
		}
		for tries := 0; m > l && (tries == 0 || math.Abs(e[l]) > small); tries++ {
			if tries == maxIterations {
				panic("BUG: eigenvalues of a finite symmetric matrix did not converge")
			}
			shift += sweep(v, n, d, e, l, m)
		}
		d[l] += shift
		e[l] = 0
	}
}

// sweep does one implicit QL step on rows l to m, and returns by how much it has shifted the rest.
func sweep(v []float64, n int, d, e []float64, l, m int) (h float64) {
	g := d[l]
	p := (d[l+1] - g) / (2 * e[l])
	r := math.Copysign(math.Sqrt(float64(p*p)+1), p)
	d[l], d[l+1] = e[l]/(p+r), e[l]*(p+r)
	first, second := d[l+1], e[l+1]
	h = g - d[l]
	for i := l + 2; i < n; i++ {
		d[i] -= h
	}
	p = d[m]
	c, c2, c3, s, s2 := 1.0, 1.0, 1.0, 0.0, 0.0
	for i := m - 1; i >= l; i-- {
		c3, c2, s2 = c2, c, s
		g, q := c*e[i], c*p
		r := math.Sqrt(float64(p*p) + float64(e[i]*e[i]))
		e[i+1] = s * r
		s, c = e[i]/r, p/r
		p = float64(c*d[i]) - float64(s*g)
		d[i+1] = q + float64(s*(float64(c*g)+float64(s*d[i])))
		for k := range n {
			row := v[k*n+i : k*n+i+2]
			a, b := row[0], row[1]
			row[0], row[1] = float64(c*a)-float64(s*b), float64(s*a)+float64(c*b)
		}
	}
	p = -s * s2 * c3 * second * e[l] / first
	e[l], d[l] = s*p, c*p
	return h
}
