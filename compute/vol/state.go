package vol

import (
	"fmt"
	"math"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// State holds all data that the model keeps for one asset. Create it with NewState. It belongs to
// one goroutine; any goroutine may read the slices it returns.
type State struct {
	class    mc.Class
	bars     int
	firstMs  int64
	last     mc.Bar
	logClose float64
	next     int64 // hour since 1970 UTC at which the forecasts begin

	warmup  *warmup // nil once more than seedBars returns are known
	e       memories
	longRun longRun
	moving  movement
	returns tape // indexed by return
	ranges  tape // capped range measure y, indexed by return; from seedBars returns on

	// pendingSD[h] holds sqrt(V_k(h)) for the newest Horizons[h] indexes k, at
	// k mod Horizons[h]; their outcomes are not known yet. NaN: the market was silent, so the outcome
	// will be NaN, which means none.
	pendingSD [mc.HorizonCount][]float64
	variance  [mc.HorizonCount]float64 // V_t(h)
	average   [mc.HorizonCount]float64 // V0_t(h)

	// outcome[h] holds z_k in order of k, from seedBars on. For H1 it holds all k from 0 once seedBars
	// returns are known, because simulations and correlations use the earlier hourly outcomes too.
	outcome [mc.HorizonCount]tape

	excursions excursions
	paths      paths

	day tape // V0(24) of each index from seedBars-1 on, for the volatility rank
}

// NewState returns the state of an asset without bars.
func NewState(class mc.Class) *State {
	s := &State{
		class:   class,
		warmup:  &warmup{moving: []float64{1}},
		returns: tape{keep: longRunWindow},
		ranges:  tape{keep: longRunWindow},
		day:     tape{keep: regimeWindow + regimeBars},
	}
	for h, hours := range mc.Horizons {
		s.pendingSD[h] = make([]float64, hours)
		s.outcome[h].keep = outcomesKept[h]
	}
	s.excursions.init()
	s.paths.init()
	s.observe()
	return s
}

// Bars returns the number of closed bars, flat bars for missing hours included.
func (s *State) Bars() int { return s.bars }

// LastReturn returns the newest log return; 0 without one.
func (s *State) LastReturn() float64 {
	if s.returns.n == 0 {
		return 0
	}
	return s.returns.newest(1)[0]
}

// Last returns the newest bar; the zero Bar without any.
func (s *State) Last() mc.Bar { return s.last }

// FirstHour returns the open time of the first bar in hours since 1970 UTC; 0 without bars.
func (s *State) FirstHour() int64 { return s.firstMs / hourMs }

// Class returns the asset's class.
func (s *State) Class() mc.Class { return s.class }

// Await sets the hour (since 1970 UTC) at which the forecasts of a state without bars begin; with bars
// they begin after the last one.
func (s *State) Await(hour int64) {
	if s.bars == 0 && s.next != hour {
		s.next = hour
		s.observe()
	}
}

// NextHour returns the hour (since 1970 UTC) at which the forecasts begin.
func (s *State) NextHour() int64 { return s.next }

// Push adds the next closed bar, which must be of the hour after the last one (see
// AppendFilled). An error wraps ErrBadBar or ErrBarOrder and leaves the state unchanged. From 720
// returns on the cost is constant.
func (s *State) Push(b mc.Bar) error {
	if err := CheckBar(b); err != nil {
		return err
	}
	if s.bars == 0 {
		s.bars, s.firstMs, s.last, s.logClose, s.next = 1, b.OpenMs, b, math.Log(b.Close), b.Hour()+1
		s.observe()
		return nil
	}
	if b.OpenMs != s.last.OpenMs+hourMs {
		return fmt.Errorf("%w: hour %d after %d", ErrBarOrder, b.Hour(), s.last.Hour())
	}
	logClose := math.Log(b.Close)
	r := logClose - s.logClose
	priced := b
	if s.class != mc.ClassCrypto {
		priced = since(b, s.last.Close)
	}
	factor := Factor(s.class, b.Hour())
	s.bars++
	s.moving.add(b.High > b.Low || b.Close != s.last.Close)
	s.absorb(r, hourMeasure{
		parkinson: parkinson(priced) / factor, squaredReturn: float64(r*r) / factor,
		resting: rests(s.class, hourOfWeek(s.class, b.Hour())),
	})
	if t := s.bars - 1; t > seedBars {
		s.excursions.add(t, logRange(priced, s.logClose, logClose, factor*s.ranges.newest(1)[0]))
	}
	s.last, s.logClose, s.next = b, logClose, b.Hour()+1
	s.completeOutcomes()
	s.observe()
	return nil
}

// absorb adds return number t-1 and its measure to the memories and the long run.
func (s *State) absorb(r float64, m hourMeasure) {
	s.returns.append(r)
	s.longRun.add(r)
	if s.returns.n > seedBars {
		s.warmup = nil
		s.ranges.append(s.e.absorb(m))
		return
	}
	s.warmup.add(m, s.moving.share())
	s.e = s.warmup.path[len(s.warmup.path)-1]
	if s.returns.n == seedBars {
		s.endWarmup()
	}
}

// endWarmup stores the values that depend on the final seed.
func (s *State) endWarmup() {
	for _, y := range s.warmup.y {
		s.ranges.append(y)
	}
	for _, u := range s.youngOutcomes() {
		s.outcome[mc.H1].append(u)
	}
	// The rank uses V0(24) from the 720th bar on. The forecast at that bar used a seed that lacked the
	// last range, so V0(24) is computed again with the final seed.
	var before longRun
	for _, r := range s.returns.newest(seedBars)[:seedBars-1] {
		before.add(r)
	}
	e, lr := read(s.warmup.path[seedBars-1], before.mean(&s.returns),
		priorWeight(seedBars, s.warmup.moving[seedBars-1]))
	s.day.append(AverageVariance(mc.H24, e, lr))
}

// youngOutcomes returns the standardised hourly returns during the warm-up, each divided by the
// volatility at its index along the path from the current seed; NaN where the market was silent.
func (s *State) youngOutcomes() []float64 {
	u := make([]float64, 0, s.returns.n)
	var known longRun
	for k, r := range s.returns.newest(s.returns.n) {
		moving := s.warmup.moving[k]
		e, lr := read(s.warmup.path[k], known.mean(&s.returns), priorWeight(k+1, moving))
		sd := math.Sqrt(Factor(s.class, s.FirstHour()+int64(k)+1) * AverageVariance(mc.H1, e, lr))
		if moving < silentShare {
			sd = math.NaN()
		}
		u = append(u, r/sd)
		known.add(r)
	}
	return u
}

// completeOutcomes standardises the returns completed by the newest bar: z_k of each horizon
// with k = t-h.
func (s *State) completeOutcomes() {
	t := s.bars - 1
	for h, hours := range mc.Horizons {
		k := t - hours
		if k < seedBars {
			continue
		}
		sd := s.pendingSD[h][k%hours]
		s.outcome[h].append(stats.Sum(s.returns.newest(hours)) / sd)
	}
	s.paths.add(t, s.logClose, s.pendingSD[mc.H24][t%hoursPerDay])
	for i, h := range excursionHorizons {
		hours := mc.Horizons[h]
		if k := t - hours; k >= seedBars {
			s.excursions.completeOutcomes(i, t, s.paths.logClose.newest(hours + 1)[0], s.pendingSD[h][k%hours])
		}
	}
}

// observe computes the variances at the new index t and stores the values that later bars need.
func (s *State) observe() {
	e, lr := read(s.e, s.longRun.mean(&s.returns), s.priorWeight())
	sums, silent := factorSums(s.class, s.next), s.moving.share() < silentShare
	t := max(0, s.bars-1)
	for h, hours := range mc.Horizons {
		v := hourlyVariance(h, e, lr)
		s.average[h], s.variance[h] = float64(float64(hours)*v), float64(sums[h]*v)
		sd := math.Sqrt(s.variance[h])
		if silent {
			sd = math.NaN()
		}
		s.pendingSD[h][t%hours] = sd
	}
	if s.bars > seedBars {
		s.day.append(s.average[mc.H24])
	}
}

// hourlyVariance returns v(h), the variance of an average hour within horizon h (an index), from the
// memories and the long run (variances an hour) after mixing with the prior. The floor is a
// volatility of 5 % a year, for assets without trades.
func hourlyVariance(h int, e [4]float64, longRun float64) float64 {
	b := &Coefficients[h]
	v := float64(b[0]*e[0]) + float64(b[1]*e[1])
	v += float64(b[2]*e[2]) + float64(b[3]*e[3])
	v += float64(b[4] * longRun)
	return max(v, floorVariance)
}

// floorVariance is the minimum variance of an hour.
const floorVariance = floorSigma * floorSigma / hoursPerYear

// AverageVariance returns V0(h), the variance of the log return over horizon h (an index) of hours of
// average activity, from memories and long run as mixed with the prior.
func AverageVariance(h int, e [4]float64, longRun float64) float64 {
	return float64(float64(mc.Horizons[h]) * hourlyVariance(h, e, longRun))
}

// AtFloor reports whether a V0(h) is at its floor. The asset then hardly moves, so its own outcomes
// do not show how large its moves can be.
func AtFloor(h int, averageVariance float64) bool {
	return averageVariance <= float64(mc.Horizons[h])*floorVariance
}

// priorWeight returns the weight of the prior for a history of n closed bars, given the share of its
// newest hours that moved: 1 without a return, 0 from 720 bars on when at least half of the hours moved.
func priorWeight(n int, moving float64) float64 {
	if n <= 1 {
		return 1
	}
	return max(0, 1-float64(n)/seedBars, 1-2*moving)
}

func (s *State) priorWeight() float64 { return priorWeight(s.bars, s.moving.share()) }

// read returns memories and long run as used for a forecast: mixed with the prior, which has weight w.
func read(e memories, longRun, w float64) (memories, float64) {
	for k, own := range e {
		e[k] = mix(1-w, own, PriorVariance)
	}
	return e, mix(1-w, longRun, PriorVariance)
}

// Memories returns the four memories as used for a forecast, variances an hour: mixed with the
// prior while the history is short or the market silent.
func (s *State) Memories() [4]float64 {
	e, _ := read(s.e, 0, s.priorWeight())
	return e
}

// LongRunVariance returns the mean squared return of the last 8,760 hours, variance
// an hour, mixed with the prior while the history is short or the market silent.
func (s *State) LongRunVariance() float64 {
	_, lr := read(s.e, s.longRun.mean(&s.returns), s.priorWeight())
	return lr
}

// RawMemories returns the four memories without the prior, variances an hour; 0 without a
// return. The regime filter uses these.
func (s *State) RawMemories() [4]float64 { return s.e }

// AppendEarlyMemories appends the raw memories after each known return, along the path from the
// current seed. It appends nothing once more than 720 returns are known: from then on the
// memories of past hours no longer change, and RawMemories after each bar gives the same.
func (s *State) AppendEarlyMemories(dst [][4]float64) [][4]float64 {
	if s.warmup == nil || len(s.warmup.path) == 0 {
		return dst
	}
	for _, e := range s.warmup.path[1:] {
		dst = append(dst, e)
	}
	return dst
}

// mix returns w*own + (1-w)*other: exactly own for w = 1, exactly other for w = 0.
func mix(w, own, other float64) float64 {
	switch w {
	case 0:
		return other
	case 1:
		return own
	}
	return float64(w*own) + float64((1-w)*other)
}

// Outcomes returns the outcomes behind the tail of horizon h (an index), oldest
// first, and the index k of the first of them: z_k is the return over the h hours
// after bar k in standard deviations forecast at bar k, NaN where the market was silent (see
// AppendOutcomes). The slice never changes.
func (s *State) Outcomes(h int) (first int, z []float64) {
	return s.outcomes(h, window[h]+1)
}

// TailOutcomes returns the 24-hour outcomes that the extreme tail and the joint
// replay read: the newest 17,521, oldest first, and the index k of the first.
func (s *State) TailOutcomes() (first int, z []float64) {
	return s.outcomes(mc.H24, outcomesKept[mc.H24])
}

func (s *State) outcomes(h, maxOutcomes int) (first int, z []float64) {
	end := s.bars - mc.Horizons[h] // one past the newest k
	n := max(0, min(maxOutcomes, end-seedBars))
	return end - n, s.outcome[h].newest(n)
}

// HourlyOutcomes returns the newest standardised hourly returns u_i = r_i/sqrt(V_i(1)), at most
// n and at most 8,760, warm-up included, oldest first, and the number i of the first return.
// NaN where the market was silent. The slice never changes.
func (s *State) HourlyOutcomes(n int) (first int, u []float64) {
	n = min(n, longRunWindow, s.returns.n)
	first = s.returns.n - n
	if s.returns.n < seedBars {
		return first, s.youngOutcomes()[first:]
	}
	return first, s.outcome[mc.H1].newest(n)
}

// HourlyReturns returns the newest log returns, n at most and 8,760 at most, oldest first, and the
// number i of the first: return i belongs to bar i+1. The slice never changes.
func (s *State) HourlyReturns(n int) (first int, r []float64) {
	r = s.returns.newest(min(n, longRunWindow))
	return s.returns.n - len(r), r
}

// RangeToReturn returns g of docs/model.md, the mean range measure over the mean squared return, each
// per factor of its hour, of the last 8,760 hours that have an outcome; 1 when no price has moved.
func (s *State) RangeToReturn() float64 {
	first, u := s.HourlyOutcomes(longRunWindow)
	r, y := s.returns.newest(len(u)), s.ranges.newest(len(u))
	if s.warmup != nil {
		y = s.warmup.y
	}
	var measure, squared [4]float64
	n := 0
	for i, z := range u {
		if math.IsNaN(z) {
			continue
		}
		measure[n&3] += y[i]
		squared[n&3] += float64(r[i]*r[i]) / Factor(s.class, s.FirstHour()+int64(first+i)+1)
		n++
	}
	total := (squared[0] + squared[1]) + (squared[2] + squared[3])
	if total == 0 {
		return 1
	}
	return ((measure[0] + measure[1]) + (measure[2] + measure[3])) / total
}
