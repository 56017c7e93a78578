package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	mc "ballast/marketcache"
)

// sizedSituation draws a trade of a wallet with up to eight other positions. gross is their notional, USD.
func sizedSituation(r *rand.Rand) (s *situation, gross float64) {
	names, others := testNames(12), r.IntN(9)
	s = newSituation(0, Action(r.IntN(2)), 0)
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
	return s, gross
}

// searched is the suggested and the largest size as docs/model.md describes the search, and the number of
// halvings that it ends with.
func searched(s *Scratch, size func(int) float64, proceeds func(float64) bool) (suggested, largest float64, j int) {
	z := &s.Out.Sizing
	safe := min(z.BookDepth, z.OICapacity, z.MarginHeadroom, z.MarketImpact, MaxSizeUSD)
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
	if j < 17 {
		suggested, largest = size(j), safe*math.Pow(2, -float64(j)/2)
	}
	// The whole of an opposite position may always go.
	if opposite := s.oppositeUSD(); opposite > 0 && safe >= opposite {
		suggested, largest = max(suggested, opposite), max(largest, opposite)
	}
	return suggested, largest, j
}

// The bounds that avoid a replay give the same decision as the whole assessment of a size, and the
// search for the suggested size gives the same size.
func TestSizesProceedAsWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(7, 7))
	e, asked, other := NewEngine(DefaultAges()), NewScratch(8), NewScratch(8)
	good, bad, shrunk, rules := 0, 0, 0, map[string]bool{}
	for round := range 80 {
		s, gross := sizedSituation(r)
		assessWith(t, e, asked, &s.in)
		z := asked.Out.Sizing
		proceeds := func(usd float64) bool {
			other.In = s.in
			other.In.Trade.SizeUSD, other.In.Rows, other.In.Correlations = usd, asked.In.Rows, asked.In.Correlations
			if usd > 0 {
				e.Assess(other)
			}
			return usd == 0 || other.Out.Recommendation == Proceed
		}
		for range 12 {
			usd := gross * math.Exp(5*r.Float64()-3)
			want := proceeds(usd)
			if got := asked.proceeds(usd); got != want {
				t.Fatalf("round %d, %v USD: proceeds %t, its score is %v", round, usd, got, other.Out.RiskScore)
			}
			score, limit := other.Out.RiskScore, limitOf(100*r.Float64())
			asked.resize(usd)
			within := asked.probe.after.marginShort || asked.scoresWithin(&limit, true)
			if !asked.probe.after.marginShort && within != (score <= limit.score) {
				t.Fatalf("round %d, %v USD: the score is %v, within %v: %t", round, usd, score, limit.score, within)
			}
			if want {
				good++
			} else {
				bad++
			}
		}
		safe := min(z.BookDepth, z.OICapacity, z.MarginHeadroom, z.MarketImpact, MaxSizeUSD)
		size := func(j int) float64 {
			return roundDown3(safe * math.Pow(2, -float64(j)/2) * suggestedShare[asked.view.regime.state])
		}
		want, largest, j := searched(asked, size, proceeds)
		if z.SuggestedUSD != want || z.MaxSafeUSD != largest {
			t.Fatalf("round %d: suggests %v of %v USD, want %v of %v", round, z.SuggestedUSD, z.MaxSafeUSD, want,
				largest)
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
	if good < 50 || bad < 50 || shrunk < 10 || len(rules) < 2 {
		t.Errorf("%d sizes proceed, %d do not, %d suggestions below the safe size, kept down by %v: too few for "+
			"this test",
			good, bad, shrunk, rules)
	}
}

// eachSize calls check for trades of several times the notional of random wallets.
func eachSize(
	t *testing.T, seed uint64, rounds int, times []float64,
	check func(r *rand.Rand, scratch *Scratch, o *outcome, times, gross float64),
) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, seed+1))
	e, scratch := NewEngine(DefaultAges()), NewScratch(8)
	for range rounds {
		s, gross := sizedSituation(r)
		assessWith(t, e, scratch, &s.in)
		for _, times := range times {
			scratch.resize(times * gross)
			o := &scratch.probe.outcome
			o.plan.positionAfter(&o.position, &scratch.view.market, &scratch.account, &o.after, o.fillPrice)
			check(r, scratch, o, times, gross)
		}
	}
}

// The bound that lets sizing skip a replay is not below what the wallet loses with the trade at any size, and
// close to it where the trade is most of the wallet.
func TestMostLossOfEachSize(t *testing.T) {
	sizes, large := 0, 0
	eachSize(t, 3, 60, []float64{0.01, 0.3, 1, 5, 100},
		func(_ *rand.Rand, scratch *Scratch, o *outcome, times, _ float64) {
			if scratch.replay.whole.Len() == 0 {
				return
			}
			most := scratch.mostLoss(&o.position)
			loss, _ := scratch.portfolioLoss(&o.position)
			if limited := scratch.limitedLoss(o, loss); most < loss || most < limited {
				t.Errorf("%v of gross: at most %v, but loses %v, limited %v", times, most, loss, limited)
			}
			if sizes++; times >= 5 {
				large++
				if most > 3*loss {
					t.Errorf("%v of gross: at most %v, which is far above %v", times, most, loss)
				}
			}
		})
	if sizes < 100 || large < 40 {
		t.Errorf("%d sizes, %d of them large: too few for this test", sizes, large)
	}
}

// The bound that lets sizing skip a replay of paths says that a probability is low enough only when it is.
func TestEnoughChanceOfEachSize(t *testing.T) {
	skipped, refused := 0, 0
	eachSize(t, 5, 40, []float64{0.1, 1, 10}, func(r *rand.Rand, scratch *Scratch, o *outcome, times, gross float64) {
		for h, enough := range proceedLimit.enough {
			equity := gross * (0.1 + times) * math.Exp(2*r.Float64()-2)
			exact := scratch.crossChance(h, &o.position, equity, 0)
			switch got := scratch.crossChance(h, &o.position, equity, enough); {
			case got > enough && got != exact || got <= enough && exact > enough:
				t.Errorf("%v of gross: %v within horizon %d, is %v", times, got, h, exact)
			case exact > enough:
				refused++
			case got != exact:
				skipped++
			}
		}
	})
	if skipped < 20 || refused < 20 {
		t.Errorf("%d replays skipped, %d sizes above: too few for this test", skipped, refused)
	}
}
