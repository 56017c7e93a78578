package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	mc "ballast/marketcache"
)

// Tests every way in which a trade changes the positions: joint loss, its attribution, and stress.
func TestBookAfterEachTrade(t *testing.T) {
	sequential(t)
	rows := []struct {
		name   string
		holds  []string
		action Action
		size   float64
		mode   Mode
		assets []string // assets held after the trade
	}{
		{"nothing held, an asset opened", nil, ActionLong, 30_000, Cross, []string{"BTC"}},
		{"nothing held, a close", nil, ActionClose, 30_000, Cross, nil},
		{"one held, another opened", []string{"ETH"}, ActionLong, 30_000, Cross, []string{"ETH", "BTC"}},
		{"one held and increased", []string{"BTC"}, ActionLong, 30_000, Cross, []string{"BTC"}},
		{"one held and closed", []string{"BTC"}, ActionClose, 30_000, Cross, nil},
		{"one held and reduced to nothing", []string{"BTC"}, ActionShort, 30_000, Cross, nil},
		{"two held, a third opened", []string{"ETH", "SOL"}, ActionShort, 10_000, Cross,
			[]string{"ETH", "SOL", "BTC"}},
		{"a third opened isolated", []string{"ETH", "SOL"}, ActionShort, 10_000, Isolated,
			[]string{"ETH", "SOL", "BTC"}},
		{"increase in the middle", []string{"ETH", "BTC", "SOL"}, ActionLong, 10_000, Cross,
			[]string{"ETH", "BTC", "SOL"}},
		{"reduce", []string{"ETH", "BTC"}, ActionShort, 10_000, Cross, []string{"ETH", "BTC"}},
		{"reduce isolated", []string{"ETH", "BTC isolated"}, ActionShort, 10_000, Cross,
			[]string{"ETH", "BTC isolated"}},
		{"flip", []string{"BTC", "XRP"}, ActionShort, 50_000, Cross, []string{"BTC", "XRP"}},
		{"flip of an isolated one stays isolated", []string{"BTC isolated", "ETH"}, ActionShort, 50_000, Cross,
			[]string{"BTC", "ETH"}},
		{"flip of a cross one stays cross", []string{"BTC", "ETH"}, ActionShort, 50_000, Isolated,
			[]string{"BTC", "ETH"}},
		{"close of an isolated one", []string{"ETH short", "BTC isolated"}, ActionClose, 1e8, Cross, []string{"ETH"}},
		{"close one of two", []string{"ETH", "BTC"}, ActionClose, 1e8, Cross, []string{"ETH"}},
		{"close a part", []string{"BTC", "SOL"}, ActionClose, 10_000, Cross, []string{"BTC", "SOL"}},
		{"close what is not held", []string{"ETH", "SOL"}, ActionClose, 10_000, Cross, []string{"ETH", "SOL"}},
		{"hedge", []string{"ETH short", "WIF"}, ActionLong, 25_000, Cross, []string{"ETH", "WIF", "BTC"}},
		{"all of them", []string{"ETH", "SOL", "BTC short", "XRP", "WIF"}, ActionLong, 12_000, Cross,
			[]string{"ETH", "SOL", "BTC", "XRP", "WIF"}},
	}
	e, scratch := NewEngine(DefaultAges()), NewScratch(1)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := diverse(newSituation(20_000, r.action, r.size), r.holds...)
			s.in.Trade.Mode, s.in.Trade.ModeGiven = r.mode, true
			s.in.Rows = s.in.Target.Model
			a := assessWith(t, e, scratch, &s.in)
			w := plainTrade(&s.in)
			if len(w.legs) != len(r.assets) {
				t.Fatalf("the test's own book has %d positions", len(w.legs))
			}

			p := &a.PortfolioRisk
			if p.Known != (len(r.holds) >= 2) {
				t.Fatalf("portfolio_risk present %v with %d positions", p.Known, len(r.holds))
			}
			if p.Known {
				v, es := plainVaR(s.in.Rows, w.legs)
				agreeTo(t, "VaR", p.VaR99, v, w.gross)
				agreeTo(t, "ES", p.ES99, es, w.gross)
				if p.PositionCount != len(r.holds) {
					t.Errorf("%d positions counted, %d are open", p.PositionCount, len(r.holds))
				}
			}
			checkAttribution(t, &a.Attribution, s.in.Rows, &w)

			if a.PortfolioStress.Known != (len(r.holds) > 0) {
				t.Fatalf("portfolio_stress present %v with %d positions", a.PortfolioStress.Known, len(r.holds))
			}
			if a.PortfolioStress.Known {
				checkBookStress(t, a.PortfolioStress, &w)
			}
			if p.Simulation.Known || a.MonteCarlo.Known {
				t.Error("a simulation without a request for it")
			}
		})
	}
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

// Random wallets under stress: every margin mode, marks that differ from those of the account's
// answer, equities around zero, and sizes on both sides of the largest that survives.
func TestBookStressOfRandomWallets(t *testing.T) {
	sequential(t)
	r := rand.New(rand.NewPCG(11, 12))
	assets := []AssetInput{testInput(0, "BTC", testMark), testInput(1, "ETH", 3000), testInput(2, "SOL", 100),
		testInput(3, "XRP", 2), testInput(4, "WIF", 1)}
	for i := range assets {
		m := assets[i].Model
		m.Z24.FirstHour, m.Z24.Values, m.Daily = testHour-30, m.Z24.Values[:30], nil
		m.Variance[mc.H24] = math.Pow(0.02+0.02*float64(i), 2)
	}
	assets[2].Model.Bars = 4319
	assets[3].Model.Bars, assets[3].Model.VolumeUSD7d = 4320, 7*25e6
	dex := *assets[4].Market.Asset
	dex.Dex = "wif"
	assets[4].Market.Asset = &dex

	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	equities := []float64{-5_000, 0, 0.005, 500, 5_000, 30_000, 1e6}
	survived, liquidated := 0, 0
	for range 4000 {
		action := []Action{ActionLong, ActionShort, ActionClose}[r.IntN(3)]
		s := situation{Input{
			Trade: Trade{Action: action, SizeUSD: math.Exp(4 + 8*r.Float64()), Mode: Mode(r.IntN(2)), ModeGiven: true,
				Leverage: float64(1 + r.IntN(40))},
			Account: &mc.Account{Mode: mc.ModeDisabled, CrossAccountValueUSD: equities[r.IntN(len(equities))],
				TakerRate: testTaker},
			Target: assets[0],
		}}
		for id, a := range assets {
			if r.IntN(2) == 0 {
				continue
			}
			mark := a.Market.Context.MarkPrice
			value := math.Exp(6 + 5*r.Float64())
			read := mark
			if id > 0 {
				read *= 1 + 0.02*r.NormFloat64()
			}
			p := holding(mc.AssetID(id), a.Market.Asset.Name, value/mark, read, float64(1+r.IntN(40)))
			if r.IntN(2) == 0 {
				p.Units = -p.Units
			}
			if r.IntN(3) == 0 {
				p = isolatedAt(p, value*(r.Float64()-0.05))
			}
			s.in.Account.Positions = append(s.in.Account.Positions, p)
			s.in.Held = append(s.in.Held, a)
		}
		a := assessWith(t, e, scratch, &s.in)
		if a.PortfolioStress.Known != (len(s.in.Held) > 0) {
			t.Fatal("presence of portfolio_stress")
		}
		if !a.PortfolioStress.Known {
			continue
		}
		w := plainTrade(&s.in)
		checkBookStress(t, a.PortfolioStress, &w)
		if a.PortfolioStress.AccountSurvives {
			survived++
		}
		if a.PortfolioStress.PositionsLiquidated > 0 {
			liquidated++
		}
		if len(w.legs) == 1 && w.legs[0].asset == "BTC" && !w.legs[0].isolated {
			if got := a.Stress[a.PortfolioStress.Scenario].Survives; got != a.PortfolioStress.AccountSurvives {
				t.Errorf("position survives %v, but its account %v", got, a.PortfolioStress.AccountSurvives)
			}
		}
		if t.Failed() {
			t.Fatalf("%+v of %+v", s.in.Trade, s.in.Account)
		}
	}
	if survived < 500 || liquidated < 500 {
		t.Errorf("%d survive and %d lose a position: the wallets are too similar", survived, liquidated)
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

	empty := newSituation(20_000, ActionClose, 1e8).holds(holding(0, "BTC", -1, testMark, 10)).assess(
		t).PortfolioStress
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
	d := a.PortfolioRisk.TailDependence[0]
	four := func(m *mc.AssetModel) (out []float64) { // 2,160 hours are whole groups of four
		for i := 0; i < len(m.Daily.Values); i += 4 {
			v := m.Daily.Values[i:]
			out = append(out, math.Round((((v[0]+v[1])+v[2])+v[3])*1e12)/1e12)
		}
		return out
	}
	x, y := four(s.in.Held[0].Model), four(s.in.Target.Model)
	agree(t, "pearson", d.Pearson, naiveCorrelation(x, y))
	concordant := 0
	for i := range x {
		for j := range i {
			if (x[i]-x[j])*(y[i]-y[j]) > 0 {
				concordant++
			} else {
				concordant--
			}
		}
	}
	n := float64(len(x))
	rho := math.Sin(math.Pi / 2 * float64(concordant) / (n * (n - 1) / 2))
	if d.Nu < 2.05 || d.Nu > 40 {
		t.Fatalf("nu %v", d.Nu)
	}
	// Simpson's rule over the density of Student's t below the limit, in 1/x for the far part.
	df, limit := d.Nu+1, math.Sqrt((d.Nu+1)*(1-rho)/(1+rho))
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	scale := math.Exp(lg((df+1)/2)-lg(df/2)) / math.Sqrt(df*math.Pi)
	density := func(w float64) float64 { // x = 1/w
		if w == 0 {
			return 0
		}
		return scale * math.Pow(1+1/(w*w*df), -(df+1)/2) / (w * w)
	}
	area, steps := 0.0, 20_000
	for i := range steps {
		h := 1 / limit / float64(steps)
		w := h * float64(i)
		area += h / 6 * (density(w) + 4*density(w+h/2) + density(w+h))
	}
	if math.Abs(d.Lambda-2*area) > 1e-8 {
		t.Errorf("lambda %v, want %v", d.Lambda, 2*area)
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
