package outcomes

import (
	"cmp"
	"encoding/json"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

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

// Liquidations are not independent, so positions are not counted one by one.
//
//   - A unit is an asset and a side on one day (24 hours of decisions). It counts once, with the share of its
//     positions that were liquidated: a thousand answers about one trade are one.
//   - An event is what was liquidated on one side within the same eventHours, whatever the asset: a crash is one
//     event. Its mass is the units in it.
//
// The sum X of the masses is compared with the sum M of the units' promises. A sum of events of unequal mass has about
// the distribution of s times a Poisson number with mean M/s, s = sum(mass^2)/sum(mass) (Bohm and Zech 2014): mean
// and variance are the same. s is at least 1: no event is less than a unit. So a crash that liquidates every long at
// once is X/s = 1 event, and no alarm alone; liquidations that are too many on both sides and at all hours are one.
//
// The alarm looks once an hour at the newest day, two days, week and month of decisions. alarmP is the chance of so
// many events at one look if the promise is kept; it is small because there are many looks. Fewer than leastEvents are
// no evidence.
const (
	alarmP      = 2e-5
	leastEvents = 4
	eventHours  = 3
	// keptHours is how many hours of decisions the alarm needs.
	keptHours = 30 * 24
)

// windows are the lengths in hours of decisions that the alarm looks at.
var windows = [...]int64{24, 48, 7 * 24, keptHours}

// name names a unit within an hour of decisions.
type name struct {
	Band  int    `json:"b"`
	Asset string `json:"a"`
	Short bool   `json:"s,omitempty"`
}

// unit is what became of an asset's positions on a side, with one recommendation, in one hour of decisions.
type unit struct {
	Count int `json:"n"`
	// Probability is the sum of what was told, published where nothing was told.
	Probability float64 `json:"p"`
	// Hits counts the positions that were liquidated, by hour.
	Hits map[int64]int `json:"h,omitempty"`
}

// tallied are the units of an hour of decisions.
type tallied map[name]*unit

// add adds an outcome of 24 hours. Bands without a promise are left out.
func (t tallied) add(c *Case, o *Outcome) {
	if c.Band >= promisedBands {
		return
	}
	one := unit{Count: 1, Probability: published[c.Band]}
	if p := c.Probability[Day]; p != nil {
		one.Probability = *p
	}
	if o.Liquidated {
		one.Hits = map[int64]int{o.LiquidatedHour: 1}
	}
	t.merge(name{c.Band, c.Asset, c.Short}, &one)
}

// merge adds to the unit of a name.
func (t tallied) merge(n name, o *unit) {
	u := t[n]
	if u == nil {
		u = &unit{}
		t[n] = u
	}
	u.Count, u.Probability = u.Count+o.Count, u.Probability+o.Probability
	for hour, count := range o.Hits {
		if u.Hits == nil {
			u.Hits = map[int64]int{}
		}
		u.Hits[hour] += count
	}
}

// kept is a unit as it is kept.
type kept struct {
	name
	unit
}

// encode returns the units as they are kept, decodeTallied reads that; "" are none.
func (t tallied) encode() string {
	list := []kept{}
	for n, u := range t {
		list = append(list, kept{n, *u})
	}
	slices.SortFunc(list, func(a, b kept) int {
		return cmp.Or(cmp.Compare(a.Band, b.Band), cmp.Compare(a.Asset, b.Asset), cmp.Compare(a.Count, b.Count))
	})
	return encode(list)
}

func decodeTallied(text string) (tallied, error) {
	t := tallied{}
	if text == "" {
		return t, nil
	}
	var list []kept
	err := json.Unmarshal([]byte(text), &list)
	for i := range list {
		t[list[i].name] = &list[i].unit
	}
	return t, err
}

// Verdict is the comparison of one band with its promise.
type Verdict struct {
	Band   int
	Raised bool
	Hours  int64   // length of the window
	Units  int     // see above
	Mass   float64 // X
	Want   float64 // M
	Events float64 // X/s
	P      float64 // the chance of so many events if the promise is kept
	// Promise is the mean promise of the units, Realised the share of them that was liquidated; fractions, 0 without
	// units.
	Promise, Realised float64
}

// Alarm is the verdict on each band with a promise: that of the window with the smallest P.
type Alarm []Verdict

// Raised reports whether a band has broken its promise.
func (a Alarm) Raised() bool { return slices.ContainsFunc(a, func(v Verdict) bool { return v.Raised }) }

// judge compares the decisions of the hours before end with the promises.
func judge(hours map[int64]tallied, end int64) (a Alarm) {
	for band := range promisedBands {
		var worst Verdict
		for i, window := range windows {
			if v := compare(hours, end, band, window); i == 0 || v.P < worst.P {
				worst = v
			}
		}
		a = append(a, worst)
	}
	return a
}

// group names a unit: an asset and side, and the day before the end of the window.
type group struct {
	asset string
	short bool
	day   int64
}

// event names what happened together.
type event struct {
	short bool
	slot  int64
}

// compare compares one band in one window.
func compare(hours map[int64]tallied, end int64, band int, window int64) Verdict {
	type total struct {
		count       int
		probability float64
	}
	groups := map[group]*total{}
	each := func(f func(g group, u *unit)) {
		for hour := end - window; hour < end; hour++ {
			for n, u := range hours[hour] {
				if n.Band == band {
					f(group{n.Asset, n.Short, (end - 1 - hour) / Horizons[Day]}, u)
				}
			}
		}
	}
	each(func(g group, u *unit) {
		t := groups[g]
		if t == nil {
			t = &total{}
			groups[g] = t
		}
		t.count, t.probability = t.count+u.Count, t.probability+u.Probability
	})
	v := Verdict{Band: band, Hours: window, Units: len(groups), P: 1}
	for _, t := range groups {
		v.Want += max(leastPromise, t.probability/float64(t.count))
	}
	masses := map[event]float64{}
	each(func(g group, u *unit) {
		for hour, count := range u.Hits {
			masses[event{g.short, hour / eventHours}] += float64(count) / float64(groups[g].count)
		}
	})
	squares := 0.0
	for _, m := range masses {
		v.Mass += m
		squares += float64(m * m)
	}
	if v.Mass > 0 {
		s := max(1, squares/v.Mass)
		v.Events = v.Mass / s
		v.P = mathext.GammaIncReg(v.Events, v.Want/s) // P(Poisson(M/s) >= X/s)
	}
	if v.Units > 0 {
		v.Promise, v.Realised = v.Want/float64(v.Units), v.Mass/float64(v.Units)
	}
	v.Raised = v.P < alarmP && v.Events >= leastEvents
	return v
}
