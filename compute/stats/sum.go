package stats

// Sum returns the sum of x in the package's order; 0 for an empty x.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	n := len(x) &^ 3
	for i := 0; i < n; i += 4 {
		q := x[i : i+4 : i+4]
		s0 += q[0]
		s1 += q[1]
		s2 += q[2]
		s3 += q[3]
	}
	switch r := x[n:]; len(r) {
	case 3:
		s2 += r[2]
		fallthrough
	case 2:
		s1 += r[1]
		fallthrough
	case 1:
		s0 += r[0]
	}
	return (s0 + s1) + (s2 + s3)
}

// Dot returns the sum of x[i]*y[i] in the package's order. It panics when the lengths differ.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("BUG: stats.Dot of unequal lengths")
	}
	var s0, s1, s2, s3 float64
	n := len(x) &^ 3
	for i := 0; i < n; i += 4 {
		a, b := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	switch a, b := x[n:], y[n:]; len(a) {
	case 3:
		s2 += float64(a[2] * b[2])
		fallthrough
	case 2:
		s1 += float64(a[1] * b[1])
		fallthrough
	case 1:
		s0 += float64(a[0] * b[0])
	}
	return (s0 + s1) + (s2 + s3)
}

// Mean returns the arithmetic mean of x; 0 for an empty x.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return Sum(x) / float64(len(x))
}

// MeanSquare returns the mean of x[i]^2; 0 for an empty x.
func MeanSquare(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return Dot(x, x) / float64(len(x))
}
