package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	mc "ballast/marketcache"
)

// The bounds that avoid a replay give the same decision as the whole assessment of a size, and the
// search for the suggested size gives the same size.
func TestSizesProceedAsWhole(t *testing.T) {
	sequential(t)
	r := rand.New(rand.NewPCG(7, 7))
	e, asked, other := NewEngine(DefaultAges()), NewScratch(8), NewScratch(8)
	names := testNames(12)
	good, bad, shrunk, whole, rules := 0, 0, 0, 0, map[string]bool{}
	for round := range 80 {
		others := r.IntN(9)
		gross := 0.0
		s := newSituation(0, Action(r.IntN(2)), 0)
		for i := range others {
			usd := 1000 * math.Exp(r.NormFloat64())
			mark := testMark / float64(i+2)
			units := math.Copysign(usd/mark, r.Float64()-0.4)
			p := holding(mc.AssetID(i+1), names[i+1], units, mark, 10)
			if r.IntN(6) == 0 {
				p = isolatedAt(p, usd/4)
			}
			s.holds(p)
			gross += usd
		}
		if others == 0 {
			gross = 3000
		} else if r.IntN(3) == 0 {
			s.holds(holding(0, "BTC", (r.Float64()-0.5)*gross/testMark, testMark, 10))
		}
		s.in.Account.CrossAccountValueUSD = gross / math.Exp(3*r.Float64()-1)
		if r.IntN(3) == 0 {
			s.in.Target.Market.Context.FundingRateHourly = 0.01 * r.NormFloat64()
		}
		s.in.Trade.Mode, s.in.Trade.ModeGiven = Mode(r.IntN(6)/5), true
		s.in.Trade.Leverage = float64(1 + r.IntN(20))
		s.in.Trade.SizeUSD = gross * r.Float64()
		assessWith(t, e, asked, &s.in)
		sizing := asked.Out.Sizing
		if asked.view.plan.kind == noFill {
			continue
		}
		proceeds := func(usd float64) bool {
			in := s.in
			in.Trade.SizeUSD = usd
			return usd == 0 || assessWith(t, e, other, &in).Recommendation == Proceed
		}
		for range 12 {
			usd := gross * math.Exp(5*r.Float64()-3)
			want := proceeds(usd)
			if got := asked.proceeds(usd); got != want {
				t.Fatalf("round %d, %v USD: proceeds %t, its score is %v", round, usd, got, other.Out.RiskScore)
			}
			if want {
				good++
			} else {
				bad++
			}
		}

		// The search as docs/model.md describes it.
		safe := min(sizing.BookDepth, sizing.OICapacity, sizing.MarginHeadroom, sizing.MarketImpact, MaxSizeUSD)
		size := func(j int) float64 {
			return roundDown3(safe * math.Pow(2, -float64(j)/2) * suggestedShare[asked.view.regime.state])
		}
		low, j := 0, 16
		switch {
		case proceeds(size(0)):
			j = 0
		case !proceeds(size(16)):
			j = 17
		default:
			for j-low > 1 {
				if mid := (low + j) / 2; proceeds(size(mid)) {
					j = mid
				} else {
					low = mid
				}
			}
		}
		want, largest := 0.0, 0.0
		if j < 17 {
			want, largest = size(j), safe*math.Pow(2, -float64(j)/2)
		}
		// The whole of an opposite position may always go.
		if p := &asked.view.plan; p.before*p.direction < 0 && safe >= math.Abs(p.before)*p.mark {
			want, largest = max(want, math.Abs(p.before)*p.mark), max(largest, math.Abs(p.before)*p.mark)
			whole++
		}
		if sizing.SuggestedUSD != want || sizing.MaxSafeUSD != largest {
			t.Fatalf("round %d: suggests %v of %v USD, want %v of %v", round, sizing.SuggestedUSD, sizing.MaxSafeUSD, want, largest)
		}
		if j > 0 {
			shrunk++
			proceeds(size(j - 1))
			if rule := other.Out.Explanation.Decisive(); asked.Out.Explanation.SizeRule != rule {
				t.Fatalf("round %d: %s keeps the size down, want %s", round, asked.Out.Explanation.SizeRule, rule)
			}
			rules[asked.Out.Explanation.SizeRule] = true
		}
	}
	if good < 50 || bad < 50 || shrunk < 10 || whole < 3 || len(rules) < 2 {
		t.Errorf("%d sizes proceed, %d do not, %d suggestions below the safe size, %d of a whole position, kept down by %v: too few for this test",
			good, bad, shrunk, whole, rules)
	}
}
