package risk

import (
	"math"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// probe is the trade at another size.
type probe struct {
	outcome
	terms  Terms   // of its score
	loss99 float64 // limitedLoss of its last score with losses

	lossPct  float64 // 24 h 99 % VaR of the new side, of a day that is not calmer than the average, percent
	delta    float64 // initial margin that the size takes, USD
	distance float64 // distance to liquidation minus the required minimum, percent

	// For Scratch.Limits:
	restGross float64    // the positions but the trade's, USD
	mostScore scoreLimit // of BoundScore
}

// resize sets the probe to the same trade at another size, and fills it.
func (s *Scratch) resize(sizeUSD float64) {
	t := &s.probe.plan
	*t = s.view.plan
	t.resize(sizeUSD / t.mark)
	s.fill(&s.probe.outcome, t)
}

// scoresWithin scores the probe and reports whether the score is within a limit. With stop it ends at the first
// figure that alone exceeds the limit. A size that may count as a hedge is scored by its figures alone; any other
// by bounds, where they tell enough: the larger the figures, the higher its score.
func (s *Scratch) scoresWithin(limit *scoreLimit, stop bool) bool {
	o := &s.probe.outcome
	// A rule decides nothing where the trade only reduces, or lowers the score of a flip to less.
	stop = stop && o.plan.increaseUSD > 0 && (limit.score < cautionUpTo || !o.flipsToLess(&s.account))
	s.placeProbe()
	enough := math.Inf(1)
	if stop && o.plan.mode == Cross && !o.after.assumed {
		enough = limit.load
	}
	hedges := s.stressProbe(enough)
	stop = stop && !hedges
	if stop && o.stressLoad() > limit.load {
		return false // H8
	}
	s.complete(o, &o.plan)
	var chances [mc.ExcursionHorizons]float64
	if !hedges {
		chances = limit.enough
	}
	most := &noLimit
	if stop {
		most = &limit.most
	}
	s.probability(o, &chances, most)
	liq := &o.liquidation
	if liq.Probability24h > most[mc.Excursion24h] || liq.Probability7d > most[mc.Excursion168h] {
		return false // H7, H7b
	}
	if !hedges && s.replay.recorded && s.replay.whole.Len() > 0 { // otherwise the loss itself costs little
		if s.scoreProbe(math.Inf(1), s.mostLoss(&o.position)) <= limit.score {
			return true
		}
		decisive := s.probe.terms.Decisive()
		if s.scoreProbe(math.Inf(1), 0) > limit.score && (stop || s.probe.terms.Decisive() == decisive) {
			return false
		}
	}
	return s.scoreWithLosses(hedges) <= limit.score
}

// placeProbe fills in the position after the trade.
func (s *Scratch) placeProbe() {
	o := &s.probe.outcome
	o.plan.positionAfter(&o.position, &s.view.market, &s.account, &o.after, o.fillPrice)
}

// stressProbe fills in the stress of the probe, as far as it is not above enough, and reports whether the probe
// may count as a hedge.
func (s *Scratch) stressProbe(enough float64) (hedges bool) {
	o, least := &s.probe.outcome, 0.0 // the loss under stress from which on a size is no hedge, USD
	if b := &s.view.before; b.PoolKnown {
		least = b.StressLossUSD
	}
	stresser := s.stresser(&o.plan, &o.position)
	h := stresser.worst(o.after.equity, o.stressed.at, enough, least)
	o.stressed = stressed{load: h.load, loss: h.loss, at: h.at, equity: s.equityAfter(o)}
	return h.loss < least
}

// scoreWithLosses scores the probe with the losses of its wallet.
func (s *Scratch) scoreWithLosses(hedges bool) float64 {
	o := &s.probe.outcome
	poolVaR := math.Inf(1) // no hedge
	if hedges {
		poolVaR = s.poolVaR(o.plan.mode, &o.position)
	}
	s.probe.loss99 = s.probeLoss()
	return s.scoreProbe(poolVaR, s.probe.loss99)
}

// probeLoss is limitedLoss of the probe.
func (s *Scratch) probeLoss() float64 {
	o, var99 := &s.probe.outcome, 0.0
	if !s.replay.separate {
		var99, _ = s.portfolioLoss(&o.position)
	}
	return s.limitedLoss(o, var99)
}

// scoreProbe scores the probe.
func (s *Scratch) scoreProbe(poolVaR, loss99 float64) float64 {
	in := s.figures(&s.probe.outcome, poolVaR, loss99)
	score, _ := in.Compose(&s.probe.terms)
	return score
}

// scoreLimit is a highest score, and what single rules allow with it.
type scoreLimit struct {
	score float64
	load  float64 // a load above it exceeds the score, by H8
	// Probabilities of liquidation above most exceed the score, by H7 and H7b; up to enough they do not.
	most, enough [mc.ExcursionHorizons]float64
}

func limitOf(score float64) (l scoreLimit) {
	// Scores are rounded: those below are within the limit, those above are not.
	below := math.Floor(score*scoreDigits)/scoreDigits - roundingSlack
	above := below + 2/scoreDigits
	l.score, l.load = score, allowedBy(curveH8, above)
	for h, curve := range [...][]stats.Knot{mc.Excursion24h: curveH7, mc.Excursion168h: curveH7b} {
		l.most[h], l.enough[h] = allowedBy(curve, above), min(allowedBy(curve, below), 1)
	}
	return l
}

// allowedBy is the end of the arguments at which a curve, which rises from 0, is at most y.
func allowedBy(curve []stats.Knot, y float64) float64 {
	for i := 1; i < len(curve); i++ {
		if a, b := curve[i-1], curve[i]; b.Y > y {
			return a.X + (b.X-a.X)*(y-a.Y)/(b.Y-a.Y)
		}
	}
	return math.Inf(1)
}

var (
	proceedLimit = limitOf(proceedUpTo)
	noLimit      = [mc.ExcursionHorizons]float64{mc.Excursion24h: math.Inf(1), mc.Excursion168h: math.Inf(1)}
)
