package risk

import (
	"math"
	"slices"

	mc "ballast/marketcache"
)

// Target is what an action brings a pool to.
type Target struct {
	MaxProbability24h float64 // of liquidation within 24 hours
	Survive           bool    // the pool survives every stress scenario
}

// DefaultTarget is that of a monitor call without parameters.
var DefaultTarget = Target{MaxProbability24h: 0.05, Survive: true}

// ActionKind tells what a pool needs.
type ActionKind uint8

const (
	Hold ActionKind = iota
	Reduce
	AddMargin
)

// String returns hold, reduce or add_margin.
func (k ActionKind) String() string { return [...]string{"hold", "reduce", "add_margin"}[k] }

// PoolAction is the least that brings a pool to its target: a reduction of all its positions by one percentage, or a
// deposit, each alone. A figure of 0 does not help, or is not needed.
type PoolAction struct {
	Known     bool   // false for a pool that could not be read
	Pool      string // marginPool.name
	Kind      ActionKind
	ReducePct float64 // of each position, rounded down to its lot
	ReduceUSD float64 // their notional at the marks
	// ReduceOrders is how many market orders the reduction takes at least: the venue's largest may be smaller.
	ReduceOrders int
	// AddMarginUSD is the deposit, in whole cents.
	AddMarginUSD float64
	Assets       []string // of the pool's positions; nil when it holds
	Until        Target
}

const (
	reduceSteps = 1e9 // ReducePct is a whole number of these parts of the position
	// lotSlack is how far past the edge of a lot a percentage lies, in lots, so that whoever rounds down gets the lot.
	lotSlack = 1e-6
	// most that is searched for a deposit, cents
	maxDepositCents = 1e14
	firstCents      = 100
)

// adviser finds the action of one pool. Its memory is used again.
type adviser struct {
	pool   int
	until  Target
	equity float64 // of the pool as held
	legs   []reducible
	market marketView
	shocks poolShocks

	actions []PoolAction // by pool
	assets  []string
}

// reducible is a position that an order can reduce.
type reducible struct {
	at         int     // in account.positions
	units      float64 // as held
	lot, count float64 // the venue's lot, and how many of them are held
	lots       float64 // reduced by
}

// advise fills in the actions of all pools with a position: poolsHeld has their chances and their stress.
func (s *Scratch) advise(until Target) {
	a, v := &s.account, &s.adviser
	v.until, v.assets = until, v.assets[:0]
	v.actions = slices.Grow(v.actions[:0], len(a.pools))[:len(a.pools)]
	v.assets = slices.Grow(v.assets, len(a.positions))
	for k := range a.pools {
		p, out := &a.pools[k], &v.actions[k]
		*out = PoolAction{Known: !p.unreadable, Pool: p.name(), Until: until}
		met := p.chance[mc.Excursion24h] <= until.MaxProbability24h && !(until.Survive && p.stress.failed != 0)
		if p.positions == 0 || p.unreadable || met || s.large() && s.late() {
			continue
		}
		first := len(v.assets)
		for i := range a.positions {
			if a.positions[i].poolIndex() == k {
				v.assets = append(v.assets, a.positions[i].name)
			}
		}
		out.Assets = v.assets[first:len(v.assets):len(v.assets)]
		v.pool, v.equity = k, p.equity
		s.adviseOn(p, out)
	}
}

// adviseOn fills in what a pool needs that is not at its target. Reducing an isolated position frees its margin and
// moves no liquidation price, so it must be closed where no deposit helps.
func (s *Scratch) adviseOn(p *marginPool, out *PoolAction) {
	v := &s.adviser
	cents, chanceCents := s.leastDeposit(p)
	out.Kind, out.AddMarginUSD = AddMargin, float64(cents)/centsPerUSD
	if p.mode == PoolIsolated && cents > 0 {
		return
	}
	s.listReducible()
	steps := int64(reduceSteps)
	if p.mode != PoolIsolated {
		steps = s.leastReduction(p, float64(chanceCents)/centsPerUSD)
	}
	if steps == 0 || len(v.legs) == 0 {
		return
	}
	s.reduce(steps)
	out.Kind, out.ReducePct = Reduce, pctPerUnit*float64(steps)/reduceSteps
	for i := range v.legs {
		l, left := &v.legs[i], &s.account.positions[v.legs[i].at]
		out.ReduceUSD += math.Abs(l.units-left.units) * left.mark
		most := s.In.Rules.LargestMarketOrder(left.in.Market.Asset.MaxLeverage) / (left.mark * l.lot)
		out.ReduceOrders += int(math.Ceil(l.lots / max(1, math.Floor(most*(1+roundingSlack)))))
	}
	s.restore()
}

// leastDeposit returns the least deposit at which the pool is at its target, and the least for its chance alone,
// cents; 0 when there is none.
func (s *Scratch) leastDeposit(p *marginPool) (cents, chanceCents int64) {
	v := &s.adviser
	v.shocks.sum(&s.account, v.pool)
	legs := s.sumPool(v.pool)
	at := func(cents int64) float64 { return v.equity + float64(cents)/centsPerUSD }
	likely := func(cents int64) bool {
		return s.chanceOf(&legs, at(cents), v.until.MaxProbability24h) <= v.until.MaxProbability24h
	}
	survives := func(cents int64) bool { return v.shocks.survives(at(cents), legs.positions) }
	if !likely(0) {
		if chanceCents = fromZero(likely); chanceCents == 0 {
			return 0, 0
		}
	}
	if cents = chanceCents; v.until.Survive && !survives(cents) {
		if cents = fromZero(survives); cents > 0 && !likely(cents) {
			cents = 0 // never: both hold from some deposit on
		}
	}
	return cents, chanceCents
}

// fromZero returns the least number of cents at which a condition holds that does not at 0 and, once it does, does so
// for all larger ones; 0 when there is none.
func fromZero(holds func(cents int64) bool) int64 {
	lo, hi := int64(0), int64(firstCents)
	for !holds(hi) {
		if lo, hi = hi, 4*hi; hi > maxDepositCents {
			return 0
		}
	}
	return least(lo, hi, (lo+hi)/2, hi-lo, holds)
}

// least returns the least number in (lo, hi] at which a condition holds that holds at hi and not at lo. It looks
// around guess first, in steps that grow from step.
func least(lo, hi, guess, step int64, holds func(n int64) bool) int64 {
	x := min(max(guess, lo+1), hi-1)
	for before, first := false, true; lo < x && x < hi; step *= 8 {
		held := holds(x)
		if held {
			hi, x = x, x-step
		} else {
			lo, x = x, x+step
		}
		if !first && held != before {
			break
		}
		before, first = held, false
	}
	for hi-lo > 1 {
		if x = lo + (hi-lo)/2; holds(x) {
			hi = x
		} else {
			lo = x
		}
	}
	return hi
}

// listReducible lists the positions of the pool that can be traded.
func (s *Scratch) listReducible() {
	a, v := &s.account, &s.adviser
	v.legs = v.legs[:0]
	for i := range a.positions {
		if p := &a.positions[i]; p.poolIndex() == v.pool && !p.in.StoodIn {
			lot := lotOf(p.in.Market.Asset.SizeDigits)
			v.legs = append(v.legs, reducible{at: i, units: p.units, lot: lot, count: math.Abs(p.units) / lot})
		}
	}
}

// reduce reduces the positions of the pool by a number of steps, each down to its lot, and returns the equity of the
// pool after the fills and their fees, its number of positions, and the number of lots.
func (s *Scratch) reduce(steps int64) (equity float64, positions int, lots float64) {
	a, v := &s.account, &s.adviser
	equity = v.equity
	for i := range v.legs {
		l := &v.legs[i]
		p := &a.positions[l.at]
		l.lots = max(0, math.Floor(l.count*float64(steps)/reduceSteps-lotSlack))
		left := math.Abs(l.units) - l.lots*l.lot
		if steps == reduceSteps || withinLot(l.lots*l.lot, math.Abs(l.units), l.lot) || left*p.mark < flatUSD {
			l.lots, left = l.count, 0
		}
		lots += l.lots
		p.units = math.Copysign(left, l.units)
		equity -= v.closing(p, a.takerRate, math.Abs(l.units)-left, l.units)
	}
	for i := range a.positions {
		if p := &a.positions[i]; p.poolIndex() == v.pool && p.units != 0 {
			positions++
		}
	}
	return equity, positions, lots
}

// closing is what closing some units of a position that was held costs its pool: the fill against the mark, and the
// fee, USD.
func (v *adviser) closing(p *position, takerRate, units, held float64) float64 {
	if units == 0 {
		return 0
	}
	mk := &v.market
	mk.read(p.in)
	fill := mk.side(-sign(held)).fill(units)
	return units * (sign(held)*(p.mark-fill) + fill*takerRate*mk.asset.FeeMultiplier)
}

// restore makes the positions what they are.
func (s *Scratch) restore() {
	for i := range s.adviser.legs {
		l := &s.adviser.legs[i]
		s.account.positions[l.at].units = l.units
	}
}

// leastReduction returns the least number of steps by which the pool must be reduced; 0 when no reduction helps.
// deposit is what its chance alone would need.
func (s *Scratch) leastReduction(p *marginPool, deposit float64) int64 {
	defer s.restore()
	a, v := &s.account, &s.adviser
	survives := func(steps int64) bool {
		equity, positions, _ := s.reduce(steps)
		v.shocks.sum(a, v.pool)
		return v.shocks.survives(equity, positions)
	}
	// The lots grow with the steps: as many lots are the same lots.
	held, failed := math.Inf(1), 0.0
	var legs poolLegs // as summed last
	met := func(steps int64) bool {
		equity, positions, lots := s.reduce(steps)
		switch {
		case lots >= held:
			return true
		case lots <= failed:
			return false
		}
		if v.until.Survive {
			v.shocks.sum(a, v.pool)
		}
		ok := !v.until.Survive || v.shocks.survives(equity, positions)
		if ok {
			legs = s.sumPool(v.pool)
			ok = s.chanceOf(&legs, equity, v.until.MaxProbability24h) <= v.until.MaxProbability24h
		}
		if ok {
			held = lots
		} else {
			failed = lots
		}
		return ok
	}
	if !met(reduceSteps) {
		return 0
	}
	lo := int64(0)
	if v.until.Survive && p.stress.failed != 0 {
		first := least(0, reduceSteps, reduceSteps/2, reduceSteps, survives)
		if met(first) {
			return first
		}
		lo = first
	}
	guess := int64(min(reduceSteps*deposit/max(v.equity+deposit, minEquity), reduceSteps))
	if guess = min(max(guess, lo+1), reduceSteps-1); lo < guess {
		met(guess) // sums the paths near the answer
		guess = s.nearReduction(&legs, lo, guess)
	}
	return least(lo, reduceSteps, guess, 1, met)
}

// nearReduction is about leastReduction in (lo, reduceSteps], beginning at a guess: the paths of the legs, as summed
// last, lose in proportion to what is left of them.
func (s *Scratch) nearReduction(summed *poolLegs, lo, guess int64) int64 {
	if summed.positions == 0 || summed.alone != nil {
		return guess
	}
	v, most := &s.adviser, s.adviser.until.MaxProbability24h
	near := func(steps int64) bool {
		equity, _, _ := s.reduce(steps)
		l := s.legsOf(v.pool, nil)
		room := (equity - max(0, l.funding) - l.maintenance) * summed.gross / l.gross
		return l.positions == 0 || s.replay.other.Probability(mc.Excursion24h, nil, room, 0) <= most
	}
	return least(lo, reduceSteps, guess, reduceSteps/1e6, near)
}
