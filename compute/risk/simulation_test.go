package risk

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"ballast/compute/calib"
	montecarlo "ballast/compute/mc"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// moving returns a fit whose simulated paths use every term of the recursion.
func moving(s *situation) *mc.AssetModel {
	m := s.in.Target.Model
	m.E = [4]float64{1e-4, 6e-5, 4e-5, 2e-5}
	m.K2Hourly, m.RangeToReturn, m.MomentMatch = 1.1, 1.3, 1.2
	m.Innovations = slices.Clone(m.Innovations)
	for i, u := range m.Innovations {
		m.Innovations[i] = u * (1 + u*u/20) // fatter tails
	}
	stats.Standardise(m.Innovations, m.Innovations)
	slices.Sort(m.Innovations)
	return m
}

// The simulation of a position is that of its model, its side and its liquidation.
func TestSimulatedPath(t *testing.T) {
	for _, r := range []struct {
		name     string
		action   Action
		mode     Mode
		leverage float64
		equity   float64
		side     float64
	}{
		{"long without a barrier", ActionLong, Cross, 10, 1e6, 1},
		{"long near its barrier", ActionLong, Isolated, 16, 1e5, 1},
		{"short near its barrier", ActionShort, Isolated, 14, 1e5, -1},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(r.equity, r.action, 60_000)
			s.in.Trade.MonteCarlo, s.in.Trade.Mode, s.in.Trade.ModeGiven = true, r.mode, true
			s.in.Trade.Leverage = r.leverage
			m := moving(s)
			scratch := NewScratch(1)
			a := assessWith(t, NewEngine(DefaultAges()), scratch, &s.in)
			price := a.Liquidation.Price
			if (price == 0) != (r.mode == Cross) {
				t.Fatalf("liquidation price %v", price)
			}
			path := montecarlo.Path{
				Innovations: m.Innovations, E: m.E, LongRun: m.LongRunVariance, Hours: m.HourFactors,
				Coefficients: [5]float64{0.65, 0, 0.06, 0.08, 0.06},
				Decay:        [4]float64{6.0 / 7, 24.0 / 25, 120.0 / 121, 600.0 / 601},
				K2:           1.1, G: 1.3, C: 1.2, Side: r.side,
				HasBarrier: price > 0, Barrier: math.Log(price / testMark),
				LossPct:    a.Liquidation.DistancePct + 100.0/80,
				FundingPct: 100 * r.side * plainFunding(testFunding, testFunding), Seed: scratch.seed(m),
			}
			pnl := make([]float64, 10_000)
			liquidated := new(montecarlo.Simulator).Paths(&path, pnl)
			want, got := montecarlo.Summarise(pnl, make([]float64, len(pnl))), a.MonteCarlo
			for what, pair := range map[string][2]float64{
				"VaR 95": {got.VaR95, want.VaR95}, "VaR 99": {got.VaR99, want.VaR99}, "ES 95": {got.ES95, want.ES95},
				"ES 99": {got.ES99, want.ES99}, "median": {got.Median, want.Median}, "worst": {got.Worst, want.Worst},
				"lower": {got.Lower, want.Lower}, "upper": {got.Upper, want.Upper}, "SE 95": {got.SE95, want.SE95},
				"SE 99": {got.SE99, want.SE99}, "liquidated": {got.LiquidatedShare, float64(liquidated) / 10_000},
			} {
				agreeTo(t, what, pair[0], pair[1], 1)
			}
			if (liquidated == 0) != (r.mode == Cross) || liquidated > 3000 || got.Simulations != 10_000 {
				t.Errorf("%d of %d paths are liquidated", liquidated, got.Simulations)
			}
		})
	}
}

// simulated returns the simulation of a trade in a large wallet.
func simulated(t *testing.T, action Action, size float64, change ...func(s *situation)) MonteCarlo {
	t.Helper()
	s := newSituation(1e6, action, size)
	s.in.Trade.MonteCarlo = true
	moving(s)
	for _, c := range change {
		c(s)
	}
	return s.assess(t).MonteCarlo
}

// What a simulation depends on: the asset, its fit and the hour, not the size.
func TestSimulationSeed(t *testing.T) {
	first := simulated(t, ActionLong, 60_000)
	if first != simulated(t, ActionLong, 60_000) {
		t.Error("the same request gives another answer")
	}
	// Far from liquidation, percentages of notional are the same for every size, because the paths
	// are the same.
	if first != simulated(t, ActionLong, 7_000) {
		t.Error("another size gets other paths")
	}
	for what, change := range map[string]func(s *situation){
		"a new bar":      func(s *situation) { s.in.Target.Model.LastHour++ },
		"a new fit":      func(s *situation) { s.in.Target.Model.Digest[0]++ },
		"another ticker": func(s *situation) { s.in.Target.Model.Name = "XBT"; s.in.Rows = s.in.Target.Model },
	} {
		if first == simulated(t, ActionLong, 60_000, change) {
			t.Errorf("%s changed, and still the same paths", what)
		}
	}

	// The asset is part of the seed: trades of one wallet in two assets with equal models get
	// different paths.
	twins := func(target int) MonteCarlo {
		s := newSituation(1e6, ActionLong, 60_000)
		s.holds(holding(0, "BTC", 1, testMark, 10)).holds(holding(1, "ETH", 20, 3000, 10))
		s.in.Held[1].Model.Innovations = s.in.Target.Model.Innovations
		s.in.Rows = s.in.Target.Model
		s.in.Trade.MonteCarlo, s.in.Trade.Asset, s.in.Target = true, mc.AssetID(target), s.in.Held[target]
		return s.assess(t).MonteCarlo
	}
	if a, b := twins(0), twins(1); a == b || math.Abs(a.VaR99/b.VaR99-1) > 0.1 {
		t.Errorf("VaR %v and %v of twins", a.VaR99, b.VaR99)
	}
}

func TestSimulationOnRequest(t *testing.T) {
	with := func(p mc.Position) func(*situation) { return func(s *situation) { s.holds(p) } }
	first := simulated(t, ActionLong, 60_000)
	// A near liquidation price limits the loss. With a more distant liquidation price, at lower leverage,
	// the paths are the same and the loss is never smaller.
	isolated := func(leverage float64) func(*situation) {
		return func(s *situation) {
			s.in.Trade.Mode, s.in.Trade.ModeGiven, s.in.Trade.Leverage = Isolated, true, leverage
		}
	}
	near, further := simulated(t, ActionLong, 60_000, isolated(40)), simulated(t, ActionLong, 60_000, isolated(20))
	if near.LiquidatedShare <= further.LiquidatedShare || further.LiquidatedShare <= first.LiquidatedShare ||
		first.LiquidatedShare != 0 {
		t.Errorf("liquidated %v, %v, %v", near.LiquidatedShare, further.LiquidatedShare, first.LiquidatedShare)
	}
	if near.VaR99 >= first.VaR99 || near.VaR99 != near.VaR95 || near.Worst != -near.VaR99 || near.SE99 != 0 {
		t.Errorf("a capped loss: %+v", near)
	}

	flat := MonteCarlo{Known: true, Simulations: 10_000}
	for _, a := range []MonteCarlo{simulated(t, ActionClose, 60_000),
		simulated(t, ActionClose, 60_000, with(holding(0, "BTC", 1, testMark, 10)))} {
		if a != flat {
			t.Errorf("flat: %+v", a)
		}
	}

	// Already beyond liquidation: every path loses the remaining distance, the maintenance margin
	// and the funding.
	for what, p := range map[string]mc.Position{
		"long":                  isolatedAt(holding(0, "BTC", 2, testMark, 10), 10),
		"short":                 isolatedAt(holding(0, "BTC", -2, testMark, 10), 10),
		"short, at every price": isolatedAt(holding(0, "BTC", -2, testMark, 10), -3*testMark),
	} {
		action, side := ActionShort, 1.0
		if p.Units < 0 {
			action, side = ActionLong, -1.0
		}
		x := simulated(t, action, 60_000, with(p))
		loss := 0 + 100.0/80 + 100*side*plainFunding(testFunding, testFunding)
		for name, got := range map[string]float64{
			"VaR 95": x.VaR95, "VaR 99": x.VaR99, "ES 95": x.ES95, "ES 99": x.ES99,
			"median": -x.Median, "worst": -x.Worst, "lower": -x.Lower, "upper": -x.Upper,
		} {
			agree(t, what+" "+name, got, loss)
		}
		if x.LiquidatedShare != 1 {
			t.Errorf("%s: %v liquidated", what, x.LiquidatedShare)
		}
	}
}

// The simulated figures of a portfolio are computed from its scenarios, and the scenarios follow
// the copula.
func TestSimulatedBook(t *testing.T) {
	s := diverse(newSituation(2_600, ActionClose, 10_000), "ETH", "SOL", "BTC", "XRP")
	s.in.Trade.MonteCarlo = true
	s.in.Rows = s.in.Target.Model
	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	sim := assessWith(t, e, scratch, &s.in).PortfolioRisk.Simulation
	legs, n := scratch.portfolio.legs, sim.Draws
	if !sim.Known || n != 8192 || len(sim.Positions) != 4 || len(legs) != 4 {
		t.Fatalf("%+v", sim)
	}
	move := make([][]float64, len(legs))
	for i := range legs {
		move[i] = lastSimulation(e).book.Move(i)
	}
	gain := func(i, draw int) float64 {
		l := &legs[i]
		return l.signed() * l.in.Model.Joint.Scale[tailSide(l.side())] * move[i][draw]
	}
	losses := func(skip int) []float64 {
		x := make([]float64, n)
		for j := range x {
			for i := range legs {
				if i != skip {
					x[j] -= gain(i, j)
				}
			}
		}
		return x
	}
	all := losses(-1)
	q95, q99 := plainQuantile(all, 0.95), plainQuantile(all, 0.99)
	agree(t, "VaR 95", sim.VaR95, q95)
	agree(t, "VaR 99", sim.VaR99, q99)
	agree(t, "ES 95", sim.ES95, plainUpperMean(all, q95))
	agree(t, "ES 99", sim.ES99, plainUpperMean(all, q99))

	raw, sum := nearQuantile(all, len(legs), gain)
	total := 0.0
	for i, p := range sim.Positions {
		if p.Asset != legs[i].name {
			t.Errorf("position %d is %s", i, p.Asset)
		}
		agreeTo(t, p.Asset+" component", p.ComponentVaR, raw[i]*q99/sum, q99)
		agreeTo(t, p.Asset+" marginal", p.MarginalVaR, q99-max(0, plainQuantile(losses(i), 0.99)), q99)
		total += p.ComponentVaR
	}
	agree(t, "sum of components", total, sim.VaR99)

	ruined := 0.0
	for j := range n {
		left := scratch.view.after.counted
		for i := range legs {
			if l := &legs[i]; !l.isolated {
				left += l.signed()*move[i][j] - l.tiers.maintenance(l.notional()*(1+move[i][j]))
			}
		}
		if left < 0 {
			ruined++
		}
	}
	agree(t, "liquidation probability", sim.LiquidationProbability, ruined/float64(n))
	if ruined == 0 || ruined == float64(n) {
		t.Errorf("%v of %d scenarios liquidate the pool: too few or too many for this test", ruined, n)
	}
}

// nearQuantile returns what each leg loses on average in the scenarios around the 99 % loss, and the sum.
func nearQuantile(losses []float64, legs int, gain func(leg, draw int) float64) (raw []float64, sum float64) {
	n := len(losses)
	rank := make([]int, n) // scenarios by increasing loss
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	centre, half := int(math.Round(0.99*float64(n-1))), n*5/1000
	near := rank[centre-half : centre+half+1]
	raw = make([]float64, legs)
	for i := range raw {
		for _, j := range near {
			raw[i] -= gain(i, j) / float64(len(near))
		}
		sum += raw[i]
	}
	return raw, sum
}

// What decides whether a simulated wallet is liquidated, and when there is a simulation at all.
func TestSimulatedLiquidation(t *testing.T) {
	for what, c := range map[string]struct {
		change func(s *situation)
		want   float64
	}{
		"a rich wallet": {func(s *situation) { s.in.Account.CrossAccountValueUSD = 1e9 }, 0},
		"one under water": {func(s *situation) {
			s.in.Account.CrossAccountValueUSD = -1e9
			s.in.Trade.Action = ActionClose
		}, 1},
		"another pool under water": {func(s *situation) {
			s.in.Account.Pools = []mc.Pool{{EquityUSD: 1e9}, {Dex: "xyz", EquityUSD: -1e9}}
			s.in.Account.Positions[0].Pool = 1
		}, 0},
		"collateral": {func(s *situation) {
			s.in.Account.CrossAccountValueUSD = 1e9
			s.in.Account.Collateral = []mc.Collateral{{Asset: 0, Name: "BTC", Units: 1, Mark: testMark}}
			s.in.Backing = []AssetInput{s.in.Target}
		}, 0},
		"nothing cross at all": {func(s *situation) {
			s.in.Account.CrossAccountValueUSD, s.in.Trade.Mode = 1e5, Isolated
			for i, p := range s.in.Account.Positions {
				s.in.Account.Positions[i] = isolatedAt(p, 10)
			}
		}, 0},
	} {
		s := diverse(newSituation(4_000, ActionLong, 30_000), "ETH", "SOL", "XRP")
		s.in.Trade.MonteCarlo = true
		c.change(s)
		x := s.assess(t).PortfolioRisk.Simulation
		if !x.Known || x.LiquidationProbability != c.want {
			t.Errorf("%s: %v, want %v", what, x.LiquidationProbability, c.want)
		}
	}
	for _, asked := range []bool{false, true} { // one position before the trade
		one := diverse(newSituation(4_000, ActionLong, 30_000), "ETH")
		one.in.Trade.MonteCarlo = asked
		a := one.assess(t)
		if a.PortfolioRisk.Known || a.PortfolioRisk.Simulation.Known || a.MonteCarlo.Known != asked {
			t.Errorf("asked for %v: %+v", asked, a.MonteCarlo)
		}
	}
	two := diverse(newSituation(4_000, ActionLong, 30_000), "ETH", "SOL")
	if two.assess(t).PortfolioRisk.Simulation.Known {
		t.Error("a simulation without a request for it")
	}
}

// Simulations of two hundred positions in every kind of asset.
func TestDegenerateBooks(t *testing.T) {
	s := newSituation(0, ActionLong, 50_000)
	s.in.Trade.MonteCarlo = true
	s.in.Rows = s.in.Target.Model
	s.holdsMany()
	for _, action := range []Action{ActionLong, ActionClose} {
		s.in.Trade.Action = action
		a := s.assess(t)
		if why := broken(a); why != "" {
			t.Fatalf("%s: %s", action, why)
		}
		p, legs := &a.PortfolioRisk, 200
		if action == ActionLong {
			legs = 201
		}
		if p.PositionCount != 200 || len(a.Attribution.Positions) != legs || len(p.Simulation.Positions) != legs ||
			p.VaR99 <= 0 || p.Simulation.VaR99 <= 0 {
			t.Errorf("%s: %d positions, VaR %v, simulated %v", action, p.PositionCount, p.VaR99, p.Simulation.VaR99)
		}
		if a.MonteCarlo.Known != true || (a.MonteCarlo.VaR99 == 0) != (action == ActionClose) {
			t.Errorf("%s: %+v", action, a.MonteCarlo)
		}
		if a.Flags.Has(FlagConcentrationRisk) && action == ActionClose {
			t.Error("concentration_risk is raised for two hundred equal positions")
		}
	}
}

// Every figure of simulated wallets is sound in degenerate markets.
func TestDegenerateMarkets(t *testing.T) {
	fitted := func(bars []mc.Bar) func(s *situation) {
		return func(s *situation) {
			m, err := calib.Fit(0, "BTC", bars)
			if err != nil {
				t.Fatal(err)
			}
			s.in.Target.Model, s.in.Rows = m, m
		}
	}
	markets := []struct {
		name   string
		change func(s *situation)
	}{
		{"no candle", fitted(nil)},
		{"one bar", fitted(wanderingBars(1, 0.01))},
		{"three bars", fitted(wanderingBars(3, 0.01))},
		{"three flat bars", fitted(wanderingBars(3, 0))},
		{"a price that never moves", fitted(wanderingBars(1500, 0))},
		{"one that moves by a tenth an hour", fitted(wanderingBars(1500, 0.1))},
		{"a book without asks", func(s *situation) {
			s.in.Target.Market.Book = mc.MergeBooks([][]mc.Level{{{Price: 59_990, Units: 10}}}, nil, 0)
		}},
		{"a book without bids", func(s *situation) {
			s.in.Target.Market.Book = mc.MergeBooks(nil, [][]mc.Level{{{Price: 60_010, Units: 10}}}, 0)
		}},
	}
	for _, market := range markets {
		for _, equity := range []float64{-1e5, 0, 1e3, 1e7} {
			for _, action := range []Action{ActionLong, ActionShort, ActionClose} {
				s := diverse(newSituation(equity, action, 45_000), "ETH", "BTC", "SOL", "XRP")
				s.in.Trade.MonteCarlo = true
				market.change(s)
				s.in.Held[1] = s.in.Target
				a := s.assess(t)
				if why := broken(a); why != "" {
					t.Errorf("%s, %s with %v: %s", market.name, action, equity, why)
				}
				if market.name == "a price that never moves" && action != ActionClose {
					// Hours without a move say nothing: the prior of 200 % a year counts, and the pooled tail.
					sd := 2 / math.Sqrt(365)
					want := 100 * (1 - math.Exp(-sd*(1.614+0.688/0.136*(math.Pow(50, 0.136)-1))))
					if action == ActionShort {
						want = 100 * (math.Exp(sd*(1.666+0.640/0.182*(math.Pow(50, 0.182)-1))) - 1)
					}
					if v := a.EVT.VaR999; math.Abs(v/want-1) > 0.01 {
						t.Errorf("%s: extreme %v, want %v", market.name, v, want)
					}
				}
			}
		}
	}
}
