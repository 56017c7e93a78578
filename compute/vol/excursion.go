package vol

import (
	"math"
	"slices"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// excursions tracks how far prices move against a position within each horizon
// (docs/model.md, "Adverse excursions").
type excursions struct {
	extremes [weekHours]logExtremes // of the newest bars, by bar mod 168, the longest horizon
	// outcome holds m_k (see State.ExcursionOutcomes) in order of k, from seedBars on, by horizon and
	// side.
	outcome [mc.ExcursionHorizons][mc.SideCount]tape
}

// logExtremes are the log extremes of a bar as excursions count them.
type logExtremes struct{ low, high float64 }

func (x *excursions) init() {
	for i, h := range excursionHorizons {
		for side := range mc.SideCount {
			x.outcome[i][side].keep = window[h] + 1
		}
	}
}

// add takes the log extremes of bar t. Call it for every bar from seedBars+1 on.
func (x *excursions) add(t int, e logExtremes) { x.extremes[t%weekHours] = e }

// completeOutcomes records m_k of excursion horizon i when its h hours after bar k have passed, at bar t;
// from is ln C_k, and sd is sqrt(V_k(h)), the forecast at bar k; NaN makes the outcomes NaN.
func (x *excursions) completeOutcomes(i, t int, from, sd float64) {
	low, high := from, from
	for j := range mc.Horizons[excursionHorizons[i]] {
		e := &x.extremes[(t-j)%weekHours]
		low, high = min(low, e.low), max(high, e.high)
	}
	x.outcome[i][mc.Long].append((from - low) / sd)
	x.outcome[i][mc.Short].append((high - from) / sd)
}

// logRange returns the log extremes of a bar, given the log closes before it and at its end and
// the bar's range measure. If the measure is capped, the extremes are moved towards the closes
// until they fit the capped range.
func logRange(b mc.Bar, before, end, measure float64) logExtremes {
	w := math.Sqrt(4 * math.Ln2 * measure)
	return logExtremes{max(math.Log(b.Low), min(before, end)-w), min(math.Log(b.High), max(before, end)+w)}
}

// ExcursionOutcomes returns the adverse excursions behind the knots of horizon h (Excursion24h or
// Excursion168h), oldest first, and the index k of the first of them, by side of the position: m_k is
// the furthest adverse move of the log price within the h hours after bar k, in standard deviations
// forecast at bar k, not negative; NaN where the market was silent. The slices never change.
func (s *State) ExcursionOutcomes(h int) (first int, long, short []float64) {
	long, short = s.excursions.series(h, mc.Long), s.excursions.series(h, mc.Short)
	end := s.bars - mc.Horizons[excursionHorizons[h]] // one past the newest k
	return end - len(long), long, short
}

func (x *excursions) series(h, side int) []float64 {
	m := &x.outcome[h][side]
	return m.newest(m.keep)
}

// Excursions returns the knots at the newest bar by horizon (Excursion24h, Excursion168h)
// and side. Element j is the excursion, in standard deviations of the log return over the
// horizon, that a share ExcursionShares[j] of the outcomes exceeds: not negative and not
// decreasing in j. It sorts the outcomes four times.
func (s *State) Excursions(w *Scratch) (knots [mc.ExcursionHorizons][mc.SideCount]mc.Excursions) {
	for i, h := range excursionHorizons {
		for side := range mc.SideCount {
			w.selected = AppendOutcomes(w.selected[:0], s.excursions.series(i, side))
			slices.Sort(w.selected)
			still := AtFloor(h, s.average[h])
			knots[i][side] = mixedKnots(w.selected, mc.Horizons[h], &PooledExcursions[i][side], still)
		}
	}
	return knots
}

// mixedKnots returns the knots of ascending outcomes over a horizon in hours, mixed with the pooled
// knots. When the price does not move (still), they are at least the pooled knots.
func mixedKnots(outcomes []float64, hours int, def *mc.Excursions, still bool) (knots mc.Excursions) {
	n := len(outcomes)
	highest := 0.0
	for j, share := range ExcursionShares {
		own := stats.QuantileSorted(outcomes, 1-share)
		d := mix(knotWeight(n, hours, j), own, def[j])
		if still {
			d = max(d, def[j])
		}
		highest = max(highest, d)
		knots[j] = highest
	}
	return knots
}

// knotWeight is the weight of the own outcomes, n over a horizon in hours, in knot j.
func knotWeight(n, hours, j int) float64 {
	return OwnWeight(n) * min(1, float64(n)*ExcursionShares[j]/float64(independentOutcomes*hours))
}

var (
	// logShare holds the logarithms of ExcursionShares.
	logShare = func() (logs [mc.ExcursionKnots]float64) {
		for j, share := range ExcursionShares {
			logs[j] = math.Log(share)
		}
		return logs
	}()
	// tailGrowth is (S1/S2)^xi - 1 for the shares of the two knots that define the tail.
	tailGrowth = math.Pow(10, excursionXi) - 1
)

// TouchProbability returns the probability, in (0, 1], that the log price moves at least d standard
// deviations against a position within the horizon of the knots (see State.Excursions); 1 when d <=
// 0. The logarithm of the probability is linear in d up to the last knot. Beyond it a generalised
// Pareto tail goes through the knots of 1 % and 0.1 %, so the probability of every finite d is
// above 0. The probability never rises with d, up to rounding.
func TouchProbability(knots *mc.Excursions, d float64) float64 {
	if d <= 0 {
		return 1
	}
	if d <= knots[mc.ExcursionKnots-1] {
		j := 0
		for d > knots[j] {
			j++
		}
		below, logBelow := 0.0, 0.0
		if j > 0 { // d is above the previous knot, so the two knots differ
			below, logBelow = knots[j-1], logShare[j-1]
		}
		return math.Exp(logBelow + float64((logShare[j]-logBelow)*((d-below)/(knots[j]-below))))
	}
	d2 := knots[knot01Pct]
	d1 := min(knots[knot1Pct], d2-minTailWidth)
	scale := excursionXi * (d2 - d1) / tailGrowth
	x := 1 + float64(excursionXi*((d-d1)/scale))
	return ExcursionShares[knot1Pct] / (x * x * math.Sqrt(x)) // x^(-1/excursionXi)
}
