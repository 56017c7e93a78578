package copula

import "math"

// polynomial is an interpolating polynomial on [-1, 1] as a Chebyshev series, with its derivative; the
// coefficient of degree 0 comes first.
type polynomial struct{ c, slope [nodes]float64 }

// transform turns values at the nodes into coefficients.
var transform = func() (m [nodes][nodes]float64) {
	const last = nodes - 1
	for degree := range nodes {
		for k := range nodes {
			// Node k is counted from -1, but the formula counts from +1, hence last-k.
			v := 2.0 / last * math.Cos(math.Pi*float64(degree)*float64(last-k)/last)
			if k == 0 || k == last {
				v /= 2
			}
			if degree == 0 || degree == last {
				v /= 2
			}
			m[degree][k] = v
		}
	}
	return m
}()

// through sets p to the polynomial through the values at the nodes.
func (p *polynomial) through(values *[nodes]float64) {
	// The position of the maximum depends only on the differences between values. Subtracting a
	// value in the middle keeps the digits of the small coefficients.
	offset := values[nodes/2]
	for degree := range nodes {
		var s [4]float64
		for k, v := range values {
			s[k&3] += float64(transform[degree][k] * (v - offset))
		}
		p.c[degree] = (s[0] + s[1]) + (s[2] + s[3])
	}
	p.c[0] += offset
	derive(&p.slope, &p.c)
}

// derive sets d to the coefficients of the derivative of c.
func derive(d, c *[nodes]float64) {
	d[nodes-1] = 0
	d[nodes-2] = 2 * (nodes - 1) * c[nodes-1]
	for k := nodes - 2; k >= 1; k-- {
		d[k-1] = d[k+1] + float64(2*float64(k)*c[k])
	}
	d[0] /= 2
}

// evaluate sums a Chebyshev series at s (Clenshaw).
func evaluate(c *[nodes]float64, s float64) float64 {
	b1, b2 := 0.0, 0.0
	for k := nodes - 1; k >= 1; k-- {
		b1, b2 = c[k]+float64(2*s*b1)-b2, b1
	}
	return c[0] + float64(s*b1) - b2
}

func (p *polynomial) value(s float64) float64 { return evaluate(&p.c, s) }

// highest returns the position of the maximum over [-1, 1]: a root of the derivative, accurate to
// about 1e-15 if the curvature is not too small, or an end.
func (p *polynomial) highest() float64 {
	const cells = 64
	at := func(i int) float64 { return float64(2*i-cells) / cells }
	best, top := 0, math.Inf(-1)
	for i := range cells + 1 {
		if v := p.value(at(i)); v > top {
			best, top = i, v
		}
	}
	low, high := at(max(0, best-1)), at(min(cells, best+1))
	if best == 0 && evaluate(&p.slope, low) <= 0 {
		return low
	}
	if best == cells && evaluate(&p.slope, high) >= 0 {
		return high
	}
	// The derivative is positive at one end and negative at the other.
	for {
		s := 0.5 * (low + high)
		if s <= low || s >= high {
			return s
		}
		if evaluate(&p.slope, s) > 0 {
			low = s
		} else {
			high = s
		}
	}
}
