package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// targetFigure is the figure of an assessment that a target bounds.
func targetFigure(t SizeTarget, a *Assessment) float64 {
	switch t {
	case TargetScore:
		return a.RiskScore
	case TargetProbability24h:
		return a.Liquidation.Probability24h
	case TargetLoss99:
		return pctPerUnit * a.Explanation.PortfolioLoss99 / max(a.Explanation.AccountValue, minRatioUSD)
	}
	return a.Cost.BreakevenMovePct
}

// issues are the codes of the rules by which the venue refuses.
func issues(a *Admissibility) (codes []string) {
	for i := range a.Issues[:a.Count] {
		if a.Issues[i].Code.verdict() == VerdictWillReject {
			codes = append(codes, a.Issues[i].Code.String())
		}
	}
	return codes
}

// drawnQuestion draws a question about a situation.
func drawnQuestion(r *rand.Rand) (q SizeQuestion) {
	q = SizeQuestion{Target: SizeTarget(r.IntN(int(SizeTargets))), Curve: r.IntN(4) == 0, Ladder: r.IntN(2) == 0}
	q.Limit = [SizeTargets]float64{
		TargetScore: 5 + 90*r.Float64(), TargetProbability24h: math.Pow(10, -4*r.Float64()),
		TargetLoss99: 150 * r.Float64() * r.Float64(), TargetBreakeven: 0.1 + 0.5*r.Float64(),
	}[q.Target]
	return q
}

// The answer of a search, each rung and each point of the curve are what an assessment of their size says, and one
// lot more is stopped by what binds.
func TestLargestSizesAssessAsTheySay(t *testing.T) {
	found := largestAssess(t, rand.New(rand.NewPCG(5, 5)), 150, func(*rand.Rand, *Input) Limits { return Limits{} })
	for target := range SizeTargets {
		if name := target.String(); found[name] < 15 || found["binds "+name] < 5 {
			t.Errorf("%s is met %d times and binds %d times: too few for this test", name, found[name],
				found["binds "+name])
		}
	}
}

// largestAssess searches the sizes of drawn situations under drawn limits, assesses what the answers say, and counts
// which targets are met and what binds.
func largestAssess(t *testing.T, r *rand.Rand, rounds int, limits func(*rand.Rand, *Input) Limits) map[string]int {
	e, s, other := NewEngine(DefaultAges()), NewScratch(9), NewScratch(9)
	found := map[string]int{}
	var a SizeAnswer
	for round := range rounds {
		drawn, _ := sizedSituation(r)
		in := drawn.in
		in.Rows = in.Target.Model
		tie(&in)
		s.Limits = limits(r, &in)
		if r.IntN(3) > 0 {
			in.Trade.Leverage = 0
		}
		q := drawnQuestion(r)
		held := slices.Clone(in.Held)
		s.In = in
		e.Size(s, &q, &a)
		assess := func(usd, leverage float64) *Assessment {
			other.In = in
			other.In.Held = slices.Clone(held)
			other.In.Trade.SizeUSD, other.In.Trade.Leverage = usd, leverage
			e.Assess(other)
			return &other.Out
		}
		check := func(coins, leverage float64, binding string) {
			z := &s.sizer
			lots := math.Round(coins * z.perCoin)
			if coins > 0 {
				_, usd := z.order(lots)
				out := assess(usd, leverage)
				if got := targetFigure(q.Target, out); got > q.Limit+1e-9 || len(issues(&out.Admissibility)) > 0 ||
					len(brokenBy(&s.Limits, other)) > 0 {
					t.Errorf("round %d: %v of %v: %v coins at %vx have %v, refused for %v %v", round, q.Target,
						q.Limit, coins, leverage, got, issues(&out.Admissibility), brokenBy(&s.Limits, other))
				}
			}
			_, usd := z.order(max(lots+1, z.smallest))
			if usd > MaxSizeUSD && binding == maxSize {
				return
			}
			out := assess(usd, leverage)
			codes := append(issues(&out.Admissibility), brokenBy(&s.Limits, other)...)
			if got := targetFigure(q.Target, out); !(binding == q.Target.String() && got > q.Limit) &&
				!slices.Contains(codes, binding) {
				t.Errorf("round %d: %v of %v: %s binds after %v coins at %vx, but one lot more has %v, refused for %v",
					round,
					q.Target, q.Limit, binding, coins, leverage, got, codes)
			}
		}
		check(a.SizeCoin, a.Leverage, a.Binding)
		if a.SizeUSD > 0 {
			found[q.Target.String()]++
		}
		found["binds "+a.Binding]++
		for i := range a.Ladder {
			rung := &a.Ladder[i]
			check(rung.SizeCoin, rung.Leverage, rung.Binding)
			if rung.SizeUSD > 0 {
				sameFigures(t, round, &rung.SizeFigures, assess(rung.SizeUSD, rung.Leverage))
			}
		}
		for i := range a.Curve {
			f := &a.Curve[i]
			sameFigures(t, round, f, assess(f.SizeUSD, a.Leverage))
			if all := brokenBy(&s.Limits, other); (f.Forbidden != "") != (len(all) > 0) ||
				f.Forbidden != "" && !slices.Contains(all, f.Forbidden) {
				t.Errorf("round %d: %v USD are forbidden by %q, want one of %v", round, f.SizeUSD, f.Forbidden, all)
			}
		}
	}
	return found
}

// sameFigures compares figures of a search with those of an assessment.
func sameFigures(t *testing.T, round int, f *SizeFigures, a *Assessment) {
	t.Helper()
	l := &a.Liquidation
	want := SizeFigures{
		SizeUSD: f.SizeUSD, SizeCoin: f.SizeCoin, Rule: f.Rule, Forbidden: f.Forbidden,
		RiskScore:      a.RiskScore,
		Probability24h: l.Probability24h,
		HasProbability: l.HasProbability, LiquidationPrice: l.Price, DistancePct: l.DistancePct,
		EntryBps: a.Cost.EntryBps, BreakevenPct: a.Cost.BreakevenMovePct, Loss99Pct: targetFigure(TargetLoss99, a),
	}
	if *f != want {
		t.Errorf("round %d: %+v, assessed %+v", round, *f, want)
	}
}

// The answer without a leverage is the largest of all whole leverages, with the smallest of them.
func TestLargestSizeOfAllLeverages(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	e, s := NewEngine(DefaultAges()), NewScratch(9)
	found := 0
	var a, one SizeAnswer
	for round := range 40 {
		drawn, _ := sizedSituation(r)
		in := drawn.in
		in.Rows = in.Target.Model
		tie(&in)
		q := drawnQuestion(r)
		q.Curve = false
		in.Trade.Leverage = 0
		s.In = in
		e.Size(s, &q, &a)
		best, at := 0.0, 1.0
		for leverage := 1.0; leverage <= in.Target.Market.Asset.MaxLeverage; leverage++ {
			s.In = in
			s.In.Trade.Leverage = leverage
			q.Ladder = false
			e.Size(s, &q, &one)
			if one.SizeUSD > best {
				best, at = one.SizeUSD, leverage
			}
		}
		if a.SizeUSD != best || a.Leverage != at {
			t.Errorf("round %d: %v of %v: %v at %vx, the largest is %v at %vx", round, q.Target, q.Limit, a.SizeUSD,
				a.Leverage, best, at)
		}
		if best > 0 && at > 1 {
			found++
		}
	}
	if found < 10 {
		t.Errorf("%d of 40: too few for this test", found)
	}
}
