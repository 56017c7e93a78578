package risk

import (
	"math"
	"slices"
	"strings"
	"testing"

	mc "ballast/marketcache"
)

// Each way in which a trade changes the positions: which there are after it, and how the joint loss is split.
// What a position adds is the loss of the wallet with it less that of the wallet without it.
func TestAttributionAfterEachTrade(t *testing.T) {
	e, scratch := NewEngine(DefaultAges()), NewScratch(1)
	for _, r := range []struct {
		name   string
		holds  []string
		action Action
		size   float64
		after  string
	}{
		{"nothing held, an asset opened", nil, ActionLong, 30_000, "BTC"},
		{"nothing held, a close", nil, ActionClose, 30_000, ""},
		{"one held, another opened", []string{"ETH"}, ActionLong, 30_000, "ETH BTC"},
		{"one held and closed", []string{"BTC"}, ActionClose, 30_000, ""},
		{"two held, a third opened", []string{"ETH", "SOL"}, ActionShort, 10_000, "ETH SOL BTC"},
		{"increase in the middle", []string{"ETH", "BTC", "SOL"}, ActionLong, 10_000, "ETH BTC SOL"},
		{"reduce isolated", []string{"ETH", "BTC isolated"}, ActionShort, 10_000, "ETH BTC"},
		{"flip", []string{"BTC", "XRP"}, ActionShort, 50_000, "BTC XRP"},
		{"close of an isolated one", []string{"ETH short", "BTC isolated"}, ActionClose, 1e8, "ETH"},
		{"close what is not held", []string{"ETH", "SOL"}, ActionClose, 10_000, "ETH SOL"},
		{"hedge", []string{"ETH short", "WIF"}, ActionLong, 25_000, "ETH WIF BTC"},
		{"all of them", []string{"ETH", "SOL", "BTC short", "XRP", "WIF"}, ActionLong, 12_000, "ETH SOL BTC XRP WIF"},
	} {
		t.Run(r.name, func(t *testing.T) {
			// attributed is the attribution with the held positions that stay, and with the trade or without.
			attributed := func(trade bool, stays func(asset string) bool) *Attribution {
				s := newSituation(20_000, r.action, r.size)
				if !trade {
					s.in.Trade.Action, s.in.Trade.SizeUSD = ActionClose, 1
				}
				diverse(s, slices.DeleteFunc(slices.Clone(r.holds), func(name string) bool {
					asset, _, _ := strings.Cut(name, " ")
					return !stays(asset)
				})...)
				s.in.Rows = s.in.Target.Model
				return &assessWith(t, e, scratch, &s.in).Attribution
			}
			whole := *attributed(true, func(string) bool { return true })
			whole.Positions = slices.Clone(whole.Positions)
			b := &scratch.portfolio
			gross, legs, shares := b.gross, slices.Clone(b.legs), []float64{1}
			if len(legs) > 1 {
				shares = eulerShares(b)
			}
			var assets []string
			alone := 0.0
			for i, p := range whole.Positions {
				assets = append(assets, p.Asset)
				isTarget := p.Asset == "BTC"
				without := attributed(!isTarget, func(asset string) bool { return asset != p.Asset })
				agreeTo(t, p.Asset+" marginal", p.MarginalVaR, whole.TotalVaR99-without.TotalVaR99, gross)
				alone += attributed(isTarget, func(asset string) bool { return asset == p.Asset }).TotalVaR99
				agreeTo(t, p.Asset+" component", p.ComponentVaR, whole.TotalVaR99*shares[i], whole.TotalVaR99)
				agreeTo(t, p.Asset+" percent", p.ComponentPct, 100*shares[i], 100)
			}
			if got := strings.Join(assets, " "); got != r.after || whole.Known != (r.after != "") {
				t.Fatalf("known %v, positions %q", whole.Known, got)
			}
			if alone > 0 {
				agreeTo(t, "diversification", whole.DiversificationPct, max(0, 100*(1-whole.TotalVaR99/alone)), 100)
			}
		})
	}
}

// eulerShares are the shares of the legs in the variance of the portfolio.
func eulerShares(b *portfolio) (shares []float64) {
	spread := func(i int) float64 { return b.legs[i].signed() * b.legs[i].in.Model.DailySigma }
	total := 0.0
	for i := range b.legs {
		mine := 0.0
		for j := range b.legs {
			mine += spread(i) * b.correlation(i, j) * spread(j)
		}
		shares, total = append(shares, mine), total+mine
	}
	for i := range shares {
		shares[i] /= total
	}
	return shares
}

// Without any hour to replay, the joint loss is the sum of the positions' own losses. Each own VaR and
// ES is first raised to at least the position's 4 h VaR.
func TestBookWithoutHours(t *testing.T) {
	s := diverse(newSituation(20_000, ActionLong, 30_000), "ETH", "SOL")
	s.in.Target.Model.Z24 = mc.HourlySeries{}
	s.in.Held[1].Model.Tail[mc.H4][mc.Short][mc.P99].PctVaR = 9 // above the 24-hour VaR of 6.2 and its ES of 8
	a := s.assess(t)
	agree(t, "VaR", a.PortfolioRisk.VaR99, 0.062*30_000+0.062*30_000+0.09*20_000)
	agree(t, "ES", a.PortfolioRisk.ES99, 0.08*30_000+0.08*30_000+0.09*20_000)
	agree(t, "of the target alone", a.VaR.Dollar99_24h, 0.062*30_000)
	x := &a.Attribution
	agree(t, "total", x.TotalVaR99, a.PortfolioRisk.VaR99)
	agreeTo(t, "diversification", x.DiversificationPct, 0, 1)
	for i, want := range []float64{0.062 * 30_000, 0.09 * 20_000, 0.062 * 30_000} {
		agree(t, "marginal", x.Positions[i].MarginalVaR, want)
	}
}

// A position that offsets another has a negative share of the risk; a single position has all of
// it.
func TestAttributionOfAHedge(t *testing.T) {
	a := diverse(newSituation(50_000, ActionLong, 60_000), "ETH short").assess(t)
	x := &a.Attribution
	hedge := x.Positions[0]
	if hedge.Asset != "ETH" || hedge.ComponentVaR >= 0 || hedge.ComponentPct >= 0 || hedge.MarginalVaR >= 0 {
		t.Errorf("the hedge is %+v", hedge)
	}
	if x.Positions[1].ComponentPct <= 100 || x.DiversificationPct <= 0 {
		t.Errorf("the other is %+v, diversification %v", x.Positions[1], x.DiversificationPct)
	}

	one := newSituation(50_000, ActionShort, 60_000).assess(t).Attribution
	if p := one.Positions[0]; len(one.Positions) != 1 || p.ComponentPct != 100 || p.ComponentVaR != one.TotalVaR99 ||
		p.MarginalVaR != one.TotalVaR99 || one.DiversificationPct != 0 {
		t.Errorf("a position alone: %+v", one)
	}

	// Cases in which figures would be negative if they were not limited to zero: positions that cannot
	// lose without the trade, and losses that never coincide.
	up := diverse(newSituation(50_000, ActionLong, 60_000), "ETH", "XRP")
	for i := range up.in.Held {
		z := &up.in.Held[i].Model.Z24
		z.Values = slices.Clone(z.Values)
		for k, v := range z.Values {
			z.Values[k] = 1 + math.Abs(v)
		}
		z.FirstHour = up.in.Target.Model.Z24.FirstHour // no hour is missing
		z.Values = slices.Concat(z.Values, z.Values)[:8761]
	}
	x = &up.assess(t).Attribution
	agree(t, "marginal of the only risk", x.Positions[2].MarginalVaR, x.TotalVaR99)
	turns := diverse(newSituation(50_000, ActionLong, 60_000), "ETH")
	for k, m := range []*mc.AssetModel{turns.in.Target.Model, turns.in.Held[0].Model} {
		m.Z24 = mc.HourlySeries{FirstHour: testHour - 150, Values: make([]float64, 150)}
		for i := range m.Z24.Values {
			m.Z24.Values[i] = 0.1 * float64(1-i%2*2)
		}
		m.Z24.Values[10+k] = -9 // one hour in 150 of each asset is beyond its 99 % VaR, and those hours never coincide
	}
	x = &turns.assess(t).Attribution
	if apart := x.TotalVaR99 - x.Positions[0].MarginalVaR; apart <= 0 || x.TotalVaR99 < 10*apart ||
		x.DiversificationPct != 0 {
		t.Errorf("losses that come one at a time: %+v", x)
	}

	// A short of what the account holds as collateral.
	even := newSituation(50_000, ActionShort, 60_000)
	even.in.Account.Collateral = []mc.Collateral{{Asset: 0, Name: "BTC", Units: 1, Mark: testMark}}
	even.in.Backing = []AssetInput{even.in.Target}
	x = &even.assess(t).Attribution
	if len(x.Positions) != 2 || !x.Positions[1].Collateral || x.TotalVaR99 != 0 {
		t.Fatalf("a perfect hedge: %+v", x)
	}
	for _, p := range x.Positions {
		if p.ComponentVaR != 0 || p.ComponentPct != 0 || p.MarginalVaR >= 0 {
			t.Errorf("a perfect hedge, and still %+v", p)
		}
	}
}

// When no loss is limited, the wallet's loss is the sum of the positions' losses and of 60 % of their gains.
func TestBookStressAddsUp(t *testing.T) {
	s := diverse(newSituation(1e6, ActionLong, 30_000), "ETH", "SOL")
	book := s.assess(t)
	worst, sum, gains := book.PortfolioStress.Scenario, 0.0, 0
	counts := func(pnl float64) float64 {
		if pnl > 0 {
			gains++
			return 0.6 * pnl
		}
		return pnl
	}
	for i, p := range s.in.Account.Positions {
		alone := newSituation(1e6, ActionClose, 1)
		alone.in.Target, alone.in.Trade.Asset, alone.in.AsHeld = s.in.Held[i], p.Asset, true
		alone.in.Account.Positions, alone.in.Held = []mc.Position{p}, s.in.Held[i:i+1]
		sum += counts(alone.assess(t).Stress[worst].PnLUSD)
	}
	agree(t, "total", book.PortfolioStress.TotalPnLUSD, sum+counts(book.Stress[worst].PnLUSD))
	agree(t, "of all there is", book.PortfolioStress.TotalPnLPct,
		100*book.PortfolioStress.TotalPnLUSD/book.Margin.After.AccountValue)
	if gains == 0 {
		t.Error("no leg gains in the worst scenario")
	}

	closing := newSituation(20_000, ActionClose, 1e8).holds(holding(0, "BTC", -1, testMark, 10))
	empty := closing.assess(t).PortfolioStress
	if want := (PortfolioStress{Known: true, AccountSurvives: true}); empty != want {
		t.Errorf("an empty book: %+v", empty)
	}
}

func TestTailDependenceOfEachPair(t *testing.T) {
	s := diverse(newSituation(20_000, ActionLong, 30_000), "ETH", "SOL", "BTC", "XRP")
	fitPairs(&s.in)
	a := s.assess(t)
	names := []string{}
	for _, d := range a.PortfolioRisk.TailDependence {
		names = append(names, d.A+"-"+d.B)
	}
	if want := []string{"ETH-BTC", "ETH-XRP", "BTC-XRP"}; !slices.Equal(names, want) { // SOL has no returns
		t.Fatalf("pairs %v, want %v", names, want)
	}
	t.Run("few common returns", func(t *testing.T) {
		short := s.in.Held[0].Model.Daily
		for n, want := range map[int]bool{179: false, 180: true} {
			cut := mc.HourlySeries{FirstHour: short.FirstHour + 2160 - int64(4*n), Values: short.Values[2160-4*n:]}
			s.in.Held[0].Model.Daily = &cut
			fitPairs(&s.in)
			got := s.assess(t).PortfolioRisk.TailDependence
			if (len(got) == 3) != want {
				t.Errorf("%d returns: %d pairs", n, len(got))
			}
		}
	})
}

// mixtureOf returns a mixture of two series: weight beta for the first, the rest for the second.
func mixtureOf(a, b []float64, beta float64) []float64 {
	z := make([]float64, len(b))
	for i := range z {
		z[i] = beta*a[i] + math.Sqrt(1-beta*beta)*b[i]
	}
	return z
}

// diverse gives the wallet positions of every kind: ETH moves with BTC and lacks the oldest hours,
// SOL has no outcomes, the history of XRP has ended, WIF has a complete history.
func diverse(s *situation, names ...string) *situation {
	btc := s.in.Target.Model
	for _, name := range names {
		switch name {
		case "BTC":
			s.holds(holding(0, "BTC", 0.5, testMark, 10))
		case "BTC short":
			s.holds(holding(0, "BTC", -0.5, testMark, 10))
		case "BTC isolated":
			s.holds(isolatedAt(holding(0, "BTC", 0.5, testMark, 10), 4_000))
		case "ETH":
			s.holds(holding(1, "ETH", 10, 3000, 10))
		case "ETH short":
			s.holds(holding(1, "ETH", -10, 3000, 10))
		case "SOL":
			s.holds(holding(2, "SOL", -200, 100, 5))
		case "XRP":
			s.holds(isolatedAt(holding(3, "XRP", 10_000, 2, 10), 2_500))
		case "WIF":
			s.holds(holding(4, "WIF", -20_000, 1, 3))
		}
	}
	for i := range s.in.Held {
		m := s.in.Held[i].Model
		switch m.Name {
		case "ETH":
			m.Variance[mc.H24], m.Kappa2[mc.H24] = 0.03*0.03, 1.1
			z := mixtureOf(btc.Z24.Values, m.Z24.Values, 0.8)
			m.Z24 = mc.HourlySeries{FirstHour: m.Z24.FirstHour + 3000, Values: z[3000:]}
			m.U1.Values = mixtureOf(btc.U1.Values, m.U1.Values, 0.8)
			m.Daily = &mc.HourlySeries{FirstHour: m.Daily.FirstHour, Values: m.U1.Values}
		case "SOL":
			m.Variance[mc.H24], m.Kappa2[mc.H24] = 0.05*0.05, 0.9
			m.Z24, m.Z24Sorted, m.U1, m.Daily = mc.HourlySeries{}, nil, mc.HourlySeries{}, nil
			m.Bars = 2000 // a young asset, which gets the strictest shocks
		case "XRP":
			m.Variance[mc.H24] = 0.04 * 0.04
			m.Z24.FirstHour -= 100
			m.U1.FirstHour -= 100
		case "WIF":
			m.Variance[mc.H24] = 0.08 * 0.08
			a := *s.in.Held[i].Market.Asset
			a.Dex = "wif"
			s.in.Held[i].Market.Asset = &a
		}
	}
	return s
}
