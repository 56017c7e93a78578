package joint

import (
	"math"
	"math/rand/v2"

	"ballast/marketcache"
)

// model returns the fit of n hours up to hour last, with random series. The returns are correlated
// with those of the market.
func model(r *rand.Rand, id marketcache.AssetID, n int, last int64, market []float64) *marketcache.AssetModel {
	m := &marketcache.AssetModel{Asset: id, Variance: [marketcache.HorizonCount]float64{1e-4, 4e-4, 1e-3 *
		(1 + r.Float64()), 1e-2}}
	series := func(n int, value func() float64) marketcache.HourlySeries {
		s := marketcache.HourlySeries{FirstHour: last - int64(n) + 1, Values: make([]float64, n)}
		for i := range s.Values {
			s.Values[i] = value()
		}
		return s
	}
	m.U1 = series(min(n, correlationRows), r.NormFloat64)
	beta := r.Float64()
	for i := range m.U1.Values {
		m.U1.Values[i] += beta * market[len(market)-len(m.U1.Values)+i]
	}
	outcomes := max(0, n-744)
	m.Z24 = series(min(outcomes, 17521), r.NormFloat64)
	m.Low24 = series(min(outcomes, Rows), func() float64 { return math.Abs(r.NormFloat64()) })
	m.High24 = series(min(outcomes, Rows), func() float64 { return math.Abs(r.NormFloat64()) })
	for _, s := range []*marketcache.HourlySeries{&m.Z24, &m.Low24, &m.High24} {
		s.FirstHour -= 24
	}
	m.LogClose, m.DaySD = walk(r, &m.Z24)
	for h := range m.Tail {
		for side := range m.Tail[h] {
			for level := range m.Tail[h][side] {
				m.Tail[h][side][level].PctVaR = 5 * (1 + r.Float64())
			}
		}
	}
	return m
}

// walk returns hourly log closes and forecasts of the volatility at the newest hours of z, and sets the
// outcomes there. Moves have fat tails.
func walk(r *rand.Rand, z *marketcache.HourlySeries) (logClose, sd marketcache.HourlySeries) {
	n := min(len(z.Values), Rows)
	cut := len(z.Values) - n
	logClose = marketcache.HourlySeries{FirstHour: z.FirstHour + int64(cut), Values: make([]float64, n+24)}
	sd = marketcache.HourlySeries{FirstHour: logClose.FirstHour, Values: make([]float64, n)}
	for i := 1; i < len(logClose.Values); i++ {
		logClose.Values[i] = logClose.Values[i-1] + 0.004*r.NormFloat64()/math.Sqrt(0.3+r.Float64())
	}
	for i := range sd.Values {
		sd.Values[i] = 0.02 * (1 + r.Float64())
		z.Values[cut+i] = (logClose.Values[i+24] - logClose.Values[i]) / sd.Values[i]
	}
	return logClose, sd
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}
