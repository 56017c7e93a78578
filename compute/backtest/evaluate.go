package backtest

import (
	"math"
	"math/rand/v2"
)

// Day is one forecast of one side and level, and its outcome.
type Day struct {
	TimeMs int64   // open time of the bar that had just closed at the forecast
	Loss   float64 // log loss over the 24 hours after the forecast
	VaR    float64
	ES     float64
	SD     float64 // the model's standard deviation of the 24-hour log return
	HSVaR  float64 // VaR by historical simulation, the benchmark of the tick loss
}

// Breach reports whether the loss was larger than VaR.
func (d Day) Breach() bool { return d.Loss > d.VaR }

// Row holds the test results of one side and level.
type Row struct {
	Side  string  `json:"side"` // long or short
	Level float64 `json:"level"`
	N     int     `json:"n"`
	Hits  int     `json:"hits"` // breaches
	Rate  float64 `json:"rate"` // Hits/N, a fraction

	KupiecLR         float64 `json:"kupiec_lr"`
	KupiecP          float64 `json:"kupiec_p"`
	ChristoffersenLR float64 `json:"christoffersen_lr"`
	ChristoffersenP  float64 `json:"christoffersen_p"`

	// ESResidual is the mean over breaches of (loss-ES)/SD: positive when ES is too
	// low. McNeilFreyP is the bootstrap p-value of a mean at least as large.
	ESResidual  float64 `json:"es_residual_mean_z"`
	McNeilFreyP float64 `json:"mcneil_frey_p"`

	Pinball float64 `json:"pinball"` // mean tick loss
	// PinballRatio is Pinball divided by the mean tick loss of historical simulation; 0 when
	// the divisor is 0.
	PinballRatio float64 `json:"pinball_ratio_to_hs365"`
	FZ0          float64 `json:"fz0"`
}

const (
	// PassLevel is the p-value above which a test counts as passed.
	PassLevel = 0.05
	// failLevel is the p-value below which a test says that the model is wrong.
	failLevel = 0.01
	// MinForecasts is the number of forecasts below which there is no verdict: breaches of the 99 % VaR
	// are too rare for a test to fail.
	MinForecasts = 100
)

// Status is the verdict on a record of forecasts, in the words of GET /v1/backtest/{asset}.
type Status string

const (
	StatusOK           Status = "ok"
	StatusInsufficient Status = "insufficient_data" // fewer than MinForecasts forecasts
	StatusWarning      Status = "warning"           // a test has not passed
	StatusFailing      Status = "failing"           // a test has a p-value below 1 %
)

// statusOf returns the verdict on the tests of all rows.
func statusOf(rows []Row) Status {
	n, p := math.MaxInt, 1.0
	for i := range rows {
		n, p = min(n, rows[i].N), min(p, rows[i].KupiecP, rows[i].ChristoffersenP, rows[i].McNeilFreyP)
	}
	return statusAt(n, p)
}

// statusAt returns the verdict on n forecasts whose tests have p-values of p or more.
func statusAt(n int, p float64) Status {
	switch {
	case n < MinForecasts:
		return StatusInsufficient
	case p < failLevel:
		return StatusFailing
	case p <= PassLevel:
		return StatusWarning
	}
	return StatusOK
}

// minSD replaces a smaller ES or SD as divisor; it is a log loss. Only an asset whose price has not
// changed for a year has smaller values.
const minSD = 1e-9

// Evaluate tests consecutive days, in order, at a level such as 0.99. Row.Side stays empty.
// Without a day every test passes.
func Evaluate(days []Day, level float64) Row {
	a := tailShare(level)
	var hits tally
	var residuals []float64
	var tick, historical, fz0 float64
	for _, d := range days {
		hits.add(d.Breach())
		if d.Breach() {
			residuals = append(residuals, (d.Loss-d.ES)/max(d.SD, minSD))
		}
		tick += tickLoss(-d.Loss, -d.VaR, a)
		historical += tickLoss(-d.Loss, -d.HSVaR, a)
		fz0 += jointLoss(-d.Loss, -d.VaR, -max(d.ES, minSD), a)
	}
	row := Row{
		Level: level, N: hits.n, Hits: hits.hits, Rate: hits.rate(),
		KupiecLR: hits.kupiec(a), ChristoffersenLR: hits.christoffersen(),
	}
	row.KupiecP, row.ChristoffersenP = chiSquare1(row.KupiecLR), chiSquare1(row.ChristoffersenLR)
	row.ESResidual, row.McNeilFreyP = mcNeilFrey(residuals)
	if n := float64(len(days)); n > 0 {
		row.Pinball, row.FZ0 = tick/n, fz0/n
	}
	if historical > 0 {
		row.PinballRatio = tick / historical
	}
	return row
}

// tailShare returns 1-level rounded to a decimal, because 1-0.95 is not the double nearest to 0.05.
func tailShare(level float64) float64 { return math.Round((1-level)*1e6) / 1e6 }

// tickLoss is the quantile score of q for the log return y at tail share a: (a-1)(y-q)
// below q, a(y-q) above.
func tickLoss(y, q, a float64) float64 {
	if y < q {
		return (a - 1) * (y - q)
	}
	return a * (y - q)
}

// jointLoss is FZ0 for the log return y, its quantile v and tail mean e < 0.
func jointLoss(y, v, e, a float64) float64 {
	s := v/e + math.Log(-e) - 1
	if y <= v {
		s -= (v - y) / (a * e)
	}
	return s
}

// tally counts breaches and the transitions between breach and no breach from day to day.
type tally struct {
	n, hits int
	from    [2][2]int // from[was][is]: number of days, by breach on the day before and on the day
	last    int
}

func (t *tally) add(breach bool) {
	is := 0
	if breach {
		is = 1
	}
	if t.n > 0 {
		t.from[t.last][is]++
	}
	t.n++
	t.hits += is
	t.last = is
}

func (t *tally) rate() float64 {
	if t.n == 0 {
		return 0
	}
	return float64(t.hits) / float64(t.n)
}

// kupiec is the likelihood ratio of breach probability a against the observed breach rate,
// chi-square with one degree of freedom.
func (t *tally) kupiec(a float64) float64 {
	return max(0, -2*(logLikelihood(t.n-t.hits, t.hits, a)-logLikelihood(t.n-t.hits, t.hits, t.rate())))
}

// christoffersen is the likelihood ratio of independence against a first-order Markov
// chain, chi-square with one degree of freedom.
func (t *tally) christoffersen() float64 {
	calm, after := t.from[0], t.from[1]
	misses, hits := calm[0]+after[0], calm[1]+after[1]
	return max(0, -2*(logLikelihood(misses, hits, share(misses, hits))-
		logLikelihood(calm[0], calm[1], share(calm[0], calm[1]))-
		logLikelihood(after[0], after[1], share(after[0], after[1]))))
}

func share(misses, hits int) float64 {
	if misses+hits == 0 {
		return 0
	}
	return float64(hits) / float64(misses+hits)
}

// logLikelihood returns the log likelihood of misses and hits at hit probability p, with 0 ln 0 = 0.
func logLikelihood(misses, hits int, p float64) (l float64) {
	if misses > 0 {
		l += float64(misses) * math.Log(1-p)
	}
	if hits > 0 {
		l += float64(hits) * math.Log(p)
	}
	return l
}

// chiSquare1 is the upper tail probability of the chi-square distribution with one degree of freedom.
func chiSquare1(x float64) float64 { return math.Erfc(math.Sqrt(x / 2)) }

const (
	resamples = 4000
	// Arbitrary constants, so that the same residuals give the same p-value in every run.
	bootstrapSeed1, bootstrapSeed2 = 2000, 271
)

// mcNeilFrey tests whether the true mean of the residuals is 0. It returns their mean, and p: the
// bootstrap probability of a studentised mean at least as large as theirs if the true mean is 0.
// Without a breach it returns mean 0 and p = 1. For one breach p is also 1, because one value has
// no standard deviation.
func mcNeilFrey(residuals []float64) (mean, p float64) {
	n := len(residuals)
	if n == 0 {
		return 0, 1
	}
	mean, sd := moments(residuals, nil)
	if n == 1 {
		return mean, 1
	}
	observed := mean / sd
	rng := rand.New(rand.NewPCG(bootstrapSeed1, bootstrapSeed2))
	drawn := make([]int, n)
	large := 0
	for range resamples {
		for i := range drawn {
			drawn[i] = rng.IntN(n)
		}
		m, s := moments(residuals, drawn)
		// A resample of equal values has deviation 0, so its statistic is infinite, or NaN if the values
		// equal the mean; NaN does not count as large.
		if (m-mean)/s >= observed {
			large++
		}
	}
	return mean, float64(large) / resamples
}

// moments returns mean and standard deviation of the values at the given indexes, of all values if at is
// nil.
func moments(x []float64, at []int) (mean, sd float64) {
	n := len(x)
	value := func(i int) float64 {
		if at == nil {
			return x[i]
		}
		return x[at[i]]
	}
	for i := range n {
		mean += value(i)
	}
	mean /= float64(n)
	var square float64
	for i := range n {
		d := value(i) - mean
		square += d * d
	}
	return mean, math.Sqrt(square / float64(n))
}
