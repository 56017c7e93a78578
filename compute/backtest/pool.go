package backtest

import (
	"fmt"
	"math"
	"strings"

	"ballast/compute/calib"
	"ballast/compute/joint"
	"ballast/compute/stats"
	"ballast/marketcache"
)

const (
	// MinPoolFiles is the least number of histories of a backtest of pools.
	MinPoolFiles = 3
	// PathReplay is the name of the model that RunPool judges.
	PathReplay Model = "path-replay"

	poolEveryHours = 120
	poolFirstDay   = 366      // days from the first common midnight to the first forecast
	poolRate       = 1.0 / 50 // maintenance margin rate of every leg
	weekRoom       = 2.5      // the room of a pool over seven days, in that over a day
	longest        = 168      // hours of the longest horizon
	leastChance    = 1e-6     // a chance counts as at least this, and at most 1 minus this, in the log loss
	betweenCloses  = 0.58     // see package joint: what a price does between two marks
)

// poolKinds are the pools: sides of their equal legs, and rooms as shares of the gross notional.
var poolKinds = []struct {
	name  string
	sides string
	rooms []float64
}{
	{"spread", "+-", hedgedRooms},
	{"neutral", "+-+-", hedgedRooms},
	{"long", "+++", oneSidedRooms},
	{"short", "---", oneSidedRooms},
}

var (
	hedgedRooms   = []float64{0.01, 0.015, 0.02, 0.03, 0.045, 0.07}
	oneSidedRooms = []float64{0.02, 0.03, 0.045, 0.07, 0.1, 0.15}
)

// poolHorizons are the horizons of the forecasts.
var poolHorizons = [marketcache.ExcursionHorizons]int{marketcache.Excursion24h: 24, marketcache.Excursion168h: longest}

// PoolFile is one history: closed hourly bars, oldest first.
type PoolFile struct {
	Name string
	Bars []marketcache.Bar
}

// PoolOutcomes counts what became of pools. Nobody records what happens within an hour: Closes is a lower
// bound, Worst an upper bound, and Liquidated lies between.
type PoolOutcomes struct {
	N      int `json:"n"`
	Closes int `json:"liquidated_closes"` // at an hourly close
	// Liquidated: the closes and what the model adds between marks.
	Liquidated int `json:"liquidated"`
	Worst      int `json:"liquidated_worst"` // every leg at its worst of each hour at once
	// MeanProbability is the mean of the forecast, a fraction; 0 without a case.
	MeanProbability float64 `json:"mean_probability"`
}

// PoolKind holds the pools of one kind.
type PoolKind struct {
	Kind string `json:"kind"`
	PoolOutcomes
	LogLoss float64 `json:"log_loss"`
	Brier   float64 `json:"brier"`
}

// PoolBin is a range of forecasts, fractions. The lower bound belongs to the range; the upper bound only
// in the last one.
type PoolBin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	PoolOutcomes
}

// PoolHorizon holds the cases of one horizon.
type PoolHorizon struct {
	Hours       int        `json:"hours"`
	Kinds       []PoolKind `json:"kinds"`
	Reliability []PoolBin  `json:"reliability"`
}

// PoolResult measures how well the chance that a cross pool is liquidated was predicted.
type PoolResult struct {
	File       string        `json:"file"` // names joined by commas
	Model      Model         `json:"model"`
	EveryHours int           `json:"every_hours"` // between forecasts
	FromMs     int64         `json:"from"`        // open time of the bar that had just closed at the first forecast
	ToMs       int64         `json:"to"`          // the same for the last forecast
	Cases      int           `json:"cases"`
	Horizons   []PoolHorizon `json:"horizons"`

	Forecasts     int `json:"-"`
	Hours, Filled int `json:"-"` // of all histories; Filled counts missing hours filled by flat bars
}

// poolCase is one pool, room and horizon.
type poolCase struct {
	kind                      int
	probability               float64
	closes, liquidated, worst bool
}

// poolRun is a backtest of pools under way.
type poolRun struct {
	files []poolHistory
	cases [marketcache.ExcursionHorizons][]poolCase
	paths joint.Paths
}

// poolHistory is one history without gaps.
type poolHistory struct {
	bars      []marketcache.Bar
	close     []float64 // ln of the close, by bar
	low, high []float64 // log extremes of the bar, bad prints capped
	service   *calib.History
	fed       int // bars fed to service
	model     *marketcache.AssetModel
}

// RunPool builds cross pools of equal legs from the histories, at a forecast every fifth day, and
// compares the service's chance that they are liquidated with what then happened. The first history
// gives the rows of the replay, as BTC does in the service. An error is one of package vol for
// impossible bars, or says that the histories have too few hours in common.
func RunPool(files []PoolFile, progress func(done, all int)) (*PoolResult, error) {
	if len(files) < MinPoolFiles {
		return nil, fmt.Errorf("%d histories; pools are made of %d or more", len(files), MinPoolFiles)
	}
	r := &PoolResult{Model: PathReplay, EveryHours: poolEveryHours}
	run := &poolRun{}
	var names []string
	for _, f := range files {
		h, filled, err := newPoolHistory(f.Bars)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		run.files, names = append(run.files, h), append(names, f.Name)
		r.Hours, r.Filled = r.Hours+len(h.bars), r.Filled+filled
	}
	r.File = strings.Join(names, ",")
	first, last := run.span()
	if first > last {
		return nil, fmt.Errorf("the histories have no forecast in common: "+
			"it takes %d days from the first 00:00 UTC of all to the first forecast, and %d hours after it",
			poolFirstDay, longest)
	}
	r.FromMs = first * hourMs
	for hour := first; hour <= last; hour += poolEveryHours {
		if err := run.forecast(hour); err != nil {
			return nil, err
		}
		r.ToMs, r.Forecasts = hour*hourMs, r.Forecasts+1
		if progress != nil {
			progress(int(hour-first), int(last-first)+1)
		}
	}
	for h, hours := range poolHorizons {
		r.Cases += len(run.cases[h])
		r.Horizons = append(r.Horizons, poolHorizon(hours, run.cases[h], len(files)))
	}
	return r, nil
}

// newPoolHistory fills the gaps of a history, from its first 00:00 UTC on, and computes the extremes of its
// bars.
func newPoolHistory(bars []marketcache.Bar) (h poolHistory, filled int, err error) {
	if h.bars, filled, err = fromMidnight(bars); err != nil {
		return h, 0, err
	}
	state := calib.NewHistory(marketcache.ClassCrypto)
	for i := range h.bars {
		if err := state.Extend(h.bars[i : i+1]); err != nil {
			return h, 0, err
		}
		low, high := state.State().LogExtremes()
		h.close = append(h.close, math.Log(h.bars[i].Close))
		h.low, h.high = append(h.low, low), append(h.high, high)
	}
	h.service = calib.NewHistory(marketcache.ClassCrypto)
	return h, filled, nil
}

// span returns the hours of the first and of the last possible forecast.
func (r *poolRun) span() (first, last int64) {
	last = math.MaxInt64
	for i := range r.files {
		bars := r.files[i].bars
		if len(bars) == 0 {
			return 0, -1
		}
		first = max(first, bars[0].OpenMs/hourMs)
		last = min(last, bars[len(bars)-1].OpenMs/hourMs-longest)
	}
	midnight := (first + horizon - 1) / horizon * horizon
	return midnight + poolFirstDay*horizon, last
}

// index returns the index of the bar that opens at an hour.
func (h *poolHistory) index(hour int64) int { return int(hour - h.bars[0].OpenMs/hourMs) }

// forecast adds the cases of the forecast after the bar that opens at an hour.
func (r *poolRun) forecast(hour int64) error {
	for i := range r.files {
		f := &r.files[i]
		n := f.index(hour) + 1
		if err := f.service.Extend(f.bars[f.fed:n]); err != nil {
			return err
		}
		f.fed, f.model = n, f.service.Paths()
	}
	for i := range r.files {
		f := &r.files[i]
		f.model.Joint = joint.AlignPaths(r.files[0].model, f.model)
	}
	for k, kind := range poolKinds {
		if len(kind.sides) > len(r.files) {
			continue
		}
		for i := range r.files {
			var pool poolOutcome
			r.paths.Reset()
			for j, side := range kind.sides {
				n := 1 / float64(len(kind.sides))
				if side == '-' {
					n = -n
				}
				f := &r.files[(i+j)%len(r.files)]
				leg := joint.PathLeg{Model: f.model, Weight: float64(math.Abs(n)*poolRate) - n, Short: n < 0}
				pool.legs = append(pool.legs, outcomeLeg{f, f.index(hour), leg})
				r.paths.Add(leg)
			}
			r.paths.Sum(r.files[0].model)
			for h, hours := range poolHorizons {
				closes, between, worst := pool.losses(h, hours)
				for _, room := range kind.rooms {
					if h == marketcache.Excursion168h {
						room *= weekRoom
					}
					r.cases[h] = append(r.cases[h], poolCase{
						kind: k, probability: r.paths.Probability(h, nil, room, 0),
						closes: closes > room, liquidated: between > room, worst: worst > room,
					})
				}
			}
		}
	}
	return nil
}

// poolOutcome is a pool after its forecast.
type poolOutcome struct{ legs []outcomeLeg }

// outcomeLeg is a leg of a pool: its history, the index of the bar of the forecast, and its weight.
type outcomeLeg struct {
	*poolHistory
	at int
	joint.PathLeg
}

// move is the fractional move of the price from the forecast to a log price.
func (l *outcomeLeg) move(log float64) float64 { return math.Expm1(log - l.close[l.at]) }

// losses returns the largest loss within the hours of horizon h after the forecast, as a share of the
// gross notional: at the closes, with what happens between them as package joint has it, and with every
// leg at its worst of each hour at once.
func (p *poolOutcome) losses(h, hours int) (closes, between, worst float64) {
	last, squares := 0.0, 0.0
	for j := 1; j <= hours; j++ {
		atClose, atWorst := 0.0, 0.0
		for i := range p.legs {
			l := &p.legs[i]
			log := l.low[l.at+j]
			if l.Short {
				log = l.high[l.at+j]
			}
			atClose += float64(l.Weight * l.move(l.close[l.at+j]))
			atWorst += float64(l.Weight * l.move(log))
		}
		squares += float64((atClose - last) * (atClose - last))
		closes, worst, last = max(closes, atClose), max(worst, atWorst), atClose
	}
	top, share := p.dominant(h)
	between = closes + float64((1-share)*betweenCloses*math.Sqrt(squares/float64(hours)))
	return closes, between + float64(share*math.Abs(top.Weight)*top.beyond(hours)), worst
}

// dominant returns the leg with the largest risk, and how far it is the pool.
func (p *poolOutcome) dominant(h int) (top *outcomeLeg, share float64) {
	all, largest := 0.0, -1.0
	for i := range p.legs {
		l := &p.legs[i]
		size := math.Abs(l.Weight) * l.Model.Joint.Paths[h].SD
		if all += size; size > largest {
			top, largest = l, size
		}
	}
	share = max(0, 1-(all-largest)/largest)
	return top, share * share
}

// beyond returns how much further than its closes the price went against the leg, a fraction of it.
func (l *outcomeLeg) beyond(hours int) float64 {
	marks, extreme := 0.0, 0.0 // log moves against the leg
	for j := l.at + 1; j <= l.at+hours; j++ {
		if l.Short {
			marks, extreme = max(marks, l.close[j]-l.close[l.at]), max(extreme, l.high[j]-l.close[l.at])
		} else {
			marks, extreme = max(marks, l.close[l.at]-l.close[j]), max(extreme, l.close[l.at]-l.low[j])
		}
	}
	extreme = max(marks, extreme)
	if l.Short {
		return math.Exp(extreme) - math.Exp(marks)
	}
	return math.Exp(-marks) - math.Exp(-extreme)
}

// poolHorizon counts the cases of one horizon over so many files.
func poolHorizon(hours int, cases []poolCase, files int) PoolHorizon {
	out := PoolHorizon{Hours: hours}
	for k, kind := range poolKinds {
		if len(kind.sides) > files {
			continue
		}
		row := PoolKind{Kind: kind.name}
		var miss, surprise []float64
		row.PoolOutcomes = countPools(cases, func(c *poolCase) bool {
			if c.kind != k {
				return false
			}
			p, y := max(leastChance, min(1-leastChance, c.probability)), 0.0
			if c.liquidated {
				y = 1
				surprise = append(surprise, -math.Log(p))
			} else {
				surprise = append(surprise, -math.Log1p(-p))
			}
			miss = append(miss, p-y)
			return true
		})
		row.LogLoss, row.Brier = stats.Mean(surprise), stats.MeanSquare(miss)
		out.Kinds = append(out.Kinds, row)
	}
	last := len(reliabilityEdges) - 2
	for i := range last + 1 {
		from, to := reliabilityEdges[i], reliabilityEdges[i+1]
		in := func(c *poolCase) bool { return c.probability >= from && (c.probability < to || i == last) }
		out.Reliability = append(out.Reliability, PoolBin{from, to, countPools(cases, in)})
	}
	return out
}

// countPools returns the outcomes of the cases for which in returns true.
func countPools(cases []poolCase, in func(*poolCase) bool) (o PoolOutcomes) {
	var p []float64
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for i := range cases {
		c := &cases[i]
		if !in(c) {
			continue
		}
		p = append(p, c.probability)
		count(&o.Closes, c.closes)
		count(&o.Liquidated, c.liquidated)
		count(&o.Worst, c.worst)
	}
	if o.N = len(p); o.N > 0 {
		o.MeanProbability = stats.Mean(p)
	}
	return o
}
