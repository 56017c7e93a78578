package outcomes

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"sort"

	"ballast/marketcache"
)

// The alarm bets against what answers told. A stake of 1 is multiplied again and again by a factor whose mean is at
// most 1 if the answers are right, whatever the distribution: the chance that it is K is at most 1/K.

// Alarm is what two comparisons found.
type Alarm struct {
	Volatility Volatility
	Bands      []Verdict // of each band with a promise
}

// Raised reports whether one of them rings.
func (a *Alarm) Raised() bool {
	return a.Volatility.Raised || slices.ContainsFunc(a.Bands, func(v Verdict) bool { return v.Raised })
}

// Volatility is the comparison of the ranges of the last day's hours with the variances that the answers before each
// told: the statistic of Shiryaev and Roberts. A stake of 1 begins with each hour, and all are multiplied by the factor
// of each hour after.
//
// A market's ratio in an hour is the variance measured over the variance told. Measured: from the hour's range
// (Parkinson). Told: a 24th of a day's forecast for average hours, times usualRatio. An hour's factor is the mean ratio
// of the markets that were asked about, at most factorLimit: a crisis counts once an hour, however the markets
// depend on each other.
type Volatility struct {
	Raised bool
	P      float64 // at most the chance of such stakes at an hour if the answers are right: their mean is one a stake
	// The newest hours that give the strongest evidence, and their mean factor: the told variance of an hour is 1.
	Hours int
	Ratio float64
}

const (
	volatilityP = 0.01 // Volatility rings below it
	// usualRatio is more than the mean of an hour's variance over that told in the hour before, 1.03 to 1.11
	// (docs/model.md): in the hours after a rise more than that is usual.
	usualRatio = 1.2
	// factorLimit bounds an hour's factor, so that a jump of a few hours does not ring: it takes eleven hours at it.
	factorLimit = 2
)

// told are the variances of a day that the answers of an hour told, by asset.
type told map[string]toldVariance

type toldVariance struct {
	sum   float64
	count int
}

// add adds an answer, if it told a variance.
func (t told) add(c *Case) {
	if v := t[c.Asset]; c.Variance > 0 {
		t[c.Asset] = toldVariance{v.sum + c.Variance, v.count + 1}
	}
}

// factor returns what an hour multiplies the stakes by, 1 without bars.
func (t told) factor(hour int64, bars func(asset string) []marketcache.Bar) float64 {
	sum, n := 0.0, 0
	for asset, v := range t {
		list := bars(asset)
		i := sort.Search(len(list), func(i int) bool { return list[i].OpenMs >= hour*hourMs })
		if i == len(list) || list[i].OpenMs != hour*hourMs {
			continue
		}
		move := math.Log(list[i].High / list[i].Low)
		usual := usualRatio * v.sum / float64(v.count) / float64(Horizons[Day])
		sum, n = sum+move*move/(4*math.Ln2)/usual, n+1
	}
	if n == 0 {
		return 1
	}
	return min(factorLimit, sum/float64(n))
}

// watch compares the day before end with what answers told, by hour: of each market the newest.
func watch(answers map[int64]told, end int64, bars func(asset string) []marketcache.Bar) (v Volatility) {
	stakes, largest, sum, newest := 0.0, 0.0, 0.0, told{}
	for hour := end - Horizons[Day]; hour < end; hour++ {
		if maps.Copy(newest, answers[hour-1]); len(newest) == 0 {
			continue
		}
		if largest < 1 {
			largest, sum, v.Hours = 1, 0, 0
		}
		x := newest.factor(hour, bars)
		stakes, largest, sum, v.Hours = (stakes+1)*x, largest*x, sum+x, v.Hours+1
		v.Ratio = sum / float64(v.Hours)
	}
	v.P = min(1, float64(Horizons[Day])/stakes)
	v.Raised = v.P < volatilityP
	return v
}

// What a recommendation promises is the probability that was told with it: of the positions with a recommendation no
// larger share is liquidated within 24 hours than the mean of probability_24h. leastPromise is the published share of
// proceed (docs/model.md): below it a single liquidation would seem impossible, and the probability is a guess. abort
// promises nothing.
const (
	leastPromise  = 0.0015
	promisedBands = 2 // the first ones of Bands
)

// published are the shares of positions that the backtest saw liquidated (docs/model.md): the promise of an answer
// without a probability.
var published = [promisedBands]float64{leastPromise, 0.0361}

const (
	// KeptHours is how many hours of decisions are compared with their promises.
	KeptHours = 30 * 24
	// betEvery is how many hours after a bet on a band its outcome is known: 24, and the rest of the decision's hour.
	betEvery = 25
	// A band rings when the chance that its stakes are so large within ten months is below bandP (Ville's inequality).
	bandP     = 0.01
	tenMonths = 7300 // hours
)

// promises are the answers of an hour by band, as they are kept.
type promises [promisedBands]struct {
	Count      int     `json:"c"`
	Liquidated int     `json:"l"`
	Promised   float64 `json:"w"` // of the answers, how many may be liquidated
}

// add adds an outcome of 24 hours. Bands without a promise are left out.
func (h *promises) add(c *Case, o *Outcome) {
	if c.Band >= promisedBands {
		return
	}
	b, p := &h[c.Band], published[c.Band]
	if told := c.Probability[Day]; told != nil {
		p = max(leastPromise, *told)
	}
	if b.Count, b.Promised = b.Count+1, b.Promised+p; o.Liquidated {
		b.Liquidated++
	}
}

func (h *promises) merge(o *promises) {
	for i := range h {
		a, b := &h[i], &o[i]
		a.Count, a.Liquidated, a.Promised = a.Count+b.Count, a.Liquidated+b.Liquidated, a.Promised+b.Promised
	}
}

// decodePromises reads what encode wrote; "" are none.
func decodePromises(text string) (h promises, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &h)
	}
	return h, err
}

// Verdict is the comparison of one band with its promise, over KeptHours of decisions.
type Verdict struct {
	Band              int
	Raised            bool
	Count, Liquidated int
	Promised          float64 // of Count, how many may be liquidated
	Hours             int     // of decisions of which some were liquidated
	P                 float64 // at most the chance of such stakes within ten months if the promise is kept
}

// judge compares the decisions of the hours before end with the promise of each band. An hour's factor is
// (1 + liquidated/promised)/2. A stake meets every betEvery-th hour, so that its bets are over one after another and a
// crash is one event to it; the stakes of the betEvery ways to do that are averaged.
func judge(hours map[int64]promises, end int64) (list []Verdict) {
	for band := range promisedBands {
		v, mean := Verdict{Band: band}, 0.0
		for first := end - KeptHours; first < end-KeptHours+betEvery; first++ {
			stake := 1.0
			for hour := first; hour < end; hour += betEvery {
				h := hours[hour][band]
				if h.Count == 0 {
					continue
				}
				stake = max(1, stake) * (1 + float64(h.Liquidated)/h.Promised) / 2
				v.Count, v.Liquidated, v.Promised = v.Count+h.Count, v.Liquidated+h.Liquidated, v.Promised+h.Promised
				if h.Liquidated > 0 {
					v.Hours++
				}
			}
			mean += stake / betEvery
		}
		v.P = min(1, tenMonths/betEvery/mean)
		v.Raised = v.P < bandP
		list = append(list, v)
	}
	return list
}
