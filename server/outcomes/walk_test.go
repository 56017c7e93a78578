package outcomes

import (
	"math"
	"sync"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/compute/risk"
	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
	"ballast/marketcache/venue/sim"
)

// A walk asks about every asset at every hour of simulated prices, with the variances that the service's own fits tell
// from the bars of the time; with leverages also about isolated positions with their probabilities, and closes them.
type walk struct {
	seed          uint64
	assets        int  // of the simulated market, in the order of its list
	doubled       bool // prices move twice as far from the start on
	frozen        bool // the fits get no bars from the start on
	before, hours int  // hours before the start, and from it on
	leverages     []int
	every         int // hours between two questions about positions
	bars          map[string][]marketcache.Bar
	mu            sync.Mutex
	told          map[int64]told
	promises      map[int64]promises
}

var start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// warm is how many bars the fits have at the first question.
const warm = 2200

// leverages are those of the evidence.
var leverages = []int{1, 2, 3, 5, 8, 10, 15, 20, 30, 40}

// run asks, and closes the positions whose day is over.
func (w *walk) run(t testing.TB) {
	w.told, w.promises, w.bars = map[int64]told{}, map[int64]promises{}, map[string][]marketcache.Bar{}
	for asset, bars := range sim.Bars(w.seed, w.assets, start, w.hours) {
		first := bars[len(bars)-w.hours].Open
		for _, b := range bars {
			if w.doubled && b.OpenMs >= start.UnixMilli() {
				for _, price := range []*float64{&b.Open, &b.High, &b.Low, &b.Close} {
					*price *= *price / first
				}
			}
			w.bars[asset] = append(w.bars[asset], marketcache.Bar(b))
		}
	}
	limit := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for asset, bars := range w.bars {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			w.ask(t, asset, bars)
		})
	}
	wg.Wait()
}

// ask asks about one asset.
func (w *walk) ask(t testing.TB, asset string, bars []marketcache.Bar) {
	history, scratch := calib.NewHistory(marketcache.ClassCrypto), &vol.Scratch{}
	from := hour0 - int64(w.before)
	bars = bars[max(0, int(from-warm-bars[0].OpenMs/hourMs)):]
	for i := range bars {
		if known := bars[i].OpenMs < start.UnixMilli(); known || !w.frozen {
			if err := history.Extend(bars[i : i+1]); err != nil {
				t.Error(err)
				return
			}
		}
		hour := bars[i].OpenMs/hourMs + 1 // the bar has just closed
		if hour < from {
			continue
		}
		var factors [24]float64
		vol.Factors(factors[:], marketcache.ClassCrypto, hour)
		average := history.State().Variance(marketcache.H24) * 24 / stats.Sum(factors[:])
		w.mu.Lock()
		if w.told[hour] == nil {
			w.told[hour] = told{}
		}
		w.told[hour].add(&Case{Asset: asset, Variance: average})
		w.mu.Unlock()
		if len(w.leverages) == 0 || hour%int64(w.every) != 0 || i+25 > len(bars) {
			continue
		}
		var p promises
		for _, c := range w.cases(asset, hour, bars[i].Close, history, scratch) {
			o, ok := c.Close(bars, Day)
			if !ok {
				t.Errorf("%s: no bars after hour %d", asset, hour)
				return
			}
			p.add(&c, &o)
		}
		w.mu.Lock()
		kept := w.promises[hour]
		kept.merge(&p)
		w.promises[hour] = kept
		w.mu.Unlock()
	}
}

// cases are isolated positions, long and short, that are opened at a price; scored as the evidence does it.
func (w *walk) cases(asset string, hour int64, price float64, h *calib.History, scratch *vol.Scratch) (list []Case) {
	s := h.State()
	day, four := s.Forecast(marketcache.H24, scratch), s.Forecast(marketcache.H4, scratch)
	sd := [...]float64{math.Sqrt(day.Variance), math.Sqrt(s.Forecast(marketcache.H168, scratch).Variance)}
	knots := s.Excursions(scratch)
	regime := [3]float64{1}
	if r := h.Regime(); r.Filtered {
		regime = r.Probability
	}
	for side, sign := range [...]float64{1, -1} {
		pct4 := four.Tail[side][marketcache.P99].PctVaR
		pct := max(day.Tail[side][marketcache.P99].PctVaR, pct4, day.Tail[side][marketcache.P95].PctVaR)
		for _, leverage := range w.leverages {
			l := float64(leverage)
			ratio := (1 - sign/l) / (1 - sign/80)
			c := Case{AtMs: hour * hourMs, Asset: asset, Short: sign < 0, Mark: price, PositionUSD: 1000, PerMargin: l,
				VaR99: 10 * pct}
			p, p7, distance := 0.0, 0.0, 100.0
			if ratio > 0 {
				c.Liquidation = price * ratio
				move := math.Abs(math.Log(ratio))
				p = vol.TouchProbability(&knots[0][side], move/sd[0])
				p7 = max(p, vol.TouchProbability(&knots[1][side], move/sd[1]))
				distance = 100 * max(0, min(1, sign*(1-ratio)))
			}
			in := risk.ScoreInput{
				DistancePct: distance, Pct99_24h: pct, Pct99_4h: pct4, MarginVaRPct: pct * l, IncreaseUSD: 1,
				RegimeProb: regime, Probability24h: p, Probability7d: p7,
			}
			score, band := in.Compose(&risk.Terms{})
			c.Band, c.Score, c.Probability = int(band), &score, [...]*float64{&p, &p7}
			list = append(list, c)
		}
	}
	return list
}

// rings returns the hours, counted from the start, at which the alarm rings after a day without.
func (w *walk) rings() (list []int64, alarms []Alarm) {
	last, bars := int64(math.MinInt64/2), func(asset string) []marketcache.Bar { return w.bars[asset] }
	for after := 2 - int64(w.before); after <= int64(w.hours); after++ {
		end := hour0 + after
		a := Alarm{watch(w.told, end, bars), judge(w.promises, end-Horizons[Day]-1)}
		if !a.Raised() {
			continue
		}
		if after > last+24 {
			list, alarms = append(list, after), append(alarms, a)
		}
		last = after
	}
	return list, alarms
}
