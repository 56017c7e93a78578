package reference

// Candle is a row of a price history. It converts to the bars of the project.
type Candle struct {
	OpenMs                         int64 // ms since 1970 UTC
	Open, High, Low, Close, Volume float64
}

// Synthetic returns n hours of an artificial market, some without a row. The rows equal those of
// compute/vol/testdata/reference.py bit for bit: same generator, same operations in the same order.
// The first row opens at 16:00 UTC.
func Synthetic(n int) (rows []Candle) {
	seed, price := uint64(20261121), 100.0
	uniform := func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>33) / 2147483648.0
	}
	for i := range n {
		var draw [6]float64
		for j := range draw {
			draw[j] = uniform()
		}
		if m := i % 397; (m == 5 || m == 6) && i < n-1 {
			continue // the venue has no candle of this hour
		}
		scale := 0.008
		if i/1500%2 == 1 {
			scale = 0.03
		}
		step := float64((((draw[0] + draw[1]) + (draw[2] + draw[3])) - 2) * scale)
		if i == 2345 {
			step = -0.4
		}
		b := Candle{OpenMs: int64(400_000+i) * 3_600_000, Open: price, Close: float64(price * (1 + step)), Volume: 10}
		b.High = float64(max(price, b.Close) * (1 + float64(draw[4]*scale)))
		b.Low = float64(min(price, b.Close) * (1 - float64(draw[5]*scale)))
		if i == 300 || i == 1801 {
			b.Low *= 0.01
		}
		price = b.Close
		rows = append(rows, b)
	}
	return rows
}
