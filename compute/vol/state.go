package vol

import (
	"fmt"
	"math"

	"ballast/compute/stats"
)

// State holds all data that the model keeps for one asset. Create it with NewState. It belongs to
// one goroutine; any goroutine may read the slices it returns.
type State struct {
	bars     int
	firstMs  int64
	last     Bar
	logClose float64

	warmup  *warmup // nil once more than seedBars returns are known
	e       memories
	longRun longRun
	returns tape // indexed by return
	ranges  tape // capped range measure x, indexed by return; from seedBars returns on

	// pendingSD[h] holds sqrt(V_k(h)) for the newest Horizons[h] indexes k, at
	// k mod Horizons[h]; their outcomes are not known yet.
	pendingSD [HorizonCount][]float64
	variance  [HorizonCount]float64 // V_t(h)

	// outcome[h] holds z_k in order of k, from seedBars on. For H1 it holds all k from 0 once seedBars
	// returns are known, because simulations and correlations use the earlier hourly outcomes too.
	outcome [HorizonCount]tape

	excursions excursions
	paths      paths

	day   tape // V(24) of each index from seedBars-1 on, for the volatility rank
	ranks rankRing
}

// NewState returns the state of an asset without bars.
func NewState() *State {
	s := &State{
		warmup:  &warmup{},
		returns: tape{keep: longRunWindow},
		ranges:  tape{keep: longRunWindow},
		day:     tape{keep: regimeWindow + regimeBars},
	}
	for h, hours := range Horizons {
		s.pendingSD[h] = make([]float64, hours)
		s.outcome[h].keep = outcomesKept[h]
	}
	s.excursions.init()
	s.paths.init()
	s.observe()
	return s
}

// Reserve makes room for the given number of additional bars.
func (s *State) Reserve(bars int) {
	s.returns.reserve(bars)
	completed := max(0, s.bars+bars-seedBars) - max(0, s.bars-seedBars) // number of these bars after the warm-up
	s.ranges.reserve(bars)                                              // ranges of the warm-up are kept too
	s.day.reserve(completed + 1)
	for h := range s.outcome {
		s.outcome[h].reserve(completed)
	}
	s.excursions.reserve(completed)
	s.paths.reserve(completed)
	if s.bars <= seedBars {
		s.outcome[H1].reserve(bars)
	}
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
func (s *State) Last() Bar { return s.last }

// FirstHour returns the open time of the first bar in hours since 1970 UTC; 0 without bars.
func (s *State) FirstHour() int64 { return s.firstMs / hourMs }

// Push adds the next closed bar, which must be of the hour after the last one (see
// AppendFilled). An error wraps ErrBadBar or ErrBarOrder and leaves the state unchanged. From 720
// returns on the cost is constant.
func (s *State) Push(b Bar) error {
	if err := b.Check(); err != nil {
		return err
	}
	if s.bars == 0 {
		s.bars, s.firstMs, s.last, s.logClose = 1, b.OpenMs, b, math.Log(b.Close)
		s.observe()
		return nil
	}
	if b.OpenMs != s.last.OpenMs+hourMs {
		return fmt.Errorf("%w: hour %d after %d", ErrBarOrder, b.Hour(), s.last.Hour())
	}
	logClose := math.Log(b.Close)
	r := logClose - s.logClose
	s.bars++
	s.absorb(r, b.parkinson())
	if t := s.bars - 1; t > seedBars {
		lo, hi := logRange(b, s.logClose, logClose, s.ranges.newest(1)[0])
		s.excursions.add(t, lo, hi)
	}
	s.last, s.logClose = b, logClose
	s.completeOutcomes()
	s.observe()
	return nil
}

// absorb adds return number t-1 and its range to the memories and the long run.
func (s *State) absorb(r, parkinson float64) {
	s.returns.append(r)
	s.longRun.add(r)
	squared := float64(r * r)
	if s.returns.n > seedBars {
		s.warmup = nil
		s.ranges.append(s.e.absorb(parkinson, squared))
		return
	}
	s.warmup.add(parkinson, squared)
	s.e = s.warmup.path[len(s.warmup.path)-1]
	if s.returns.n == seedBars {
		s.endWarmup()
	}
}

// endWarmup stores the values that depend on the final seed.
func (s *State) endWarmup() {
	for _, x := range s.warmup.x {
		s.ranges.append(x)
	}
	for _, u := range s.youngOutcomes() {
		s.outcome[H1].append(u)
	}
	// The rank uses V(24) from the 720th bar on. The forecast at that bar used a seed that lacked the
	// last range, so V(24) is computed again with the final seed.
	var before longRun
	for _, r := range s.returns.newest(seedBars)[:seedBars-1] {
		before.add(r)
	}
	s.day.append(Variance(H24, s.warmup.path[seedBars-1], before.mean(&s.returns)))
}

// youngOutcomes returns the standardised hourly returns during the warm-up, each divided by the
// volatility at its index along the path from the current seed.
func (s *State) youngOutcomes() []float64 {
	u := make([]float64, 0, s.returns.n)
	var known longRun
	for k, r := range s.returns.newest(s.returns.n) {
		e, lr := read(s.warmup.path[k], known.mean(&s.returns), k+1)
		u = append(u, r/math.Sqrt(Variance(H1, e, lr)))
		known.add(r)
	}
	return u
}

// completeOutcomes standardises the returns completed by the newest bar: z_k of each horizon
// with k = t-h.
func (s *State) completeOutcomes() {
	t := s.bars - 1
	for h, hours := range Horizons {
		k := t - hours
		if k < seedBars {
			continue
		}
		sd := s.pendingSD[h][k%hours]
		s.outcome[h].append(stats.Sum(s.returns.newest(hours)) / sd)
	}
	s.paths.add(t, s.logClose, s.pendingSD[H24][t%hoursPerDay])
	for i, h := range excursionHorizons {
		hours := Horizons[h]
		if k := t - hours; k >= seedBars {
			s.excursions.completeOutcomes(i, k, s.pendingSD[h][k%hours])
		}
	}
}

// observe computes the variances at the new index t and stores the values that later bars need.
func (s *State) observe() {
	e, lr := read(s.e, s.longRun.mean(&s.returns), s.bars)
	t := max(0, s.bars-1)
	for h, hours := range Horizons {
		s.variance[h] = Variance(h, e, lr)
		s.pendingSD[h][t%hours] = math.Sqrt(s.variance[h])
	}
	s.excursions.logClose[t%len(s.excursions.logClose)] = s.logClose
	if s.bars > seedBars {
		s.day.append(s.variance[H24])
	}
}

// Variance returns V(h), the variance of the log return over horizon h (an index), from the
// memories and the long run (variances an hour) after mixing with the prior. The floor is a
// volatility of 5 % a year, for assets without trades.
func Variance(h int, e [4]float64, longRun float64) float64 {
	b, hours := &Coefficients[h], float64(Horizons[h])
	v := float64(b[0]*e[0]) + float64(b[1]*e[1])
	v += float64(b[2]*e[2]) + float64(b[3]*e[3])
	v += float64(b[4] * longRun)
	return max(float64(hours*v), varianceFloor(h))
}

// varianceFloor is the minimum of V(h).
func varianceFloor(h int) float64 {
	return float64(Horizons[h]) * (floorSigma * floorSigma) / hoursPerYear
}

// AtFloor reports whether a V(h) is at its floor. The asset then hardly moves, so its own outcomes
// do not show how large its moves can be.
func AtFloor(h int, variance float64) bool { return variance <= varianceFloor(h) }

// PriorWeight returns the weight of the prior for a history of n closed bars: 1 without a
// return, 0 from 720 bars on.
func PriorWeight(n int) float64 {
	if n <= 1 {
		return 1
	}
	return max(0, 1-float64(n)/seedBars)
}

// read returns memories and long run as used for a forecast from n bars: mixed with the prior
// while the history is short.
func read(e memories, longRun float64, n int) (memories, float64) {
	w := PriorWeight(n)
	for k, own := range e {
		e[k] = mix(1-w, own, PriorVariance)
	}
	return e, mix(1-w, longRun, PriorVariance)
}

// Memories returns the four memories as used for a forecast, variances an hour: mixed with the
// prior while the history is short.
func (s *State) Memories() [4]float64 {
	e, _ := read(s.e, 0, s.bars)
	return e
}

// LongRunVariance returns the mean squared return of the last 8,760 hours, variance
// an hour, mixed with the prior while the history is short.
func (s *State) LongRunVariance() float64 {
	_, lr := read(s.e, s.longRun.mean(&s.returns), s.bars)
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
// after bar k in standard deviations forecast at bar k. The slice never changes.
func (s *State) Outcomes(h int) (first int, z []float64) {
	return s.outcomes(h, window[h]+1)
}

// TailOutcomes returns the 24-hour outcomes that the extreme tail and the joint
// replay read: the newest 17,521, oldest first, and the index k of the first.
func (s *State) TailOutcomes() (first int, z []float64) {
	return s.outcomes(H24, outcomesKept[H24])
}

func (s *State) outcomes(h, maxOutcomes int) (first int, z []float64) {
	end := s.bars - Horizons[h] // one past the newest k
	n := max(0, min(maxOutcomes, end-seedBars))
	return end - n, s.outcome[h].newest(n)
}

// HourlyOutcomes returns the newest standardised hourly returns u_i = r_i/sqrt(V_i(1)), at most
// n and at most 8,760, warm-up included, oldest first, and the number i of the first return.
// The slice never changes.
func (s *State) HourlyOutcomes(n int) (first int, u []float64) {
	n = min(n, longRunWindow, s.returns.n)
	first = s.returns.n - n
	if s.returns.n < seedBars {
		return first, s.youngOutcomes()[first:]
	}
	return first, s.outcome[H1].newest(n)
}

// HourlyReturns returns the newest log returns, n at most and 8,760 at most, oldest first, and the
// number i of the first: return i belongs to bar i+1. The slice never changes.
func (s *State) HourlyReturns(n int) (first int, r []float64) {
	r = s.returns.newest(min(n, longRunWindow))
	return s.returns.n - len(r), r
}

// RangeToReturn returns g of docs/model.md, the mean range measure over the mean
// squared return of the last 8,760 hours; 1 when no price has moved.
func (s *State) RangeToReturn() float64 {
	squared := s.longRun.mean(&s.returns)
	if squared == 0 {
		return 1
	}
	x := s.ranges.newest(longRunWindow)
	if s.warmup != nil {
		x = s.warmup.x
	}
	return stats.Mean(x) / squared
}
