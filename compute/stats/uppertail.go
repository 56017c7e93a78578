package stats

// UpperTailMean returns the mean of the observations of x that are >= q, summed in index order; 0 if
// there are none. If q is a quantile of losses x, this is their expected shortfall.
func UpperTailMean(x []float64, q float64) float64 {
	var s [4]float64
	n := 0
	for _, v := range x {
		if v >= q {
			s[n&3] += v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return ((s[0] + s[1]) + (s[2] + s[3])) / float64(n)
}
