package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// boundFigures are the figures of what s has assessed last, in other words than the search has for them.
func boundFigures(s *Scratch) (f [Bounds]float64) {
	out, e := &s.Out, s.Exposure()
	unknown := math.NaN()
	f = [Bounds]float64{
		BoundLeverage: e.Leverage, BoundOrder: e.OrderUSD, BoundPosition: out.Position.After.NotionalUSD,
		BoundGross: e.GrossUSD / out.Margin.After.AccountValue, BoundPriceAway: e.PriceAwayPct,
		BoundShare: 100 * e.PositionUSD / e.GrossUSD, BoundScore: out.RiskScore,
		BoundProbability24h: out.Liquidation.Probability24h, BoundProbability7d: out.Liquidation.Probability7d,
		BoundDistance: out.Liquidation.DistancePct,
	}
	if out.Margin.After.AccountValue < 0.01 {
		f[BoundGross] = e.GrossUSD / 0.01
	}
	if e.LeverageAssumed {
		f[BoundLeverage] = unknown
	}
	if !out.Liquidation.HasProbability {
		f[BoundProbability24h], f[BoundProbability7d], f[BoundDistance] = unknown, unknown, unknown
	}
	return f
}

// brokenBy lists the rules that what s has assessed last breaks.
func brokenBy(l *Limits, s *Scratch) (rules []string) {
	if s.Exposure().Reduces {
		return nil
	}
	if l.Barred != "" {
		rules = append(rules, l.Barred)
	}
	for b, figure := range boundFigures(s) {
		keeps := figure <= l.limit[b]*(1+1e-9)
		if Bound(b) == BoundDistance {
			keeps = figure >= l.limit[b]*(1-1e-9)
		}
		if l.has(Bound(b)) && !keeps {
			rules = append(rules, Bound(b).String())
		}
	}
	return rules
}

// drawnLimits draws up to three limits of a situation, near the figures of a size that might be offered.
func drawnLimits(r *rand.Rand, in *Input) (l Limits) {
	e, s := NewEngine(DefaultAges()), NewScratch(9)
	s.In = *in
	s.In.Held = slices.Clone(in.Held)
	e.Assess(s)
	if usd := s.Out.Sizing.SuggestedUSD; usd > 0 {
		s.In.Trade.SizeUSD = usd * math.Exp(r.NormFloat64()-1)
		e.Assess(s)
	}
	figures := boundFigures(s)
	for range 1 + r.IntN(3) {
		b := Bound(r.IntN(int(Bounds)))
		l.Set(b, figures[b]*(0.3+r.Float64()))
	}
	if r.IntN(12) == 0 {
		l.Barred = "halt"
	}
	return l
}

// Each size of an answer keeps the operator's limits, and one lot more is stopped by what binds.
func TestLargestSizesKeepLimits(t *testing.T) {
	found := largestAssess(t, rand.New(rand.NewPCG(15, 5)), 300, drawnLimits)
	for b := range Bounds {
		if found["binds "+b.String()] < 3 {
			t.Errorf("%s binds %d times: too few for this test", b, found["binds "+b.String()])
		}
	}
	if found["binds halt"] < 3 {
		t.Errorf("%v", found)
	}
}

// The sizes of an assessment keep the operator's limits and proceed; the rule that is named for them forbids a larger
// one; and limits that the sizes keep without them change nothing.
func TestSizingKeepsLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 5))
	e, s, other := NewEngine(DefaultAges()), NewScratch(9), NewScratch(9)
	bound, kept, whole := map[string]int{}, 0, 0
	for round := range 400 {
		drawn, _ := sizedSituation(r)
		in := drawn.in
		in.Rows = in.Target.Model
		tie(&in)
		broken := func(usd float64, l *Limits) []string {
			other.In = in
			other.In.Held = slices.Clone(in.Held)
			other.In.Trade.SizeUSD = usd
			e.Assess(other)
			return brokenBy(l, other)
		}
		limits := drawnLimits(r, &in)
		s.In, s.Limits = in, Limits{}
		s.In.Held = slices.Clone(in.Held)
		e.Assess(s)
		free := s.Out.Sizing
		s.Limits = limits
		e.Assess(s)
		z := s.Out.Sizing
		opposite := s.oppositeUSD()
		for _, usd := range []float64{z.SuggestedUSD, z.MaxSafeUSD} {
			if usd == 0 {
				continue
			}
			if rules := broken(usd, &limits); len(rules) > 0 {
				t.Errorf("round %d: %+v: %v USD break %v", round, z, usd, rules)
			}
		}
		if z.SuggestedUSD > 0 {
			if broken(z.SuggestedUSD, &limits); other.Out.Recommendation != Proceed {
				t.Errorf("round %d: %v USD have a score of %v", round, z.SuggestedUSD, other.Out.RiskScore)
			}
		}
		if z.SuggestedUSD > z.MaxSafeUSD || z.MaxSafeUSD > free.MaxSafeUSD ||
			z.SuggestedUSD < opposite && free.SuggestedUSD >= opposite {
			t.Errorf("round %d: %+v, without limits %+v, opposite %v", round, z, free, opposite)
		}
		if opposite > 0 && z.SuggestedUSD == opposite {
			whole++
		}
		if free.MaxSafeUSD > 0 && len(broken(free.MaxSafeUSD, &limits)) == 0 &&
			len(broken(free.SuggestedUSD, &limits)) == 0 {
			kept++
			if z.SuggestedUSD != free.SuggestedUSD || z.MaxSafeUSD != free.MaxSafeUSD {
				t.Errorf("round %d: %+v, without limits that it keeps %+v", round, z, free)
			}
		}
		if z.Rule == "" {
			continue
		}
		bound[z.Rule]++
		names := false
		for usd := max(z.MaxSafeUSD, opposite, 10) * (1 + 1e-5); usd < 3*free.MaxSafeUSD+30 && !names; usd *= 1.1 {
			names = slices.Contains(broken(usd, &limits), z.Rule)
		}
		if !names {
			t.Errorf("round %d: %+v: no larger size breaks %s", round, z, z.Rule)
		}
	}
	for b := range Bounds {
		if bound[b.String()] < 5 {
			t.Errorf("%s binds %d times: too few for this test", b, bound[b.String()])
		}
	}
	if kept < 20 || whole < 5 || bound["halt"] < 5 {
		t.Errorf("%d sizes keep the limits, %d are of a whole position, bound by %v: too few for this test", kept,
			whole, bound)
	}
}
