package risk

import (
	"cmp"
	"math"
	"slices"
)

const (
	// CurvePoints is the number of sizes of a curve.
	CurvePoints = 33
	// curveTimes: a curve ends at this multiple of the answer.
	curveTimes = 3
	// maxRungs is the maximum number of leverages of a ladder.
	maxRungs = 12
)

// ladderSteps are the leverages of a ladder below the asset's own maximum, where that is above maxRungs.
var ladderSteps = [maxRungs - 1]float64{1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30}

// Rung is the largest order with one leverage that the venue takes and that meets the target.
type Rung struct {
	Leverage    float64
	Mode        Mode
	Binding     string // of SizeAnswer
	SizeFigures        // 0 where no order meets the target

	lots  float64
	venue float64 // the largest order that the venue takes, lots
}

// climbLadder fills in the rungs of a ladder, whose best is the smallest leverage of those with the largest order.
func (s *Scratch) climbLadder(rungs []Rung) (all []Rung, best Rung) {
	most := math.Floor(s.In.Target.Market.Asset.MaxLeverage)
	at := 0
	for i := range maxRungs {
		leverage := float64(i + 1)
		if most > maxRungs && i < len(ladderSteps) {
			leverage = ladderSteps[i]
		}
		if leverage = min(leverage, most); i == maxRungs-1 {
			leverage = most
		}
		if i > 0 && (leverage == rungs[len(rungs)-1].Leverage || s.pause()) {
			break
		}
		rungs = append(rungs, s.rung(leverage))
		if r := &rungs[len(rungs)-1]; r.lots > rungs[at].lots {
			at = len(rungs) - 1
		}
	}
	return s.refine(rungs, at)
}

// refine tries the leverages around the best of a ladder, and puts a better one into it.
func (s *Scratch) refine(rungs []Rung, at int) (all []Rung, best Rung) {
	best = rungs[at]
	if best.lots == 0 {
		return rungs, best
	}
	from, to := best.Leverage, best.Leverage
	if at > 0 {
		from = rungs[at-1].Leverage + 1
	}
	if at+1 < len(rungs) {
		to = rungs[at+1].Leverage - 1
	}
	for leverage := from; leverage <= to && !s.pause(); leverage++ {
		lots := best.lots // at least
		if leverage >= best.Leverage {
			lots++
		}
		s.lever(leverage)
		if s.refusedBy(lots) != "" || !s.meets(lots) {
			continue
		}
		if r := s.rung(leverage); r.lots >= lots {
			best = r
		}
	}
	switch {
	case best.Leverage == rungs[at].Leverage:
	case len(rungs) == maxRungs:
		rungs[min(at, maxRungs-2)] = best
	default:
		if best.Leverage > rungs[at].Leverage {
			at++
		}
		rungs = slices.Insert(rungs, at, best)
	}
	return rungs, best
}

// rung finds the largest order with a leverage.
func (s *Scratch) rung(leverage float64) Rung {
	s.lever(leverage)
	z := &s.sizer
	r := Rung{Leverage: leverage, Mode: s.view.plan.mode, Binding: s.refusedBy(z.smallest)}
	if r.Binding != "" {
		return r
	}
	r.venue = s.mostTaken()
	if r.lots = s.mostMeeting(r.venue); r.lots < r.venue {
		r.Binding = cmp.Or(s.ruleAbove(r.lots), z.Target.String())
	} else {
		r.Binding = s.refusedBy(r.lots + 1)
	}
	if r.lots > 0 {
		r.SizeCoin, r.SizeUSD = z.order(r.lots)
		if z.Ladder {
			s.measureLots(r.lots, &r.SizeFigures)
		}
	}
	return r
}

// curve fills in the figures of sizes with the leverage of the answer, from the smallest order to three times
// the answer, or, without one, three times the largest order that the venue takes.
func (s *Scratch) curve(points []SizeFigures, first, last float64) []SizeFigures {
	for i := range CurvePoints {
		if s.pause() {
			break
		}
		usd := last
		if i < CurvePoints-1 {
			usd = first * math.Pow(last/first, float64(i)/(CurvePoints-1))
		}
		points = append(points, SizeFigures{})
		s.measureSize(usd, &points[i])
		points[i].Forbidden = s.forbids(usd)
	}
	return points
}

// firstForbidden is the size from which on the operator forbids the sizes of a curve, USD; 0 where that is above it.
func (s *Scratch) firstForbidden(points []SizeFigures) float64 {
	z := &s.sizer
	at := slices.IndexFunc(points, func(f SizeFigures) bool { return f.Forbidden != "" })
	if at < 0 {
		return 0
	}
	if at == 0 {
		return points[0].SizeUSD
	}
	lo, hi := math.Floor(points[at-1].SizeUSD/z.mark*z.perCoin), math.Ceil(points[at].SizeUSD/z.mark*z.perCoin)
	_, usd := z.order(1 + mostLots(lo, hi, func(lots float64) bool {
		_, usd := z.order(lots)
		s.resize(usd)
		return s.forbids(usd) == ""
	}))
	return usd
}
