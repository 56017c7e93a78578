package backtest

import (
	"math"
	"strings"

	"ballast/compute/calib"
	"ballast/compute/risk"
	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// Leverages holds the leverages of the positions in a ScoreResult.
var Leverages = [...]int{1, 2, 3, 5, 8, 10, 15, 20, 30, 40}

const (
	// MaxLeverage is the highest leverage of every asset in a ScoreResult. Each asset has one
	// margin tier; maintenance margin is half the initial margin at MaxLeverage.
	MaxLeverage     = 40
	maintenanceRate = 1.0 / (2 * MaxLeverage)
	// halfLost: a position with this P&L or less, as a fraction of its margin, lost half its margin.
	halfLost = -0.5
	// weekDays is the number of days of the longer outcome.
	weekDays = 7
)

// reliabilityEdges are the bounds of the bins of both probabilities; a lower bound belongs to its bin.
var reliabilityEdges = [...]float64{0, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 1}

// ScoreRun is the result of one history: a position of each side and leverage opened at each
// forecast, with its score, its probability of liquidation and its outcome.
type ScoreRun struct {
	File         string
	FromMs, ToMs int64 // as in Result
	// Hours and Filled are as in Result; Days counts the forecasts.
	Hours, Filled, Days int
	cases               []scoreCase
}

type scoreCase struct {
	openMs               int64 // open time of the bar that had just closed
	side                 int
	score                float64
	probability          float64 // of 24 hours
	probability7d        float64
	verdict              risk.Recommendation
	liquidated, lostHalf bool
	week, liquidated7d   bool // week: the history has the 7 days after the forecast
}

// Outcomes counts the outcomes of positions.
type Outcomes struct {
	N          int `json:"n"`
	Liquidated int `json:"liquidated"` // the price reached liquidation within 24 hours
	// LostHalf counts positions that were liquidated or had lost at least half of their
	// margin after 24 hours.
	LostHalf int `json:"lost_half"`
	// MeanProbability is the mean of probability_24h, a fraction; 0 without a position.
	MeanProbability float64 `json:"mean_probability"`
}

// Decile is a range of scores. The lower bound belongs to the range; the upper bound only in the
// last one.
type Decile struct {
	From int `json:"from"`
	To   int `json:"to"`
	Outcomes
}

// Band holds the outcomes of the positions with one recommendation, within 24 hours and within 7 days.
type Band struct {
	Recommendation string `json:"recommendation"`
	Outcomes
	N7d               int     `json:"n_7d"` // positions with 7 days of history after them
	Liquidated7d      int     `json:"liquidated_7d"`
	MeanProbability7d float64 `json:"mean_probability_7d"`
}

// Bin is a range of a probability, fractions. The lower bound belongs to the range; the upper
// bound only in the last one.
type Bin struct {
	From            float64 `json:"from"`
	To              float64 `json:"to"`
	N               int     `json:"n"`
	Liquidated      int     `json:"liquidated"`
	MeanProbability float64 `json:"mean_probability"`
}

// ScoreResult measures how well the score and the probability of liquidation predicted, over
// the pooled positions of one or several histories.
type ScoreResult struct {
	File         string `json:"file"` // names of several files are joined by commas
	Model        Model  `json:"model"`
	HorizonHours int    `json:"horizon_hours"`
	MaxLeverage  int    `json:"max_leverage"`
	Leverages    []int  `json:"leverages"`
	FromMs       int64  `json:"from"`             // earliest of the histories, as in Result
	ToMs         int64  `json:"to"`               // latest
	Days         int    `json:"days"`             // forecasts of all histories
	Hours        int    `json:"hours"`            // of all histories, as in Result
	Filled       int    `json:"filled"`           // of these, missing hours filled by flat bars
	Status       Status `json:"status,omitempty"` // StatusInsufficient, or empty: a score has no other verdict
	Cases        int    `json:"cases"`
	Liquidated   int    `json:"liquidated"`
	LostHalf     int    `json:"lost_half"`

	Deciles     []Decile `json:"deciles"`
	Bands       []Band   `json:"bands"`
	Reliability []Bin    `json:"reliability"`
	// Reliability7d bins probability_7d, with the outcomes of 7 days.
	Reliability7d []Bin `json:"reliability_7d"`
	// Crises are the known days on which everything fell together.
	Crises []CrisisResult `json:"-"`

	// Brier is the mean squared difference of probability_24h and the outcome (1: liquidated,
	// 0: not). BrierBase is the same with the overall liquidated share as the forecast.
	Brier     float64 `json:"brier"`
	BrierBase float64 `json:"brier_base"`
	// AUC is the area under the ROC curve of probability_24h as a predictor of liquidation:
	// the share of pairs (one liquidated, one not) in which the liquidated position had the
	// higher value; a tie counts half. AUCScore is the AUC of the risk score. Both are 0.5
	// when no position, or every position, was liquidated.
	AUC      float64 `json:"auc"`
	AUCScore float64 `json:"auc_score"`
}

// RunScore opens an isolated position of each side and leverage at every forecast of a history:
// at the close, without a fee, and with no position held before. It scores the position with the
// service's own code from the data that candles contain, and records the outcome within 24 hours and
// within 7 days. Bars and errors are as in Run, progress as in Options.
func RunScore(bars []marketcache.Bar, file string, progress func(done, all int)) (*ScoreRun, error) {
	h, err := newHistory(bars)
	if err != nil {
		return nil, err
	}
	h.progress = progress
	run := &ScoreRun{
		File: file, FromMs: h.openMs(firstDay), ToMs: h.openMs(h.lastDay()),
		Hours: len(h.bars), Filled: h.filled, Days: h.lastDay() - firstDay + 1,
	}
	scratch := &vol.Scratch{}
	var views []forecastView // by day, from firstDay on
	err = h.walk(func(day int, service *calib.History) {
		if k := day - 1 - firstDay; k >= 0 {
			v := &views[k]
			run.settle(v, v.worst(service.State(), marketcache.Excursion24h), h.openMs(day-1), h.returns[day-1])
		}
		if k := day - weekDays - firstDay; k >= 0 {
			v := &views[k]
			run.settleWeek(k, v, v.worst(service.State(), marketcache.Excursion168h))
		}
		if day <= h.lastDay() {
			views = append(views, view(service, scratch))
		}
	})
	if err != nil {
		return nil, err
	}
	return run, nil
}

// forecastView holds the inputs of the score for an asset at a forecast. Excursions are indexed by
// marketcache.Excursion24h and marketcache.Excursion168h.
type forecastView struct {
	sd               [marketcache.ExcursionHorizons]float64 // standard deviation of the log return
	knots            [marketcache.ExcursionHorizons][marketcache.SideCount]marketcache.Excursions
	pct99Day, pct994 [marketcache.SideCount]float64 // VaR at 99 % over 24 and 4 hours, percent of notional
	regime           [3]float64
}

func view(service *calib.History, scratch *vol.Scratch) (v forecastView) {
	s := service.State()
	day, four := s.Forecast(marketcache.H24, scratch), s.Forecast(marketcache.H4, scratch)
	v.sd[marketcache.Excursion24h] = math.Sqrt(day.Variance)
	v.sd[marketcache.Excursion168h] = math.Sqrt(s.Forecast(marketcache.H168, scratch).Variance)
	v.knots = s.Excursions(scratch)
	for side := range marketcache.SideCount {
		v.pct994[side] = four.Tail[side][marketcache.P99].PctVaR
		tail := &day.Tail[side]
		v.pct99Day[side] = max(tail[marketcache.P99].PctVaR, v.pct994[side], tail[marketcache.P95].PctVaR)
	}
	v.regime[0] = 1
	if r := service.Regime(); r.Filtered {
		v.regime = r.Probability
	}
	return v
}

// worst returns the largest adverse move of the log price within the horizon after the forecast, by side. The
// horizon has just ended.
func (v *forecastView) worst(s *vol.State, horizon int) [marketcache.SideCount]float64 {
	_, long, short := s.ExcursionOutcomes(horizon)
	return [marketcache.SideCount]float64{long[len(long)-1] * v.sd[horizon], short[len(short)-1] * v.sd[horizon]}
}

// liquidationMove returns the liquidation price divided by the current price, and the log of the move to it.
// Maintenance margin is taken at the liquidation price. ok is false for a long without leverage, which cannot
// be liquidated.
func liquidationMove(side, leverage int) (ratio, move float64, ok bool) {
	ratio = (1 - sign[side]/float64(leverage)) / (1 - sign[side]*maintenanceRate)
	if ratio <= 0 {
		return 0, math.Inf(1), false
	}
	return ratio, math.Abs(math.Log(ratio)), true
}

// settle appends the positions opened at a forecast. worst is the largest adverse move of the log price
// in the next 24 hours, by side, and r the log return.
func (run *ScoreRun) settle(v *forecastView, worst [marketcache.SideCount]float64, openMs int64, r float64) {
	var why risk.Terms
	for side, s := range sign {
		for _, leverage := range Leverages {
			l := float64(leverage)
			c := scoreCase{openMs: openMs, side: side}
			distance := float64(100)
			if ratio, move, ok := liquidationMove(side, leverage); ok {
				distance = 100 * max(0, min(1, s*(1-ratio)))
				day, week := marketcache.Excursion24h, marketcache.Excursion168h
				c.probability = vol.TouchProbability(&v.knots[day][side], move/v.sd[day])
				c.probability7d = max(vol.TouchProbability(&v.knots[week][side], move/v.sd[week]), c.probability)
				c.liquidated = worst[side] >= move
			}
			c.lostHalf = c.liquidated || s*math.Expm1(r)*l <= halfLost
			// Candles contain no books, costs, funding or other positions; these inputs are set so
			// that they add nothing to the score. An unknown open-interest cap has no weight.
			in := risk.ScoreInput{
				DistancePct: distance, Pct99_24h: v.pct99Day[side], Pct99_4h: v.pct994[side],
				MarginVaRPct: v.pct99Day[side] * l,
				IncreaseUSD:  1, RegimeProb: v.regime, Probability24h: c.probability, Probability7d: c.probability7d,
			}
			c.score, c.verdict = in.Compose(&why)
			run.cases = append(run.cases, c)
		}
	}
}

// settleWeek adds the outcome of 7 days to the positions opened at forecast k.
func (run *ScoreRun) settleWeek(k int, v *forecastView, worst [marketcache.SideCount]float64) {
	cases := run.cases[k*len(sign)*len(Leverages):]
	for side := range sign {
		for i, leverage := range Leverages {
			c := &cases[side*len(Leverages)+i]
			_, move, ok := liquidationMove(side, leverage)
			c.week, c.liquidated7d = true, ok && worst[side] >= move
		}
	}
}

// PoolScores counts the positions of all runs together. It needs at least one run.
func PoolScores(runs ...*ScoreRun) *ScoreResult {
	r := &ScoreResult{
		Model: FHSPX, HorizonHours: horizon, MaxLeverage: MaxLeverage, Leverages: Leverages[:],
		FromMs: runs[0].FromMs, ToMs: runs[0].ToMs,
	}
	var names []string
	var cases []scoreCase
	for _, run := range runs {
		names = append(names, run.File)
		cases = append(cases, run.cases...)
		r.Days, r.Hours, r.Filled = r.Days+run.Days, r.Hours+run.Hours, r.Filled+run.Filled
		r.FromMs, r.ToMs = min(r.FromMs, run.FromMs), max(r.ToMs, run.ToMs)
	}
	r.File = strings.Join(names, ",")
	if r.Days < MinForecasts {
		r.Status = StatusInsufficient
	}

	all := count(cases, func(*scoreCase) bool { return true })
	r.Cases, r.Liquidated, r.LostHalf = all.N, all.Liquidated, all.LostHalf
	const width = 10
	for i := range width {
		in := func(c *scoreCase) bool { return min(width-1, int(c.score/width)) == i }
		r.Deciles = append(r.Deciles, Decile{i * width, (i + 1) * width, count(cases, in)})
	}
	for _, verdict := range []risk.Recommendation{risk.Proceed, risk.ProceedWithCaution, risk.Abort} {
		in := func(c *scoreCase) bool { return c.verdict == verdict }
		n, liquidated, p := countWeek(cases, in)
		r.Bands = append(r.Bands, Band{verdict.String(), count(cases, in), n, liquidated, p})
	}
	last := len(reliabilityEdges) - 2
	for i := range last + 1 {
		from, to := reliabilityEdges[i], reliabilityEdges[i+1]
		o := count(cases, func(c *scoreCase) bool {
			return c.probability >= from && (c.probability < to || i == last)
		})
		r.Reliability = append(r.Reliability, Bin{from, to, o.N, o.Liquidated, o.MeanProbability})
		n, liquidated, p := countWeek(cases, func(c *scoreCase) bool {
			return c.probability7d >= from && (c.probability7d < to || i == last)
		})
		r.Reliability7d = append(r.Reliability7d, Bin{from, to, n, liquidated, p})
	}
	r.Crises = crisesOf(cases)
	r.judge(cases)
	return r
}

// judge computes the Brier scores and AUCs.
func (r *ScoreResult) judge(cases []scoreCase) {
	if len(cases) == 0 {
		return
	}
	miss, by, byScore := make([]float64, len(cases)), make([]float64, len(cases)), make([]float64, len(cases))
	liquidated := make([]bool, len(cases))
	for i := range cases {
		c := &cases[i]
		liquidated[i], by[i], byScore[i] = c.liquidated, c.probability, c.score
		miss[i] = c.probability
		if c.liquidated {
			miss[i] = c.probability - 1
		}
	}
	r.Brier = stats.MeanSquare(miss)
	base := float64(r.Liquidated) / float64(r.Cases)
	r.BrierBase = base * (1 - base)
	r.AUC, r.AUCScore = auc(by, liquidated), auc(byScore, liquidated)
}

// count returns the outcomes of the cases for which in returns true.
func count(cases []scoreCase, in func(*scoreCase) bool) (o Outcomes) {
	var p []float64
	for i := range cases {
		c := &cases[i]
		if !in(c) {
			continue
		}
		p = append(p, c.probability)
		if c.liquidated {
			o.Liquidated++
		}
		if c.lostHalf {
			o.LostHalf++
		}
	}
	if o.N = len(p); o.N > 0 {
		o.MeanProbability = stats.Mean(p)
	}
	return o
}

// countWeek counts the cases with 7 days of history after them for which in returns true, those liquidated
// within these days, and the mean of their probability_7d.
func countWeek(cases []scoreCase, in func(*scoreCase) bool) (n, liquidated int, mean float64) {
	var p []float64
	for i := range cases {
		if c := &cases[i]; c.week && in(c) {
			p = append(p, c.probability7d)
			if c.liquidated7d {
				liquidated++
			}
		}
	}
	if n = len(p); n > 0 {
		mean = stats.Mean(p)
	}
	return n, liquidated, mean
}

// auc is the area under the receiver operating characteristic: the share of all pairs of a hit and a
// miss in which the hit has the higher value, ties half (Mann and Whitney 1947); 0.5 without a pair.
func auc(value []float64, hit []bool) float64 {
	ranks := make([]float64, len(value))
	stats.AverageRanks(ranks, value, make([]int, len(value)))
	var sum []float64
	for i, h := range hit {
		if h {
			sum = append(sum, ranks[i])
		}
	}
	n, m := float64(len(sum)), float64(len(value)-len(sum))
	if n == 0 || m == 0 {
		return 0.5
	}
	return (stats.Sum(sum) - n*(n+1)/2) / (n * m)
}

// Wilson returns the 95 % confidence interval of a probability after k events in n trials
// (Wilson 1927), as fractions; 0 to 1 for n = 0.
func Wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // normal quantile of 97.5 %
	p, m := float64(k)/float64(n), float64(n)
	center := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	low, high = max(0, center-half), min(1, center+half)
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return low, high
}
